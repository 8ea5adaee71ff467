"""GitHub Copilot CLI: where it comes from, how it is started; its model API is that of `completions`."""

from completions import answer, told, tool_results

HARNESS = "copilot"
PACKAGE, VERSION, PROGRAM = "@github/copilot-linux-x64", "1.0.102", "copilot"


def environment(box):
    return {
        "COPILOT_OFFLINE": "true",
        # Spelt so, it also trusts the folder, without which its hooks are not read.
        "COPILOT_ALLOW_ALL": "true",
        "COPILOT_AUTO_UPDATE": "false",
        "COPILOT_PROVIDER_BASE_URL": f"{box.url}/v1",
        "COPILOT_PROVIDER_API_KEY": "placeholder-not-a-key",
        "COPILOT_MODEL": "standin",
    }


def command(box, program, prompt, later, args, mcp):
    return [program, *(["--continue"] if later else []), *(args or []), "-p", prompt]


def mcp_call(name):
    return {"tool": f"nudge-{name}"}

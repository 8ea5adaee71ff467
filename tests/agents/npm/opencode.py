"""OpenCode: where it comes from, how it is started; its model API is that of `completions`."""

import json

from completions import answer, told, tool_results

HARNESS = "opencode"
PACKAGE, VERSION, PROGRAM = "opencode-linux-x64", "1.18.33", "bin/opencode"


def environment(box):
    """Returns what keeps it off the network; the settings are here, so that the files are free for `nudge setup`."""
    model = {"name": "standin", "tool_call": True, "limit": {"context": 100000, "output": 10000}}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{box.url}/v1", "apiKey": "placeholder-not-a-key"},
        "models": {"model": model},
    }
    settings = {"provider": {"standin": provider}, "model": "standin/model", "autoupdate": False, "share": "disabled"}
    # A plugin makes it ask the npm registry for a package at every start; without a network it gives up sooner so.
    own = {"OPENCODE_CONFIG_CONTENT": json.dumps(settings), "npm_config_fetch_retries": "0"}
    off = ["AUTOUPDATE", "MODELS_FETCH", "DEFAULT_PLUGINS", "LSP_DOWNLOAD"]
    return own | {f"OPENCODE_DISABLE_{name}": "1" for name in off}


def command(box, program, prompt, later, args, mcp):
    return [program, "run", *(["--continue"] if later else []), *(args or []), prompt]


def mcp_call(name):
    return {"tool": f"nudge_{name}"}

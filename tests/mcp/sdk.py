"""Asks `nudge serve` through the official Python SDK: `sdk.py PATH_OF_NUDGE`, with `mcp` 1.x or 2.x installed.

The SDK checks what we cannot easily check ourselves: the shape of every message, and that structured content is what
the output schema says. `scripts/mcp-clients` makes the environments and runs this in both.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

MAJOR = int(version("mcp").split(".")[0])


def remember(nudge, project, environment):
    """Sends a failure, an edit and a success to the hook, as Claude Code does."""
    common = {"session_id": "s1", "cwd": str(project)}
    bash = {"tool_name": "Bash", "tool_input": {"command": "cargo test login"}}
    edit = {"file_path": f"{project}/src/auth.rs", "old_string": "a < b", "new_string": "a <= b"}
    events = [
        {"hook_event_name": "PostToolUseFailure", **bash, "error": "Exit code 101\nassertion failed: token_is_valid"},
        {"hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_input": edit, "tool_response": {}},
        {"hook_event_name": "PostToolUse", **bash, "tool_response": {"stdout": "", "stderr": ""}},
    ]
    for number, event in enumerate(events):
        event = {**common, **event, "tool_use_id": f"t{number}"}
        subprocess.run([nudge, "hook"], input=json.dumps(event).encode(), env=environment, check=True)


@asynccontextmanager
async def legacy(server):
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        yield session


@asynccontextmanager
async def modern(server, mode):
    from mcp import Client

    async with Client(server, mode=mode) as client:
        yield client


def told(result):
    """Returns the answer: the text, after comparing it with the structured content."""
    is_error, structured = (
        (result.isError, result.structuredContent) if MAJOR == 1 else (result.is_error, result.structured_content)
    )
    assert not is_error, result
    answer = json.loads(result.content[0].text)
    assert structured == ({"observations": answer} if isinstance(answer, list) else answer), result
    return answer


async def ask(client, is_here):
    tools = (await client.list_tools()).tools
    names = [tool.name for tool in tools]
    # Plans, tasks and notes belong to the folder that the server was started in: over HTTP there is none.
    assert any(name.startswith("nx_") for name in names) == is_here, names
    others = [name for name in names if not name.startswith("nx_")]
    assert others[:5] == ["search", "get_observations", "timeline", "recent_context", "nudge_set_hint"], names
    assert len(others) == 12, names
    project = {} if is_here else {"project": "project"}
    found = told(await client.call_tool("search", {"query": "token_is_valid", **project}))
    assert [hit["id"] for hit in found] == [1], found
    everywhere = told(await client.call_tool("search", {"query": "cargo", "project": None, "limit": 1}))
    assert len(everywhere) == 1, everywhere
    timeline = told(await client.call_tool("timeline", {"anchor": 1}))
    assert [row["obs_type"] for row in timeline["after"]] == ["file_edit", "command"], timeline
    whole = told(await client.call_tool("get_observations", {"ids": [2, 1]}))
    assert [row["id"] for row in whole] == [2, 1], whole
    recent = told(await client.call_tool("recent_context", project))
    assert [row["id"] for row in recent] == [3, 2, 1], recent
    refused = await client.call_tool("get_observations", {"ids": []})
    assert refused.content[0].text == "ids array must not be empty", refused


async def ask_hints(client):
    """Every tool of the hints once, with an answer that the SDK holds against its schema, and a refusal."""
    hint = {"component": "api", "key": "build", "value": {"type": "command", "cmd": "make"}}
    kept = told(await client.call_tool("nudge_set_hint", {**hint, "meta": {"priority": 7, "tags": ["build"]}}))
    assert kept["hint"]["value"] == hint["value"], kept
    name = {"component": "api", "key": "build"}
    got = told(await client.call_tool("nudge_get_hint", name))
    assert got["match_explain"]["matched"], got
    assert told(await client.call_tool("nudge_bump", name))["hint"]["use_count"] == 1
    assert len(told(await client.call_tool("nudge_query", {"tags": ["build"]}))["hints"]) == 1
    components = told(await client.call_tool("nudge_list_components", {}))
    assert components == {"components": [{"name": "api", "hint_count": 1}]}, components
    payload = told(await client.call_tool("nudge_export", {}))["payload"]
    assert told(await client.call_tool("nudge_import", {"payload": payload}))["skipped"] == 1
    assert told(await client.call_tool("nudge_delete_hint", name))["deleted"]
    refused = await client.call_tool("nudge_get_hint", name)
    assert json.loads(refused.content[0].text)["error"]["code"] == 40401, refused
    assert (refused.isError if MAJOR == 1 else refused.is_error), refused


@asynccontextmanager
async def legacy_http(url):
    from mcp.client import streamable_http

    connect = getattr(streamable_http, "streamable_http_client", None) or streamable_http.streamablehttp_client
    async with connect(url) as (read, write, *_), ClientSession(read, write) as session:
        await session.initialize()
        yield session


async def main(nudge):
    with tempfile.TemporaryDirectory() as folder:
        home, project = Path(folder, "home"), Path(folder, "project").resolve()
        (project / ".git").mkdir(parents=True)
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "XDG_DATA_HOME": f"{home}/data",
            "NUDGE_RUNTIME_DIR": f"{home}/runtime",
        }
        remember(nudge, project, environment)
        arguments = ["serve", "--port", "28865"]
        server = StdioServerParameters(command=nudge, args=arguments, env=environment, cwd=str(project))
        # The first PRIMARY is nobody's child, so that there is somebody to ask over HTTP, and the rest are PROXYs.
        primary = subprocess.Popen([nudge, *arguments], stdin=subprocess.DEVNULL, env=environment, cwd=folder)
        try:
            address = Path(home, "runtime/server.pid")
            while not address.exists():
                time.sleep(0.05)
            url = f"http://127.0.0.1:{json.loads(address.read_text())['port']}/mcp"
            eras = {"handshake": (legacy(server), True), "handshake over HTTP": (legacy_http(url), False)}
            if MAJOR >= 2:
                for mode in ("legacy", "auto", "2026-07-28"):
                    eras[f"client, {mode}"] = (modern(server, mode), True)
                    eras[f"client over HTTP, {mode}"] = (modern(url, mode), False)
            for era, (opened, is_here) in eras.items():
                async with opened as client:
                    await ask(client, is_here)
                    await ask_hints(client)
                print(f"mcp {version('mcp')}, {era}: ok")
        finally:
            primary.terminate()
            primary.wait()


asyncio.run(main(os.path.abspath(sys.argv[1])))

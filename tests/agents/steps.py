#!/usr/bin/env python3
"""Plays a scenario with the runner, whose prompts may also be steps of other kinds.

usage: steps.py RUNNER SCENARIO --nudge NUDGE [OPTION…]

A prompt is a text that goes on with the conversation, or one of these:

    {"shell": "nudge init"}                        the user runs a command, which must succeed
    {"shell": "nudge task close", "fails": true}   … which must fail
    {"new": "what now?"}                           a new conversation
    {"new": "what now?", "in": "{PROJECT}/../b"}   … in another folder

What commands print counts as output of the session, so `stdout_contains` finds it.
`{AGENT}` in a command stands for the agent's program.
`{AGENT_ID}` in a turn stands for the id of the agent that was started last.
A turn may say `"for": "You are a tester"`: it is for the agent that was told this, whenever that one asks.
In Codex, `{"tool": "tool_search"}` looks for tools, and `{"tool": "NAMESPACE.NAME"}` calls one that it found.
"""

import json
import re
import sys
import threading

sys.path.insert(0, sys.argv.pop(1))
sys.dont_write_bytecode = True

import run
from standin import StandIn, strings

play, start, codex_item = run.play, run.sandbox.run, run.codex.item
SHELL = ["/bin/bash", "-euc"]
HANDING_OUT = threading.Lock()
next_turn = StandIn.next_turn
IN_FOLDER = ["/bin/bash", "-c", 'cd "$0" && exec "$@"']


def play_steps(scenario, program, box, options):
    agent, wrong, conversation = run.AGENTS[scenario["agent"]], [], {"begun": False, "folder": None}
    command = agent.command

    def command_of(box, program, prompt, _later, args, mcp):
        step = {"say": prompt} if isinstance(prompt, str) else prompt
        if set(step) - {"say", "new", "in", "shell", "fails"} or len(step.keys() & {"say", "new", "shell"}) != 1:
            raise SystemExit(f"error: `{scenario['name']}`: not a step: {step}")
        if "shell" in step:
            return [*SHELL, step["shell"].replace("{AGENT}", program), "fails" if step.get("fails") else "succeeds"]
        if "new" in step:
            conversation.update(begun=False, folder=step.get("in"))
        line = command(box, program, step.get("say", step.get("new")), conversation["begun"], args, mcp)
        conversation["begun"] = True
        return [*IN_FOLDER, conversation["folder"], *line] if conversation["folder"] else line

    def start_step(line, *rest):
        done = start(line, *rest)
        if line[:2] == SHELL and (done["exit_code"] == 0) != (line[-1] == "succeeds"):
            printed = run.shorten(f"{done['stdout']}{done['stderr']}".strip())
            wrong.append(f"shell: `{line[2]}` ended with {done['exit_code']}: {printed}")
        if line[:2] == SHELL:
            done["stdout"] += done["stderr"]
        return done

    agent.command, run.sandbox.run = command_of, start_step
    try:
        record = play(scenario, program, box, options)
    finally:
        agent.command, run.sandbox.run = command, start
    record["failures"] += wrong
    return record


def next_turn_for(standin, request):
    """Returns the first turn that is left for the agent that asks; agents ask in any order if they work side by side."""
    words = strings(standin.agent.told(request["body"]))
    with HANDING_OUT:
        left = [number for number in range(len(standin.turns)) if number not in standin.handed_out]
        wanted = {number: standin.turns[number][0].get("for") for number in left}
        own = [number for number, text in wanted.items() if text and any(text in word for word in words)]
        standin.played = (own or [number for number, text in wanted.items() if not text] or [len(standin.turns)])[0]
        standin.handed_out.add(standin.played)
        parts = json.dumps(next_turn(standin, request))
    found = re.findall(r'"agent_id": *"([^"]+)"', "\n".join(words))
    return json.loads(parts.replace("{AGENT_ID}", found[-1] if found else ""))


def item_of_codex(part):
    namespace, dot, name = part.get("tool", "").rpartition(".")
    if part.get("tool") == "tool_search":
        own = {"id": f"item_{part['id']}", "call_id": part["id"], "status": "completed", "execution": "client"}
        return {"type": "tool_search_call", "arguments": part["input"], **own}
    return codex_item(part | {"tool": name, "namespace": namespace} if dot else part)


run.PARTS += [keys | {"for"} for keys in run.PARTS]
StandIn.next_turn, StandIn.handed_out = next_turn_for, set()
run.codex.item = item_of_codex
run.play = play_steps
sys.exit(run.main())

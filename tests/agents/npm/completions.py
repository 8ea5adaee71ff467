"""The chat completions of OpenAI, which OpenCode and Copilot CLI both speak with a model of one's own."""

import json

from standin import as_json, as_text


def answer(path, body, next_turn):
    if not path.endswith("/chat/completions"):
        return None
    # Titles and the like are asked for without any tools.
    parts = next_turn() if body.get("tools") else [{"text": "a title"}]
    calls = [
        {"index": index, "id": part["id"], "type": "function", "function": called(part)}
        for index, part in enumerate(part for part in parts if "tool" in part)
    ]
    spoken = {"role": "assistant", "content": "".join(part.get("text", "") for part in parts)}
    spoken |= {"tool_calls": calls} if calls else {}
    ended = "tool_calls" if calls else "stop"
    head = {"id": "chatcmpl-standin", "created": 1, "model": body.get("model")}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    if not body.get("stream"):
        choice = {"index": 0, "message": spoken, "finish_reason": ended}
        return as_json(head | {"object": "chat.completion", "choices": [choice], "usage": usage})
    chunks = [
        {"choices": [{"index": 0, "delta": spoken, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": ended}], "usage": usage},
    ]
    lines = [json.dumps(head | {"object": "chat.completion.chunk"} | chunk) for chunk in chunks]
    return "text/event-stream", "".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"]).encode()


def called(part):
    return {"name": part["tool"], "arguments": json.dumps(part["input"])}


def told(body):
    return [body.get("tools"), [message for message in body["messages"] if message["role"] != "assistant"]]


def tool_results(body):
    """Returns the results; there is no flag for errors, so `is_error` stays unknown."""
    messages = [message for message in body.get("messages", []) if message["role"] == "tool"]
    return {one["tool_call_id"]: {"text": as_text(one["content"]), "is_error": None} for one in messages}

//! What Gemini CLI writes to a hook's stdin.

use std::borrow::Cow;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;

use crate::harness::agent::Wire;
use crate::harness::json::TextField;
use crate::harness::news::parse_news;
use crate::harness::{result, tool};
use crate::model::{Event, Hook, SessionId, ToolCall, ToolResult};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct GeminiEventWire {
    hook_event_name: TextField,
    session_id: TextField,
    cwd: TextField,
    transcript_path: TextField,
    tool_name: TextField,
    tool_input: Value,
    tool_response: Value,
    mcp_context: Value,
    prompt: TextField,
    prompt_response: TextField,
    stop_hook_active: Value,
    source: TextField,
    reason: TextField,
}

impl Wire for GeminiEventWire {
    /// Converts it to an event; `None` if the name is unknown. The payload's own name wins over the caller's.
    fn into_event(self, event_name: Option<&str>) -> Option<Event> {
        let name = self.hook_event_name.filled().or_else(|| event_name.map(str::to_owned))?;
        let hook = parse_hook(&name)?;
        let result = (hook == Hook::PostToolUse).then(|| parse_result(&self.tool_response));
        let news = self.tool_name.0.as_ref().filter(|_| hook == Hook::PostToolUse);
        let news = news.and_then(|name| parse_news(name, &self.tool_input, &self.tool_response));
        let shown = &self.tool_response["returnDisplay"];
        let before = serde_json::json!({ "originalFile": shown["originalContent"] });
        let called = |name| parse_call(name, self.tool_input, &self.mcp_context, &before);
        Some(Event {
            hook: result.as_ref().map_or(hook, result::event_after),
            session: self.session_id.filled().map(SessionId),
            cwd: self.cwd.filled().map(PathBuf::from).unwrap_or_default(),
            tool: self.tool_name.filled().map(called),
            // The event at the end of a turn repeats the prompt.
            prompt: self
                .prompt
                .0
                .filter(|_| hook == Hook::UserPromptSubmit)
                .map(|prompt| without_hook_context(&prompt).to_owned()),
            closing_message: self.prompt_response.filled(),
            stop_hook_active: self.stop_hook_active == Value::Bool(true),
            transcript: self.transcript_path.filled().map(PathBuf::from),
            news,
            result,
            cause: match hook {
                Hook::SessionStart => self.source.filled(),
                Hook::SessionEnd => self.reason.filled(),
                _ => None,
            },
            ..Event::default()
        })
    }
}

/// Returns what the user wrote: Gemini CLI puts what a hook said at the start of the session before the first prompt.
pub(super) fn without_hook_context(prompt: &str) -> &str {
    let mut rest = prompt.trim();
    while let Some((_, after)) =
        rest.strip_prefix("<hook_context>").and_then(|text| text.split_once("</hook_context>"))
    {
        rest = after.trim_start();
    }
    rest
}

fn parse_hook(name: &str) -> Option<Hook> {
    Some(match name {
        "BeforeTool" => Hook::PreToolUse,
        "AfterTool" => Hook::PostToolUse,
        "BeforeAgent" => Hook::UserPromptSubmit,
        "AfterAgent" => Hook::Stop,
        "SessionStart" => Hook::SessionStart,
        "SessionEnd" => Hook::SessionEnd,
        // `PreCompress` comes before every request to the model, whether anything is compressed or not.
        "BeforeModel" | "AfterModel" | "BeforeToolSelection" | "Notification" | "PreCompress" => Hook::Other,
        _ => return None,
    })
}

fn parse_call(name: String, input: Value, mcp: &Value, response: &Value) -> ToolCall {
    let named = mcp["server_name"].as_str().zip(mcp["tool_name"].as_str());
    // Without its context, the name shows where the server's name ends only if that has no underscore.
    let guessed = || name.strip_prefix("mcp_").and_then(|rest| rest.split_once('_'));
    match named.or_else(guessed).map(|(server, tool)| (server.to_owned(), tool.to_owned())) {
        Some((server, tool)) => tool::mcp_call(name, &server, &tool, input),
        None => tool::tool_call(name, input, response),
    }
}

fn parse_result(response: &Value) -> ToolResult {
    let error = response["error"]["message"].as_str().or_else(|| response["error"].as_str());
    let mut ran = result::parse_result(response, error.map(str::to_owned), &Value::Null);
    if let Some(parts) = response["llmContent"].as_array() {
        let texts: Vec<&str> = parts.iter().filter_map(|part| part["text"].as_str()).collect();
        ran.output = texts.join("\n");
    }
    let (output, code) = parse_output(&ran.output);
    ran.output = output;
    code.into_iter().for_each(|code| result::set_exit_code(&mut ran, code));
    ran
}

/// Parses a command's output and exit code from the text that Gemini CLI sends to the model.
fn parse_output(text: &str) -> (String, Option<i64>) {
    let text = text.trim();
    let text = text.strip_prefix("<untrusted_context>").unwrap_or(text);
    let text = text.strip_suffix("</untrusted_context>").unwrap_or(text).trim();
    if let Some(report) = text.strip_prefix("Subagent '").and_then(|rest| rest.split_once("\nResult:\n")) {
        return (report.1.to_owned(), None);
    }
    let sent = as_sent(text);
    let Some(mut output) = sent.strip_prefix("Output: ") else { return (text.to_owned(), None) };
    let mut code = None;
    while let Some((before, line)) = output.rsplit_once('\n') {
        let own = ["Exit Code: ", "Signal: ", "Background PIDs: ", "Process Group PGID: "];
        if !own.iter().any(|start| line.starts_with(start)) {
            break;
        }
        code = code.or_else(|| line.strip_prefix("Exit Code: ")?.parse().ok());
        output = before;
    }
    (output.to_owned(), code)
}

/// Returns the text about a command as it is sent today. Older versions write more lines around the output: the command,
/// its folder, and either one output or two; what there is not is `(none)` or `(empty)`.
pub(super) fn as_sent(text: &str) -> Cow<'_, str> {
    let Some((_, rest)) = text.strip_prefix("Command: ").and_then(|text| text.split_once("\nDirectory: "))
    else {
        return Cow::Borrowed(text);
    };
    let start = ["\nOutput: ", "\nStdout: "].iter().find_map(|name| rest.split_once(name));
    let Some((_, rest)) = start else { return Cow::Borrowed(text) };
    // What the command printed may have such lines, too, so the last ones count.
    let (printed, end) = rest.rsplit_once("\nExit Code: ").unwrap_or((rest, ""));
    let code = end.lines().next().filter(|code| code.parse::<i64>().is_ok());
    let (printed, error) = printed.rsplit_once("\nError: ").unwrap_or((printed, ""));
    let (out, err) = printed.rsplit_once("\nStderr: ").unwrap_or((printed, ""));
    let is_there = |text: &&str| !matches!(*text, "" | "(none)" | "(empty)");
    let printed: Vec<&str> = [out, err, error].into_iter().filter(is_there).collect();
    let code = code.map(|code| format!("\nExit Code: {code}")).unwrap_or_default();
    Cow::Owned(format!("Output: {}{code}", printed.join("\n")))
}

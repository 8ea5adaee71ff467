//! Decides what becomes of an answer that wants a person to be asked.
//!
//! A permission from `nudge allow` is used up. Otherwise the agent asks, if it really asks a person now; if it does not,
//! the call is refused and waits for `nudge allow`.

use super::binding::Binding;
use crate::config::env;
use crate::context;
use crate::journal::allowances;
use crate::model::{Fate, Outcome, Problem, Trace, WaitingCall, sha256_hex};
use crate::ops::turn::Turn;
use crate::redact::{self, OwnPatterns};
use crate::rules;
use crate::system::clock;

/// What an agent reads below the reasons. It contains nothing that could open the door: only a person can.
const DOOR: &str = "Nobody can be asked here, so this is refused: a person can allow this once: `nudge allow`, in a terminal. Do not try to work around it.";

/// Maximum number of characters of an input that are kept for a person to read.
const MAX_INPUT: usize = 16_000;

/// Returns what binds after the question is settled.
pub(super) fn settle(turn: &mut Turn<'_>, binding: Binding) -> Binding {
    if !matches!(binding.signed, Outcome::Ask { .. }) {
        return binding;
    }
    let now = clock::timestamp();
    let id = call_id(turn);
    if allowances::use_grant(&id, now).is_some() {
        set_fate(&mut turn.trace, &Fate::AllowedOnce);
        return binding.allowed();
    }
    let asks = turn.agent.asking.asks_in(turn.event.permission_mode.as_deref());
    let is_attended =
        turn.agent.unattended.is_none_or(|(name, value)| env::value(name).as_deref() != Some(value));
    if asks && is_attended {
        return binding;
    }
    let call = waiting_call(turn, id);
    if let Err(error) = allowances::add_waiting(&call, now) {
        let problem = Problem::error(format!("`nudge allow` cannot offer a refused call: {error}"));
        turn.problems.push(problem.hint("check that the data folder is writable").by_event());
    }
    if asks {
        // The agent refuses by itself and shows the reason to the model, or it has another way to ask.
        return binding.with_door(DOOR);
    }
    set_fate(&mut turn.trace, &Fate::AskRefused);
    binding.refused(DOOR)
}

fn set_fate(trace: &mut Trace, fate: &Fate) {
    for tried in trace.rules.iter_mut().filter(|tried| tried.fate == Fate::Asked) {
        tried.fate = fate.clone();
    }
}

/// Returns the hash of exactly this call: agent, project, tool and whole input.
fn call_id(turn: &Turn<'_>) -> String {
    let input = input(turn).map_or_else(|| format!("{:?}", turn.event.tool), |input| input.to_string());
    let tool = turn.event.tool.as_ref().map(|tool| tool.name.as_str()).unwrap_or_default();
    let project = turn.place.root().to_string_lossy();
    sha256_hex(serde_json::json!([turn.agent.id, project, tool, input]).to_string().as_bytes())
}

/// Returns the tool's whole input. What a command is for is left out: it does nothing, and an agent words it in another
/// way at each try.
fn input(turn: &Turn<'_>) -> Option<serde_json::Value> {
    let mut payload: serde_json::Value = serde_json::from_slice(turn.payload).ok()?;
    let mut input = ["tool_input", "toolArgs", "args"].iter().find_map(|key| {
        let value = payload.get_mut(*key)?.take();
        (!value.is_null()).then_some(value)
    })?;
    if let Some(fields) = input.as_object_mut().filter(|fields| fields.contains_key("command")) {
        fields.remove("description");
    }
    Some(input)
}

fn waiting_call(turn: &Turn<'_>, id: String) -> WaitingCall {
    let none = OwnPatterns::default();
    let secrets = turn.secrets();
    let own = secrets.unwrap_or(&none);
    let whole = match (input(turn), &turn.event.tool) {
        // If a pattern for secrets is broken, nobody can say what may be shown.
        _ if secrets.is_err() => "(not shown: a pattern under `redact` in the settings is broken)".to_owned(),
        (Some(input), _) => for_people(&input),
        (None, Some(tool)) => format!("{:?}", tool.action),
        (None, None) => String::new(),
    };
    let shown = redact::excerpt(&whole, MAX_INPUT, own);
    let rules = turn.trace.rules.iter().filter(|tried| tried.fate == Fate::Asked);
    WaitingCall {
        id,
        at: clock::timestamp(),
        harness: turn.agent.id.to_owned(),
        session: turn.event.session.clone(),
        project: redact::redact(&turn.place.root().to_string_lossy(), own).text.into_owned(),
        tool: redact::excerpt(turn.event.tool.as_ref().map_or("", |tool| &tool.name), MAX_NAME, own),
        input: context::visible(&shown).into_owned(),
        cut: whole.chars().count().saturating_sub(MAX_INPUT),
        rules: rules.map(|tried| redact::excerpt(&tried.rule, MAX_NAME, own)).collect(),
    }
}

const MAX_NAME: usize = 200;

/// Writes an input as a person reads it: its only text, or each field on lines of its own.
fn for_people(input: &serde_json::Value) -> String {
    let text = |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match input.as_object() {
        Some(fields) if fields.len() == 1 && fields.contains_key("command") => text(&fields["command"]),
        Some(fields) => {
            let lines = fields.iter().map(|(name, value)| match text(value) {
                value if value.contains('\n') => format!("{name}:\n{value}"),
                value => format!("{name}: {value}"),
            });
            lines.collect::<Vec<_>>().join("\n")
        }
        None => text(input),
    }
}

impl Binding {
    /// A person has allowed it: what rules say besides still reaches the model.
    fn allowed(self) -> Binding {
        Binding { signed: allowed(self.signed), unsigned: allowed(self.unsigned), ..self }
    }

    /// Nobody can be asked, so it is refused.
    fn refused(self, door: &str) -> Binding {
        let refused = |outcome, door: Option<&str>| match outcome {
            Outcome::Ask { reason, context } => {
                let reason = rules::join_texts(reason, context);
                Outcome::Block(rules::join_texts(reason, door.map(str::to_owned)))
            }
            other => other,
        };
        Binding { signed: refused(self.signed, Some(door)), unsigned: refused(self.unsigned, None), ..self }
    }

    /// Says in the question itself what a person can do who does not see it.
    fn with_door(self, door: &str) -> Binding {
        let signed = match self.signed {
            Outcome::Ask { reason, context } => {
                Outcome::Ask { reason: rules::join_texts(reason, Some(door.to_owned())), context }
            }
            other => other,
        };
        Binding { signed, ..self }
    }
}

fn allowed(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Ask { context: Some(context), .. } => Outcome::Guide(context),
        Outcome::Ask { context: None, .. } => Outcome::Pass,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::for_people;

    #[test]
    fn an_input_is_readable() {
        let check = |input, expected: &str| assert_eq!(for_people(&input), expected);
        check(json!({ "command": "git push" }), "git push");
        check(json!({ "command": "ls", "timeout": 5 }), "command: ls\ntimeout: 5");
        check(json!({ "content": "a\nb", "file_path": "x" }), "content:\na\nb\nfile_path: x");
        check(json!("*** Begin Patch"), "*** Begin Patch");
        check(json!(7), "7");
    }
}

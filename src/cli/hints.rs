//! What the commands of hints share: whom they ask, what they say of the place, and how a hint is shown.

use serde::Deserialize;
use serde_json::Value;

use super::output::{self, Failure};
use crate::api::hints::HintErrorWire;
use crate::model::{Fact, Hint, HintCode, HintContext, HintScope, HintValue, Os, TypedValue};
use crate::ops::hints::client::HintClient;
use crate::ops::hints::{CallError, NoServer, time_left_of};

/// Where the question is asked from; what is not given is looked up.
#[derive(clap::Args)]
pub(crate) struct PlaceArgs {
    /// Folder to look from [default: the current one]
    #[arg(long, value_name = "FOLDER")]
    cwd: Option<String>,

    /// Repository to look from [default: remote `origin`, else the path as `file://`]
    #[arg(long, value_name = "REPO")]
    repo: Option<String>,

    /// Branch to look from [default: the one checked out]
    #[arg(long, value_name = "BRANCH")]
    branch: Option<String>,

    /// System to look from: linux, darwin or windows [default: this one]
    #[arg(long, value_name = "OS", value_parser = os)]
    os: Option<Os>,

    /// Variable to assume; can be repeated [default: the variables that scopes name]
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    env: Vec<(String, String)>,
}

impl PlaceArgs {
    pub(crate) fn facts(&self) -> HintContext {
        let fact = |given: &Option<String>| given.clone().map(Fact::said);
        HintContext {
            cwd: fact(&self.cwd),
            repo: fact(&self.repo),
            // Git's name for a detached head, which is not a branch.
            branch: fact(&self.branch).filter(|branch| branch.value != "HEAD"),
            os: self.os.map(Fact::said),
            env: self.env.iter().cloned().collect(),
        }
    }
}

/// Connects to the server that has the hints.
pub(crate) fn reach(port: Option<u16>) -> Result<HintClient, Failure> {
    Ok(HintClient::reach(port)?)
}

/// Reads `NAME=value`; the value may hold anything.
pub(crate) fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write NAME=value".to_owned()),
    }
}

/// Reads a system, as `uname` and people name it.
pub(crate) fn os(text: &str) -> Result<Os, String> {
    let name = text.trim().to_lowercase();
    let windows = ["mingw", "msys", "cygwin", "windows"].iter().any(|start| name.starts_with(start));
    match name.as_str() {
        "macos" => Ok(Os::Darwin),
        _ if windows => Ok(Os::Windows),
        _ => Os::by_name(&name).ok_or_else(|| "write linux, darwin or windows".to_owned()),
    }
}

/// Returns a text as a terminal may show it: lines stay, whatever would steer the terminal is spelled out.
pub(crate) fn shown(text: &str) -> String {
    output::visible(text)
}

/// The same in one line.
pub(crate) fn shown_in_line(text: &str) -> String {
    shown(text).replace('\n', "\\n").replace('\t', "\\t")
}

/// Returns `component/key` for a person.
pub(crate) fn name(component: &str, key: &str) -> String {
    shown_in_line(&format!("{component}/{key}"))
}

/// Returns the telling part of a value: a command's line, a path, a template's body.
pub(crate) fn value_text(value: &HintValue) -> String {
    match value {
        HintValue::Typed(TypedValue::Json { data: Value::String(text) }) => text.clone(),
        value => value.shown(),
    }
}

/// Returns the value of a hint for a person; that of a secret stays hidden.
pub(crate) fn value_shown(hint: &Hint) -> String {
    if hint.is_secret() { "[secret]".to_owned() } else { shown(&value_text(&hint.value)) }
}

/// Returns when a hint expires, if it does before the session ends: `expires in 1 h 58 min`.
pub(crate) fn time_left(hint: &Hint) -> Option<String> {
    let minutes = time_left_of(hint)?.as_secs().div_ceil(60);
    Some(match minutes {
        0..60 => format!("expires in {minutes} min"),
        60..2_880 => format!("expires in {} h {} min", minutes / 60, minutes % 60),
        _ => format!("expires in {} days", minutes / 1_440),
    })
}

/// Returns a scope for a person: `cwd_glob=**/api os=linux,darwin`.
pub(crate) fn scope_shown(scope: &HintScope) -> String {
    let conditions = scope.conditions().into_iter().map(|(name, allowed)| format!("{name}={allowed}"));
    let conditions: Vec<String> = conditions.collect();
    if conditions.is_empty() { "everywhere".to_owned() } else { shown_in_line(&conditions.join(" ")) }
}

impl From<NoServer> for Failure {
    fn from(none: NoServer) -> Failure {
        let failure = Failure::new(none.to_string());
        match none {
            NoServer::Refused { .. } => failure,
            _ if none.advice().is_some() => failure.hint_if(none.advice()),
            _ => failure.hint(
                "start one with `nudge serve` in another terminal; agents that have `nudge serve` as an MCP server start it themselves",
            ),
        }
    }
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Failure {
        let mut message = shown(&error.to_string());
        let CallError::Refused(error) = error else { return Failure::new(message) };
        let rpc = error.clone();
        let error = HintErrorWire::deserialize(error).unwrap_or_default();
        // The sentence ends with what is against the first of them, which the list says again.
        if let Some(first) = error.candidates().first().and_then(|candidate| candidate.failed.first()) {
            message = message.strip_suffix(&format!(": {}", shown(first))).unwrap_or(&message).to_owned();
        }
        for candidate in error.candidates() {
            let failed = shown_in_line(&candidate.failed.join(", "));
            message.push_str(&format!("\n  {}: {failed}", scope_shown(&candidate.scope)));
        }
        for skipped in error.skipped() {
            let named = name(&skipped.component, skipped.key.as_deref().unwrap_or_default());
            message.push_str(&format!("\n  {named}: {}", shown_in_line(&skipped.detail)));
        }
        let failure = Failure::new(message).of_server(rpc);
        match error.code() {
            Some(HintCode::SecretRejected) => {
                failure.hint("if it is meant to be kept, add `--allow-secret`: it is shown as `[secret]`")
            }
            Some(HintCode::Conflict) => {
                failure.hint("look at it with `nudge get --json`, and give its `version`")
            }
            Some(HintCode::NotFound) if !error.candidates().is_empty() => {
                failure.hint("say where you stand with `--cwd`, `--repo`, `--branch`, `--os` or `--env`")
            }
            Some(HintCode::NotFound) => failure.hint("`nudge ls` lists what there is"),
            _ => failure,
        }
    }
}

#[cfg(test)]
mod tests;

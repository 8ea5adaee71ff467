//! What the commands of hints share: whom they ask, what they say of the place, and how a hint is shown.

use std::io::Write;

use serde_json::{Map, Value, json};

use super::output::{Failure, Out};
use crate::api::HintMethod;
use crate::context;
use crate::ops::hints::ask::{Asker, Facts};
use crate::ops::hints::import;
use crate::ops::hints::save::{self, Part, SaveError};
use crate::peers::{CallError, NoServer};

/// Where the asker stands; what is not said is looked up.
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
    os: Option<String>,

    /// Variable to assume; can be repeated [default: the variables that scopes name]
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    env: Vec<(String, String)>,
}

impl PlaceArgs {
    pub(crate) fn facts(&self) -> Facts {
        Facts {
            cwd: self.cwd.clone(),
            repo: self.repo.clone(),
            branch: self.branch.clone(),
            os: self.os.clone(),
            env: self.env.clone(),
        }
    }
}

/// A question on its way, with what the command line says of how to print the answer.
pub(crate) struct Conversation {
    asker: Asker,
    json: bool,
}

impl Conversation {
    pub(crate) fn begin(port: Option<u16>, json: bool) -> Result<Conversation, Failure> {
        Ok(Conversation { asker: Asker::reach(port)?, json })
    }

    /// Asks; a refusal is shown as what it is, in JSON too.
    pub(crate) fn ask(
        &mut self,
        method: HintMethod,
        params: Map<String, Value>,
        out: &mut Out,
    ) -> Result<Value, Failure> {
        self.asker.ask(method, params).or_else(|error| self.refused(error, out))
    }

    /// Adds the context to a question about these hints.
    pub(crate) fn place(
        &mut self,
        params: &mut Map<String, Value>,
        place: &PlaceArgs,
        component: Option<&str>,
        key: Option<&str>,
        out: &mut Out,
    ) -> Result<(), Failure> {
        let context = self.asker.context(&place.facts(), component, key);
        let context = context.or_else(|error| self.refused(error, out))?;
        params.insert("context".to_owned(), context);
        Ok(())
    }

    /// Brings a file's hints in.
    pub(crate) fn load(
        &mut self,
        payload: Value,
        mode: &str,
        progress: impl FnMut(usize),
        out: &mut Out,
    ) -> Result<Value, Failure> {
        import::load(&mut self.asker, payload, mode, progress).or_else(|error| self.refused(error, out))
    }

    /// Writes an export as it comes; returns how many secrets were left out.
    pub(crate) fn save(
        &mut self,
        params: &Map<String, Value>,
        part: Part,
        to: &mut dyn Write,
    ) -> Result<u64, SaveError> {
        save::save(&mut self.asker, params, part, to)
    }

    pub(crate) fn refused<T>(&self, error: CallError, out: &mut Out) -> Result<T, Failure> {
        if let (true, CallError::Refused(error)) = (self.json, &error) {
            out.json(&json!({ "error": error }))?;
        }
        Err(error.into())
    }
}

/// Reads `NAME=value`; the value may hold anything.
pub(crate) fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write NAME=value".to_owned()),
    }
}

/// Reads a system, as `uname` and people name it.
pub(crate) fn os(text: &str) -> Result<String, String> {
    let name = text.trim().to_lowercase();
    let windows = ["mingw", "msys", "cygwin", "windows"].iter().any(|start| name.starts_with(start));
    match name.as_str() {
        "linux" | "darwin" => Ok(name),
        "macos" => Ok("darwin".to_owned()),
        _ if windows => Ok("windows".to_owned()),
        _ => Err("write linux, darwin or windows".to_owned()),
    }
}

/// Returns a text as a terminal may show it: lines stay, whatever would steer the terminal is spelled out.
pub(crate) fn shown(text: &str) -> String {
    context::visible(text).into_owned()
}

/// The same in one line.
pub(crate) fn shown_in_line(text: &str) -> String {
    shown(text).replace('\n', "\\n").replace('\t', "\\t")
}

/// Returns `component/key` for a person.
pub(crate) fn name(component: &str, key: &str) -> String {
    shown_in_line(&format!("{component}/{key}"))
}

pub(crate) fn is_secret(hint: &Value) -> bool {
    hint["meta"]["sensitivity"] == "secret"
}

/// Returns the telling part of a value: a command's line, a path, a template's body.
pub(crate) fn value_text(value: &Value) -> String {
    let part = match value["type"].as_str() {
        Some("command") => &value["cmd"],
        Some("path") => &value["abs"],
        Some("template") => &value["body"],
        Some("json") => &value["data"],
        _ => value,
    };
    part.as_str().map_or_else(|| part.to_string(), str::to_owned)
}

/// Returns the value of a hint for a person; that of a secret stays hidden.
pub(crate) fn value_shown(hint: &Value) -> String {
    if is_secret(hint) { "[secret]".to_owned() } else { shown(&value_text(&hint["value"])) }
}

/// Returns a scope for a person: `cwd_glob=**/api os=linux,darwin`.
pub(crate) fn scope_shown(scope: &Value) -> String {
    let fields = scope.as_object().into_iter().flatten().map(|(name, value)| match value {
        Value::Object(map) => {
            let one = |(name, value): (&String, &Value)| format!("{name}={}", listed(value, "|"));
            format!("{name}={}", map.iter().map(one).collect::<Vec<_>>().join(","))
        }
        value => format!("{name}={}", listed(value, ",")),
    });
    let fields: Vec<String> = fields.collect();
    if fields.is_empty() { "everywhere".to_owned() } else { shown_in_line(&fields.join(" ")) }
}

/// Returns a text, or texts with something between them.
pub(crate) fn listed(value: &Value, between: &str) -> String {
    match value {
        Value::Array(items) => {
            items.iter().map(|item| listed(item, between)).collect::<Vec<_>>().join(between)
        }
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
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
        let candidates = error["data"]["candidates"].as_array().map(Vec::as_slice).unwrap_or_default();
        // The sentence ends with what is against the first of them, which the list says again.
        if let Some(first) = candidates.first().and_then(|candidate| candidate["failed"][0].as_str()) {
            message = message.strip_suffix(&format!(": {}", shown(first))).unwrap_or(&message).to_owned();
        }
        for candidate in candidates {
            let failed = shown_in_line(&listed(&candidate["failed"], ", "));
            message.push_str(&format!("\n  {}: {failed}", scope_shown(&candidate["scope"])));
        }
        for flaw in error["data"]["errors"].as_array().into_iter().flatten() {
            let named = name(&listed(&flaw["component"], ""), &listed(&flaw["key"], ""));
            message.push_str(&format!("\n  {named}: {}", shown_in_line(&listed(&flaw["detail"], ""))));
        }
        let failure = Failure::new(message);
        match error["code"].as_i64() {
            Some(40002) => {
                failure.hint("if it is meant to be kept, add `--allow-secret`: it is shown as `[secret]`")
            }
            Some(40901) => failure.hint("look at it with `nudge get --json`, and give its `version`"),
            Some(40401) if !candidates.is_empty() => {
                failure.hint("say where you stand with `--cwd`, `--repo`, `--branch`, `--os` or `--env`")
            }
            Some(40401) => failure.hint("`nudge ls` lists what there is"),
            _ => failure,
        }
    }
}

#[cfg(test)]
mod tests;

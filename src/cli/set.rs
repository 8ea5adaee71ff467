//! `nudge set`: saves a hint for this session.

use std::process::ExitCode;

use serde_json::{Map, Value, json};

use super::hint_scope::HintScopeArgs;
use super::hint_value::{ValueArgs, word};
use super::hints::{Conversation, listed, name, scope_shown, shown_in_line};
use super::output::{CYAN, DIM, Failure, GREEN, Out, say};
use crate::api::HintMethod;
use crate::system::moment;

/// Save a hint: a short fact about a component
///
/// Component, key and scope identify a hint: the same three replace it, another scope adds a variant. An agent gets the
/// variant that fits best where it works. Tags, priority and the rest are replaced as a whole. Commands are stored, never
/// run. Exit code 1 if the server refuses the hint.
#[derive(clap::Args)]
pub(crate) struct SetArgs {
    /// Component that the hint is about: a service, a module, a folder
    component: String,

    /// Key of the hint, for example `build`
    key: String,

    #[command(flatten)]
    value: ValueArgs,

    /// Why it matters
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,

    /// Tags to find it by
    #[arg(long, value_name = "TAGS", value_delimiter = ',')]
    tags: Vec<String>,

    /// Priority, 1–10 [default: 5]
    #[arg(long, value_name = "NUMBER")]
    priority: Option<u8>,

    /// Confidence, 0–1 [default: 0.5]
    #[arg(long, value_name = "NUMBER", value_parser = finite)]
    confidence: Option<f64>,

    /// Lifetime: `session`, or a duration as in `2h`, `7d`, `PT2H` [default: session]
    #[arg(long, value_name = "TTL")]
    ttl: Option<String>,

    /// `secret` hides the value in output
    #[arg(long, value_enum, value_name = "WORD")]
    sensitivity: Option<SensitivityArg>,

    /// Save a value that looks like a secret; the same as `--sensitivity secret`
    #[arg(long, conflicts_with = "sensitivity")]
    allow_secret: bool,

    /// Where it comes from
    #[arg(long, value_enum, value_name = "WORD")]
    source: Option<SourceArg>,

    /// Author, for example `agent:codex`
    #[arg(long, value_name = "NAME")]
    added_by: Option<String>,

    /// Save only if the stored version is this one; 0: only if there is none
    #[arg(long, value_name = "VERSION")]
    if_match_version: Option<u64>,

    /// Delete all other variants of this key
    #[arg(long)]
    replace: bool,

    /// Print JSON
    #[arg(short, long)]
    json: bool,

    #[command(flatten)]
    scope: HintScopeArgs,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum SensitivityArg {
    Secret,
    Normal,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum SourceArg {
    User,
    Agent,
    ToolOutput,
    FileImport,
}

/// JSON has no word for what is no number, and would pass it over.
fn finite(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "write a number from 0 to 1".to_owned())?;
    if number.is_finite() { Ok(number) } else { Err("write a number from 0 to 1".to_owned()) }
}

pub(crate) fn run(args: &SetArgs, port: Option<u16>, out: &mut Out) -> Result<ExitCode, Failure> {
    let params = args.params()?;
    let result = Conversation::begin(port, args.json)?.ask(HintMethod::SetHint, params, out)?;
    if args.json {
        out.json(&result)?;
        return Ok(ExitCode::SUCCESS);
    }
    let hint = &result["hint"];
    let named = name(&args.component, &args.key);
    out.line(format_args!("{GREEN}✔{GREEN:#} upserted hint {named} (v{})", hint["version"]))?;
    let base = score_base(&hint["meta"]);
    if !base.is_empty() {
        out.line(format_args!("  {DIM}score base: {base}{DIM:#}"))?;
    }
    say_variants(&result);
    Ok(ExitCode::SUCCESS)
}

impl SetArgs {
    fn params(&self) -> Result<Map<String, Value>, Failure> {
        let mut meta = Map::new();
        let mut put =
            |name: &str, value: Option<Value>| meta.extend(value.map(|value| (name.to_owned(), value)));
        put("reason", self.reason.clone().map(Value::from));
        put("tags", (!self.tags.is_empty()).then(|| json!(self.tags)));
        put("priority", self.priority.map(Value::from));
        put("confidence", self.confidence.map(Value::from));
        put("ttl", self.ttl.as_deref().map(moment::iso_duration).map(Value::from));
        let sensitivity = if self.allow_secret { Some(SensitivityArg::Secret) } else { self.sensitivity };
        put("sensitivity", sensitivity.as_ref().map(word));
        put("scope", self.scope.scope()?);
        put("source", self.source.as_ref().map(word));
        put("added_by", self.added_by.clone().map(Value::from));
        let mut params = Map::new();
        params.insert("component".to_owned(), self.component.clone().into());
        params.insert("key".to_owned(), self.key.clone().into());
        params.insert("value".to_owned(), self.value.value()?);
        if !meta.is_empty() {
            params.insert("meta".to_owned(), Value::Object(meta));
        }
        params.extend(self.if_match_version.map(|version| ("if_match_version".to_owned(), version.into())));
        if self.replace {
            params.insert("replace".to_owned(), true.into());
        }
        Ok(params)
    }
}

/// Returns what a hint brings along to its score, as far as it was said.
fn score_base(meta: &Value) -> String {
    let fields = ["priority", "confidence", "tags", "ttl"].iter().filter(|name| !meta[**name].is_null());
    let mut words: Vec<String> = fields.map(|name| format!("{name}={}", listed(&meta[*name], ","))).collect();
    let scope: Vec<&str> =
        meta["scope"].as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    if !scope.is_empty() {
        words.push(format!("scope={}", scope.join(",")));
    }
    shown_in_line(&words.join(" "))
}

/// Says that there is more than one hint of this name, and where another one is given.
fn say_variants(result: &Value) {
    let Some(variants @ 2..) = result["variants"].as_u64() else { return };
    let outranked = result["outranked_by"].as_array().map(Vec::as_slice).unwrap_or_default();
    say(format_args!(
        "{CYAN}note:{CYAN:#} this key has {variants} variants; where several fit, the best is given"
    ));
    for scope in outranked {
        say(format_args!("  this one is passed over where another fits: {}", scope_shown(scope)));
    }
    if !outranked.is_empty() {
        say("  to change that one instead, repeat its scope; `--replace` drops all others");
    }
}

#[cfg(test)]
mod tests;

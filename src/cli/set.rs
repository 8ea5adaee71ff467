//! `nudge set`: saves a hint for this session.

use std::process::ExitCode;

use super::hint_scope::HintScopeArgs;
use super::hint_value::ValueArgs;
use super::hints::{self, name, scope_shown, shown_in_line};
use super::output::{CYAN, DIM, Failure, GREEN, Out, say};
use crate::api::hints::{SetHintRequest, SetHintWire};
use crate::model::{HintMeta, HintSource, Sensitivity};
use crate::ops::times;

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
    source: Option<HintSourceArg>,

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
enum HintSourceArg {
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
    let request = args.request()?;
    let result = hints::reach(port)?.ask(&request)?;
    if args.json {
        out.json(&result)?;
        return Ok(ExitCode::SUCCESS);
    }
    let hint = &result.hint;
    let named = name(&args.component, &args.key);
    out.line(format_args!("{GREEN}✔{GREEN:#} upserted hint {named} (v{})", hint.version))?;
    let base = score_base(&hint.meta);
    if !base.is_empty() {
        out.line(format_args!("  {DIM}score base: {base}{DIM:#}"))?;
    }
    say_variants(&result);
    Ok(ExitCode::SUCCESS)
}

impl SetArgs {
    fn request(&self) -> Result<SetHintRequest, Failure> {
        let sensitivity = if self.allow_secret { Some(SensitivityArg::Secret) } else { self.sensitivity };
        let meta = HintMeta {
            reason: self.reason.clone(),
            tags: self.tags.clone(),
            priority: self.priority,
            confidence: self.confidence,
            ttl: self.ttl.as_deref().map(times::iso_duration),
            sensitivity: sensitivity.map(|sensitivity| match sensitivity {
                SensitivityArg::Secret => Sensitivity::Secret,
                SensitivityArg::Normal => Sensitivity::Normal,
            }),
            scope: self.scope.scope()?.unwrap_or_default(),
            source: self.source.map(|source| match source {
                HintSourceArg::User => HintSource::User,
                HintSourceArg::Agent => HintSource::Agent,
                HintSourceArg::ToolOutput => HintSource::ToolOutput,
                HintSourceArg::FileImport => HintSource::FileImport,
            }),
            added_by: self.added_by.clone(),
        };
        Ok(SetHintRequest {
            if_match_version: self.if_match_version,
            replace: self.replace,
            ..SetHintRequest::new(&self.component, &self.key, &self.value.value()?, &meta)
        })
    }
}

/// Returns what a hint brings along to its score, as far as it was said.
fn score_base(meta: &HintMeta) -> String {
    let tags = (!meta.tags.is_empty()).then(|| meta.tags.join(","));
    let conditions: Vec<&str> = meta.scope.conditions().into_iter().map(|(name, _)| name).collect();
    let words = [
        ("priority", meta.priority.map(|priority| format!("{priority}"))),
        ("confidence", meta.confidence.map(|confidence| format!("{confidence:?}"))),
        ("tags", tags),
        ("ttl", meta.ttl.clone()),
        ("scope", (!conditions.is_empty()).then(|| conditions.join(","))),
    ];
    let words = words.into_iter().filter_map(|(name, value)| Some(format!("{name}={}", value?)));
    shown_in_line(&words.collect::<Vec<_>>().join(" "))
}

/// Says that there is more than one hint of this name, and where another one is given.
fn say_variants(result: &SetHintWire<'_>) {
    if result.variants < 2 {
        return;
    }
    say(format_args!(
        "{CYAN}note:{CYAN:#} this key has {} variants; where several fit, the best is given",
        result.variants
    ));
    for scope in &result.outranked_by {
        say(format_args!("  this one is passed over where another fits: {}", scope_shown(scope)));
    }
    if !result.outranked_by.is_empty() {
        say("  to change that one instead, repeat its scope; `--replace` drops all others");
    }
}

#[cfg(test)]
mod tests;

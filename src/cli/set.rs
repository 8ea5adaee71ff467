//! `nudge set`: saves a hint for this session, or keeps it.

use std::path::PathBuf;
use std::process::ExitCode;

use serde::Deserialize;

use super::hint_scope::HintScopeArgs;
use super::hint_value::ValueArgs;
use super::hints::{name, scope_shown, shown_in_line};
use super::output::{CYAN, DIM, Failure, GREEN, Out, say};
use crate::api::Refusal;
use crate::api::hints::{DeleteHintRequest, SetHintRequest, SetHintWire};
use crate::model::{HintMeta, HintSource, Sensitivity};
use crate::ops::here::short_path;
use crate::ops::hints::client::HintClient;
use crate::ops::hints::kept::{KeepError, KeepPlace, LocalHints};
use crate::ops::hints::{CallError, reach};
use crate::ops::times;

/// Save a hint: a short fact about a component
///
/// Component, key and scope identify a hint: the same three replace it, another scope adds a variant. An agent gets the
/// variant that fits best where it works. Tags, priority and the rest are replaced as a whole. Commands are stored, never
/// run. A hint ends with the session of servers, unless `--keep` keeps it in a file; without a server it is kept for you.
/// Exit code 1 if the hint is refused.
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
    #[arg(long, value_name = "NUMBER", value_parser = finite)]
    priority: Option<f64>,

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

    /// Keep it in a file, so that it outlives the session: `project` (in `.nudge/hints.json`) or `user`
    #[arg(long, value_enum, value_name = "WHERE", num_args = 0..=1, require_equals = true, default_missing_value = "project")]
    keep: Option<KeepArg>,

    /// Print JSON
    #[arg(short, long)]
    json: bool,

    #[command(flatten)]
    scope: HintScopeArgs,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum KeepArg {
    Project,
    User,
}

impl From<KeepArg> for KeepPlace {
    fn from(place: KeepArg) -> KeepPlace {
        match place {
            KeepArg::Project => KeepPlace::Project,
            KeepArg::User => KeepPlace::User,
        }
    }
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
    let number: Option<f64> = text.parse().ok();
    number.filter(|number| number.is_finite()).ok_or_else(|| "write a number".to_owned())
}

pub(crate) fn run(args: &SetArgs, port: Option<u16>, out: &mut Out) -> Result<ExitCode, Failure> {
    let request = args.request()?;
    let (result, kept) = match args.keep {
        Some(place) => keep(&request, place.into(), port)?,
        None => match HintClient::reach(port) {
            Ok(mut client) if !client.is_local() => (client.ask(&request)?, None),
            Err(none) if !reach::is_absent(&none, port) => return Err(none.into()),
            // Without a server there is no session that could have the hint.
            _ => {
                let kept = keep(&request, KeepPlace::User, None)?;
                say(format_args!("{CYAN}note:{CYAN:#} no server is running, so the hint is kept for you"));
                kept
            }
        },
    };
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
    if let Some(path) = kept {
        out.line(format_args!("  {DIM}kept in {}{DIM:#}", shown_in_line(&short_path(&path))))?;
    }
    say_variants(&result);
    Ok(ExitCode::SUCCESS)
}

/// Keeps a hint in a file. The hint of the session with the same name and scope, if there is one, would hide it.
fn keep(
    request: &SetHintRequest,
    place: KeepPlace,
    port: Option<u16>,
) -> Result<(SetHintWire<'static>, Option<PathBuf>), Failure> {
    let files = LocalHints::here();
    let (answer, path) = files.set(request, Some(place), times::moment()).map_err(|error| match error {
        KeepError::Refused(flaw) => {
            Failure::from(CallError::Refused(Refusal::of_hint(flaw).to_error().unwrap_or_default()))
        }
        error @ KeepError::File { .. } => Failure::new(error.to_string()),
    })?;
    let result = SetHintWire::deserialize(answer.to_value())
        .map_err(|error| Failure::new(format!("the answer cannot be read: {error}")))?;
    if let Ok(mut client) = HintClient::reach(port)
        && !client.is_local()
    {
        let scope = Some(&result.hint.meta.scope);
        drop(client.ask(&DeleteHintRequest::new(&request.component, &request.key, scope)));
    }
    Ok((result, Some(path.to_owned())))
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

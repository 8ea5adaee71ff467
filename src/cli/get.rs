//! `nudge get`: the hint that fits best here, and why.

use std::process::ExitCode;

use serde_json::{Map, Value};

use super::hints::{Conversation, PlaceArgs, is_secret, listed, name, shown, shown_in_line, value_text};
use super::output::{self, BOLD, DIM, Failure, Out};
use crate::api::HintMethod;

/// Show the hint that fits best here, and why
///
/// Folder, repository, branch, system and environment are detected unless you give them. A secret is shown as `[secret]`
/// unless you add `--reveal` or `--json`. Exit code 1 if nothing fits here; the error lists the variants and why each of
/// them does not apply.
#[derive(clap::Args)]
pub(crate) struct GetArgs {
    /// Component that the hint is about
    component: String,

    /// Key of the hint, for example `build`
    key: String,

    /// Print only the value: a command line, a path, the body of a template
    #[arg(long, conflicts_with = "json")]
    value: bool,

    /// Show the value even if it is a secret
    #[arg(long)]
    reveal: bool,

    /// Print JSON
    #[arg(short, long)]
    json: bool,

    #[command(flatten)]
    place: PlaceArgs,
}

pub(crate) fn run(args: &GetArgs, port: Option<u16>, out: &mut Out) -> Result<ExitCode, Failure> {
    let mut conversation = Conversation::begin(port, args.json)?;
    let mut params = args.params();
    conversation.place(&mut params, &args.place, Some(&args.component), Some(&args.key), out)?;
    let result = conversation.ask(HintMethod::GetHint, params, out)?;
    if args.json {
        out.json(&result)?;
    } else if args.value {
        print_value(args, &result, out)?;
    } else {
        print(args, &result, out)?;
    }
    Ok(ExitCode::SUCCESS)
}

impl GetArgs {
    fn params(&self) -> Map<String, Value> {
        let mut params = Map::new();
        params.insert("component".to_owned(), self.component.clone().into());
        params.insert("key".to_owned(), self.key.clone().into());
        params
    }
}

/// Prints the bare value, for scripts.
fn print_value(args: &GetArgs, result: &Value, out: &mut Out) -> Result<(), Failure> {
    let hint = &result["hint"];
    if is_secret(hint) && !args.reveal {
        let failure = Failure::new(format!("{} is a secret", name(&args.component, &args.key)));
        return Err(failure.hint("add `--reveal` to have it printed"));
    }
    let text = value_text(&hint["value"]);
    if out.is_terminal() {
        return out.line(shown(&text));
    }
    Ok(output::reply((text + "\n").as_bytes())?)
}

fn print(args: &GetArgs, result: &Value, out: &mut Out) -> Result<(), Failure> {
    let hint = &result["hint"];
    let hidden = is_secret(hint) && !args.reveal;
    let visible = |text: String| if hidden { "[secret]".to_owned() } else { shown(&text) };
    block("value", &visible(value_text(&hint["value"])), out)?;
    if let Some(kind) = kind(&hint["value"]) {
        out.line(format_args!("{DIM}type:{DIM:#} {}", shown_in_line(&kind)))?;
    }
    if let Some(reason) = hint["meta"]["reason"].as_str() {
        out.line(format_args!("{DIM}reason:{DIM:#} {}", shown_in_line(reason)))?;
    }
    let explain = &result["match_explain"];
    out.line(format_args!("{DIM}match:{DIM:#}"))?;
    out.line(format_args!("  {DIM}score:{DIM:#} {:.2}", explain["score"].as_f64().unwrap_or_default()))?;
    out.line(format_args!("  {DIM}reasons:{DIM:#}"))?;
    for reason in explain["reasons"].as_array().into_iter().flatten() {
        out.line(format_args!("    - {}", shown_in_line(&listed(reason, ", "))))?;
    }
    Ok(())
}

/// Prints a named text, of one line or of several.
fn block(label: &str, text: &str, out: &mut Out) -> Result<(), Failure> {
    if !text.contains('\n') {
        return out.line(format_args!("{DIM}{label}:{DIM:#} {BOLD}{text}{BOLD:#}"));
    }
    out.line(format_args!("{DIM}{label}:{DIM:#}"))?;
    text.lines().try_for_each(|line| out.line(format_args!("  {BOLD}{line}{BOLD:#}")))
}

/// Says what kind of value it is, where its text does not say it all.
fn kind(value: &Value) -> Option<String> {
    match value["type"].as_str()? {
        "command" => value["shell"].as_str().map(|shell| format!("command for {shell}")),
        "path" => Some(format!("path on {}", listed(&value["os"], ", "))).filter(|_| value["os"].is_array()),
        "template" => {
            let defaults = value["defaults"].as_object().into_iter().flatten();
            let defaults: Vec<String> =
                defaults.map(|(name, value)| format!("{name}={}", listed(value, ""))).collect();
            let format = listed(&value["format"], "");
            Some(match defaults.is_empty() {
                true => format!("template in {format}"),
                false => format!("template in {format}, defaults {}", defaults.join(", ")),
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;

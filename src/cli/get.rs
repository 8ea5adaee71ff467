//! `nudge get`: the hint that fits best here, and why.

use std::process::ExitCode;

use super::hints::{self, PlaceArgs, name, shown, shown_in_line, value_text};
use super::ls::LsArgs;
use super::output::{self, BOLD, DIM, Failure, Out};
use super::{ls, rows};
use crate::api::hints::{GetHintRequest, GetHintWire};
use crate::model::{Hint, HintValue, Timestamp, TypedValue};
use crate::ops::times;

/// Show the hint that fits best here, and why
///
/// Shows one hint: of several variants, the most specific one that applies here. `nudge query --keys KEY` lists all.
/// Folder, repository, branch, system and environment are detected unless you give them. A secret is shown as `[secret]`
/// unless you add `--reveal` or `--json`. Exit code 1 if nothing fits here; the error lists the variants and why each of
/// them does not apply.
#[derive(clap::Args)]
pub(crate) struct GetArgs {
    /// Component that the hint is about
    component: String,

    /// Key of the hint, for example `build` [default: list the keys, as `nudge ls COMPONENT` does]
    key: Option<String>,

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
    let Some(key) = args.key.clone() else {
        return ls::run(&LsArgs { component: Some(args.component.clone()), json: args.json }, port, out);
    };
    let mut client = hints::reach(port)?;
    let context = client.context(args.place.facts(), Some(&args.component), Some(&key))?;
    let component = args.component.clone();
    let result = client.ask(&GetHintRequest { component, key, context })?;
    if args.json {
        out.json(&result)?;
    } else if args.value {
        print_value(args, &result, out)?;
    } else {
        print(args, &result, out)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the bare value, for scripts.
fn print_value(args: &GetArgs, result: &GetHintWire<'_>, out: &mut Out) -> Result<(), Failure> {
    let hint = &result.hint;
    if hint.is_secret() && !args.reveal {
        let failure = Failure::new(format!(
            "{} is a secret",
            name(&args.component, args.key.as_deref().unwrap_or_default())
        ));
        return Err(failure.hint("add `--reveal` to have it printed"));
    }
    let text = value_text(&hint.value);
    if out.is_terminal() {
        return out.line(shown(&text));
    }
    Ok(output::reply((text + "\n").as_bytes())?)
}

fn print(args: &GetArgs, result: &GetHintWire<'_>, out: &mut Out) -> Result<(), Failure> {
    let hint = &result.hint;
    let hidden = hint.is_secret() && !args.reveal;
    let visible = |text: String| if hidden { "[secret]".to_owned() } else { shown(&text) };
    block("value", &visible(value_text(&hint.value)), out)?;
    if let Some(kind) = kind(&hint.value) {
        out.line(format_args!("{DIM}type:{DIM:#} {}", shown_in_line(&kind)))?;
    }
    if let Some(reason) = &hint.meta.reason {
        out.line(format_args!("{DIM}reason:{DIM:#} {}", shown_in_line(reason)))?;
    }
    if let Some(life) = life(hint) {
        out.line(format_args!("{DIM}set:{DIM:#} {life}"))?;
    }
    let explain = &result.match_explain;
    out.line(format_args!("{DIM}match:{DIM:#}"))?;
    out.line(format_args!("  {DIM}score:{DIM:#} {:.2}", explain.score))?;
    out.line(format_args!("  {DIM}reasons:{DIM:#}"))?;
    for reason in &explain.reasons {
        out.line(format_args!("    - {}", shown_in_line(reason)))?;
    }
    Ok(())
}

/// Says when and by whom a hint was set, and when it expires; `None` for one that lasts for the session and whose author
/// is not known, which the seed shows without it.
fn life(hint: &Hint) -> Option<String> {
    let left = hints::time_left(hint);
    let author = hint.meta.added_by.as_deref().map(|author| format!("by {}", shown_in_line(author)));
    if left.is_none() && author.is_none() {
        return None;
    }
    let age = Some(rows::ago(Timestamp(hint.updated_at.as_second()), times::now()));
    let tags =
        (!hint.meta.tags.is_empty()).then(|| shown_in_line(&format!("tags {}", hint.meta.tags.join(","))));
    let set = [age, author].into_iter().flatten().collect::<Vec<_>>().join(" ");
    Some([Some(set), tags, left].into_iter().flatten().collect::<Vec<_>>().join(", "))
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
fn kind(value: &HintValue) -> Option<String> {
    let HintValue::Typed(value) = value else { return None };
    match value {
        TypedValue::Command { shell, .. } => shell.map(|shell| format!("command for {}", shell.name())),
        TypedValue::Path { os, .. } => {
            let os: Vec<&str> = os.iter().map(|os| os.name()).collect();
            (!os.is_empty()).then(|| format!("path on {}", os.join(", ")))
        }
        TypedValue::Template { format, defaults, .. } => {
            let format = format.name();
            let defaults: Vec<String> =
                defaults.iter().map(|(name, value)| format!("{name}={value}")).collect();
            Some(match defaults.is_empty() {
                true => format!("template in {format}"),
                false => format!("template in {format}, defaults {}", defaults.join(", ")),
            })
        }
        TypedValue::Json { .. } => None,
    }
}

#[cfg(test)]
mod tests;

//! `nudge ls`: which components have hints, and which keys a component has.

use std::process::ExitCode;

use serde_json::{Map, Value};

use super::hints::{Conversation, listed, scope_shown, shown_in_line, value_shown};
use super::output::{BOLD, DIM, Failure, Out, counted, say};
use super::rows::one_line;
use crate::api::HintMethod;

/// List components that have hints, or the keys of one of them with all their variants
///
/// All hints are listed, also those that do not hold here. Exit code 1 if the component has none.
#[derive(clap::Args)]
pub(crate) struct LsArgs {
    /// List the keys of this component
    component: Option<String>,

    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &LsArgs, port: Option<u16>, out: &mut Out) -> Result<ExitCode, Failure> {
    let mut params = Map::new();
    params.extend(args.component.clone().map(|component| ("component".to_owned(), component.into())));
    let result = Conversation::begin(port, args.json)?.ask(HintMethod::ListComponents, params, out)?;
    let components = result["components"].as_array().map(Vec::as_slice).unwrap_or_default();
    let is_missing = args.component.is_some() && components.is_empty();
    if args.json {
        out.json(&result)?;
    } else if let (true, Some(component)) = (is_missing, &args.component) {
        let failure = Failure::new(format!("{} has no hints", shown_in_line(component)));
        return Err(failure.hint("`nudge ls` lists the components that have some"));
    } else if args.component.is_some() {
        components.iter().try_for_each(|component| print_keys(component, out))?;
    } else {
        print_components(components, out)?;
    }
    Ok(if is_missing { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn print_components(components: &[Value], out: &mut Out) -> Result<(), Failure> {
    if components.is_empty() {
        say("there are no hints yet; `nudge set COMPONENT KEY VALUE` adds one");
    }
    let name = |component: &Value| shown_in_line(&listed(&component["name"], ""));
    let width = components.iter().map(|component| name(component).chars().count()).max().unwrap_or(0);
    for component in components {
        let count = component["hint_count"].as_u64().and_then(|count| usize::try_from(count).ok()).unwrap_or(0);
        out.line(format_args!("{BOLD}{:width$}{BOLD:#}  {}", name(component), counted(count, "hint")))?;
    }
    Ok(())
}

/// Prints each key with its variants: one in its line, several below it.
fn print_keys(component: &Value, out: &mut Out) -> Result<(), Failure> {
    for key in component["keys"].as_array().into_iter().flatten() {
        out.line(format_args!("{BOLD}{}{BOLD:#}", shown_in_line(&listed(&key["key"], ""))))?;
        for hint in key["variants"].as_array().into_iter().flatten() {
            let value = one_line(&value_shown(hint), 80);
            let scope = scope_shown(&hint["meta"]["scope"]);
            out.line(format_args!("  {value}  {DIM}v{}  {scope}{DIM:#}", hint["version"]))?;
        }
    }
    Ok(())
}

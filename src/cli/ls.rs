//! `nudge ls`: which components have hints, and which keys a component has.

use std::process::ExitCode;

use serde_json::{Map, Value};

use super::hints::{Conversation, is_secret, listed, scope_shown, shown_in_line, value_text};
use super::output::{BOLD, DIM, Failure, Out, counted, say};
use super::rows::one_line;
use crate::api::HintMethod;

/// List components that have hints, or the keys of one
///
/// Lists all hints with their variants, including those that do not apply here. `nudge list-components` is
/// the same. Exit code 1 if the component has none.
#[derive(clap::Args)]
pub(crate) struct LsArgs {
    /// Component whose keys to list
    component: Option<String>,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

pub(crate) fn run(args: &LsArgs, port: Option<u16>, out: &mut Out) -> Result<ExitCode, Failure> {
    let mut conversation = Conversation::begin(port, args.json)?;
    let mut params = Map::new();
    params.extend(args.component.clone().map(|component| ("component".to_owned(), component.into())));
    let result = conversation.ask(HintMethod::ListComponents, params.clone(), out)?;
    let components = result["components"].as_array().map(Vec::as_slice).unwrap_or_default();
    if args.json {
        out.json(&result)?;
    } else if let Some(name) = &args.component {
        // Secrets travel as far as here, where their values are hidden, so that all variants can be told apart.
        params.insert("include_secrets".to_owned(), true.into());
        let exported = conversation.ask(HintMethod::Export, params, out)?;
        let known = &exported["payload"]["components"][name];
        components.iter().try_for_each(|component| print_keys(&component["keys"], known, out))?;
    } else {
        print_components(components, out)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn print_components(components: &[Value], out: &mut Out) -> Result<(), Failure> {
    if components.is_empty() {
        say("there are no hints yet; `nudge set COMPONENT KEY VALUE` adds one");
    }
    let name = |component: &Value| shown_in_line(&listed(&component["name"], ""));
    let width = components.iter().map(|component| name(component).chars().count()).max().unwrap_or(0);
    for component in components {
        let count = component["hint_count"].as_u64().and_then(|count| usize::try_from(count).ok());
        let count = counted(count.unwrap_or(0), "hint");
        out.line(format_args!("{BOLD}{:width$}{BOLD:#}  {count}", name(component)))?;
    }
    Ok(())
}

/// Prints each key, and below it its variants, the least specific first.
fn print_keys(keys: &Value, known: &Value, out: &mut Out) -> Result<(), Failure> {
    for key in keys.as_array().into_iter().flatten().filter_map(Value::as_str) {
        out.line(format_args!("{BOLD}{}{BOLD:#}", shown_in_line(key)))?;
        let others = known["variants"][key].as_array().into_iter().flatten();
        for hint in known["hints"].get(key).into_iter().chain(others) {
            let value = if is_secret(hint) {
                "[secret]".to_owned()
            } else {
                one_line(&shown_in_line(&value_text(&hint["value"])), 80)
            };
            let scope = scope_shown(&hint["meta"]["scope"]);
            out.row(format_args!("  {value}  {DIM}v{}  {scope}{DIM:#}", hint["version"]))?;
        }
    }
    Ok(())
}

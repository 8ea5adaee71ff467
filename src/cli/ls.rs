//! `nudge ls`: which components have hints, and which keys a component has.

use std::process::ExitCode;

use super::hints::{self, scope_shown, shown_in_line, value_shown};
use super::output::{BOLD, DIM, Failure, Out, YELLOW, counted, say};
use super::rows::one_line;
use crate::api::hints::{ExportRequest, ListComponentsRequest, ListedComponentWire, StoreComponentWire};
use crate::model::{Hint, HintContext};
use crate::ops::hints::kept::LocalHints;
use crate::ops::times;

/// List components that have hints, or the keys of one
///
/// Lists all hints with their variants, including those that do not apply here. `nudge list-components` is
/// the same. Exit code 1 if the component has none.
#[derive(clap::Args)]
pub(crate) struct LsArgs {
    /// Component whose keys to list
    pub(super) component: Option<String>,

    /// Print JSON
    #[arg(short, long)]
    pub(super) json: bool,
}

pub(crate) fn run(args: &LsArgs, port: Option<u16>, out: &mut Out) -> Result<ExitCode, Failure> {
    let mut client = hints::reach(port)?;
    // Kept hints are those of this place.
    let context = client.context(HintContext::default(), args.component.as_deref(), None)?;
    let context = HintContext { cwd: context.cwd, ..HintContext::default() };
    let request = ListComponentsRequest { component: args.component.clone(), context: context.clone() };
    let result = client.ask(&request)?;
    LocalHints::here().problems(times::moment()).into_iter().for_each(|problem| {
        say(format_args!("{YELLOW}warning:{YELLOW:#} {}", shown_in_line(&problem)));
    });
    if args.json {
        out.json(&result)?;
    } else if let Some(name) = &args.component {
        // Secrets travel as far as here, where their values are hidden, so that all variants can be told apart.
        let request = ExportRequest {
            component: args.component.clone(),
            include_secrets: true,
            whole: false,
            context: Some(context),
        };
        let mut exported = client.ask(&request)?;
        let known = exported.payload.components.remove(name.trim()).unwrap_or_default();
        let kept = LocalHints::here().of_project(times::moment());
        result.components.iter().try_for_each(|component| print_keys(component, &known, &kept, out))?;
    } else {
        print_components(&result.components, out)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// One long name does not move the column of all others.
const MAX_NAME_WIDTH: usize = 40;

fn print_components(components: &[ListedComponentWire<'_>], out: &mut Out) -> Result<(), Failure> {
    if components.is_empty() {
        say("there are no hints yet; `nudge set COMPONENT KEY VALUE` adds one");
    }
    let name = |component: &ListedComponentWire<'_>| shown_in_line(&component.name);
    let width = components.iter().map(|component| name(component).chars().count()).max().unwrap_or(0);
    let width = width.min(MAX_NAME_WIDTH);
    for component in components {
        let count = counted(component.hint_count, "hint");
        out.line(format_args!("{BOLD}{:width$}{BOLD:#}  {count}", name(component)))?;
    }
    Ok(())
}

/// Prints each key, and below it its variants, the least specific first.
fn print_keys(
    component: &ListedComponentWire<'_>,
    known: &StoreComponentWire,
    of_project: &[(String, String, Hint)],
    out: &mut Out,
) -> Result<(), Failure> {
    // A hint of the session may have the same name and scope, but it was made at another time.
    let is_of_project = |key: &str, hint: &Hint| {
        of_project.iter().any(|(name, other, kept)| {
            *name == component.name
                && other == key
                && kept.meta.scope == hint.meta.scope
                && kept.created_at == hint.created_at
        })
    };
    for key in &component.keys {
        out.line(format_args!("{BOLD}{}{BOLD:#}", shown_in_line(key)))?;
        let others = known.variants.get(key.as_ref()).into_iter().flatten();
        for hint in known.hints.get(key.as_ref()).into_iter().chain(others) {
            let value =
                if hint.is_secret() { "[secret]".to_owned() } else { one_line(&value_shown(hint), 80) };
            let mut facts = vec![format!("v{}", hint.version)];
            if hint.use_count > 0 {
                facts.push(format!("used {}", counted(hint.use_count as usize, "time")));
            }
            facts.extend(hints::time_left(hint));
            facts.push(match (is_of_project(key, hint), hint.meta.scope.is_empty()) {
                (true, true) => "in this project".to_owned(),
                (true, false) => format!("{} in this project", scope_shown(&hint.meta.scope)),
                (false, _) => scope_shown(&hint.meta.scope),
            });
            out.row(format_args!("  {value}  {DIM}{}{DIM:#}", facts.join("  ")))?;
        }
    }
    Ok(())
}

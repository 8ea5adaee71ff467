//! `nudge delete`: removes a hint.

use std::process::ExitCode;

use serde_json::{Map, Value, json};

use super::hint_scope::HintScopeArgs;
use super::hints::{Conversation, name};
use super::output::{Failure, GREEN, Out, counted};
use crate::api::HintMethod;

/// Delete a hint: all its variants, or one
///
/// Without a scope, all variants of the key are deleted; with one, only the variant with exactly this scope. `nudge
/// rm` is the same. Exit code 1 if there is no such hint.
#[derive(clap::Args)]
pub(crate) struct DeleteArgs {
    /// Component that the hint is about
    component: String,

    /// Key of the hint, for example `build`
    key: String,

    /// Delete only the variant that has no scope
    #[arg(long)]
    no_scope: bool,

    /// Print JSON
    #[arg(short, long)]
    json: bool,

    #[command(flatten)]
    scope: HintScopeArgs,
}

pub(crate) fn run(args: &DeleteArgs, port: Option<u16>, out: &mut Out) -> Result<ExitCode, Failure> {
    let params = args.params()?;
    let result = Conversation::begin(port, args.json)?.ask(HintMethod::DeleteHint, params, out)?;
    if args.json {
        out.json(&result)?;
    } else {
        let count = result["deleted_count"].as_u64().and_then(|count| usize::try_from(count).ok());
        let what = match count {
            Some(count @ 2..) => counted(count, "variant"),
            _ => format!("v{}", result["previous"]["version"]),
        };
        out.line(format_args!(
            "{GREEN}✔{GREEN:#} deleted hint {} ({what})",
            name(&args.component, &args.key)
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

impl DeleteArgs {
    fn params(&self) -> Result<Map<String, Value>, Failure> {
        let mut params = Map::new();
        params.insert("component".to_owned(), self.component.clone().into());
        params.insert("key".to_owned(), self.key.clone().into());
        match (self.scope.scope()?, self.no_scope) {
            (Some(_), true) => {
                return Err(Failure::new("`--no-scope` and a scope exclude each other").usage());
            }
            (Some(scope), false) => params.extend([("scope".to_owned(), scope)]),
            (None, true) => params.extend([("scope".to_owned(), json!({}))]),
            (None, false) => {}
        }
        Ok(params)
    }
}

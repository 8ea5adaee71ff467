//! `nudge delete`: removes a hint.

use std::process::ExitCode;

use serde::Deserialize;

use super::hint_scope::HintScopeArgs;
use super::hints::{self, name};
use super::output::{Failure, GREEN, Out, counted};
use crate::api::hints::{DeleteHintRequest, DeleteHintWire, HintQuestion};
use crate::model::HintScope;
use crate::ops::hints::kept::LocalHints;
use crate::ops::times;

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
    let request = args.request()?;
    let result = delete(&request, port)?;
    if args.json {
        out.json(&result)?;
    } else {
        let what = match result.deleted_count {
            Some(count @ 2..) => counted(count, "variant"),
            _ => format!("v{}", result.previous.version),
        };
        out.line(format_args!(
            "{GREEN}✔{GREEN:#} deleted hint {} ({what})",
            name(&args.component, &args.key)
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Deletes the hint of the session and the kept ones; the answer is that of the session's, if there was one.
fn delete(request: &DeleteHintRequest, port: Option<u16>) -> Result<DeleteHintWire<'static>, Failure> {
    let mut client = hints::reach(port)?;
    let of_session = client.ask(request);
    if client.is_local() {
        return Ok(of_session?);
    }
    let kept = LocalHints::here();
    let answer =
        kept.exist().then(|| kept.answer(DeleteHintRequest::METHOD, &request.params(), times::moment()));
    let of_files = answer.and_then(Result::ok);
    let of_files = of_files.and_then(|answer| DeleteHintWire::deserialize(answer.to_value()).ok());
    match (of_session, of_files) {
        (Ok(mut deleted), Some(kept)) => {
            let count = |wire: &DeleteHintWire<'_>| wire.deleted_count.unwrap_or(1);
            deleted.deleted_count = Some(count(&deleted) + count(&kept));
            Ok(deleted)
        }
        (Ok(deleted), None) => Ok(deleted),
        (Err(_), Some(kept)) => Ok(kept),
        (Err(error), None) => Err(error.into()),
    }
}

impl DeleteArgs {
    fn request(&self) -> Result<DeleteHintRequest, Failure> {
        let scope = match (self.scope.scope()?, self.no_scope) {
            (Some(_), true) => {
                return Err(Failure::new("`--no-scope` and a scope exclude each other").usage());
            }
            (Some(scope), false) => Some(scope),
            (None, true) => Some(HintScope::default()),
            (None, false) => None,
        };
        Ok(DeleteHintRequest::new(&self.component, &self.key, scope.as_ref()))
    }
}

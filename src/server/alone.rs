//! A server without a runtime folder: it answers its own agent, and keeps hints for that agent only.
//!
//! Memory, plans and notes do not need the folder, and must keep working when another user has created `/tmp/nudge`.

use std::pin::pin;
use std::sync::Arc;

use super::backend::Backend;
use super::hub::Hub;
use super::{Input, Level, Options, client, runtime, signals};
use crate::model::Problem;
use crate::ops::hints::HintService;
use crate::ops::problems;

const ADVICE: &str = "make one of them a folder of your own with mode 700, or set NUDGE_RUNTIME_DIR";

/// Serves an agent until it disconnects. Without an agent there would be nothing to serve.
pub(super) fn run(options: &Options, service: HintService, reason: &str) -> Result<(), String> {
    let message = format!("there is no safe runtime folder ({reason})");
    if options.input == Input::Person {
        return Err(format!("{message}; {ADVICE}"));
    }
    let message = format!("{message}: this server shares no hints with other agents and commands");
    options.log.line(Level::Error, format!("nudge: {message}; {ADVICE}"));
    problems::record(&[Problem::error(message).hint(ADVICE)]);
    let runtime = runtime()?;
    runtime.block_on(async {
        let backend = Arc::new(Backend::alone(Arc::new(Hub::new(service, None, options.log)), options.log));
        let mut client = pin!(client(options, &backend));
        let mut ended = pin!(signals());
        tokio::select! {
            () = &mut client => {}
            () = &mut ended => {}
        }
    });
    runtime.shutdown_background();
    Ok(())
}

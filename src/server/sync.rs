//! The PRIMARY exchanges rows with the team's server in the background; nobody else does, and hooks start nothing.

use std::time::Duration;

use super::log::{Level, Log};
use crate::ops::sharing::exchange::{self, Directions};
use crate::ops::sharing::ground::ExchangeError;
use crate::ops::sharing::pause::{ExchangeEnd, Pauses, dice};

/// How often a server looks whether a team was joined.
const NO_TEAM_INTERVAL: Duration = Duration::from_secs(60);
/// A server that has just started leaves the machine to the agent first.
const FIRST_PAUSE: Duration = Duration::from_secs(5);

/// Exchanges rows until the task is aborted. One that is running then ends by itself: whatever it was about to do is
/// written down.
pub(super) async fn run(log: Log) {
    let mut pauses = Pauses::default();
    tokio::time::sleep(FIRST_PAUSE).await;
    loop {
        let exchanged = tokio::task::spawn_blocking(|| exchange::run(Directions::Both)).await;
        let pause = match exchanged {
            Ok(Err(ExchangeError::NoTeam)) => NO_TEAM_INTERVAL,
            Ok(Ok(done)) if done.has_moved() => pauses.next(ExchangeEnd::Moved, dice()),
            Ok(Ok(_) | Err(ExchangeError::Running)) => pauses.next(ExchangeEnd::Idle, dice()),
            Ok(Err(error)) => {
                log.line(Level::Debug, format!("nudge: no rows were exchanged with the team: {error}"));
                pauses.next(ExchangeEnd::Failed, dice())
            }
            Err(_) => NO_TEAM_INTERVAL,
        };
        tokio::time::sleep(pause).await;
    }
}

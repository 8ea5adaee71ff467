//! What recorded payloads become (`events`), and what is answered (`replies`).

mod events;
mod replies;

use super::*;
use crate::model::{Event, Outcome, Replacement, ToolAction, ToolCall, Verdict};

fn event(hook: Hook) -> Event {
    Event { hook, harness: AGENT.id, ..Event::default() }
}

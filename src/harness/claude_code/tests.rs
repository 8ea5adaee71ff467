//! Tests of this module: what is read from recorded payloads (`events`), and what is answered (`replies`).

mod events;
mod replies;

use super::*;
use crate::model::{Hook, Outcome, Replacement, ToolAction, ToolCall};

fn event(hook: Hook) -> Event {
    Event { hook, harness: ID, ..Event::default() }
}

//! What an agent must obey: what rules said, or why the project refuses; signed, since an agent's screen does not say whose
//! words these are.

use super::nexus::NexusRefusal;
use crate::context;
use crate::model::{ContextPart, Event, Outcome};

/// What rules or a refusal of the project say to an event.
pub(super) struct Binding {
    /// What the agent reads.
    pub(super) signed: Outcome,
    /// The same without signatures, for the memory.
    pub(super) unsigned: Outcome,
    pub(super) source: ContextPart,
    /// The signatures of everything that blocks.
    pub(super) blocked_by: Vec<String>,
}

impl Binding {
    /// Returns what binds: what the rules block stays blocked for their reason.
    pub(super) fn or_refused(self, refusal: Option<NexusRefusal>) -> Binding {
        match (&self.signed, refusal) {
            (Outcome::Pass | Outcome::Guide(_) | Outcome::Ask { .. }, Some(NexusRefusal { reason, by })) => {
                let signature = context::signature(&by, None);
                Binding {
                    signed: Outcome::Block(context::signed(&reason, &signature)),
                    unsigned: Outcome::Block(reason),
                    source: ContextPart::Refusal,
                    blocked_by: vec![signature],
                }
            }
            _ => self,
        }
    }

    /// Says in a line for the user what was blocked and by whom, for agents whose screen shows nothing of it.
    pub(super) fn for_user(&self, event: &Event) -> Option<String> {
        let (first, more) = self.blocked_by.split_first()?;
        let what = event.tool.as_ref().map_or("this", |tool| tool.name.as_str());
        let more = match more.len() {
            0 => String::new(),
            1 => " and 1 more rule".to_owned(),
            more => format!(" and {more} more rules"),
        };
        Some(format!("blocked `{}` {first}{more}", context::plain(what)))
    }
}

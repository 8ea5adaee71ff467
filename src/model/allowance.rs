//! A call that waits for a person, and the person's permission for it.

use serde::{Deserialize, Serialize};

use super::{SessionId, Timestamp};

/// A call that was refused because nobody could be asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WaitingCall {
    /// A hash of agent, project, tool and whole input: the same call has the same id.
    pub(crate) id: String,
    pub(crate) at: Timestamp,
    pub(crate) harness: String,
    pub(crate) session: Option<SessionId>,
    /// The root of the project.
    pub(crate) project: String,
    pub(crate) tool: String,
    /// The whole input, redacted, as a person reads it.
    pub(crate) input: String,
    /// How many characters of the input are not shown, because it is too long.
    #[serde(default)]
    pub(crate) cut: usize,
    /// The rules that ask.
    pub(crate) rules: Vec<String>,
}

/// A person's permission for one call, to be used once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Grant {
    pub(crate) call: WaitingCall,
    pub(crate) since: Timestamp,
    pub(crate) until: Timestamp,
}

impl Grant {
    /// How long a permission can be used, in seconds.
    const SECONDS: i64 = 10 * 60;

    /// Gives the permission now.
    pub(crate) fn now(call: WaitingCall, now: Timestamp) -> Grant {
        Grant { call, since: now, until: Timestamp(now.0.saturating_add(Grant::SECONDS)) }
    }

    /// Returns whether it can be used now; not before it was given either, if the clock was turned back.
    pub(crate) fn is_valid_at(&self, now: Timestamp) -> bool {
        self.since <= now && now < self.until && self.until.0 - self.since.0 <= Grant::SECONDS
    }
}

#[cfg(test)]
mod tests {
    use super::{Grant, WaitingCall};
    use crate::model::Timestamp;

    #[test]
    fn a_permission_lasts_ten_minutes_and_no_longer_whatever_its_file_says() {
        let call = WaitingCall {
            id: "a".to_owned(),
            at: Timestamp(0),
            harness: String::new(),
            session: None,
            project: String::new(),
            tool: String::new(),
            input: String::new(),
            cut: 0,
            rules: Vec::new(),
        };
        let grant = Grant::now(call, Timestamp(1_000));
        let valid = |grant: &Grant, at| grant.is_valid_at(Timestamp(at));
        assert_eq!([999, 1_000, 1_599, 1_600].map(|at| valid(&grant, at)), [false, true, true, false]);
        let long = Grant { until: Timestamp(9_999), ..grant };
        assert!(!valid(&long, 1_001));
    }
}

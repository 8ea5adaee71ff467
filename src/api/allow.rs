//! What `nudge allow --list` and `--revoke` say to programs.

use serde::Serialize;

use super::list::IsoTime;
use crate::model::{Grant, WaitingCall};

/// A call that waits for a person, or that a person has allowed.
#[derive(Debug, Serialize)]
pub(crate) struct AllowanceWire {
    id: String,
    /// `waiting` or `allowed`.
    state: &'static str,
    agent: String,
    session: Option<String>,
    project: String,
    tool: String,
    /// The input, redacted.
    input: String,
    /// How many characters of the input are left out.
    cut: usize,
    rules: Vec<String>,
    /// When the call was refused.
    refused: IsoTime,
    /// Until when the permission can be used; `null` while the call waits.
    until: Option<IsoTime>,
}

/// `nudge allow --revoke ID --json`.
#[derive(Debug, Serialize)]
pub(crate) struct RevokedWire {
    pub(crate) revoked: Vec<String>,
}

impl AllowanceWire {
    fn new(call: &WaitingCall, state: &'static str, until: Option<IsoTime>) -> AllowanceWire {
        AllowanceWire {
            id: call.id.clone(),
            state,
            agent: call.harness.clone(),
            session: call.session.as_ref().map(|session| session.0.clone()),
            project: call.project.clone(),
            tool: call.tool.clone(),
            input: call.input.clone(),
            cut: call.cut,
            rules: call.rules.clone(),
            refused: call.at.into(),
            until,
        }
    }
}

impl From<&WaitingCall> for AllowanceWire {
    fn from(call: &WaitingCall) -> AllowanceWire {
        AllowanceWire::new(call, "waiting", None)
    }
}

impl From<&Grant> for AllowanceWire {
    fn from(grant: &Grant) -> AllowanceWire {
        AllowanceWire::new(&grant.call, "allowed", Some(grant.until.into()))
    }
}

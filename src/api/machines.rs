//! What `nudge sync ssh` and `nudge sync file` print as JSON.

use serde::Serialize;

use super::list::IsoTime;
use crate::model::{MachineKey, PeerKind, SyncPeer};

/// With whom rows are exchanged, and when rows last moved each way.
#[derive(Debug, Serialize)]
pub(crate) struct SyncPeerJson {
    pub(crate) kind: PeerKind,
    pub(crate) name: String,
    pub(crate) sent: usize,
    pub(crate) sent_at: Option<IsoTime>,
    pub(crate) brought: usize,
    pub(crate) brought_at: Option<IsoTime>,
    pub(crate) reached_at: Option<IsoTime>,
    /// Why the last attempt failed.
    pub(crate) problem: Option<String>,
}

impl From<&SyncPeer> for SyncPeerJson {
    fn from(peer: &SyncPeer) -> SyncPeerJson {
        SyncPeerJson {
            kind: peer.kind,
            name: peer.name.clone(),
            sent: peer.sent,
            sent_at: peer.sent_at.map(IsoTime::from),
            brought: peer.brought,
            brought_at: peer.brought_at.map(IsoTime::from),
            reached_at: peer.reached_at.map(IsoTime::from),
            problem: peer.problem.clone(),
        }
    }
}

/// What was exchanged, machine by machine.
#[derive(Debug, Serialize)]
pub(crate) struct SyncedJson {
    pub(crate) dry_run: bool,
    pub(crate) peers: Vec<SyncedPeerJson>,
}

/// An exchange with a host or by a folder.
#[derive(Debug, Serialize)]
pub(crate) struct SyncedPeerJson {
    pub(crate) kind: PeerKind,
    pub(crate) name: String,
    /// The keys of the machines that were met.
    pub(crate) machines: Vec<MachineKey>,
    #[serde(flatten)]
    pub(crate) counts: SyncedCountsJson,
    /// Whether this machine was a copy of another one, and has a key of its own now.
    pub(crate) renewed: bool,
    pub(crate) warnings: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<SyncErrorJson>,
}

#[derive(Debug, Default, Serialize)]
pub(crate) struct SyncedCountsJson {
    pub(crate) sent: usize,
    pub(crate) brought: usize,
    pub(crate) known: usize,
    pub(crate) deleted: usize,
    pub(crate) deleted_there: usize,
    pub(crate) excluded: usize,
    pub(crate) expired: usize,
    pub(crate) unreadable: usize,
    pub(crate) postponed: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct SyncErrorJson {
    pub(crate) message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<String>,
    /// Whether the same may succeed later.
    pub(crate) temporary: bool,
}

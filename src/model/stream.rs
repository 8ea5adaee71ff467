//! A stream: what one machine tells a team's server about one project, numbered from 1 without gaps.
//!
//! What both sides say about a stream is compared at every exchange, also if there is nothing to send: a server that
//! was restored from a backup would otherwise miss rows forever.

use super::RandomId;

/// What this machine knows about a stream.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct StreamState {
    /// The highest number that was given to a record.
    pub(crate) last: i64,
    /// The highest number that the server has confirmed, and the push that it was in.
    pub(crate) acked: i64,
    pub(crate) acked_push: Option<RandomId>,
    /// The push that was begun, and whose answer is not known.
    pub(crate) pending: Option<PendingPush>,
}

/// A push that was written down before it was sent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PendingPush {
    pub(crate) first: i64,
    pub(crate) last: i64,
    pub(crate) id: RandomId,
}

/// What the server has of a stream: the last number and the push that it was in.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct ServerStream {
    pub(crate) last: i64,
    pub(crate) push: Option<RandomId>,
}

/// What a difference between the two means.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum StreamComparison {
    Same,
    /// The answer to the pending push was lost.
    PendingStored,
    /// The server was restored from a backup: continue after this number.
    Rewound(ServerStream),
    /// The server has a push that this machine never made: another folder has its key.
    TwoWriters,
}

impl StreamState {
    /// Compares the stream with what the server says; `was_pushed` says whether a push of this machine ended there.
    pub(crate) fn compare(
        &self,
        server: ServerStream,
        was_pushed: impl FnOnce(ServerStream) -> bool,
    ) -> StreamComparison {
        let pending = self.pending.map(|pending| (pending.last, Some(pending.id)));
        if (server.last, server.push) == (self.acked, self.acked_push) {
            StreamComparison::Same
        } else if pending == Some((server.last, server.push)) {
            StreamComparison::PendingStored
        } else if server.push.is_none() && server.last == 0 || was_pushed(server) {
            StreamComparison::Rewound(server)
        } else {
            StreamComparison::TwoWriters
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{PendingPush, RandomId, ServerStream, StreamComparison, StreamState};

    fn id(number: u8) -> RandomId {
        RandomId([number; 16])
    }

    #[test]
    fn every_difference_has_one_meaning() {
        let fresh = StreamState::default();
        let at = |acked: i64, push: u8| StreamState {
            last: 90,
            acked,
            acked_push: Some(id(push)),
            ..StreamState::default()
        };
        let pending = |first: i64, push: u8, state: StreamState| StreamState {
            pending: Some(PendingPush { first, last: first + 9, id: id(push) }),
            ..state
        };
        let none = ServerStream::default();
        let server = |last: i64, push: u8| ServerStream { last, push: Some(id(push)) };
        // The machine's own earlier pushes are 1, 2 and 3, which end at 10, 20 and 30.
        let was_pushed = |server: ServerStream| {
            [(10, id(1)), (20, id(2)), (30, id(3))]
                .iter()
                .any(|push| (server.last, server.push) == (push.0, Some(push.1)))
        };
        for (state, server, expected) in [
            (fresh.clone(), none, StreamComparison::Same),
            (at(30, 3), server(30, 3), StreamComparison::Same),
            (pending(31, 4, at(30, 3)), server(30, 3), StreamComparison::Same),
            // The answer was lost.
            (pending(31, 4, at(30, 3)), server(40, 4), StreamComparison::PendingStored),
            (pending(1, 1, fresh.clone()), server(10, 1), StreamComparison::PendingStored),
            // The server was restored.
            (at(30, 3), server(20, 2), StreamComparison::Rewound(server(20, 2))),
            (at(30, 3), none, StreamComparison::Rewound(none)),
            (pending(31, 4, at(30, 3)), server(10, 1), StreamComparison::Rewound(server(10, 1))),
            // Another folder has this machine's key.
            (at(30, 3), server(40, 9), StreamComparison::TwoWriters),
            (at(30, 3), server(30, 9), StreamComparison::TwoWriters),
            (pending(31, 4, at(30, 3)), server(40, 9), StreamComparison::TwoWriters),
            // This folder is an older copy: it made the push, but does not know of it.
            (at(20, 2), server(40, 4), StreamComparison::TwoWriters),
            (fresh, server(10, 8), StreamComparison::TwoWriters),
            // A number of its own with the push of another.
            (at(30, 3), server(20, 1), StreamComparison::TwoWriters),
        ] {
            assert_eq!(state.compare(server, was_pushed), expected, "{state:?} {server:?}");
        }
    }
}

//! Groups failures by their cause, and finds those that come back.

use std::collections::HashSet;

use super::likeness::{Corpus, SAME_CAUSE};
use crate::model::FailureRow;

/// Failures of one cause, the newest first.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cause {
    pub(crate) failures: Vec<FailureRow>,
}

impl Cause {
    /// Returns in how many sessions it was met.
    pub(crate) fn sessions(&self) -> usize {
        self.failures.iter().map(|failure| &failure.session_id).collect::<HashSet<_>>().len()
    }

    pub(crate) fn newest(&self) -> &FailureRow {
        &self.failures[0]
    }
}

/// Groups failures, the newest first, by cause; the causes of most sessions come first, then the newest.
pub(crate) fn causes(failures: Vec<FailureRow>) -> Vec<Cause> {
    let corpus = Corpus::new(failures.iter().map(|failure| failure.signature.as_str()));
    // Each group is known by the number of its newest failure.
    let mut groups: Vec<(usize, Vec<FailureRow>)> = Vec::new();
    for (at, failure) in failures.into_iter().enumerate() {
        let alike = groups.iter_mut().map(|group| (corpus.likeness(group.0, at), group));
        let best =
            alike.filter(|(likeness, _)| *likeness >= SAME_CAUSE).max_by(|one, two| one.0.total_cmp(&two.0));
        match best {
            Some((_, group)) => group.1.push(failure),
            None => groups.push((at, vec![failure])),
        }
    }
    let mut causes: Vec<Cause> = groups.into_iter().map(|(_, failures)| Cause { failures }).collect();
    causes.sort_by_key(|cause| std::cmp::Reverse((cause.sessions(), cause.newest().timestamp)));
    causes
}

/// Returns the earlier failures with the same cause as a new one, the most alike and newest first.
pub(crate) fn alike<'f>(signature: &str, failures: &'f [FailureRow]) -> Vec<(f64, &'f FailureRow)> {
    let known = failures.iter().map(|failure| failure.signature.as_str());
    let corpus = Corpus::new(known.chain([signature]));
    let mut alike: Vec<(f64, &FailureRow)> = failures
        .iter()
        .enumerate()
        .map(|(at, failure)| (corpus.likeness(at, failures.len()), failure))
        .filter(|(likeness, _)| *likeness >= SAME_CAUSE)
        .collect();
    alike.sort_by(|one, two| two.0.total_cmp(&one.0).then(two.1.id.cmp(&one.1.id)));
    alike
}

#[cfg(test)]
mod tests {
    use super::{alike, causes};
    use crate::model::{FailureRow, ObservationId, SessionId, Timestamp};

    fn failure(id: i64, session: &str, signature: &str) -> FailureRow {
        FailureRow {
            id: ObservationId(id),
            timestamp: Timestamp(id),
            session_id: SessionId(session.to_owned()),
            program: None,
            signature: signature.to_owned(),
        }
    }

    #[test]
    fn causes_that_come_back_come_first() {
        let found = causes(vec![
            failure(4, "c", "fatal: The current branch # has no upstream branch."),
            failure(3, "b", "zsh: command not found: docker"),
            failure(2, "a", "fatal: The current branch # has no upstream branch."),
            failure(1, "a", "zsh: command not found: redis-cli"),
        ]);
        let shape: Vec<(usize, i64)> =
            found.iter().map(|cause| (cause.sessions(), cause.newest().id.0)).collect();
        assert_eq!(shape, [(2, 4), (1, 3), (1, 1)]);
    }

    #[test]
    fn the_most_alike_and_newest_is_named() {
        let known = [
            failure(2, "a", "zsh: command not found: docker"),
            failure(1, "b", "bash: docker: command not found"),
        ];
        let found = alike("zsh: command not found: docker", &known);
        assert_eq!(found.iter().map(|(_, failure)| failure.id.0).collect::<Vec<_>>(), [2, 1]);
        assert!(alike("zsh: command not found: psql", &known).is_empty());
    }
}

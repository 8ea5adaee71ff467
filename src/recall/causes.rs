//! Groups failures by their cause, and finds those that come back.

use std::collections::HashSet;

use super::likeness::{Corpus, SAME_CAUSE};
use crate::model::FailureRow;

/// The likeness of failures of the same program with the same words, none of which is particular. They have the same
/// cause only if the whole command is the same.
pub(crate) const ONLY_THE_SAME_WORDS: f64 = 0.5;

/// A signature with fewer words than this says too little to be compared as a whole.
const MIN_WORDS: usize = 3;

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
        let mut best: Option<(f64, usize)> = None;
        for (number, (newest, _)) in groups.iter().enumerate() {
            let likeness = corpus.likeness(*newest, at);
            if likeness >= SAME_CAUSE && best.is_none_or(|(known, _)| likeness > known) {
                best = Some((likeness, number));
            }
        }
        match best {
            Some((_, group)) => groups[group].1.push(failure),
            None => groups.push((at, vec![failure])),
        }
    }
    let mut causes: Vec<Cause> = groups.into_iter().map(|(_, failures)| Cause { failures }).collect();
    causes.sort_by_key(|cause| std::cmp::Reverse((cause.sessions(), cause.newest().timestamp)));
    causes
}

/// Returns the earlier failures with the same cause as a new one, the most alike and newest first.
pub(crate) fn alike<'f>(new: &FailureRow, failures: &'f [FailureRow]) -> Vec<(f64, &'f FailureRow)> {
    let known = failures.iter().map(|failure| failure.signature.as_str());
    let corpus = Corpus::new(known.chain([new.signature.as_str()]));
    alike_in(&corpus, (failures.len(), new), failures.iter().enumerate())
}

/// Does the same for failures whose signatures have these places in a corpus.
pub(crate) fn alike_in<'f>(
    corpus: &Corpus,
    (place, new): (usize, &FailureRow),
    failures: impl Iterator<Item = (usize, &'f FailureRow)>,
) -> Vec<(f64, &'f FailureRow)> {
    let mut alike: Vec<(f64, &FailureRow)> = failures
        .map(|(at, failure)| {
            let likeness = corpus.likeness(at, place);
            (if is_same(failure, new) { likeness.max(ONLY_THE_SAME_WORDS) } else { likeness }, failure)
        })
        .filter(|(likeness, _)| {
            *likeness >= ONLY_THE_SAME_WORDS && (*likeness >= SAME_CAUSE || *likeness == ONLY_THE_SAME_WORDS)
        })
        .collect();
    alike.sort_by(|one, two| two.0.total_cmp(&one.0).then(two.1.id.cmp(&one.1.id)));
    alike
}

/// Returns whether the same program failed with the same words, however general they are.
fn is_same(one: &FailureRow, two: &FailureRow) -> bool {
    one.program == two.program
        && one.signature == two.signature
        && one.signature.split_whitespace().nth(MIN_WORDS - 1).is_some()
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
        let found = alike(&failure(3, "c", "zsh: command not found: docker"), &known);
        assert_eq!(found.iter().map(|(_, failure)| failure.id.0).collect::<Vec<_>>(), [2, 1]);
        assert!(alike(&failure(3, "c", "zsh: command not found: psql"), &known).is_empty());
    }

    #[test]
    fn general_words_count_if_everything_is_the_same() {
        let known = [failure(1, "a", "error: file not found")];
        assert_eq!(alike(&failure(2, "b", "error: file not found"), &known).len(), 1);
        assert!(alike(&failure(2, "b", "error: no such file"), &known).is_empty());
    }
}

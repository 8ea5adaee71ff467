//! Whether a recurring failure becomes a proposal: what ended it must be known, and a rule must speak at the right moment.

use super::met::MIN_SESSIONS;
use super::recurrence::RecurringFailure;
use super::way_out::WayOut;

/// Of the times that a rule would have spoken, at least this share must have been before the failure that it is about. A
/// reader who finds more than one reminder in five beside the point stops reading them.
pub(crate) const MIN_PRECISION: f64 = 0.8;

/// Something must have ended the failure in at least this share of the sessions that met it, as `(part, whole)`. A session
/// may end, or turn to other work, before anybody has overcome it; more than one in four means that the way out is not one.
const MIN_ENDED: (usize, usize) = (3, 4);

/// What a rule would have done on the calls of the past.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Backtest {
    pub(crate) spoke: usize,
    /// Before the failure that it is about.
    pub(crate) before_failure: usize,
    /// In how many sessions that was.
    pub(crate) sessions: usize,
    /// Before a call that failed in another way, or that the user refused.
    pub(crate) before_others: usize,
    /// Before a call that worked.
    pub(crate) before_success: usize,
    /// Before a call of which nobody knows how it ended.
    pub(crate) unknown: usize,
}

impl Backtest {
    /// Returns the share of the known calls that met the failure.
    pub(crate) fn precision(&self) -> f64 {
        let known = self.before_failure + self.before_others + self.before_success;
        if known == 0 { 0.0 } else { self.before_failure as f64 / known as f64 }
    }

    fn is_good(&self) -> bool {
        self.sessions >= MIN_SESSIONS && self.precision() >= MIN_PRECISION
    }
}

/// Why a recurring failure is listed without a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WhyNoRule {
    /// Nothing ended it often enough.
    NothingEndedIt,
    /// It ended, but no two sessions did the same about it.
    NoCommonWay,
    /// No command can be told before which a rule could speak.
    NoCommand,
    /// A rule would have spoken before too many other calls.
    Imprecise,
}

/// Returns what a rule about a recurring failure would say, if there is something to say.
pub(crate) fn may_be_ruled<'c>(cause: &'c RecurringFailure<'_>) -> Result<&'c WayOut, WhyNoRule> {
    let (part, whole) = MIN_ENDED;
    if cause.ended * whole < cause.sessions * part {
        return Err(WhyNoRule::NothingEndedIt);
    }
    let way = cause.way_out.as_ref();
    way.filter(|way| way.sessions * 2 >= cause.ended).ok_or(WhyNoRule::NoCommonWay)
}

/// Returns the number of the best of several candidates; of equals, the first. `None` if none is precise enough.
pub(crate) fn best(tried: &[Backtest]) -> Option<usize> {
    let good = tried.iter().enumerate().filter(|(_, one)| one.is_good());
    // Of equals the last wins.
    good.rev().max_by_key(|(_, one)| one.sessions).map(|(number, _)| number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(before_failure: usize, sessions: usize, before_success: usize) -> Backtest {
        let spoke = before_failure + before_success;
        Backtest { spoke, before_failure, sessions, before_success, ..Backtest::default() }
    }

    #[test]
    fn a_rule_must_speak_before_the_failure_and_hardly_before_anything_else() {
        for (candidates, expected) in [
            (vec![tried(4, 4, 1)], Some(0)),
            (vec![tried(4, 4, 2)], None),
            (vec![tried(3, 1, 0)], None),
            (vec![], None),
            // The one that reaches more sessions is better; of equals, the first.
            (vec![tried(2, 2, 0), tried(3, 3, 0)], Some(1)),
            (vec![tried(3, 3, 0), tried(3, 3, 0)], Some(0)),
            (vec![tried(9, 9, 90), tried(3, 3, 0)], Some(1)),
        ] {
            assert_eq!(best(&candidates), expected, "{candidates:?}");
        }
        let others = Backtest { before_others: 1, ..tried(3, 3, 0) };
        assert_eq!(best(&[others]), None, "another failure is not this one");
        let unknown = Backtest { unknown: 10, ..tried(3, 3, 0) };
        assert_eq!(best(&[unknown]), Some(0));
    }
}

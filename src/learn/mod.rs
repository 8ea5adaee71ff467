//! What the past teaches: failures that come back and what ended them, what users take back, and calls that are tried again.
//!
//! This is pure: `ops` provides the rows and tries every proposal on the calls of the past.

mod candidates;
mod corrections;
mod met;
mod proposal;
mod recurrence;
mod retries;
mod verdict;
mod way_out;

#[cfg(test)]
pub(crate) mod fixture;

pub(crate) use candidates::candidates;
pub(crate) use corrections::{CorrectedThing, corrected_things};
pub(crate) use proposal::{LearnedRule, Provenance, is_learned_about, rule_text};
pub(crate) use recurrence::{RecurringFailure, failure_row, recurrences};
pub(crate) use retries::{RetriedRule, retried_rules};
pub(crate) use verdict::{Backtest, WhyNoRule, best, may_be_ruled};
pub(crate) use way_out::{WayOut, WayOutKind};

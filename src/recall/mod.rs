//! What earlier sessions teach: which failures are alike, how they were overcome, and what is still open.
//!
//! This is pure: `ops` provides the rows.

mod causes;
mod correction_phrases;
mod cue_phrases;
mod cues;
mod deed;
mod difference;
mod helped;
mod likeness;
mod missing;
mod names;
mod openness;
mod remedy;
mod shape;
mod shareable;
mod steps;
mod taken_back;
mod told_cause;
mod traps;
mod undone;
mod wishes;

#[cfg(test)]
pub(crate) mod fixture;

#[cfg(test)]
pub(crate) use causes::alike_in;
pub(crate) use causes::{Cause, ONLY_THE_SAME_WORDS, alike, causes};
pub(crate) use cues::{PromptCue, cue, is_question, says_what_is_wanted};
pub(crate) use deed::{command, only_looks};
pub(crate) use difference::{PROSE_OPTIONS, difference, is_same_act};
pub(crate) use helped::{is_tired, told_outcome};
#[cfg(test)]
pub(crate) use likeness::Corpus;
pub(crate) use missing::{missing_program, runs_program};
pub(crate) use names::{PromptName, names, plain_words, words_of_complaint};
pub(crate) use openness::{hands_over, open_failures};
pub(crate) use remedy::{Remedy, remedy};
pub(crate) use shareable::shareable;
pub(crate) use taken_back::takes_back;
pub(crate) use told_cause::{names_only_tests, shown_cause, told_cause};
pub(crate) use traps::{is_trapped, trap};
pub(crate) use undone::{Undone, undone_changes};
pub(crate) use wishes::is_lasting_wish;

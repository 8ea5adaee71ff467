//! The lists of `lines.rs` as tables: a hook holds every line of an output against all of them.

use super::{
    CAUSE_STARTS, ERROR_WORDS, FRAME_STARTS, LOG_STARTS, MILD_STARTS, PASSED_STARTS, STATUS_STARTS,
    STATUS_WORDS,
};
use crate::model::Literals;

pub(super) static STATUS_WORD: Literals<{ STATUS_WORDS.len() }> = Literals::any_case(STATUS_WORDS);
pub(super) static STATUS_START: Literals<{ STATUS_STARTS.len() }> = Literals::any_case(STATUS_STARTS);
pub(super) static FRAME_START: Literals<{ FRAME_STARTS.len() }> = Literals::any_case(FRAME_STARTS);
pub(super) static PASSED_START: Literals<{ PASSED_STARTS.len() }> = Literals::exact(PASSED_STARTS);
pub(super) static MILD_START: Literals<{ MILD_STARTS.len() }> = Literals::any_case(MILD_STARTS);
pub(super) static LOG_START: Literals<{ LOG_STARTS.len() }> = Literals::any_case(LOG_STARTS);
pub(super) static ERROR_WORD: Literals<{ ERROR_WORDS.len() }> = Literals::any_case(ERROR_WORDS);
pub(super) static CAUSE_START: Literals<{ CAUSE_STARTS.len() }> = Literals::any_case(CAUSE_STARTS);

/// What the shell says of a file that it does not find, wherever it is.
pub(super) static NOT_FOUND: Literals<2> =
    Literals::any_case(["command not found", "no such file or directory"]);

//! Stores problems for `nudge doctor`, redacted: they quote names, patterns and paths that others have written.

use std::io;

use crate::journal;
use crate::model::{FilePosition, Problem};
use crate::redact::{self, OwnPatterns};

/// Maximum number of characters of a text of a problem.
const MAX_TEXT: usize = 4 << 10;

/// Adds problems to the log.
pub(crate) fn record(found: &[Problem]) {
    let own = OwnPatterns::default();
    let clean: Vec<Problem> = found.iter().map(|problem| without_secrets(problem, &own)).collect();
    journal::problems::record_clean(&clean);
}

/// Returns a problem without the secrets in its texts.
pub(crate) fn without_secrets(problem: &Problem, own: &OwnPatterns) -> Problem {
    let clean = |text: &String| redact::excerpt(text, MAX_TEXT, own);
    Problem {
        severity: problem.severity,
        place: problem.place.as_ref().map(|place| FilePosition { file: clean(&place.file), ..place.clone() }),
        rule: problem.rule.as_ref().map(clean),
        message: clean(&problem.message),
        hint: problem.hint.as_ref().map(clean),
        origin: problem.origin,
        topic: problem.topic,
    }
}

/// Redacts the problems that older versions have logged.
pub(crate) fn clean_kept(own: &OwnPatterns) -> io::Result<()> {
    journal::problems::revise(|problem| without_secrets(&problem, own))
}

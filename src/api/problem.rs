//! A problem as programs read it.

use serde::Serialize;

use super::list::IsoTime;
use crate::model::{Problem, Severity};

/// Something that went wrong without stopping the work.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ProblemJson {
    severity: Severity,
    place: Option<PlaceJson>,
    rule: Option<String>,
    message: String,
    hint: Option<String>,
}

/// A position in a file; line and column are `null` for the whole file.
#[derive(Debug, Clone, Serialize)]
struct PlaceJson {
    file: String,
    line: Option<usize>,
    column: Option<usize>,
}

/// A problem that a hook ran into.
#[derive(Debug, Serialize)]
pub(crate) struct LoggedProblemJson {
    pub(crate) at: IsoTime,
    #[serde(flatten)]
    pub(crate) problem: ProblemJson,
}

/// Returns problems for a program.
pub(crate) fn problems<'p>(problems: impl IntoIterator<Item = &'p Problem>) -> Vec<ProblemJson> {
    problems.into_iter().map(ProblemJson::from).collect()
}

impl From<&Problem> for ProblemJson {
    fn from(problem: &Problem) -> ProblemJson {
        let given = |number: usize| Some(number).filter(|number| *number > 0);
        ProblemJson {
            severity: problem.severity,
            place: problem.place.as_ref().map(|place| PlaceJson {
                file: place.file.clone(),
                line: given(place.line),
                column: given(place.column),
            }),
            rule: problem.rule.clone(),
            message: problem.message.clone(),
            hint: problem.hint.clone(),
        }
    }
}

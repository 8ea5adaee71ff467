//! One observation: its whole text, what came before and after, how often it was seen, what ended it.

use super::request::{QuestionError, ViewError, ViewRequest};
use super::shown::Shown;
use super::{QueryStop, ViewAnswer, whole};
use crate::api::view::{ObsView, ObservationView, SeenView};
use crate::model::{Observation, ObservationId, ObservationType};
use crate::recall;

/// How the text of a blocked call begins.
const BLOCKED_START: &str = "blocked by a rule: ";
/// Neighbours that are shown on each side.
const NEIGHBOURS: usize = 3;

/// `observation/ID`.
pub(super) fn answer(request: &ViewRequest, stop: &QueryStop) -> Result<ViewAnswer, ViewError> {
    let id = request.rest().parse().map(ObservationId);
    let id = id.map_err(|_| ViewError::wrong("the id of an observation is a number".to_owned()))?;
    let unknown = || {
        let error = ViewError::unknown(format!("there is no observation {}", id.0));
        QuestionError::from(error.hint("it may have been forgotten"))
    };
    let Some(reader) = stop.memory()? else { return Err(unknown().into()) };
    let shown = Shown::new();
    let view = reader.ask(|reader| {
        let Some(anchor) = reader.get(&[id])?.pop() else { return Err(unknown()) };
        let around = reader.timeline(id, NEIGHBOURS, NEIGHBOURS)?;
        let all = |rows: &[Observation]| rows.iter().map(|row| obs(row, &shown)).collect::<Vec<_>>();
        let ended_by = match reader.failure_and_after(id)?.filter(|(failure, _)| failure.is_failure()) {
            Some((failure, after)) => recall::remedy(&failure, &after)
                .map(|remedy| [remedy.steps, vec![remedy.success]].concat())
                .unwrap_or_default(),
            None => Vec::new(),
        };
        let (n, sessions, agents) = reader.same_subject(id)?;
        let title = reader.first_prompt(&anchor.session_id)?.map(|prompt| shown.title(&prompt));
        Ok(ObservationView {
            obs: obs(&anchor, &shown),
            title,
            before: all(&around.before),
            after: all(&around.after),
            seen: SeenView { n, sessions, agents: agents.iter().map(|agent| shown.name(agent)).collect() },
            ended_by: all(&ended_by),
            told_to: reader.told_to(id)?.iter().map(|session| shown.name(&session.0)).collect(),
        })
    })?;
    whole(&view)
}

/// Returns an observation as the page shows it.
pub(super) fn obs(row: &Observation, shown: &Shown) -> ObsView {
    let (text, cut) = shown.text(&row.content);
    ObsView {
        id: row.id.0,
        at_ms: at_ms(row),
        session: shown.name(&row.session_id.0),
        agent: row.harness().map(|agent| shown.name(agent)),
        kind: mark_kind(row),
        r#type: row.obs_type.name(),
        subject: shown.row(subject(row)),
        text,
        cut,
        file: row.file_path.as_deref().map(|path| shown.name(path)),
        program: row.program.as_deref().map(|program| shown.name(program)),
        exit: row.exit_code(),
        duration_ms: row.duration_ms(),
        rule: row.rule().map(|rule| shown.name(rule)),
        pinned: row.pinned,
    }
}

/// Returns when it happened; a transcript knows the milliseconds.
pub(super) fn at_ms(row: &Observation) -> i64 {
    row.timestamp.0.saturating_mul(1_000)
}

/// Returns what an observation is about, in a few words.
pub(super) fn subject(row: &Observation) -> &str {
    if row.is_blocked() {
        return blocked_parts(row).0;
    }
    match row.obs_type {
        ObservationType::FileRead | ObservationType::FileEdit | ObservationType::FileWrite => {
            row.file_path.as_deref().unwrap_or(&row.content)
        }
        ObservationType::Command | ObservationType::CommandError => recall::command(row),
        _ => &row.content,
    }
}

/// Returns what a rule blocked, without the name of the tool, and what the rule said.
pub(super) fn blocked_parts(row: &Observation) -> (&str, &str) {
    let (what, message) = row.content.split_once('\n').unwrap_or((&row.content, ""));
    let what = what.strip_prefix(BLOCKED_START).unwrap_or(what);
    let tool = row.tool_name.as_deref().unwrap_or_default();
    (what.strip_prefix(tool).map_or(what, str::trim_start), message)
}

/// Returns the name of the mark that an observation has on a lane.
pub(super) fn mark_kind(row: &Observation) -> &'static str {
    match row.obs_type {
        ObservationType::FileRead | ObservationType::Search => "read",
        ObservationType::FileEdit | ObservationType::FileWrite => "edit",
        ObservationType::CommandError if row.is_blocked() => "blocked",
        ObservationType::CommandError if row.is_failed_look() => "read",
        ObservationType::CommandError => "failed",
        ObservationType::Command if row.kind() == Some("git_commit") => "commit",
        ObservationType::Command | ObservationType::McpCall => "command",
        ObservationType::UserPrompt if row.is_prompt() => "prompt",
        _ => "other",
    }
}

//! How colleagues overcame a failure that is new to this user, if the settings want that to be shown unasked.
//!
//! The copy of their rows is read without waiting, and never brought: a hook does not touch the network. What the rules
//! here would refuse is not shown.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::past_text::PastText;
use crate::config::{env, paths};
use crate::context::{COLLEAGUES_HEADING, ColleagueFix};
use crate::journal::marks;
use crate::model::{Event, FailureRow, Hook, NewObservation, ObservationId, Project, ToolAction, ToolCall};
use crate::ops::observations::remember;
use crate::ops::observations::salvage::Repair;
use crate::ops::on_time::on_time;
use crate::ops::rules::load::{self, BookSource, RuleOwner};
use crate::ops::rules::try_out::try_rules;
use crate::ops::turn::Turn;
use crate::recall;
use crate::rules::{Book, RuleOutcome};
use crate::store::{Colleagues, Reader, StoreError, TeamReader};
use crate::system::{clock, repository, rule_levels};

/// How long a new session waits for a locked database.
const READ_TIMEOUT: Duration = Duration::from_millis(100);
/// A failure is compared with this many of colleagues' failures of the same program; a new session with as many of all.
const MAX_COMPARED: usize = 300;
/// Of the failures that are alike, this many are searched for a way out.
const MAX_TRIED: usize = 4;
/// A signature that the failures of the project share this often says nothing: `FAIL` is everybody's.
const TOO_COMMON: usize = 6;
/// A new session is warned of what this many colleagues met: what only one of them meets may be a habit of theirs.
const MIN_COLLEAGUES: usize = 2;

/// Where the rows of colleagues are, and which of them may be shown.
pub(super) struct ColleagueSource {
    copy: PathBuf,
    project: String,
    whose: Colleagues,
}

impl ColleagueSource {
    /// Returns the source for the project of this event; `None` if nothing is to be shown.
    pub(super) fn of(turn: &Turn<'_>) -> Option<ColleagueSource> {
        let team = &turn.settings.team;
        if !team.unasked || team.url.is_none() && env::team_url().is_none() {
            return None;
        }
        let copy = paths::team_copy().filter(|path| path.exists())?;
        let keys = repository::remote_keys(turn.place.root());
        let project = keys.into_iter().find(|key| team.projects.iter().any(|(known, _)| known == key))?;
        let whose = if team.unasked_ci { Colleagues::PeopleAndCi } else { Colleagues::People };
        Some(ColleagueSource { copy, project, whose })
    }

    /// Finds how colleagues overcame a failure like this one, the most alike first.
    pub(super) fn fixes_of(
        &self,
        own: Option<&Reader>,
        failure: &NewObservation,
    ) -> Result<Vec<ColleagueFix>, StoreError> {
        let (Some(signature), Some(program)) = (&failure.signature, &failure.program) else {
            return Ok(Vec::new());
        };
        let Some(copy) = TeamReader::open(&self.copy) else { return Ok(Vec::new()) };
        let known = copy.failures(&self.project, Some(program), self.whose, MAX_COMPARED)?;
        let new = FailureRow {
            id: ObservationId(i64::MAX),
            timestamp: failure.timestamp,
            session_id: failure.session_id.clone(),
            program: failure.program.clone(),
            signature: signature.clone(),
        };
        let alike = recall::alike(&new, &known);
        let command = failure.metadata.as_ref().and_then(|facts| facts.command()).unwrap_or(&failure.content);
        let mut fixes = Vec::new();
        if alike.len() >= TOO_COMMON {
            return Ok(fixes);
        }
        for (likeness, one) in alike.into_iter().take(MAX_TRIED) {
            let Some(fix) = self.fix(&copy, own, one)? else { continue };
            let is_same_act = recall::command(&fix.failure) == command;
            if likeness > recall::ONLY_THE_SAME_WORDS || is_same_act {
                fixes.push(fix);
            }
        }
        Ok(fixes)
    }

    /// Finds what went wrong for several colleagues and never here, and was overcome by a command.
    fn ahead(&self, own: Option<&Reader>, project: &Project) -> Result<Vec<ColleagueFix>, StoreError> {
        let Some(copy) = TeamReader::open(&self.copy) else { return Ok(Vec::new()) };
        let theirs = copy.failures(&self.project, None, self.whose, MAX_COMPARED)?;
        if theirs.is_empty() {
            return Ok(Vec::new());
        }
        let mine = own.map(|own| own.failures(Some(project), MAX_COMPARED)).transpose()?.unwrap_or_default();
        // Numbers of both files are told apart by their sign.
        let mine = mine.into_iter().map(|one| FailureRow { id: ObservationId(-one.id.0), ..one });
        let mut fixes = Vec::new();
        for cause in recall::causes(theirs.into_iter().chain(mine).collect()) {
            let is_mine = cause.failures.iter().any(|one| one.id.0 < 0);
            let is_no_pattern = cause.failures.len() >= TOO_COMMON || cause.failures.len() < MIN_COLLEAGUES;
            if is_mine || is_no_pattern || recall::names_only_tests(&cause.newest().signature) {
                continue;
            }
            let numbers: Vec<i64> = cause.failures.iter().map(|one| one.id.0).collect();
            let mut authors: Vec<String> =
                copy.get(&numbers)?.into_iter().map(|row| row.author.name).collect();
            authors.sort_unstable();
            authors.dedup();
            if authors.len() < MIN_COLLEAGUES {
                continue;
            }
            let fix = self.fix(&copy, own, cause.newest())?;
            fixes.extend(
                fix.filter(|fix| fix.remedy.is_by_command(&fix.failure) && !recall::only_looks(&fix.failure)),
            );
        }
        Ok(fixes)
    }

    /// Returns how a failure was overcome, unless it happened on this machine or nothing was done about it.
    fn fix(
        &self,
        copy: &TeamReader,
        own: Option<&Reader>,
        failure: &FailureRow,
    ) -> Result<Option<ColleagueFix>, StoreError> {
        let Some(row) = copy.get(&[failure.id.0])?.into_iter().next() else { return Ok(None) };
        let is_own = |key| own.and_then(|own| own.is_own_or_hidden(key).ok()).unwrap_or(false);
        if row.author.event_key.is_some_and(is_own) || row.observation.is_failed_look() {
            return Ok(None);
        }
        let Some((failure, after)) = copy.failure_and_after(failure.id)? else { return Ok(None) };
        let remedy = recall::remedy(&failure, &after).filter(|remedy| remedy.is_visible(&failure));
        let fix = remedy.map(|remedy| ColleagueFix { author: row.author.name, failure, remedy });
        Ok(fix.filter(ColleagueFix::says_something))
    }
}

/// Returns the line about the first fix that the rules would not refuse; each once in a session.
pub(super) fn after_failure(turn: &Turn<'_>, fixes: &[ColleagueFix]) -> Option<PastText> {
    let fix = fixes.iter().find(|fix| !is_refused(turn, fix))?;
    let text = || fix.describe(clock::timestamp());
    is_new(turn, fix).then(|| of_colleagues(text(), vec![fix.number()]))
}

/// Returns what a new session is shown of what went wrong for colleagues; each line once in a session.
pub(super) fn before_work(turn: &Turn<'_>) -> Option<PastText> {
    let (most, budget) = (turn.settings.team.rows, turn.budget);
    let source = ColleagueSource::of(turn).filter(|_| most > 0)?;
    let project = turn.project()?.clone();
    let fixes = on_time(budget, move || {
        let own = remember::reader_within(budget.within(READ_TIMEOUT), Repair::Never)?;
        let fixes = source.ahead(own.as_ref(), &project);
        own.into_iter().for_each(Reader::leave_open);
        fixes
    });
    let told = fixes.ok()?.into_iter().filter(|fix| !is_refused(turn, fix)).take(most);
    let new: Vec<ColleagueFix> = told.filter(|fix| is_new(turn, fix)).collect();
    let now = clock::timestamp();
    let lines = new.iter().map(|fix| fix.describe_ahead(now));
    let lines: Vec<String> = [COLLEAGUES_HEADING.to_owned()].into_iter().chain(lines).collect();
    let numbers = new.iter().map(ColleagueFix::number).collect();
    (!new.is_empty()).then(|| of_colleagues(lines.join("\n"), numbers))
}

fn of_colleagues(text: String, numbers: Vec<i64>) -> PastText {
    PastText { text, rows: Vec::new(), colleague_rows: numbers }
}

fn is_new(turn: &Turn<'_>, fix: &ColleagueFix) -> bool {
    let mark = format!("colleague: {}", fix.number());
    marks::set(turn.event.session.as_ref(), &[mark], turn.budget.within(marks::TIMEOUT)) == [true]
}

/// Returns whether a rule of the user or of the project would refuse a command of the fix.
fn is_refused(turn: &Turn<'_>, fix: &ColleagueFix) -> bool {
    let users = load::user_files();
    let levels = rule_levels::of_event(&turn.place, std::iter::empty());
    let owners = [RuleOwner::User].into_iter().chain(levels.iter().map(RuleOwner::Project));
    owners.into_iter().any(|owner| {
        let packed = load::book(owner, &users, BookSource::Cache, turn.budget);
        let root = match owner {
            RuleOwner::User => turn.place.root_for_user_rules(),
            RuleOwner::Project(level) => &level.folder,
        };
        // Rules that cannot be read may refuse anything.
        let Some(book) = Book::open(&packed.bytes) else { return true };
        let name = turn.event.tool.as_ref().map_or("Bash", |tool| tool.name.as_str());
        fix.commands().any(|command| {
            let action = ToolAction::Command { command: command.to_owned() };
            let tool = Some(ToolCall { name: name.to_owned(), action });
            let event = Arc::new(Event { hook: Hook::PreToolUse, tool, ..(*turn.event).clone() });
            let tried = try_rules(&book, &event, root, turn.budget.within(env::rule_deadline()));
            tried.into_iter().any(|tried| match tried.outcome {
                RuleOutcome::Fired(fired) => fired.action.holds_up() && !tried.rule.shadow,
                RuleOutcome::Unevaluated(_) => tried.rule.fails_closed,
                _ => false,
            })
        })
    })
}

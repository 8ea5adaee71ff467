//! When a prompt goes back to earlier work, says how that went; about one prompt in ten, and silence otherwise.

use std::collections::HashMap;
use std::time::Duration;

use super::past_text::PastText;
use crate::context;
use crate::journal::marks;
use crate::model::{
    FailureRow, Filter, Observation, ObservationId, ObservationType, Order, Project, Search, SearchHit,
    SessionId,
};
use crate::observations;
use crate::ops::observations::remember;
use crate::ops::observations::salvage::Repair;
use crate::ops::on_time::on_time;
use crate::ops::turn::Turn;
use crate::recall::{self, PromptCue, PromptName};
use crate::redact::OwnPatterns;
use crate::store::{Reader, StoreError};
use crate::system::clock;
use crate::system::repository::Worktree;

/// How long a prompt waits for a locked database.
const READ_TIMEOUT: Duration = Duration::from_millis(60);
/// A name in more rows than this is not rare here; an ordinary word must be rarer to say which work is meant.
const MAX_ROWS: usize = 40;
/// With a cue, a name that is less rare still says which work is meant.
const MAX_ROWS_WITH_CUE: usize = 120;
const MAX_ROWS_OF_WORDS: usize = 20;
/// Without a cue, names of this weight must be shared with one earlier session: two things, or one reference.
const MIN_WEIGHT: usize = 2;
/// A second prompt still counts as the beginning if the session has done less than this.
const FEW_DEEDS: usize = 10;
/// At most this many rows of a session are read.
const MAX_DEEDS: usize = 300;
/// At most this many hits are looked at, and this many sessions are tried.
const MAX_HITS: usize = 8;
const MAX_TRIED: usize = 3;
/// Names alone are weak evidence: they are answered if none of this many prompts before was.
const QUIET_PROMPTS: usize = 10;
/// A prompt that is longer, in bytes, brings its context along (a plan, a review that was pasted), so it is answered less.
const LONG_PROMPT: usize = 1_200;
const QUIET_PROMPTS_OF_LONG: usize = 20;
/// An error that was pasted is compared with this many earlier failures.
const MAX_FAILURES: usize = 500;

/// Types of rows that answer a question about earlier work; what was asked is told beside them.
const SAYS_SOMETHING: [ObservationType; 6] = [
    ObservationType::Outcome,
    ObservationType::Summary,
    ObservationType::FileEdit,
    ObservationType::FileWrite,
    ObservationType::Command,
    ObservationType::CommandError,
];

/// What makes a prompt worth an answer.
struct PromptQuestion {
    prompt: String,
    cue: Option<PromptCue>,
    names: Vec<PromptName>,
    /// The signature of an error that was pasted.
    pasted: Option<String>,
    /// Whether it is the first or the second prompt of its session.
    is_early: bool,
    session: SessionId,
    project: Project,
    branch: Option<String>,
    worktree: Option<String>,
}

/// How much the agent knows of what the prompt may speak of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Footing {
    /// Its session has just begun.
    Fresh,
    /// Its context was compacted since the last prompt.
    Compacted,
    /// It has done things that the prompt may speak of.
    Underway,
}

/// Returns how earlier work went that this prompt goes back to; `None` for nearly every prompt.
pub(super) fn answer_prompt(turn: &Turn<'_>) -> Result<Option<PastText>, StoreError> {
    let (Some(prompt), Some(session)) = (&turn.event.prompt, &turn.event.session) else { return Ok(None) };
    if !turn.settings.remember || turn.settings.context_budget == 0 {
        return Ok(None);
    }
    let budget = turn.budget;
    let set = |mark: String| marks::set(Some(session), &[mark], budget.within(marks::TIMEOUT)) == [true];
    // In its first two prompts a session knows little but the briefing.
    let is_early = set("first prompt".to_owned()) || set("second prompt".to_owned());
    let cue = recall::cue(prompt);
    let names = recall::names(prompt);
    let pasted = pasted_error(turn, prompt);
    let weight: usize = names.iter().map(|name| name.weight).sum();
    // Within a session the agent knows what was said; only names of other work can go back beyond it.
    let may_go_back = pasted.is_some()
        || weight >= MIN_WEIGHT
        || cue == Some(PromptCue::GoesOn)
        || cue.is_some() && (is_early || weight > 0);
    let Some(project) = turn.project().filter(|_| may_go_back).cloned() else { return Ok(None) };
    let worktree = turn.place.worktree();
    let question = PromptQuestion {
        prompt: prompt.clone(),
        cue,
        names,
        pasted,
        is_early,
        session: session.clone(),
        project,
        branch: worktree.and_then(Worktree::branch),
        worktree: worktree.and_then(Worktree::linked_name),
    };
    let found = on_time(budget, move || {
        let reader = remember::reader_within(budget.within(READ_TIMEOUT), Repair::Never)?;
        let Some(reader) = reader else { return Ok(None) };
        let answer = PromptAnswerer::new(&reader, &question).and_then(|answerer| answerer.answer());
        reader.leave_open();
        answer
    })?;
    Ok(found.filter(|(told, _)| set(format!("prompt: {}", told.0))).map(|(_, text)| text))
}

/// Returns the signature of an error in a prompt of several lines, or of one that speaks of an error.
fn pasted_error(turn: &Turn<'_>, prompt: &str) -> Option<String> {
    let none = OwnPatterns::default();
    let may_be_pasted = prompt.trim().contains('\n') || prompt.contains("rror") || prompt.contains("FAIL");
    may_be_pasted.then(|| observations::pasted_signature(prompt, turn.secrets().unwrap_or(&none))).flatten()
}

/// A session that answers, and the row that says most.
type PromptReply = (SessionId, PastText);

struct PromptAnswerer<'a> {
    reader: &'a Reader,
    question: &'a PromptQuestion,
    /// What this session did before the prompt, the newest first.
    own: Vec<Observation>,
}

impl<'a> PromptAnswerer<'a> {
    fn new(reader: &'a Reader, question: &'a PromptQuestion) -> Result<PromptAnswerer<'a>, StoreError> {
        let mut own = reader.session_deeds(&question.session, MAX_DEEDS)?;
        // The prompt itself may be stored already.
        let is_current = |row: &Observation| question.prompt.starts_with(row.content.trim_end_matches('…'));
        if let Some(at) = own.iter().position(Observation::is_prompt).filter(|at| is_current(&own[*at])) {
            own.remove(at);
        }
        Ok(PromptAnswerer { reader, question, own })
    }

    fn answer(&self) -> Result<Option<PromptReply>, StoreError> {
        let footing = self.footing();
        if let Some(told) = self.by_pasted_error()? {
            return Ok(Some(told));
        }
        let is_fresh = footing == Footing::Fresh;
        match (self.question.cue, footing) {
            (Some(PromptCue::GoesOn), Footing::Compacted) => {
                self.tell(&self.question.session, Vec::new(), None)
            }
            (Some(PromptCue::GoesOn), Footing::Fresh) if !self.own.iter().any(is_action) => {
                self.last_session(None)
            }
            (Some(PromptCue::GoesOn), _) => Ok(None),
            (Some(cue), _) => self.by_cue(cue, is_fresh),
            (None, _) => self.by_names(),
        }
    }

    fn footing(&self) -> Footing {
        let since_prompt = self.own.iter().take_while(|row| !row.is_prompt());
        let is_compacted = since_prompt.into_iter().any(|row| {
            let cause = row.metadata.as_ref().and_then(|metadata| metadata.0.get("cause")?.as_str());
            row.obs_type == ObservationType::Summary || cause == Some("compact")
        });
        if is_compacted {
            return Footing::Compacted;
        }
        let prompts = self.own.iter().filter(|row| row.is_prompt()).count();
        let deeds = self.own.iter().filter(|row| is_action(row)).count();
        let is_fresh = self.question.is_early && prompts < 2 && deeds < FEW_DEEDS;
        if is_fresh { Footing::Fresh } else { Footing::Underway }
    }

    /// Answers a prompt that goes back in its words.
    fn by_cue(&self, cue: PromptCue, is_fresh: bool) -> Result<Option<PromptReply>, StoreError> {
        let question = self.question;
        let named = self.shared(&question.names, MAX_ROWS_WITH_CUE)?;
        if let Some(told) = self.tell_first(&named.sessions, &named.words)? {
            return Ok(Some(told));
        }
        if !is_fresh {
            return Ok(None);
        }
        let plain = match cue {
            PromptCue::ComesBack => recall::words_of_complaint(&question.prompt),
            _ => recall::plain_words(&question.prompt),
        };
        let plain =
            plain.into_iter().map(|word| PromptName { spellings: vec![word.clone()], text: word, weight: 1 });
        let by_words = self.shared(&plain.collect::<Vec<_>>(), MAX_ROWS_OF_WORDS)?;
        // A question is about its words; a user who mentions "the comments" means those of the last work here.
        let asks = cue == PromptCue::Asks || recall::is_question(&question.prompt);
        let hit = if asks { self.best_hit(&by_words.words, None)? } else { None };
        if let Some(hit) = hit
            && let Some(told) = self.tell(&hit.session_id, vec![hit.id], Some(&describe_hit(&hit)))?
        {
            return Ok(Some(told));
        }
        // What came back is what the words name, or what failed last; work without a failure cannot come back.
        if cue == PromptCue::ComesBack {
            if let Some(told) = self.tell_first(&by_words.sessions, &by_words.words)? {
                return Ok(Some(told));
            }
            return match self.last_sessions()?.into_iter().next() {
                Some((session, true)) => self.tell_first(&[session], &by_words.words),
                _ => Ok(None),
            };
        }
        self.last_session(Some(&by_words.words))
    }

    /// Answers a prompt that only names things of earlier work.
    fn by_names(&self) -> Result<Option<PromptReply>, StoreError> {
        let question = self.question;
        let named = self.shared(&question.names, MAX_ROWS)?;
        let quiet = if question.prompt.len() > LONG_PROMPT { QUIET_PROMPTS_OF_LONG } else { QUIET_PROMPTS };
        let is_enough = named.most >= MIN_WEIGHT;
        if !is_enough || self.reader.answered_lately(&question.project, quiet)? > 0 {
            return Ok(None);
        }
        self.tell_first(&named.sessions, &named.words)
    }

    /// Answers with an earlier failure that is like the one in the prompt, and what worked then.
    fn by_pasted_error(&self) -> Result<Option<PromptReply>, StoreError> {
        let question = self.question;
        let Some(signature) = &question.pasted else { return Ok(None) };
        let known = self.reader.failures(Some(&question.project), MAX_FAILURES)?;
        let new = FailureRow {
            id: ObservationId(i64::MAX),
            timestamp: clock::timestamp(),
            session_id: question.session.clone(),
            program: None,
            signature: signature.clone(),
        };
        let alike = recall::alike(&new, &known);
        // What this session met itself, its agent knows.
        if alike.iter().any(|(_, one)| self.own.iter().any(|row| row.id == one.id)) {
            return Ok(None);
        }
        for (_, one) in alike.into_iter().take(MAX_TRIED) {
            let Some((failure, after)) = self.reader.failure_and_after(one.id)? else { continue };
            let way = recall::remedy(&failure, &after);
            let way = way.map(|remedy| context::describe_way_out(&failure, &remedy)).unwrap_or_default();
            let arrow = if way.is_empty() { "" } else { " -> " };
            let evidence = format!("#{} failed like this{arrow}{way}", failure.id.0);
            if let Some(told) = self.tell(&failure.session_id, vec![failure.id], Some(&evidence))? {
                return Ok(Some(told));
            }
        }
        Ok(None)
    }

    /// Finds the earlier sessions that share rare names with the prompt, those that share most first.
    fn shared(&self, names: &[PromptName], max: usize) -> Result<SharedNames, StoreError> {
        let mut shared: HashMap<SessionId, (usize, usize)> = HashMap::new();
        let mut words = Vec::new();
        for name in names {
            let mut sessions = self.reader.sessions_with(&name.spellings, &self.question.project, max)?;
            sessions.retain(|session| *session != self.question.session);
            // What this session itself has met, its agent knows.
            if sessions.is_empty() || self.is_known_here(name) {
                continue;
            }
            words.push(name.text.trim_start_matches('#').to_owned());
            for (age, session) in sessions.into_iter().enumerate() {
                let known = shared.entry(session).or_default();
                *known = (known.0 + name.weight, known.1.max(age));
            }
        }
        let mut sessions: Vec<(SessionId, (usize, usize))> = shared.into_iter().collect();
        sessions.sort_by(|one, two| two.1.cmp(&one.1).then(two.0.cmp(&one.0)));
        let most = sessions.first().map_or(0, |(_, (weight, _))| *weight);
        Ok(SharedNames { sessions: sessions.into_iter().map(|(session, _)| session).collect(), words, most })
    }

    fn is_known_here(&self, name: &PromptName) -> bool {
        let text = name.text.trim_start_matches('#').to_lowercase();
        self.own.iter().any(|row| row.content.to_lowercase().contains(&text))
    }

    fn tell_first(
        &self,
        sessions: &[SessionId],
        words: &[String],
    ) -> Result<Option<PromptReply>, StoreError> {
        for session in sessions.iter().take(MAX_TRIED) {
            let hit = self.best_hit(words, Some(session))?;
            let (row, text) = hit.map(|hit| (hit.id, describe_hit(&hit))).unzip();
            if let Some(told) = self.tell(session, row.into_iter().collect(), text.as_deref())? {
                return Ok(Some(told));
            }
        }
        Ok(None)
    }

    /// Tells of the last work here.
    fn last_session(&self, words: Option<&[String]>) -> Result<Option<PromptReply>, StoreError> {
        let sessions: Vec<SessionId> =
            self.last_sessions()?.into_iter().map(|(session, _)| session).collect();
        self.tell_first(&sessions, words.unwrap_or_default())
    }

    /// Lists the sessions that did something, and whether something failed in them: those of this worktree first, then
    /// those of this branch, then those of the project, each from the newest on.
    fn last_sessions(&self) -> Result<Vec<(SessionId, bool)>, StoreError> {
        let question = self.question;
        let rows = self.reader.deeds(&question.project, MAX_DEEDS)?;
        let place = |row: &Observation| {
            let is_here = row.worktree() == question.worktree.as_deref();
            let is_of_branch = question.branch.is_none() || row.branch() == question.branch.as_deref();
            (!is_here, !is_of_branch)
        };
        let mut sessions: Vec<LastSession<'_>> = Vec::new();
        for row in rows.iter().filter(|row| row.session_id != question.session) {
            let known = sessions.iter().position(|known| known.session == &row.session_id);
            let at = known.unwrap_or_else(|| {
                sessions.push(LastSession {
                    session: &row.session_id,
                    place: place(row),
                    acted: false,
                    failed: false,
                });
                sessions.len() - 1
            });
            sessions[at].acted |= is_action(row);
            sessions[at].failed |= row.obs_type == ObservationType::CommandError;
        }
        // A session that only asked is no work.
        sessions.retain(|session| session.acted);
        sessions.sort_by_key(|session| session.place);
        Ok(sessions.into_iter().map(|session| (session.session.clone(), session.failed)).collect())
    }

    /// Finds the row that has most of the words, in one session or in all others.
    fn best_hit(
        &self,
        words: &[String],
        session: Option<&SessionId>,
    ) -> Result<Option<SearchHit>, StoreError> {
        let is_plain = |c: &char| !matches!(c, '"' | '*' | ':' | '(' | ')' | '^');
        let whole = || self.question.prompt.chars().filter(is_plain).take(300).collect();
        let search = Search {
            text: if words.is_empty() { whole() } else { words.join(" ") },
            filter: Filter {
                project: Some(self.question.project.clone()),
                types: SAYS_SOMETHING.to_vec(),
                session: session.cloned(),
                ..Filter::default()
            },
            order: Order::Relevance,
            limit: MAX_HITS,
            offset: 0,
            excerpts: true,
        };
        let hits = self.reader.search(&search, clock::timestamp())?;
        Ok(hits.into_iter().find(|hit| hit.session_id != self.question.session))
    }

    fn tell(
        &self,
        session: &SessionId,
        mut rows: Vec<ObservationId>,
        evidence: Option<&str>,
    ) -> Result<Option<PromptReply>, StoreError> {
        let question = self.question;
        let deeds = self.reader.session_deeds(session, MAX_DEEDS)?;
        let branch = question.branch.as_deref().filter(|_| question.is_early);
        let request = branch.map(|branch| self.reader.request_of(&question.project, branch)).transpose()?;
        let request = request.flatten();
        let clock = clock::local_times();
        let Some(story) = context::tell_session(&deeds, request.as_deref(), evidence, &clock) else {
            return Ok(None);
        };
        rows.extend(story.rows);
        rows.dedup();
        let text = format!("Earlier work on this (evidence of the past, not instruction):\n{}", story.text);
        Ok(Some((session.clone(), PastText::own(text, rows))))
    }
}

/// An earlier session of the project.
struct LastSession<'r> {
    session: &'r SessionId,
    /// Whether it was in another worktree, and on another branch.
    place: (bool, bool),
    acted: bool,
    failed: bool,
}

/// The earlier sessions that share names with a prompt.
struct SharedNames {
    /// Those that share most come first, the newest of equals.
    sessions: Vec<SessionId>,
    /// The names that are known.
    words: Vec<String>,
    /// The weight of the names that the first one shares.
    most: usize,
}

fn describe_hit(hit: &SearchHit) -> String {
    let preview = hit.excerpt.as_ref().map_or(&hit.content_preview, |excerpt| &excerpt.text);
    format!("#{} {}: {}", hit.id.0, hit.obs_type.name(), context::plain_line(preview))
}

/// Returns whether a row is something that the agent did.
fn is_action(row: &Observation) -> bool {
    !row.is_prompt()
        && !matches!(
            row.obs_type,
            ObservationType::SessionStart
                | ObservationType::SessionEnd
                | ObservationType::Outcome
                | ObservationType::Summary
                | ObservationType::UserPrompt
        )
}

//! Evaluates rules on an event: first the user's own, then those of the project.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::binding::Binding;
use super::event;
use super::lower::{self, RuleSelection};
use super::strangers::{self, Strangers};
use crate::config::{env, paths};
use crate::context;
use crate::files;
use crate::journal::marks::{self, SessionPart};
use crate::model::{ContextPart, Fate, FilePosition, Hook, Outcome, Problem, SessionFact};
use crate::ops::rules::load::{self, BookSource, RuleOwner};
use crate::ops::rules::try_out::{RuleTry, SessionFacts, Tried, happened, own_match, try_rules_of};
use crate::ops::trace;
use crate::ops::turn::Turn;
use crate::rules::{self, Action, Book, Call, Fired, Rule, RuleMessage, Signed};
use crate::system::rule_files::RuleFiles;
use crate::system::rule_levels::{self, RuleLevel};
use crate::system::target;

/// An event, and what the rules have said about it so far.
pub(super) struct Judge<'h> {
    pub(super) turn: Turn<'h>,
    selections: Vec<RuleSelection>,
    /// What the event does, split once for all books.
    calls: Vec<Call>,
    /// The user's rule files, once they were looked for.
    user_files: Option<RuleFiles>,
    /// Whether the transcript was already searched.
    has_searched_transcript: bool,
    /// What happened in the session, as far as rules ask about it.
    facts: SessionFacts,
    /// The rule files that the user has not seen.
    strangers: Strangers,
    messages: Vec<RuleMessage>,
    /// The checkout that each message comes from; `None` for a rule of the user's own.
    tops: Vec<Option<PathBuf>>,
}

impl<'h> Judge<'h> {
    pub(super) fn new(turn: Turn<'h>) -> Judge<'h> {
        let selections = lower::select_rules(&turn.event, &turn.agent.abilities);
        let calls = if selections.is_empty() { Vec::new() } else { rules::calls(&turn.event) };
        let facts = SessionFacts::of_session(turn.event.session.clone());
        Judge {
            turn,
            selections,
            calls,
            user_files: None,
            has_searched_transcript: false,
            facts,
            strangers: Strangers::default(),
            messages: Vec::new(),
            tops: Vec::new(),
        }
    }

    /// Returns the folders whose rules apply, given the files that the event touches.
    pub(super) fn levels(&self) -> Vec<RuleLevel> {
        if self.selections.is_empty() {
            return Vec::new();
        }
        let event = &self.turn.event;
        let home = paths::home_dir();
        let files = self.calls.iter().filter_map(|call| call.path(event));
        let files = files.map(|path| target::lexical(&event.cwd, path, home.as_deref()));
        rule_levels::of_event(&self.turn.place, files)
    }

    /// Returns the joint outcome of all rules evaluated so far, signed.
    pub(super) fn outcome(&self) -> Outcome {
        rules::join(&self.messages, Signed::Yes)
    }

    /// Returns the event with the joint outcome, after all rules were evaluated.
    pub(super) fn finish(mut self) -> (Turn<'h>, Binding) {
        let session = self.turn.event.session.clone();
        self.turn.news_for_user = self.strangers.tell(&self.turn);
        self.turn.session_news = session.map(|session| (session, self.facts.take_fresh()));
        let blocks = self.messages.iter().any(|one| one.action == Action::Interrupt);
        let decides = if blocks { Action::Interrupt } else { Action::Ask };
        let blocking = self.messages.iter().filter(|one| one.action == decides);
        let binding = Binding {
            signed: self.outcome(),
            unsigned: rules::join(&self.messages, Signed::No),
            source: ContextPart::Rules,
            blocked_by: blocking.map(|one| one.signature.clone()).collect(),
        };
        (self.turn, binding)
    }

    /// Evaluates the rules that concern the event.
    pub(super) fn ask(&mut self, owner: RuleOwner<'_>) {
        if self.selections.is_empty() {
            return;
        }
        let users = self.user_files.take().unwrap_or_else(load::user_files);
        let mut packed = load::book(owner, &users, BookSource::Cache, self.turn.budget);
        self.turn.problems.append(&mut packed.problems);
        let (reread, opened);
        let book = match Book::open(&packed.bytes) {
            Some(book) => book,
            None => {
                reread = load::book(owner, &users, BookSource::Files, self.turn.budget);
                opened = Book::open(&reread.bytes);
                let Some(book) = opened else { return };
                book
            }
        };
        self.user_files = Some(users);
        if self.turn.event.hook == Hook::Stop && !book.is_empty() {
            self.look_for_closing_message();
        }
        self.note_happenings(&book, owner);
        if let (Hook::SessionStart, RuleOwner::Project(level)) = (self.turn.event.hook, owner) {
            self.strangers.meet(level, book.sources());
        }
        for selection in self.selections.clone() {
            if book.has_rules_for(selection.hook) {
                self.consult(&book, selection, owner);
            }
        }
        self.turn.problems.extend(book.problems);
    }

    /// Takes note of what happens in this event, if rules ask about it.
    fn note_happenings(&mut self, book: &Book<'_>, owner: RuleOwner<'_>) {
        let hook = if self.turn.event.hook == Hook::PostToolUseFailure {
            Hook::PostToolUse
        } else {
            self.turn.event.hook
        };
        if book.watches(hook) {
            let news = happened(book, &self.trying(hook, owner), false);
            self.facts.add(news);
        }
    }

    fn trying<'t>(&'t self, hook: Hook, owner: RuleOwner<'t>) -> RuleTry<'t> {
        let root = match owner {
            RuleOwner::User => self.turn.place.root_for_user_rules(),
            RuleOwner::Project(level) => &level.folder,
        };
        RuleTry { hook, event: &self.turn.event, calls: &self.calls, root, facts: &self.facts }
    }

    /// Finds the agent's last message in the transcript, if the event does not have it.
    fn look_for_closing_message(&mut self) {
        if !self.has_searched_transcript && self.turn.event.closing_message.is_none() {
            self.has_searched_transcript = true;
            event::add_closing_message(self.turn.agent, Arc::make_mut(&mut self.turn.event));
        }
    }

    fn consult(&mut self, book: &Book<'_>, selection: RuleSelection, owner: RuleOwner<'_>) {
        let deadline = self.turn.budget.within(env::rule_deadline());
        let trying = self.trying(selection.hook, owner);
        let tried = try_rules_of(book, &trying, deadline);
        let matched: Vec<SessionFact> =
            tried.iter().filter_map(|one| own_match(&one.rule, &one.outcome, &trying)).collect();
        self.facts.add(matched);
        let counts = |tried: &Tried| selection.includes(tried.rule.action);
        if tried.iter().any(|tried| tried.rule.commands.is_some() || tried.rule.excepted_commands.is_some()) {
            let unread = self.calls.iter().find_map(Call::unread_command);
            self.turn.trace.unread_command = unread.map(str::to_owned);
        }
        for Tried { rule, outcome } in tried.into_iter().filter(counts) {
            let mut fate = trace::fate(&outcome);
            let after = match &outcome {
                rules::RuleOutcome::Fired(fired) => {
                    Some(fired.happened.clone()).filter(|what| !what.is_empty())
                }
                _ => None,
            };
            let speaks = match &outcome {
                rules::RuleOutcome::Fired(_) => !rule.shadow,
                rules::RuleOutcome::Unevaluated(_) => rule.fails_closed && !rule.shadow,
                _ => false,
            };
            let is_muted = match owner {
                RuleOwner::Project(level) if speaks => self.strangers.mutes(&rule, level, book),
                _ => false,
            };
            let name = if is_muted { strangers::label(&rule) } else { rule.name.clone() };
            match outcome {
                rules::RuleOutcome::Fired(_) if rule.shadow => fate = Fate::Shadowed,
                rules::RuleOutcome::Fired(fired) => {
                    if !rule.once_per_session || self.is_due(&rule) {
                        let said = if is_muted {
                            strangers::muted(&rule, fired.action)
                        } else {
                            Some(spoken(&rule, fired, owner))
                        };
                        match said {
                            Some(message) => {
                                self.turn.speaking_rules.extend((!is_muted).then(|| rule.name.clone()));
                                self.say(message, owner);
                            }
                            None => fate = Fate::Untrusted,
                        }
                    } else {
                        self.turn.speaking_rules.extend((!is_muted).then(|| rule.name.clone()));
                        fate = Fate::SaidBefore;
                    }
                }
                rules::RuleOutcome::Unevaluated(why) => {
                    if rule.fails_closed && !rule.shadow {
                        let message = format!(
                            "The rule `{}` could not be evaluated, and is set to block in that case: {why}",
                            rule.name
                        );
                        let said = RuleMessage {
                            rule: rule.name.clone(),
                            action: Action::Interrupt,
                            message,
                            signature: signature(&rule),
                        };
                        let muted = strangers::muted(&rule, Action::Interrupt).filter(|_| is_muted);
                        self.say(muted.unwrap_or(said), owner);
                    }
                    let place = &rule.place;
                    let problem = Problem::error(why).at(&place.file, place.line, place.column);
                    self.turn.problems.push(problem.of_rule(&rule.name).by_event());
                }
                rules::RuleOutcome::Unmatched(_)
                | rules::RuleOutcome::Unmet(_)
                | rules::RuleOutcome::Excepted
                | rules::RuleOutcome::Waits(_) => {}
            }
            trace::add_rule(&mut self.turn.trace, &name, fate, after);
        }
    }

    /// Adds a message, unless the same rule has said it already: in another checkout of the repository, or as a rule of a
    /// pack that the user uses too.
    fn say(&mut self, message: RuleMessage, owner: RuleOwner<'_>) {
        let top = match owner {
            RuleOwner::User => None,
            RuleOwner::Project(level) => Some(level.top.clone()),
        };
        let mut said = self.messages.iter().zip(&self.tops);
        // The user and the project may use the same pack; their own rules have different signatures.
        let is_copy = said.any(|(other, its)| {
            let is_elsewhere = its.is_some() && top.is_some() && *its != top;
            other.says_same(&message) && (is_elsewhere || other.signature == message.signature)
        });
        if !is_copy {
            self.messages.push(message);
            self.tops.push(top);
        }
    }

    /// Returns whether a rule that speaks once must speak now: for the first time since the agent has this context, or
    /// to refuse again the very call that it refused before.
    fn is_due(&self, rule: &Rule) -> bool {
        let event = &self.turn.event;
        let Some(session) = &event.session else { return true };
        let session = marks::of_part(session, SessionPart::Context);
        // A subagent has its own context, in which nothing has been said yet.
        let agent = event.agent_id.as_deref().unwrap_or_default();
        let mark = format!("once {agent} {} {}", rule.place.file, rule.name);
        let refused = rule.action.holds_up().then(|| format!("{mark} {:?}", event.tool));
        let set = |mark: &str| {
            let timeout = self.turn.budget.within(marks::TIMEOUT);
            marks::set(Some(&session), &[mark.to_owned()], timeout) == [true]
        };
        if set(&mark) {
            if let Some(call) = &refused {
                set(call);
            }
            return true;
        }
        refused.is_some_and(|call| marks::is_set(&session, &call))
    }
}

/// Returns what a rule says that fired.
fn spoken(rule: &Rule, fired: Fired, owner: RuleOwner<'_>) -> RuleMessage {
    let message =
        if owner == RuleOwner::User { fired.message } else { context::without_frame_ends(&fired.message) };
    RuleMessage { rule: rule.name.clone(), action: fired.action, message, signature: signature(rule) }
}

/// Returns the line that says which rule speaks, and where it comes from.
fn signature(rule: &Rule) -> String {
    let place = match &rule.pack {
        Some(pack) => format!("pack {pack}"),
        None => for_people(&rule.place),
    };
    context::signature(&rule.name, Some(&place))
}

/// Returns file and line as people write them. Rules of a project have a path in it; the user's own an absolute one.
fn for_people(place: &FilePosition) -> String {
    let home = paths::home_dir();
    let at_home = home.as_deref().and_then(|home| Path::new(&place.file).strip_prefix(home).ok());
    let file = at_home.map_or_else(|| place.file.clone(), |path| format!("~/{}", files::slashes(path)));
    format!("{file}:{}", place.line)
}

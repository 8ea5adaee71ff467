//! Evaluates rules on an event: first the user's own, then those of the project.

use std::path::Path;
use std::sync::Arc;

use super::event;
use crate::config::env;
use crate::context;
use crate::harness::Agent;
use crate::journal::marks;
use crate::model::{Event, Fate, Hook, Outcome, Problem, Trace};
use crate::ops::hook::lower::RuleSelection;
use crate::ops::rules::load::{self, BookSource, RuleOwner};
use crate::ops::rules::try_out::{Tried, try_rules_of};
use crate::ops::trace;
use crate::rules::{self, Action, Book, Said};
use crate::system::budget::Budget;
use crate::system::project;

/// An event, and what the rules have said about it so far.
pub(super) struct Judge<'h> {
    event: Arc<Event>,
    selections: Vec<RuleSelection>,
    root: &'h Path,
    budget: Budget,
    agent: &'h Agent,
    /// Whether the transcript was already searched.
    has_searched_transcript: bool,
    messages: Vec<Said>,
    found: Vec<Problem>,
    trace: Trace,
}

/// The event after all rules were evaluated.
pub(super) struct Judged {
    pub(super) event: Arc<Event>,
    pub(super) outcome: Outcome,
    pub(super) found: Vec<Problem>,
    pub(super) trace: Trace,
}

impl<'h> Judge<'h> {
    pub(super) fn new(
        event: Event,
        selections: Vec<RuleSelection>,
        root: &'h Path,
        budget: Budget,
        agent: &'h Agent,
    ) -> Judge<'h> {
        Judge {
            event: Arc::new(event),
            selections,
            root,
            budget,
            agent,
            has_searched_transcript: false,
            messages: Vec::new(),
            found: Vec::new(),
            trace: Trace::default(),
        }
    }

    pub(super) fn event(&self) -> &Arc<Event> {
        &self.event
    }

    /// Returns the joint outcome of all rules evaluated so far.
    pub(super) fn outcome(&self) -> Outcome {
        rules::join(&self.messages)
    }

    pub(super) fn into_judged(self) -> Judged {
        let outcome = self.outcome();
        Judged { event: self.event, outcome, found: self.found, trace: self.trace }
    }

    /// Evaluates the rules that concern the event.
    pub(super) fn ask(&mut self, owner: RuleOwner<'_>) {
        if self.selections.is_empty() {
            return;
        }
        let mut packed = load::book(owner, BookSource::Cache, self.budget);
        self.found.append(&mut packed.problems);
        let (reread, opened);
        let book = match Book::open(&packed.bytes) {
            Some(book) => book,
            None => {
                reread = load::book(owner, BookSource::Files, self.budget);
                opened = Book::open(&reread.bytes);
                let Some(book) = opened else { return };
                book
            }
        };
        if self.event.hook == Hook::Stop && !book.is_empty() {
            self.look_for_closing_message();
        }
        for selection in self.selections.clone() {
            if book.has_rules_for(selection.hook) {
                self.consult(&book, selection, owner);
            }
        }
        self.found.extend(book.problems);
    }

    /// Finds the agent's last message in the transcript, if the event does not have it.
    fn look_for_closing_message(&mut self) {
        if !self.has_searched_transcript && self.event.closing_message.is_none() {
            self.has_searched_transcript = true;
            event::add_closing_message(self.agent, Arc::make_mut(&mut self.event));
        }
    }

    fn consult(&mut self, book: &Book<'_>, selection: RuleSelection, owner: RuleOwner<'_>) {
        let deadline = self.budget.within(env::rule_deadline());
        let root = match owner {
            RuleOwner::User => project::root_for_user_rules(self.root),
            RuleOwner::Project(root) => root,
        };
        let tried = try_rules_of(selection.hook, book, &self.event, root, deadline);
        let counts = |tried: &Tried| selection.only.is_none_or(|action| tried.rule.action == action);
        for Tried { rule, outcome } in tried.into_iter().filter(counts) {
            let mut fate = trace::fate(&outcome);
            let name = rule.name.clone();
            match outcome {
                rules::Outcome::Fired(fired) => {
                    // A subagent has its own context, in which nothing has been said yet.
                    let agent = self.event.agent_id.as_deref().unwrap_or_default();
                    let mark = || format!("once {agent} {} {}", rule.place.file, rule.name);
                    if !rule.once_per_session || self.is_new(&mark()) {
                        let message = if owner == RuleOwner::User {
                            fired.message
                        } else {
                            context::without_frame_ends(&fired.message)
                        };
                        self.messages.push(Said { rule: rule.name, action: fired.action, message });
                    } else {
                        fate = Fate::SaidBefore;
                    }
                }
                rules::Outcome::Unevaluated(why) => {
                    if rule.fails_closed {
                        let message = format!(
                            "The rule `{}` could not be evaluated, and is set to block in that case: {why}",
                            rule.name
                        );
                        self.messages.push(Said {
                            rule: rule.name.clone(),
                            action: Action::Interrupt,
                            message,
                        });
                    }
                    let place = &rule.place;
                    let problem = Problem::error(why).at(&place.file, place.line, place.column);
                    self.found.push(problem.of_rule(&rule.name).by_event());
                }
                rules::Outcome::Unmatched(_) | rules::Outcome::Excepted => {}
            }
            trace::add_rule(&mut self.trace, &name, fate);
        }
    }

    /// Returns whether this has not been said in the session yet.
    fn is_new(&self, mark: &str) -> bool {
        let marks = [mark.to_owned()];
        marks::set(self.event.session.as_ref(), &marks, self.budget.within(marks::TIMEOUT)) == [true]
    }
}

//! Evaluates rules on an event: first the user's own, then those of the project.

use std::sync::Arc;

use super::event;
use super::lower::{self, RuleSelection};
use crate::config::env;
use crate::context;
use crate::journal::marks;
use crate::model::{Fate, Hook, Outcome, Problem};
use crate::ops::rules::load::{self, BookSource, RuleOwner};
use crate::ops::rules::try_out::{Tried, try_rules_of};
use crate::ops::trace;
use crate::ops::turn::Turn;
use crate::rules::{self, Action, Book, RuleMessage};

/// An event, and what the rules have said about it so far.
pub(super) struct Judge<'h> {
    pub(super) turn: Turn<'h>,
    selections: Vec<RuleSelection>,
    /// Whether the transcript was already searched.
    has_searched_transcript: bool,
    messages: Vec<RuleMessage>,
}

impl<'h> Judge<'h> {
    pub(super) fn new(turn: Turn<'h>) -> Judge<'h> {
        let selections = lower::select_rules(&turn.event, &turn.agent.abilities);
        Judge { turn, selections, has_searched_transcript: false, messages: Vec::new() }
    }

    /// Returns the joint outcome of all rules evaluated so far.
    pub(super) fn outcome(&self) -> Outcome {
        rules::join(&self.messages)
    }

    /// Returns the event with the joint outcome, after all rules were evaluated.
    pub(super) fn finish(self) -> (Turn<'h>, Outcome) {
        let outcome = self.outcome();
        (self.turn, outcome)
    }

    /// Evaluates the rules that concern the event.
    pub(super) fn ask(&mut self, owner: RuleOwner<'_>) {
        if self.selections.is_empty() {
            return;
        }
        let mut packed = load::book(owner, BookSource::Cache, self.turn.budget);
        self.turn.problems.append(&mut packed.problems);
        let (reread, opened);
        let book = match Book::open(&packed.bytes) {
            Some(book) => book,
            None => {
                reread = load::book(owner, BookSource::Files, self.turn.budget);
                opened = Book::open(&reread.bytes);
                let Some(book) = opened else { return };
                book
            }
        };
        if self.turn.event.hook == Hook::Stop && !book.is_empty() {
            self.look_for_closing_message();
        }
        for selection in self.selections.clone() {
            if book.has_rules_for(selection.hook) {
                self.consult(&book, selection, owner);
            }
        }
        self.turn.problems.extend(book.problems);
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
        let root = match owner {
            RuleOwner::User => self.turn.place.root_for_user_rules(),
            RuleOwner::Project(root) => root,
        };
        let tried = try_rules_of(selection.hook, book, &self.turn.event, root, deadline);
        let counts = |tried: &Tried| selection.only.is_none_or(|action| tried.rule.action == action);
        for Tried { rule, outcome } in tried.into_iter().filter(counts) {
            let mut fate = trace::fate(&outcome);
            let name = rule.name.clone();
            match outcome {
                rules::RuleOutcome::Fired(fired) => {
                    // A subagent has its own context, in which nothing has been said yet.
                    let agent = self.turn.event.agent_id.as_deref().unwrap_or_default();
                    let mark = || format!("once {agent} {} {}", rule.place.file, rule.name);
                    if !rule.once_per_session || self.is_new(&mark()) {
                        let message = if owner == RuleOwner::User {
                            fired.message
                        } else {
                            context::without_frame_ends(&fired.message)
                        };
                        self.messages.push(RuleMessage { rule: rule.name, action: fired.action, message });
                    } else {
                        fate = Fate::SaidBefore;
                    }
                }
                rules::RuleOutcome::Unevaluated(why) => {
                    if rule.fails_closed {
                        let message = format!(
                            "The rule `{}` could not be evaluated, and is set to block in that case: {why}",
                            rule.name
                        );
                        self.messages.push(RuleMessage {
                            rule: rule.name.clone(),
                            action: Action::Interrupt,
                            message,
                        });
                    }
                    let place = &rule.place;
                    let problem = Problem::error(why).at(&place.file, place.line, place.column);
                    self.turn.problems.push(problem.of_rule(&rule.name).by_event());
                }
                rules::RuleOutcome::Unmatched(_) | rules::RuleOutcome::Excepted => {}
            }
            trace::add_rule(&mut self.turn.trace, &name, fate);
        }
    }

    /// Returns whether this has not been said in the session yet.
    fn is_new(&self, mark: &str) -> bool {
        let marks = [mark.to_owned()];
        marks::set(self.turn.event.session.as_ref(), &marks, self.turn.budget.within(marks::TIMEOUT))
            == [true]
    }
}

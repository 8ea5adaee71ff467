//! What earlier sessions and other people's hints add to the answer, if there is time for it.

use std::time::Duration;

use super::past_text::PastText;
use super::{
    before_act, colleague_remedy, past_failure, past_prompt, pushed_hints, session_context, signed_parts,
};
use crate::model::{ContextPart, Hook, Outcome, Problem, Topic};
use crate::ops::observations::remember;
use crate::ops::observations::salvage::{self, Repair};
use crate::ops::on_time::on_time;
use crate::ops::turn::Turn;
use crate::store::StoreError;

/// How long the end of a turn or a session waits for the database to empty the spool into it.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(100);

/// A trace names this many of the observations that were told; a briefing has dozens, and `nudge context --explain`.
const MAX_TRACED_ROWS: usize = 4;

/// Composes the answer from its parts, and asks the memory for some of them.
pub(super) struct AnswerComposer<'t, 'h> {
    turn: &'t mut Turn<'h>,
    /// Whether the memory was queried, which also restores what was damaged.
    is_salvaged: bool,
}

impl<'t, 'h> AnswerComposer<'t, 'h> {
    pub(super) fn of(turn: &'t mut Turn<'h>) -> AnswerComposer<'t, 'h> {
        AnswerComposer { turn, is_salvaged: false }
    }

    /// Blocks; nothing else is added.
    pub(super) fn block(&mut self, source: ContextPart, reason: String) -> Outcome {
        self.turn.trace.parts = vec![(source, reason.chars().count())];
        Outcome::Block(reason)
    }

    /// Lets the agent ask a person; only what rules say to the model besides is added.
    pub(super) fn ask(&mut self, source: ContextPart, reason: String, context: Option<String>) -> Outcome {
        let length = reason.chars().count() + context.as_ref().map_or(0, |context| context.chars().count());
        self.turn.trace.parts = vec![(source, length)];
        Outcome::Ask { reason, context }
    }

    /// Joins all parts of the answer: what binds comes before what helps.
    pub(super) fn guide(
        &mut self,
        binding: Option<(ContextPart, String)>,
        by_project: Vec<(ContextPart, String)>,
    ) -> Outcome {
        let past = self.past_context().map(|past| {
            self.turn.trace.rows = past.rows.iter().take(MAX_TRACED_ROWS).copied().collect();
            self.turn.trace.colleague_rows = past.colleague_rows;
            self.turn.told_rows = past.rows;
            (ContextPart::Past, past.text)
        });
        let hints = pushed_hints::hints(self.turn).map(|hints| (ContextPart::Hints, hints));
        let parts = binding.into_iter().chain(by_project).chain(past).chain(hints);
        let parts = parts.filter(|(_, text)| !text.is_empty());
        let parts: Vec<(ContextPart, String)> = parts.collect();
        self.turn.trace.parts = parts.iter().map(|(part, text)| (*part, text.chars().count())).collect();
        signed_parts::join(parts).map_or(Outcome::Pass, Outcome::Guide)
    }

    /// Returns what the memory adds: a briefing for a new session, what worked for a failure, how earlier work went for a
    /// prompt that goes back to it, and a warning before a command that keeps failing.
    fn past_context(&mut self) -> Option<PastText> {
        let may_speak = match self.turn.event.hook {
            Hook::SessionStart | Hook::PostToolUseFailure | Hook::UserPromptSubmit | Hook::PreToolUse => true,
            Hook::PostToolUse => past_failure::is_hidden_failure(self.turn),
            _ => false,
        };
        if !may_speak || self.is_late() {
            return None;
        }
        let past = match self.turn.event.hook {
            Hook::PreToolUse => Ok(before_act::warning(self.turn)),
            Hook::UserPromptSubmit => past_prompt::answer_prompt(self.turn),
            Hook::SessionStart => {
                let past = session_context::session(self.turn);
                self.is_salvaged = past.is_ok() && session_context::is_asked(self.turn);
                let colleagues = colleague_remedy::before_work(self.turn);
                past.map(|past| {
                    let own = past.map(|past| PastText::own(past.text.clone(), past.rows()));
                    PastText::joined(own, colleagues)
                })
            }
            _ => past_failure::failure(self.turn),
        };
        past.unwrap_or_else(|error| {
            let problem = Problem::error(format!("the memory did not answer: {error}"));
            self.turn.problems.push(problem.by_event().about(Topic::Memory));
            None
        })
    }

    /// Stores waiting observations when a turn or a session ends; at a session's start, reports damage to the memory.
    pub(super) fn settle(&mut self) {
        match self.turn.event.hook {
            Hook::Stop | Hook::SessionEnd => {}
            Hook::SessionStart => {
                let advanced = || {
                    salvage::advance(Repair::Brief);
                    Ok(())
                };
                // What is not done in time is done at the end of the turn.
                if !self.is_salvaged {
                    drop(on_time(self.turn.budget, advanced));
                }
                self.turn.problems.extend(salvage::news());
                return;
            }
            _ => return,
        }
        if self.is_late() {
            return;
        }
        let (timeout, is_end) =
            (self.turn.budget.within(DRAIN_TIMEOUT), self.turn.event.hook == Hook::SessionEnd);
        let session = self.turn.event.session.clone();
        let drained = on_time(self.turn.budget, move || {
            if is_end {
                remember::drain_at_end(timeout, session.as_ref())
            } else {
                remember::drain_and_leave_open(timeout)
            }?;
            salvage::advance(Repair::Brief);
            Ok(())
        });
        match drained {
            Ok(()) | Err(StoreError::Busy | StoreError::Stuck) => {}
            Err(error) => {
                let problem = Problem::error(format!("observations could not be stored yet: {error}"));
                self.turn.problems.push(problem.by_event().about(Topic::Memory));
            }
        }
    }

    /// Returns whether the hook's time is used up, and reports that; the optional parts are then left out.
    fn is_late(&mut self) -> bool {
        let is_over = self.turn.budget.is_over();
        if is_over {
            let problem = Problem::error("the hook ran out of time, and skipped what the memory would add");
            let problem = problem.hint("`nudge why` shows what took so long");
            self.turn.problems.push(problem.by_event().about(Topic::Time));
        }
        is_over
    }
}

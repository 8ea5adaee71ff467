//! Tries rules on events of the past, whose files are no longer as they were.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::model::{Event, Hook, SessionFact};
use crate::ops::rules::load;
use crate::ops::rules::try_out::{RuleTry, SessionFacts, happened, own_match, try_on_past};
use crate::rules::{self, Book, Call, Rule, RuleOutcome};
use crate::system::target;

/// The rules of a replay, packed: those of each folder of the project together.
pub(super) struct PackedLevels {
    /// The folder, relative to the root of the project, and its book.
    levels: Vec<(PathBuf, Vec<u8>)>,
    /// The number of each rule, by its name and place; the rules of a pack share a place.
    numbers: HashMap<(String, String, usize), usize>,
}

impl PackedLevels {
    /// Packs the rules of a project with this root; without one, all of them apply everywhere.
    pub(super) fn new(all: &[Rule], root: Option<&Path>) -> PackedLevels {
        let numbers = all.iter().enumerate().map(|(number, rule)| (place_of(rule), number)).collect();
        let mut folders: Vec<(PathBuf, Vec<Rule>)> = Vec::new();
        for rule in all {
            let level = |root: &Path| Some(load::root_of(rule, root).strip_prefix(root).ok()?.to_owned());
            // The rules of a pack are in no folder.
            let level = |root: &Path| level(root).filter(|folder| root.join(folder).is_dir());
            let folder = root.and_then(level).unwrap_or_default();
            match folders.iter_mut().find(|(known, _)| *known == folder) {
                Some((_, rules)) => rules.push(rule.clone()),
                None => folders.push((folder, vec![rule.clone()])),
            }
        }
        let packed = folders.into_iter().map(|(folder, rules)| (folder, Book::pack(&rules, Vec::new())));
        PackedLevels { levels: packed.collect(), numbers }
    }
}

/// Tries the rules on many events, in one thread.
pub(super) struct RuleTrier<'p> {
    levels: Vec<(&'p Path, Book<'p>)>,
    numbers: &'p HashMap<(String, String, usize), usize>,
}

/// A rule that was considered for an event.
pub(super) struct PastTry {
    pub(super) rule: usize,
    pub(super) outcome: RuleOutcome,
    pub(super) looks_at_content: bool,
    pub(super) once_per_session: bool,
    pub(super) asks_session: bool,
}

impl<'p> RuleTrier<'p> {
    pub(super) fn new(packed: &'p PackedLevels) -> RuleTrier<'p> {
        rules::keep_compiled();
        let open = |(folder, bytes): &'p (PathBuf, Vec<u8>)| Some((folder.as_path(), Book::open(bytes)?));
        RuleTrier { levels: packed.levels.iter().filter_map(open).collect(), numbers: &packed.numbers }
    }

    pub(super) fn has_rules_for(&self, hook: Hook) -> bool {
        self.levels.iter().any(|(_, book)| book.has_rules_for(hook))
    }

    /// Returns whether sessions must take note of anything in events of this hook.
    pub(super) fn watches(&self, hook: Hook) -> bool {
        self.levels.iter().any(|(_, book)| book.watches(hook))
    }

    /// Returns what happened in an event, as far as rules ask about it.
    pub(super) fn happened(&self, event: &Arc<Event>, root: &Path, facts: &SessionFacts) -> Vec<SessionFact> {
        if !self.levels.iter().any(|(_, book)| book.watches_anything()) {
            return Vec::new();
        }
        let calls = rules::calls(event);
        let levels = self.levels.iter().filter(|(level, _)| applies(event, &calls, &root.join(level), level));
        let of_level = |(level, book): &(&Path, Book<'_>)| {
            let root = &root.join(level);
            happened(book, &RuleTry { hook: event.hook, event, calls: &calls, root, facts }, true)
        };
        levels.flat_map(of_level).collect()
    }

    /// Tries the rules on an event in the project with this root. Also returns which rules matched that count this.
    pub(super) fn try_rules(
        &self,
        event: &Arc<Event>,
        root: &Path,
        facts: &SessionFacts,
    ) -> (Vec<PastTry>, Vec<SessionFact>) {
        let (mut tried, mut matched) = (Vec::new(), Vec::new());
        if !self.has_rules_for(event.hook) {
            return (tried, matched);
        }
        let calls = rules::calls(event);
        for (level, book) in &self.levels {
            let folder = root.join(level);
            if !applies(event, &calls, &folder, level) {
                continue;
            }
            let trying = RuleTry { hook: event.hook, event, calls: &calls, root: &folder, facts };
            for one in try_on_past(book, &trying) {
                let Some(number) = self.numbers.get(&place_of(&one.rule)) else { continue };
                matched.extend(own_match(&one.rule, &one.outcome, &trying));
                tried.push(PastTry {
                    rule: *number,
                    looks_at_content: one.rule.looks_at_content(),
                    once_per_session: one.rule.once_per_session,
                    asks_session: one.rule.session.is_some(),
                    outcome: one.outcome,
                });
            }
        }
        (tried, matched)
    }
}

/// Returns whether the rules of a folder apply to an event; `level` is the folder as seen from the project's root.
fn applies(event: &Event, calls: &[Call], folder: &Path, level: &Path) -> bool {
    let in_folder = |path: &str| target::lexical(&event.cwd, path, None).starts_with(folder);
    level.as_os_str().is_empty()
        || event.cwd.starts_with(folder)
        || calls.iter().filter_map(|call| call.path(event)).any(in_folder)
}

fn place_of(rule: &Rule) -> (String, String, usize) {
    (rule.name.clone(), rule.place.file.clone(), rule.place.line)
}

//! Tries rules on events of the past, whose files are no longer as they were.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::model::{Event, Hook};
use crate::ops::rules::load;
use crate::ops::rules::try_out::{RuleTry, try_on_past};
use crate::rules::{self, Book, Rule, RuleOutcome};
use crate::system::target;

/// The rules of a replay, packed: those of each folder of the project together.
pub(super) struct PackedLevels {
    /// The folder, relative to the root of the project, and its book.
    levels: Vec<(PathBuf, Vec<u8>)>,
    /// The number of each rule, by its place.
    numbers: HashMap<(String, usize), usize>,
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
    numbers: &'p HashMap<(String, usize), usize>,
}

/// A rule that was considered for an event.
pub(super) struct PastTry {
    pub(super) rule: usize,
    pub(super) outcome: RuleOutcome,
    pub(super) looks_at_content: bool,
    pub(super) once_per_session: bool,
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

    /// Tries the rules on an event in the project with this root.
    pub(super) fn try_rules(&self, event: &Arc<Event>, root: &Path) -> Vec<PastTry> {
        let mut tried = Vec::new();
        if !self.has_rules_for(event.hook) {
            return tried;
        }
        let calls = rules::calls(event);
        for (level, book) in &self.levels {
            let folder = root.join(level);
            let in_folder = |path: &str| target::lexical(&event.cwd, path, None).starts_with(&folder);
            let applies = level.as_os_str().is_empty()
                || event.cwd.starts_with(&folder)
                || calls.iter().filter_map(|call| call.path(event)).any(in_folder);
            if !applies {
                continue;
            }
            let trying = RuleTry { hook: event.hook, event, calls: &calls, root: &folder };
            for one in try_on_past(book, &trying) {
                let Some(number) = self.numbers.get(&place_of(&one.rule)) else { continue };
                tried.push(PastTry {
                    rule: *number,
                    looks_at_content: one.rule.looks_at_content(),
                    once_per_session: one.rule.once_per_session,
                    outcome: one.outcome,
                });
            }
        }
        tried
    }
}

fn place_of(rule: &Rule) -> (String, usize) {
    (rule.place.file.clone(), rule.place.line)
}

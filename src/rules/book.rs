//! The book of rules: all rules in a compact form, so that a new process reads only what it needs.
//!
//! A hook sees one event, and most rules are for another tool or file. So the book stores each filter once and separate
//! from the rules. The rules are bytes that are unpacked only if their filters accept the event.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use super::call::Call;
use super::evaluate::Candidate;
use super::glob::FileFilter;
use super::schema::Rule;
use super::tool::ToolFilter;
use crate::model::{Hook, Problem};

/// All loaded rules, and the problems in their files.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Book<'b> {
    tools: Vec<ToolFilter>,
    files: Vec<FileFilter>,
    #[serde(borrow)]
    entries: Vec<PackedRule<'b>>,
    pub(crate) problems: Vec<Problem>,
}

#[derive(Debug, Serialize, Deserialize)]
struct PackedRule<'b> {
    hook: Hook,
    tool: Option<u32>,
    file: Option<u32>,
    rule: &'b [u8],
    /// The unpacked rule, for those who try it on many events.
    #[serde(skip)]
    unpacked: OnceLock<Arc<Rule>>,
}

impl PackedRule<'_> {
    /// Unpacks the rule, the first time that it is needed.
    fn unpack(&self) -> Option<Arc<Rule>> {
        if self.unpacked.get().is_none() {
            drop(self.unpacked.set(Arc::new(postcard::from_bytes(self.rule).ok()?)));
        }
        self.unpacked.get().cloned()
    }
}

impl<'b> Book<'b> {
    /// Packs rules and problems; `open` is the way back.
    pub(crate) fn pack(rules: &[Rule], problems: Vec<Problem>) -> Vec<u8> {
        let bodies: Vec<Vec<u8>> =
            rules.iter().map(|rule| postcard::to_stdvec(rule).unwrap_or_default()).collect();
        let (mut tools, mut files) = (UniqueItems::default(), UniqueItems::default());
        let entries =
            rules.iter().zip(&bodies).filter(|(rule, _)| rule.enabled).map(|(rule, body)| PackedRule {
                hook: rule.hook,
                tool: rule.tool.as_ref().map(|tool| tools.index_of(tool)),
                file: rule.file.as_ref().map(|file| files.index_of(file)),
                rule: body,
                unpacked: OnceLock::new(),
            });
        let entries = entries.collect();
        let book = Book { tools: tools.items, files: files.items, entries, problems };
        postcard::to_stdvec(&book).unwrap_or_default()
    }

    /// Opens a packed book; `None` if these bytes are not one.
    pub(crate) fn open(bytes: &'b [u8]) -> Option<Book<'b>> {
        let book: Book<'b> = postcard::from_bytes(bytes).ok()?;
        // A truncated or overwritten file may still deserialize.
        let is_in = |index: Option<u32>, length: usize| index.is_none_or(|index| (index as usize) < length);
        let is_valid = |entry: &PackedRule<'_>| {
            is_in(entry.tool, book.tools.len()) && is_in(entry.file, book.files.len())
        };
        book.entries.iter().all(is_valid).then_some(book)
    }

    /// Returns all rules.
    pub(crate) fn rules(&self) -> Vec<Rule> {
        self.entries.iter().filter_map(|entry| postcard::from_bytes(entry.rule).ok()).collect()
    }

    /// Returns whether any rule is for this hook.
    pub(crate) fn has_rules_for(&self, hook: Hook) -> bool {
        self.entries.iter().any(|entry| entry.hook == hook)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns whether any rule for this hook has a file filter.
    pub(crate) fn asks_for_files(&self, hook: Hook) -> bool {
        self.entries.iter().any(|entry| entry.hook == hook && entry.file.is_some())
    }

    /// Returns the rules whose filters accept this event, each with the calls that it applies to.
    pub(crate) fn candidates(&self, hook: Hook, calls: &[Call]) -> Vec<Candidate> {
        // Each filter runs once per call, no matter how many rules share it.
        let tools: Vec<Vec<bool>> =
            self.tools.iter().map(|tool| calls.iter().map(|call| call.is_by(tool)).collect()).collect();
        let mut files: Vec<Option<Vec<bool>>> = vec![None; self.files.len()];
        let mut candidates = Vec::new();
        for entry in self.entries.iter().filter(|entry| entry.hook == hook) {
            let by_tool = entry.tool.map(|tool| &tools[tool as usize]);
            if by_tool.is_some_and(|accepted| !accepted.contains(&true)) {
                continue;
            }
            let for_file = entry.file.map(|file| {
                let filter = &self.files[file as usize];
                &*files[file as usize]
                    .get_or_insert_with(|| calls.iter().map(|call| call.is_about(filter)).collect())
            });
            let accepted = |index: &usize| {
                by_tool.is_none_or(|tool| tool[*index]) && for_file.is_none_or(|file| file[*index])
            };
            let accepted: Vec<usize> = (0..calls.len()).filter(accepted).collect();
            if !accepted.is_empty()
                && let Some(rule) = entry.unpack()
            {
                candidates.push(Candidate { rule, calls: accepted });
            }
        }
        candidates
    }
}

/// Returns a warning for each name that is used more than once.
pub(crate) fn duplicates(rules: &[Rule]) -> Vec<Problem> {
    let mut seen: HashMap<&str, &Rule> = HashMap::new();
    let mut problems = Vec::new();
    for rule in rules {
        if let Some(first) = seen.get(rule.name.as_str()) {
            // Two owners may use the same pack; its rule speaks once.
            if rule.pack.is_some() && rule.pack == first.pack {
                continue;
            }
            let place = &rule.place;
            let problem = Problem::warning(format!("the name is used twice, first at {}", first.place));
            let problem = problem.at(&place.file, place.line, place.column).of_rule(&rule.name);
            problems.push(problem.hint("both fire; rename one of them"));
        } else {
            seen.insert(&rule.name, rule);
        }
    }
    problems
}

/// A list without duplicates.
struct UniqueItems<T> {
    items: Vec<T>,
    indexes: HashMap<T, u32>,
}

impl<T> Default for UniqueItems<T> {
    fn default() -> Self {
        UniqueItems { items: Vec::new(), indexes: HashMap::new() }
    }
}

impl<T: Clone + Eq + std::hash::Hash> UniqueItems<T> {
    fn index_of(&mut self, item: &T) -> u32 {
        *self.indexes.entry(item.clone()).or_insert_with(|| {
            self.items.push(item.clone());
            u32::try_from(self.items.len() - 1).unwrap_or(u32::MAX)
        })
    }
}

#[cfg(test)]
mod tests;

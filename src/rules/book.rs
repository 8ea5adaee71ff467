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
use super::schema::{CallEnding, FileDeed, Happening, Rule, SessionCondition};
use super::tool::ToolFilter;
use crate::model::{Hook, Problem};
use crate::shell::{CommandPrograms, RunPrograms};

/// All loaded rules, and the problems in their files.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Book<'b> {
    tools: Vec<ToolFilter>,
    files: Vec<FileFilter>,
    /// The lists of programs that entries refer to, packed: only events with commands ask for them.
    programs: &'b [u8],
    #[serde(borrow)]
    entries: Vec<PackedRule<'b>>,
    /// What sessions must take note of, because rules ask about it.
    #[serde(borrow)]
    watched: Vec<Watched<'b>>,
    pub(crate) problems: Vec<Problem>,
    /// The files, packed: few events ask for them.
    sources: &'b [u8],
}

/// A rule file, with the hash of its text and the number of its rules.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RuleSource {
    /// The path for people, as in the places of its rules.
    pub(crate) file: String,
    pub(crate) digest: String,
    pub(crate) rules: usize,
}

#[derive(Debug, Serialize, Deserialize)]
struct PackedRule<'b> {
    hook: Hook,
    tool: Option<u32>,
    file: Option<u32>,
    /// The programs of which one must be run.
    programs: Option<u32>,
    does: Option<FileDeed>,
    rule: &'b [u8],
    /// The unpacked rule, for those who try it on many events.
    #[serde(skip)]
    unpacked: OnceLock<Arc<Rule>>,
}

/// Something that sessions must take note of.
#[derive(Debug, Serialize, Deserialize)]
struct Watched<'b> {
    identity: u64,
    ending: Option<CallEnding>,
    /// A rule that fires when it happens.
    #[serde(borrow)]
    rule: PackedRule<'b>,
}

/// Something that a session takes note of if it happens in an event, with the calls that may show it.
pub(crate) struct WatchedCandidate {
    pub(crate) identity: u64,
    pub(crate) ending: Option<CallEnding>,
    pub(crate) candidate: Candidate,
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
        Book::pack_with(rules, problems, &[])
    }

    /// Packs rules and problems with the files that they come from.
    pub(crate) fn pack_with(rules: &[Rule], problems: Vec<Problem>, sources: &[RuleSource]) -> Vec<u8> {
        let sources = postcard::to_stdvec(sources).unwrap_or_default();
        let bodies: Vec<Vec<u8>> =
            rules.iter().map(|rule| postcard::to_stdvec(rule).unwrap_or_default()).collect();
        let (mut tools, mut files) = (UniqueItems::default(), UniqueItems::default());
        let mut programs = UniqueItems::default();
        let mut packed = |rule: &Rule, body| PackedRule {
            hook: rule.hook,
            tool: rule.tool.as_ref().map(|tool| tools.index_of(tool)),
            file: rule.file.as_ref().map(|file| files.index_of(file)),
            programs: rule.commands.as_ref().map(|commands| programs.index_of(&commands.programs())),
            does: rule.does,
            rule: body,
            unpacked: OnceLock::new(),
        };
        let enabled = rules.iter().zip(&bodies).filter(|(rule, _)| rule.enabled);
        let entries = enabled.map(|(rule, body)| packed(rule, body)).collect();
        let happenings = happenings(rules);
        let noted: Vec<(Rule, Vec<u8>)> =
            happenings.iter().map(|(_, one)| one.as_rule()).map(with_body).collect();
        let watched = happenings.iter().zip(&noted).map(|((identity, happening), (rule, body))| Watched {
            identity: *identity,
            ending: happening.ending,
            rule: packed(rule, body),
        });
        let watched = watched.collect();
        let programs = postcard::to_stdvec(&programs.items).unwrap_or_default();
        let (tools, files) = (tools.items, files.items);
        let book = Book { tools, files, programs: &programs, entries, watched, problems, sources: &sources };
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
        let mut entries = book.entries.iter().chain(book.watched.iter().map(|watched| &watched.rule));
        entries.all(is_valid).then_some(book)
    }

    /// Returns all rules, whole: with the filters that are stored once for all of them.
    pub(crate) fn rules(&self) -> Vec<Rule> {
        let whole = |entry: &PackedRule<'_>| {
            let rule: Rule = postcard::from_bytes(entry.rule).ok()?;
            let tool = entry.tool.and_then(|tool| self.tools.get(tool as usize)).cloned();
            let file = entry.file.and_then(|file| self.files.get(file as usize)).cloned();
            Some(Rule { tool, file, ..rule })
        };
        self.entries.iter().filter_map(whole).collect()
    }

    /// Returns the files that the rules come from.
    pub(crate) fn sources(&self) -> Vec<RuleSource> {
        postcard::from_bytes(self.sources).unwrap_or_default()
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
        let mut filters = FilterResults::new(self, calls);
        let of_hook = self.entries.iter().filter(|entry| entry.hook == hook);
        of_hook.filter_map(|entry| filters.candidate(entry)).collect()
    }

    /// Returns whether sessions must take note of anything in events of this hook.
    pub(crate) fn watches(&self, hook: Hook) -> bool {
        self.watched.iter().any(|watched| watched.rule.hook == hook)
    }

    /// Returns whether sessions must take note of anything at all.
    pub(crate) fn watches_anything(&self) -> bool {
        !self.watched.is_empty()
    }

    /// Returns whether anything that is watched in events of this hook has a file filter.
    pub(crate) fn watches_files(&self, hook: Hook) -> bool {
        self.watched.iter().any(|watched| watched.rule.hook == hook && watched.rule.file.is_some())
    }

    /// Returns what may have happened in this event and must be noted.
    pub(crate) fn watched_candidates(&self, hook: Hook, calls: &[Call]) -> Vec<WatchedCandidate> {
        let mut filters = FilterResults::new(self, calls);
        let of_hook = self.watched.iter().filter(|watched| watched.rule.hook == hook);
        let accepted = of_hook.filter_map(|watched| {
            let candidate = filters.candidate(&watched.rule)?;
            Some(WatchedCandidate { identity: watched.identity, ending: watched.ending, candidate })
        });
        accepted.collect()
    }
}

/// What the filters of a book say of the calls of an event: each filter runs once per call, no matter how many rules
/// share it.
struct FilterResults<'f> {
    filters: &'f [FileFilter],
    calls: &'f [Call],
    tools: Vec<Vec<bool>>,
    files: Vec<Option<Vec<bool>>>,
    /// Whether one of these programs may run; empty if the calls run nothing.
    programs: Vec<bool>,
}

impl<'f> FilterResults<'f> {
    fn new(book: &'f Book<'_>, calls: &'f [Call]) -> FilterResults<'f> {
        let by_tool = |tool: &ToolFilter| calls.iter().map(|call| call.is_by(tool)).collect();
        FilterResults {
            filters: &book.files,
            calls,
            tools: book.tools.iter().map(by_tool).collect(),
            files: vec![None; book.files.len()],
            programs: run_programs(book, calls),
        }
    }

    fn candidate(&mut self, entry: &PackedRule<'_>) -> Option<Candidate> {
        let by_tool = entry.tool.map(|tool| &self.tools[tool as usize]);
        if by_tool.is_some_and(|accepted| !accepted.contains(&true)) {
            return None;
        }
        let may_run = |programs: u32| self.programs.get(programs as usize) == Some(&true);
        if entry.programs.is_some_and(|programs| !may_run(programs)) {
            return None;
        }
        let calls = self.calls;
        if let (Some(file), Some(does)) = (entry.file, entry.does) {
            return self.touching(entry, file, does);
        }
        let for_file = entry.file.map(|file| {
            let filter = &self.filters[file as usize];
            &*self.files[file as usize]
                .get_or_insert_with(|| calls.iter().map(|call| call.is_about(filter)).collect())
        });
        let accepted = |index: &usize| {
            by_tool.is_none_or(|tool| tool[*index]) && for_file.is_none_or(|file| file[*index])
        };
        let accepted: Vec<usize> = (0..calls.len()).filter(accepted).collect();
        if accepted.is_empty() {
            return None;
        }
        Some(Candidate { rule: entry.unpack()?, calls: accepted, session: None, touched: None })
    }

    /// Returns a rule with `does`, if a call does that to a file of it.
    fn touching(&self, entry: &PackedRule<'_>, file: u32, does: FileDeed) -> Option<Candidate> {
        let filter = &self.filters[file as usize];
        let by_tool = entry.tool.map(|tool| &self.tools[tool as usize]);
        let accepted = |index: &usize| by_tool.is_none_or(|tool| tool[*index]);
        let touched: Vec<(usize, &str)> = (0..self.calls.len())
            .filter(accepted)
            .filter_map(|index| Some((index, self.calls[index].touched(filter, does)?)))
            .collect();
        let path = touched.first()?.1.to_owned();
        let calls = touched.into_iter().map(|(index, _)| index).collect();
        Some(Candidate { rule: entry.unpack()?, calls, session: None, touched: Some(path) })
    }
}

/// Returns for each list of programs whether the calls may run one of them; nothing if they run nothing at all.
fn run_programs(book: &Book<'_>, calls: &[Call]) -> Vec<bool> {
    let run: Vec<RunPrograms<'_>> = calls.iter().filter_map(Call::programs).collect();
    if run.is_empty() {
        return Vec::new();
    }
    let lists: Vec<CommandPrograms> = postcard::from_bytes(book.programs).unwrap_or_default();
    lists.iter().map(|list| run.iter().any(|one| one.may_include(list))).collect()
}

fn with_body(rule: Rule) -> (Rule, Vec<u8>) {
    let body = postcard::to_stdvec(&rule).unwrap_or_default();
    (rule, body)
}

/// Returns everything that rules ask about, each once.
fn happenings(rules: &[Rule]) -> Vec<(u64, &Happening)> {
    let sessions = rules.iter().filter(|rule| rule.enabled).filter_map(|rule| rule.session.as_ref());
    let mut all: Vec<(u64, &Happening)> = Vec::new();
    for happening in sessions.flat_map(SessionCondition::happenings) {
        let identity = happening.identity();
        if !all.iter().any(|(known, _)| *known == identity) {
            all.push((identity, happening));
        }
    }
    all
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

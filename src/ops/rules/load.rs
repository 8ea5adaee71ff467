//! Loads the rules of the user and of a project: from the cache if nothing has changed, otherwise from the files.
//!
//! Each has its own book: the user's rules are evaluated before anything of a project is read.

mod last_good;

use std::path::{Path, PathBuf};

use crate::config::paths;
use crate::journal::rule_cache::CacheKey;
use crate::journal::rule_cache::{self, Stage};
use crate::model::{FilePosition, Problem, Severity, sha256_hex};
use crate::rules::{self, Book, Loaded, MissingVersion, Rule, RuleSource, SwitchOwner, Switches};
use crate::system::budget::Budget;
use crate::system::project;
use crate::system::rule_files::{self, RuleFile, RuleFiles};
use crate::system::rule_levels::{self, RuleLevel};

/// The packed book of rules, with the problems of finding their files.
pub(crate) struct PackedRules {
    pub(crate) bytes: Vec<u8>,
    pub(crate) problems: Vec<Problem>,
}

/// One rule file with its rules and problems.
pub(crate) struct LoadedFile {
    pub(crate) shown: String,
    pub(crate) loaded: Loaded,
}

/// Whose rules a book contains.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum RuleOwner<'r> {
    User,
    /// The rules of a folder of the project.
    Project(&'r RuleLevel),
}

impl RuleOwner<'_> {
    fn of_switches(self) -> SwitchOwner {
        match self {
            RuleOwner::User => SwitchOwner::User,
            RuleOwner::Project(_) => SwitchOwner::Project,
        }
    }
}

/// Where a book may come from.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum BookSource {
    Cache,
    Files,
}

/// Finds the user's own rule files.
pub(crate) fn user_files() -> RuleFiles {
    paths::user_config_dir().as_deref().map(rule_files::discover_user).unwrap_or_default()
}

/// Loads a book for a hook, as fast as possible, given the user's rule files. If the cached bytes are not a book, call it
/// with `BookSource::Files`.
pub(crate) fn book(owner: RuleOwner<'_>, users: &RuleFiles, from: BookSource, budget: Budget) -> PackedRules {
    let (place, found, others) = match owner {
        RuleOwner::User => (paths::user_config_dir().unwrap_or_default(), users.clone(), &[][..]),
        RuleOwner::Project(level) => {
            (level.folder.clone(), rule_files::discover_level(level), users.files.as_slice())
        }
    };
    if found.files.is_empty() {
        return PackedRules { bytes: Book::pack(&[], Vec::new()), problems: found.problems };
    }
    let key = rule_cache::key(&place, others.iter().chain(&found.files));
    let cached = (from == BookSource::Cache).then(|| rule_cache::load(&key)).flatten();
    let bytes = match cached {
        Some(cached) if cached.is_current => cached.bytes,
        older => {
            let older = older.map(|cached| cached.bytes).unwrap_or_default();
            read_book(owner, &found.files, others, &older, &key, budget)
        }
    };
    PackedRules { bytes, problems: found.problems }
}

/// Reads a book from its files, and caches it. Rules of the `others` are compared with these, but are not in the book.
fn read_book(
    owner: RuleOwner<'_>,
    files: &[RuleFile],
    others: &[RuleFile],
    older: &[u8],
    key: &CacheKey,
    budget: Budget,
) -> Vec<u8> {
    let older = Book::open(older).map(|book| book.rules()).unwrap_or_default();
    let (mut rules, mut problems): (Vec<Rule>, Vec<Problem>) = (Vec::new(), Vec::new());
    let (mut switches, mut sources) = (Vec::new(), Vec::new());
    let mut stage = Stage::Saved;
    for (index, file) in files.iter().enumerate() {
        if budget.is_over() {
            let message =
                format!("{} of {} rule files were not read in time", files.len() - index, files.len());
            problems.push(Problem::error(message).at(&file.shown, 0, 0));
            // Not cached, because some files are missing.
            return Book::pack_with(&rules, problems, &sources);
        }
        let (loaded, its_stage) = last_good::read(file, &older);
        let digest = loaded.digest.unwrap_or_default();
        sources.push(RuleSource { file: file.shown.clone(), digest, rules: 0 });
        rules.extend(loaded.rules);
        switches.push(loaded.switches);
        problems.extend(loaded.problems);
        if its_stage == Stage::BeingSaved {
            stage = its_stage;
        }
    }
    problems.extend(rules::settle(&mut rules, &switches, owner.of_switches()));
    let mut others = read_all(others, MissingVersion::Warn);
    let users = settle_files(&mut others, SwitchOwner::User, &[]);
    rules::disable_in_packs(&mut rules, &users);
    problems.extend(compared(owner, &rules, others));
    for source in &mut sources {
        let is_on = |rule: &&Rule| rule.enabled && rule.place.file == source.file;
        source.rules = rules.iter().filter(is_on).count();
    }
    let bytes = Book::pack_with(&rules, problems, &sources);
    rule_cache::store(key, &bytes, stage);
    bytes
}

/// Returns what is wrong with the rules of a book taken together, and with a project's rules beside the user's.
fn compared(owner: RuleOwner<'_>, rules: &[Rule], others: Vec<LoadedFile>) -> Vec<Problem> {
    let RuleOwner::Project(level) = owner else { return rules::duplicates(rules) };
    let others = others.into_iter().flat_map(|file| file.loaded.rules);
    let all: Vec<Rule> = others.chain(rules.iter().cloned()).collect();
    // The user's own rules have absolute paths, and their own book.
    let is_here = |problem: &Problem| problem.place.as_ref().is_some_and(|place| !is_users(&place.file));
    across(&all, &level.folder).into_iter().filter(is_here).collect()
}

fn is_users(file: &str) -> bool {
    Path::new(file).is_absolute()
}

/// Returns the folder that a rule's files are relative to.
pub(crate) fn root_of(rule: &Rule, project: &Path) -> PathBuf {
    if is_users(&rule.place.file) {
        return project::root_for_user_rules(project).to_owned();
    }
    rule_levels::of_rule_file(&rule.place.file, project)
}

/// Returns what is wrong with the rules of a project taken together, or seen from its root.
pub(crate) fn across(rules: &[Rule], root: &Path) -> Vec<Problem> {
    let mut problems = rules::duplicates(rules);
    problems.extend(rules::strays(rules, root));
    problems
}

/// Loads every rule file that applies in a folder of a project, to show it to people.
pub(crate) fn files(folder: &Path, missing_version: MissingVersion) -> (Vec<LoadedFile>, Vec<Problem>) {
    at(&rule_levels::of_folder(folder), missing_version)
}

/// Loads also the rule files of all folders below.
pub(crate) fn tree(folder: &Path, missing_version: MissingVersion) -> (Vec<LoadedFile>, Vec<Problem>) {
    let mut levels = rule_levels::of_folder(folder);
    levels.extend(rule_levels::below(folder));
    at(&levels, missing_version)
}

/// Loads the user's rule files, and those of these folders.
pub(crate) fn at(levels: &[RuleLevel], missing_version: MissingVersion) -> (Vec<LoadedFile>, Vec<Problem>) {
    let RuleFiles { files, mut problems } = user_files();
    let mut files = read_all(&files, missing_version);
    let users = settle_files(&mut files, SwitchOwner::User, &[]);
    for level in levels {
        let found = rule_files::discover_level(level);
        let mut of_level = read_all(&found.files, missing_version);
        settle_files(&mut of_level, SwitchOwner::Project, &users);
        files.extend(of_level);
        problems.extend(found.problems);
    }
    (files, problems)
}

/// Loads one file that the user named.
pub(crate) fn file(path: &Path, missing_version: MissingVersion) -> std::io::Result<LoadedFile> {
    let file = rule_files::describe(path, path.display().to_string())?;
    let mut file = read_one(&file, missing_version);
    // Whose file it is nobody says, and it may be the user's.
    settle_files(std::slice::from_mut(&mut file), SwitchOwner::User, &[]);
    Ok(file)
}

/// Applies what the files of one owner switch, and what the user switches off in packs; returns what these files switch.
fn settle_files(files: &mut [LoadedFile], owner: SwitchOwner, users: &[Switches]) -> Vec<Switches> {
    let take = |file: &mut LoadedFile| std::mem::take(&mut file.loaded.rules);
    let mut rules: Vec<Rule> = files.iter_mut().flat_map(take).collect();
    let switches: Vec<Switches> =
        files.iter_mut().map(|file| std::mem::take(&mut file.loaded.switches)).collect();
    let problems = rules::settle(&mut rules, &switches, owner);
    rules::disable_in_packs(&mut rules, users);
    for file in files {
        let is_here = |place: &FilePosition| place.file == file.shown;
        let of_file = rules.iter().filter(|rule| is_here(&rule.place)).cloned();
        file.loaded.rules.extend(of_file);
        let its = problems.iter().filter(|problem| problem.place.as_ref().is_some_and(is_here)).cloned();
        file.loaded.problems.extend(its);
    }
    switches
}

fn read_all(files: &[RuleFile], missing_version: MissingVersion) -> Vec<LoadedFile> {
    files.iter().map(|file| read_one(file, missing_version)).collect()
}

fn read_one(file: &RuleFile, missing_version: MissingVersion) -> LoadedFile {
    let loaded = match rule_files::read(file) {
        Ok(text) => {
            let digest = Some(sha256_hex(text.as_bytes()));
            Loaded { digest, ..rules::read(&file.shown, &text, missing_version) }
        }
        Err(problem) => Loaded { problems: vec![problem], ..Loaded::default() },
    };
    LoadedFile { shown: file.shown.clone(), loaded }
}

/// Loads all rules of a project and the user, with what is wrong with them, for a person.
pub(crate) fn all(root: &Path) -> (Vec<Rule>, Vec<Problem>) {
    let (files, mut problems) = tree(root, MissingVersion::Warn);
    let mut rules: Vec<Rule> = Vec::new();
    for file in files {
        rules.extend(file.loaded.rules);
        problems.extend(file.loaded.problems);
    }
    problems.extend(across(&rules, root));
    problems.retain(|problem| problem.severity > Severity::Note);
    (rules, problems)
}

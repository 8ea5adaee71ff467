//! Whose rules apply to an event: those of every folder from the top of its checkout down to the files it touches.
//!
//! A monorepo has rules at its top and in its packages, and all of them add up, each relative to its own folder. A
//! linked worktree has the rules of its own checkout. A submodule also has those of the repository around it; any other
//! repository inside this one does not, and neither do the folders of dependencies: their files are strangers' work.

use std::path::{Path, PathBuf};

use super::project::{Checkout, ProjectPlace, RULE_MARKS};
use super::repository::GitEntry;

/// A folder with rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RuleLevel {
    /// The folder that has the rule files, and that their globs are relative to.
    pub(crate) folder: PathBuf,
    /// The top of the checkout, which the paths of rule files are shown relative to.
    pub(crate) top: PathBuf,
}

/// Folders that contain other people's packages: npm and others, Go and PHP and Ruby, Python.
const DEPENDENCIES: [&str; 3] = ["node_modules", "vendor", "site-packages"];

/// Returns the levels for an event, those of the place where the agent was started first. `touched` are the files that
/// the event names; a command without any touches the folder that it runs in.
pub(crate) fn of_event(place: &ProjectPlace, touched: impl Iterator<Item = PathBuf>) -> Vec<RuleLevel> {
    let own = Chain::of(place.start(), place);
    let own_levels = || if own.checkout.is_some() { own.levels() } else { vec![own.alone(place.root())] };
    // An agent that was started in one worktree and works in another has the rules of the other, if that has any.
    let elsewhere = (place.start() != place.cwd()).then(|| Chain::of(place.cwd(), place));
    let elsewhere = elsewhere.filter(|other| other.is_other_worktree_of(&own)).map(|other| other.levels());
    let elsewhere = elsewhere.filter(|levels| !levels.is_empty());
    // The folders that were looked at already.
    let mut seen =
        if elsewhere.is_some() { vec![place.cwd().to_owned()] } else { vec![place.start().to_owned()] };
    let mut levels = elsewhere.unwrap_or_else(own_levels);
    let folders = touched.filter_map(|file| file.parent().map(Path::to_owned));
    for folder in folders.chain([place.cwd().to_owned()]) {
        if seen.contains(&folder) || levels.iter().any(|level| level.folder == folder) {
            continue;
        }
        let chain = Chain::of(&folder, place);
        if chain.is_within(&own) || chain.is_other_worktree_of(&own) {
            levels.extend(
                chain.levels().into_iter().filter(|level| !levels.contains(level)).collect::<Vec<_>>(),
            );
        }
        seen.push(folder);
    }
    levels
}

/// Returns the levels at and above a folder, for people.
pub(crate) fn of_folder(folder: &Path) -> Vec<RuleLevel> {
    of_event(&ProjectPlace::find(None, folder), std::iter::empty())
}

/// Returns the folders with rules below a folder of a project, except those of other repositories and dependencies.
pub(crate) fn below(folder: &Path) -> Vec<RuleLevel> {
    let place = ProjectPlace::find(None, folder);
    let chain = Chain::of(folder, &place);
    let mut walk = ignore::WalkBuilder::new(folder);
    let is_ours = |entry: &ignore::DirEntry| {
        let name = entry.file_name();
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        let is_foreign = || {
            let is_repository = GitEntry::of(entry.path()).is_some();
            DEPENDENCIES.iter().any(|other| name == *other) || (is_repository && entry.depth() > 0)
        };
        name != ".git" && !(is_folder && is_foreign())
    };
    walk.hidden(false).filter_entry(is_ours).sort_by_file_path(Path::cmp);
    let entries = walk.build().flatten().take(MAX_ENTRIES);
    let folders = entries.filter_map(|entry| {
        let is_mark = RULE_MARKS.iter().any(|mark| entry.file_name() == *mark);
        entry.path().parent().filter(|parent| is_mark && *parent != folder).map(Path::to_owned)
    });
    let mut levels: Vec<RuleLevel> = Vec::new();
    for level in folders.map(|folder| chain.alone(&folder)) {
        if !levels.contains(&level) {
            levels.push(level);
        }
    }
    levels
}

/// Returns the folder that the globs of a rule file are relative to. The file is named as people see it, relative to
/// the top of the checkout that `folder` is in.
pub(crate) fn of_rule_file(shown: &str, folder: &Path) -> PathBuf {
    let is_mark = |name: &&std::ffi::OsStr| RULE_MARKS.iter().any(|mark| name == mark);
    let within: PathBuf = Path::new(shown).iter().take_while(|name| !is_mark(name)).collect();
    let place = ProjectPlace::find(None, folder);
    let chain = Chain::of(folder, &place);
    let top = if chain.checkout.is_some() { chain.top } else { place.root() };
    if within.as_os_str().is_empty() { top.to_owned() } else { top.join(within) }
}

/// How many files and folders are looked at for rules: more than the largest monorepos have folders.
const MAX_ENTRIES: usize = 500_000;

/// A folder, and the checkouts that it is in: its own, and for a submodule those around it.
struct Chain<'f> {
    folder: &'f Path,
    place: &'f ProjectPlace,
    /// The innermost checkout.
    checkout: Option<&'f Path>,
    /// The outermost checkout; the same, unless it is a submodule.
    top: &'f Path,
}

impl<'f> Chain<'f> {
    fn of(folder: &'f Path, place: &'f ProjectPlace) -> Chain<'f> {
        let mut tops = folder.ancestors().filter_map(|folder| Some((folder, place.git_entry(folder)?)));
        let first = tops.next();
        let checkout = first.map(|(folder, _)| folder);
        let (mut top, mut entry) = first.unwrap_or((folder, GitEntry::Folder));
        // A submodule has its state in the repository around it; who has it in a folder of its own is none.
        while entry != GitEntry::Folder {
            let Some(outer) = tops.next().filter(|(outer, _)| Checkout::is_submodule(top, outer)) else {
                break;
            };
            (top, entry) = outer;
        }
        Chain { folder, place, checkout, top }
    }

    fn levels(&self) -> Vec<RuleLevel> {
        let inside = self.folder.ancestors().take_while(|folder| folder.starts_with(self.top));
        let levels = inside.filter(|folder| self.place.has_rule_mark(folder) && !self.is_foreign(folder));
        let mut levels: Vec<RuleLevel> = levels.map(|folder| self.alone(folder)).collect();
        levels.reverse();
        levels
    }

    fn alone(&self, folder: &Path) -> RuleLevel {
        let top = if self.checkout.is_some() { self.top } else { folder };
        RuleLevel { folder: folder.to_owned(), top: top.to_owned() }
    }

    fn is_foreign(&self, folder: &Path) -> bool {
        let below = folder.strip_prefix(self.top).unwrap_or(folder);
        below.iter().any(|name| DEPENDENCIES.iter().any(|other| name == *other))
    }

    fn is_within(&self, other: &Chain<'_>) -> bool {
        self.checkout.is_some() && other.checkout.is_some() && self.top == other.top
    }

    fn is_other_worktree_of(&self, other: &Chain<'_>) -> bool {
        let (Some(one), Some(other)) = (self.checkout, other.checkout) else { return false };
        one != other && Checkout::are_of_one_repository(one, other)
    }
}

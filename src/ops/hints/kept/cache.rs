//! The kept hints as a PRIMARY knows them: read again when a file has changed.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::KeptFile;
use crate::hints::{HintLimits, HintName, HintTable};
use crate::model::{Hint, HintContext, HintScope};
use crate::system::rule_files::Stamp;

/// The files that were read.
#[derive(Debug, Default)]
pub(crate) struct KeptCache {
    /// Without it no file is read: a service that is not a server's has no business in the user's files.
    is_enabled: bool,
    files: BTreeMap<PathBuf, (Option<Stamp>, HintTable)>,
}

/// Callers in more projects than this are served too; then files are read again.
const MAX_FILES: usize = 64;

impl KeptCache {
    pub(crate) fn enable(&mut self) {
        self.is_enabled = true;
    }

    /// Reads the files that a caller with this context gets hints from, if they changed.
    pub(crate) fn refresh(&mut self, context: &HintContext, limits: &HintLimits, now: Timestamp) {
        if !self.is_enabled {
            return;
        }
        if self.files.len() > MAX_FILES {
            self.files.clear();
        }
        for file in files(context) {
            let stamp = Stamp::at(file.path());
            if self.files.get(file.path()).is_some_and(|(known, _)| *known == stamp) {
                continue;
            }
            // A file that cannot be read has no hints; `nudge ls` says what is wrong with it.
            let (table, _) = file.read(limits, now).unwrap_or_default();
            self.files.insert(file.path().to_owned(), (stamp, table));
        }
    }

    /// Returns the hints of the session together with the kept ones that a caller with this context can get.
    pub(crate) fn view<'a>(
        &self,
        session: &'a HintTable,
        context: &HintContext,
        now: Timestamp,
    ) -> Cow<'a, HintTable> {
        if !self.is_enabled {
            return Cow::Borrowed(session);
        }
        let files = files(context);
        let kept = files.iter().filter_map(|file| self.files.get(file.path()).map(|(_, table)| table));
        session.with_kept(&kept.collect::<Vec<_>>(), now)
    }

    /// Counts a use of a kept hint, as long as this server runs; the file is not changed.
    pub(crate) fn bump(
        &mut self,
        context: &HintContext,
        place: HintName<'_>,
        scope: &HintScope,
        delta: u64,
        now: Timestamp,
    ) -> Option<&Hint> {
        let paths: Vec<PathBuf> = files(context).iter().map(|file| file.path().to_owned()).collect();
        let path = paths.into_iter().find(|path| {
            let table = self.files.get(path).map(|(_, table)| table);
            table.is_some_and(|table| table.variants(place, now).any(|(_, it)| it.hint.meta.scope == *scope))
        })?;
        self.files.get_mut(&path)?.1.bump(place, scope, delta, now)
    }
}

/// Returns the files for a caller: its project's first, then the user's.
fn files(context: &HintContext) -> Vec<KeptFile> {
    let cwd = context.cwd.as_ref().map(|cwd| Path::new(cwd.value.as_str())).filter(|cwd| cwd.is_absolute());
    cwd.and_then(KeptFile::of_project).into_iter().chain(KeptFile::of_user()).collect()
}

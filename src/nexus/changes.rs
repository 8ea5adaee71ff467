//! What git says has changed: the files of a work in progress, and the texts that the next commit would have.

use std::path::{Path, PathBuf};

use super::git::{GitError, GitResult, Repository};

/// A file as it is in git's index.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct StagedFile {
    pub(crate) path: PathBuf,
    pub(crate) content: Vec<u8>,
}

/// One that is left out: a text has no use for more, and all staged files are in RAM at once.
const MAX_BLOB: u64 = 64 << 20;
const DIFF: [&str; 6] =
    ["diff", "--no-ext-diff", "--no-renames", "--ignore-submodules=all", "--diff-filter=d", "-z"];

impl Repository {
    /// Returns the files that differ from the last commit, or from where this branch left `base`, and the new ones.
    pub(crate) fn changed_files(&self, base: Option<&str>) -> GitResult<Vec<PathBuf>> {
        let from = match base {
            Some(base) => Some(self.fork_point(base)?),
            None => self.is(&["rev-parse", "--verify", "--quiet", "HEAD"])?.then(|| "HEAD".to_owned()),
        };
        let mut paths = match from {
            Some(from) => self.bytes(&[&DIFF[..], &["--name-only", &from, "--"]].concat(), None, b"")?,
            // Before the first commit everything is new.
            None => self.bytes(&["ls-files", "-z", "--cached"], None, b"")?,
        };
        paths.extend(self.bytes(&["ls-files", "-z", "--others", "--exclude-standard"], None, b"")?);
        let mut paths: Vec<PathBuf> = names(&paths).map(|name| self.top().join(name)).collect();
        paths.sort();
        paths.dedup();
        Ok(paths)
    }

    fn fork_point(&self, base: &str) -> GitResult<String> {
        let commit = format!("{base}^{{commit}}");
        if !self.is(&["rev-parse", "--verify", "--quiet", "--end-of-options", &commit])? {
            return Err(GitError::NoCommit(base.to_owned()));
        }
        let id = self.ask(&["rev-parse", "--verify", "--end-of-options", &commit])?;
        match self.is(&["merge-base", &id, "HEAD"])? {
            true => self.ask(&["merge-base", &id, "HEAD"]),
            false => Err(GitError::NoCommonCommit(base.to_owned())),
        }
    }

    /// Returns the files that the next commit adds or changes, with their content there. In a hook git names the index
    /// that this commit is made from.
    pub(crate) fn staged_files(&self, index: Option<&Path>) -> GitResult<Vec<StagedFile>> {
        // git gives its hooks a path that is relative to the root.
        let index = index.map(|index| self.top().join(index));
        let arguments = [&DIFF[..], &["--cached", "--raw", "--no-abbrev", "--"]].concat();
        let records = self.bytes(&arguments, index.as_deref(), b"")?;
        let files = blobs(&records);
        let asked: String = files.iter().map(|(id, _)| format!("{id}\n")).collect();
        let answer = self.bytes(&["cat-file", "--batch", "--buffer"], None, asked.as_bytes())?;
        let mut rest = answer.as_slice();
        let mut staged = Vec::new();
        for (_, path) in files {
            let Some((content, after)) = next_blob(rest) else { break };
            rest = after;
            if let Some(content) = content {
                staged.push(StagedFile { path: self.top().join(path), content: content.to_vec() });
            }
        }
        Ok(staged)
    }
}

/// Returns the ids and paths of regular files in raw records: `:old new id id status NUL path NUL`.
fn blobs(records: &[u8]) -> Vec<(String, PathBuf)> {
    let mut names = records.split(|byte| *byte == 0);
    let mut blobs = Vec::new();
    while let (Some(record), Some(path)) = (names.next(), names.next()) {
        let record = String::from_utf8_lossy(record);
        let mut columns = record.split(' ').skip(1);
        let (mode, id) = (columns.next().unwrap_or_default(), columns.nth(1).unwrap_or_default());
        // Links have a mode of their own, and so have submodules.
        if mode.starts_with("100") {
            blobs.push((id.to_owned(), path_of(path)));
        }
    }
    blobs
}

/// Takes one answer of `git cat-file --batch`: `id type size LF content LF`, or `id missing LF`.
fn next_blob(answer: &[u8]) -> Option<(Option<&[u8]>, &[u8])> {
    let end = answer.iter().position(|byte| *byte == b'\n')?;
    let head = String::from_utf8_lossy(&answer[..end]);
    let rest = &answer[end + 1..];
    let Some(size) = head.split(' ').nth(2).and_then(|size| size.parse::<usize>().ok()) else {
        return Some((None, rest));
    };
    let content = rest.get(..size)?;
    Some(((size as u64 <= MAX_BLOB).then_some(content), rest.get(size + 1..)?))
}

fn names(list: &[u8]) -> impl Iterator<Item = PathBuf> {
    list.split(|byte| *byte == 0).filter(|name| !name.is_empty()).map(path_of)
}

#[cfg(unix)]
fn path_of(name: &[u8]) -> PathBuf {
    PathBuf::from(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(name))
}

#[cfg(not(unix))]
fn path_of(name: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(name).into_owned())
}

#[cfg(test)]
mod tests {
    use super::{blobs, next_blob};

    #[test]
    fn regular_files_are_taken_from_raw_records() {
        let records =
            b":000000 100644 0 a1 A\0a.rs\0:100755 120000 b0 b1 T\0link\0:100644 100755 c0 c1 M\0d \n.rs\0";
        let found: Vec<_> =
            blobs(records).into_iter().map(|(id, path)| (id, path.display().to_string())).collect();
        assert_eq!(found, [("a1".to_owned(), "a.rs".to_owned()), ("c1".to_owned(), "d \n.rs".to_owned())]);
    }

    #[test]
    fn blobs_are_taken_one_after_the_other() {
        let (first, rest) = next_blob(b"a1 blob 3\nx\ny\nb1 missing\nc1 blob 0\n\n").expect("a blob");
        assert_eq!(first, Some(&b"x\ny"[..]));
        let (second, rest) = next_blob(rest).expect("an answer");
        assert_eq!(second, None);
        assert_eq!(next_blob(rest), Some((Some(&b""[..]), &b""[..])));
        assert_eq!(next_blob(b"a1 blob 9\nshort"), None);
    }
}

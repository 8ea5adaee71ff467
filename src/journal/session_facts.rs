//! What happened in a session, as far as rules ask about it: one small file for each session, one line for each fact.
//!
//! It outlives the end of a session, because an agent can resume one; it is deleted after a week without a new fact.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::PathBuf;
use std::time::Duration;

use super::marks;
use crate::files;
use crate::model::{SessionFact, SessionId};

/// How long a hook waits for another one that adds facts at the same time.
pub(crate) const TIMEOUT: Duration = Duration::from_millis(100);
/// A file that is larger is made smaller when the next fact is added.
const MAX_BYTES: u64 = 256 << 10;
/// How many facts of a kind are kept then: as many as a rule may ask for.
const MAX_OF_KIND: usize = 100;

/// Returns the facts of a session, in the order in which they happened.
pub(crate) fn read(session: &SessionId) -> Vec<SessionFact> {
    let bytes = path(session).and_then(|path| files::read_regular(&path, MAX_BYTES * 2).ok());
    parse(&bytes.unwrap_or_default())
}

/// Adds facts, under a lock: the hooks of parallel calls run at the same time.
pub(crate) fn add(session: &SessionId, facts: &[SessionFact], timeout: Duration) -> io::Result<()> {
    let path = path(session).ok_or_else(|| io::Error::other("there is no folder for data: set HOME"))?;
    if let Some(folder) = path.parent() {
        files::make_private_dir(folder)?;
    }
    let options = &mut files::private_file();
    let mut file = files::lock(&path, options.read(true).append(true).create(true), timeout)?;
    if file.metadata()?.len() > MAX_BYTES {
        shrink(&mut file)?;
    }
    file.write_all(lines(facts).as_bytes())
}

/// Keeps the last facts of each kind.
fn shrink(file: &mut File) -> io::Result<()> {
    let mut kept: HashMap<u64, usize> = HashMap::new();
    let facts = parse(&files::read_up_to(file, MAX_BYTES * 2)?);
    let mut facts: Vec<SessionFact> = facts.into_iter().rev().collect();
    let mut bytes = 0;
    facts.retain(|fact| {
        let of_kind = kept.entry(fact.key).or_default();
        *of_kind += 1;
        if *of_kind > MAX_OF_KIND {
            return false;
        }
        bytes += fact.what.len() as u64 + 40;
        bytes < MAX_BYTES / 2
    });
    facts.reverse();
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(lines(&facts).as_bytes())
}

fn lines(facts: &[SessionFact]) -> String {
    let one_line = |text: &str| text.replace(['\n', '\r'], " ");
    facts.iter().map(|fact| format!("{:016x} {} {}\n", fact.key, fact.at_ms, one_line(&fact.what))).collect()
}

/// Parses the lines; one that a crash has cut is skipped.
fn parse(bytes: &[u8]) -> Vec<SessionFact> {
    let text = String::from_utf8_lossy(bytes);
    let fact = |line: &str| {
        let (key, rest) = line.split_once(' ')?;
        let (at_ms, what) = rest.split_once(' ')?;
        let key = u64::from_str_radix(key, 16).ok().filter(|_| key.len() == 16)?;
        Some(SessionFact { key, at_ms: at_ms.parse().ok()?, what: what.to_owned() })
    };
    text.lines().filter_map(fact).collect()
}

fn path(session: &SessionId) -> Option<PathBuf> {
    let marks = marks::path(session)?;
    // A name of its own: what ends with a session is deleted with its marks.
    let name = format!("facts-{}", marks.file_name()?.to_str()?);
    Some(marks.with_file_name(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(key: u64, at_ms: i64, what: &str) -> SessionFact {
        SessionFact { key, at_ms, what: what.to_owned() }
    }

    #[test]
    fn facts_come_back_as_they_were() {
        let facts = [fact(1, 5, "src/a.rs"), fact(u64::MAX, -1, ""), fact(7, 9, "a  b")];
        assert_eq!(parse(lines(&facts).as_bytes()), facts);
        let broken = [fact(1, 5, "a\nb")];
        assert_eq!(parse(lines(&broken).as_bytes()), [fact(1, 5, "a b")]);
    }

    #[test]
    fn what_is_not_a_fact_is_skipped() {
        let text =
            "00000000000000ff 12 x\nxyz\n00000000000000ff\n1 2 3\n00000000000000ff x y\n00000000000000f";
        assert_eq!(parse(text.as_bytes()), [fact(0xff, 12, "x")]);
        assert_eq!(parse(b"\xff\xfe\0"), []);
    }

    #[test]
    fn a_large_file_keeps_the_last_facts_of_each_kind() {
        let mut file = tempfile::tempfile().unwrap();
        let mut all: Vec<SessionFact> = vec![fact(1, 0, "rare")];
        all.extend((0..3_000).map(|at| fact(2, at, &"x".repeat(80))));
        file.write_all(lines(&all).as_bytes()).unwrap();
        file.rewind().unwrap();
        shrink(&mut file).unwrap();
        file.rewind().unwrap();
        let kept = parse(&files::read_up_to(&file, MAX_BYTES).unwrap());
        assert_eq!(kept.len(), 1 + MAX_OF_KIND);
        assert_eq!((&kept[0], kept.last().unwrap().at_ms), (&fact(1, 0, "rare"), 2_999));
    }
}

//! Findings that a project has accepted for now, so that `nudge check` names only new ones.
//!
//! A finding is recognised by its rule, its file and the text of its line, not by the line's number, which changes with
//! every edit above it.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Finding;
use crate::files;
use crate::model::sha256_hex;

/// The file in which accepted findings are kept.
#[derive(Debug, Serialize, Deserialize, Default, PartialEq)]
#[serde(deny_unknown_fields)]
struct BaselineWire {
    version: u32,
    findings: Vec<AcceptedWire>,
}

/// One accepted finding.
#[derive(Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord, Clone)]
#[serde(deny_unknown_fields)]
struct AcceptedWire {
    file: String,
    rule: String,
    /// The hash of the line's text; empty if the finding is about the whole file.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    line: String,
    /// How often this line is in the file.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    count: usize,
}

/// The findings that are accepted.
#[derive(Debug, Default)]
pub(crate) struct Baseline {
    accepted: BTreeMap<(String, String, String), usize>,
}

const VERSION: u32 = 1;
const MAX_BYTES: u64 = 64 << 20;
/// As many digits as keep two lines of one file apart.
const DIGITS: usize = 16;

impl Baseline {
    /// Reads a baseline; the error says what is wrong with the file.
    pub(crate) fn read(path: &Path) -> Result<Baseline, String> {
        let bytes = files::read_regular(path, MAX_BYTES).map_err(|error| error.to_string())?;
        let wire: BaselineWire =
            serde_json::from_slice(&bytes).map_err(|error| format!("it is not a baseline: {error}"))?;
        if wire.version != VERSION {
            return Err(format!("its version is {}, and this nudge knows {VERSION}", wire.version));
        }
        let mut baseline = Baseline::default();
        for AcceptedWire { file, rule, line, count } in wire.findings {
            *baseline.accepted.entry((file, rule, line)).or_default() += count;
        }
        Ok(baseline)
    }

    /// Accepts all of these findings.
    pub(crate) fn of(findings: &[Finding]) -> Baseline {
        let mut baseline = Baseline::default();
        for finding in findings {
            for text in texts(finding) {
                *baseline.accepted.entry(key(finding, text)).or_default() += 1;
            }
        }
        baseline
    }

    /// Writes the baseline, an entry per line, so that a review shows what was accepted.
    pub(crate) fn write(&self, path: &Path) -> io::Result<()> {
        let entries = self.accepted.iter().map(|((file, rule, line), count)| {
            let entry =
                AcceptedWire { file: file.clone(), rule: rule.clone(), line: line.clone(), count: *count };
            serde_json::to_string(&entry).unwrap_or_default()
        });
        let entries: Vec<String> = entries.map(|entry| format!("    {entry}")).collect();
        let text = match entries.as_slice() {
            [] => format!("{{\n  \"version\": {VERSION},\n  \"findings\": []\n}}\n"),
            _ => format!(
                "{{\n  \"version\": {VERSION},\n  \"findings\": [\n{}\n  ]\n}}\n",
                entries.join(",\n")
            ),
        };
        files::replace(path, &[text.as_bytes()])
    }

    /// Returns how many findings are accepted.
    pub(crate) fn len(&self) -> usize {
        self.accepted.values().sum()
    }

    /// Takes the accepted lines out of the findings, and returns how many there were. What remains in the baseline
    /// afterwards was not found any more.
    pub(crate) fn take_from(&mut self, findings: &mut Vec<Finding>) -> usize {
        let mut taken = 0;
        findings.retain_mut(|finding| {
            if finding.lines.is_empty() {
                let is_accepted = self.take(finding, None);
                taken += usize::from(is_accepted);
                return !is_accepted;
            }
            let lines = std::mem::take(&mut finding.lines);
            let texts = std::mem::take(&mut finding.texts);
            for (line, text) in lines.into_iter().zip(texts) {
                if self.take(finding, Some(&text)) {
                    taken += 1;
                } else {
                    finding.lines.push(line);
                    finding.texts.push(text);
                }
            }
            !finding.lines.is_empty()
        });
        taken
    }

    fn take(&mut self, finding: &Finding, text: Option<&str>) -> bool {
        let Some(left) = self.accepted.get_mut(&key(finding, text)).filter(|left| **left > 0) else {
            return false;
        };
        *left -= 1;
        true
    }
}

/// Returns the text of each line of a finding; nothing, once, if it is about the whole file.
fn texts(finding: &Finding) -> impl Iterator<Item = Option<&str>> {
    let whole = finding.lines.is_empty().then_some(None);
    finding.texts.iter().map(|text| Some(text.as_str())).chain(whole)
}

fn key(finding: &Finding, text: Option<&str>) -> (String, String, String) {
    (finding.file.clone(), finding.rule.clone(), text.map(hash).unwrap_or_default())
}

/// Indentation may change without the line being another.
fn hash(text: &str) -> String {
    let mut hash = sha256_hex(text.trim().as_bytes());
    hash.truncate(DIGITS);
    hash
}

fn one() -> usize {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_one(count: &usize) -> bool {
    *count == 1
}

//! The border: what of an observation may leave this machine, or why nothing of it may.
//!
//! Every text is cleaned again here, whatever was done when it was stored: patterns may have been added since, and the
//! team has some of its own. What is not named here does not leave.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value};

use crate::model::{
    LeavingRecord, LeavingRow, Observation, ObservationType, RecordKind, beginning, sha256_hex,
};
use crate::redact::{OwnPatterns, SecretKind, redact};

/// Maximum lengths in characters, as the server's tables have them.
const MAX_CONTENT: usize = 8_192;
const MAX_PARTS: usize = 8_192;
const MAX_PATH: usize = 1_024;
const MAX_NAME: usize = 256;
/// Maximum length of a text among the facts; all facts together stay below the server's limit.
const MAX_FACT: usize = 2_000;

/// The facts that leave. Not among them: ids of the agent and its calls, worktrees, rules, hashes.
const FACTS: [&str; 7] = ["branch", "command", "duration_ms", "exit_code", "kind", "programs", "subject"];

/// Why nothing of a row leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Withheld {
    PrivateKey,
    /// It is about a file outside the project.
    Outside,
    /// Without a key it could not be taken back.
    NoKey,
    NoProject,
}

impl Withheld {
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Withheld::PrivateKey => "it had a private key in it",
            Withheld::Outside => "it is about a file outside the project",
            Withheld::NoKey => "it has no key by which it could be taken back",
            Withheld::NoProject => "it belongs to no project",
        }
    }
}

/// What is known about this machine and must not be in a text that leaves it.
pub(crate) struct Border<'b> {
    /// The patterns of the user, of the project and of the team.
    pub(crate) patterns: &'b OwnPatterns,
    /// The user's home folder.
    pub(crate) home: Option<&'b str>,
}

impl Border<'_> {
    /// Returns what leaves of a row; `parts` are the parts of identifiers in a content and a path.
    pub(crate) fn cross(
        &self,
        row: &Observation,
        parts: impl FnOnce(&str, Option<&str>) -> Option<String>,
    ) -> Result<LeavingRecord, Withheld> {
        let root = row.project_root.as_deref().ok_or(Withheld::NoProject)?;
        let key = row.event_key.ok_or(Withheld::NoKey)?;
        if had_private_key(row) {
            return Err(Withheld::PrivateKey);
        }
        let clean = |text: &str, max: usize| self.clean(text, root, max);
        let optional =
            |text: &Option<String>, max: usize| text.as_ref().map(|text| clean(text, max)).transpose();
        let file_path = match &row.file_path {
            Some(path) if is_inside(path) => Some(clean(path, MAX_PATH)?),
            Some(_) if is_about_file(row.obs_type) => return Err(Withheld::Outside),
            _ => None,
        };
        let content = clean(&row.content, MAX_CONTENT)?;
        let mut facts = Map::new();
        for (name, value) in row.metadata.iter().flat_map(|metadata| &metadata.0) {
            if FACTS.contains(&name.as_str()) {
                facts.insert(name.clone(), clean_fact(value, &clean)?);
            }
        }
        let parts = parts(&content, file_path.as_deref());
        Ok(LeavingRecord {
            kind: RecordKind::Observation,
            at: row.timestamp.0,
            event_key: Some(key),
            row: Some(LeavingRow {
                obs_type: row.obs_type.name(),
                session: session_hash(&row.session_id.0),
                program: optional(&row.program, MAX_NAME)?,
                signature: optional(&row.signature, MAX_NAME)?,
                parts: parts.map(|parts| beginning(&parts, MAX_PARTS).to_owned()),
                content,
                file_path,
                facts,
            }),
        })
    }

    /// Cleans one text, in an order in which no step hides what a later one looks for.
    fn clean(&self, text: &str, root: &str, max: usize) -> Result<String, Withheld> {
        let redacted = redact(text, self.patterns);
        if redacted.kinds.iter().any(is_private_key) {
            return Err(Withheld::PrivateKey);
        }
        let text = without_folder(&redacted.text, root, ".");
        let text = self.home.map_or_else(|| text.clone(), |home| without_folder(&text, home, "~"));
        let text = HOMES.replace_all(&text, "$before~");
        let text = without_mail(&text);
        let text = TRAILERS.replace_all(&text, "");
        let text = text.replace('\0', "");
        Ok(beginning(text.trim_end(), max).to_owned())
    }
}

/// Cleans a text that came from a colleague, as an import is: nobody knows what their program left in it.
pub(crate) fn arrived(text: &str, patterns: &OwnPatterns) -> String {
    let clean = redact(text, patterns).text.replace('\0', "");
    beginning(&clean, MAX_CONTENT).to_owned()
}

/// Returns the facts of a colleague's row that have the form in which they leave here; nobody knows what others are.
pub(crate) fn arrived_facts(facts: Map<String, Value>) -> Map<String, Value> {
    let has_form = |name: &str, value: &Value| match name {
        "duration_ms" | "exit_code" => value.is_i64(),
        "programs" => value.as_array().is_some_and(|items| items.iter().all(Value::is_string)),
        name => FACTS.contains(&name) && value.is_string(),
    };
    facts.into_iter().filter(|(name, value)| has_form(name, value)).collect()
}

/// Returns the hash by which rows of one session stay together.
pub(crate) fn session_hash(session: &str) -> [u8; 16] {
    let hex = sha256_hex(session.as_bytes());
    let bits = hex.get(..32).and_then(|half| u128::from_str_radix(half, 16).ok());
    bits.unwrap_or_default().to_be_bytes()
}

fn is_private_key(kind: &SecretKind) -> bool {
    matches!(kind, SecretKind::PrivateKey | SecretKind::AgeKey)
}

/// Returns whether a private key was removed when the row was stored.
fn had_private_key(row: &Observation) -> bool {
    let kinds = row.metadata.as_ref().and_then(|metadata| metadata.0.get("redacted")?.as_array());
    let keys = [SecretKind::PrivateKey, SecretKind::AgeKey];
    let mut names = kinds.into_iter().flatten().filter_map(Value::as_str);
    names.any(|name| keys.iter().any(|key| name.contains(key.name())))
        || keys.iter().any(|key| row.content.contains(&format!("[REDACTED:{}]", key.name())))
}

fn is_inside(path: &str) -> bool {
    let is_drive = path.as_bytes().get(1) == Some(&b':');
    !is_drive && !path.starts_with(['/', '\\', '~']) && !path.split(['/', '\\']).any(|part| part == "..")
}

fn is_about_file(kind: ObservationType) -> bool {
    matches!(kind, ObservationType::FileEdit | ObservationType::FileWrite | ObservationType::FileRead)
}

fn clean_fact(
    value: &Value,
    clean: &impl Fn(&str, usize) -> Result<String, Withheld>,
) -> Result<Value, Withheld> {
    Ok(match value {
        Value::String(text) => Value::String(clean(text, MAX_FACT)?),
        Value::Array(items) => {
            Value::Array(items.iter().take(32).map(|item| clean_fact(item, clean)).collect::<Result<_, _>>()?)
        }
        // No fact that leaves has names of its own.
        Value::Object(_) => Value::Null,
        other => other.clone(),
    })
}

/// Replaces a folder's path, where it is the whole path or its beginning.
fn without_folder(text: &str, folder: &str, instead: &str) -> String {
    let folder = folder.trim_end_matches(['/', '\\']);
    // A root of the disk is in every path, and says nothing.
    if folder.len() < 2 || !text.contains(folder) && !text.contains(&folder.replace(['/', '\\'], "-")) {
        return text.to_owned();
    }
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(folder) {
        let after = &rest[at + folder.len()..];
        let is_whole = !after.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
            || after.starts_with(". ")
            || after == ".";
        result.push_str(&rest[..at]);
        match after.strip_prefix(['/', '\\']).filter(|_| instead == ".") {
            // Paths inside the project are written relative to it.
            Some(inside) if inside.starts_with(is_path_character) => rest = inside,
            _ if is_whole => {
                result.push_str(instead);
                rest = after;
            }
            _ => {
                result.push_str(folder);
                rest = after;
            }
        }
    }
    result.push_str(rest);
    // Some agents name a folder of their own after the path of the project.
    result.replace(&folder.replace(['/', '\\'], "-"), instead)
}

fn is_path_character(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '@' | '+')
}

/// Home folders of others: their names are those of people.
static HOMES: LazyLock<Regex> = LazyLock::new(|| {
    let homes =
        r"(?:/home/|/Users/|/var/home/|[A-Za-z]:[\\/]+Users[\\/]+)[\p{L}\p{N}_][\p{L}\p{N}_.@-]*|/root\b";
    regex(&format!(r"(?P<before>^|[^\p{{L}}\p{{N}}_.~/-])(?:{homes})"))
});

/// An address, or `first.last@` with whatever is left of the rest: a text may have been cut in the middle of one.
static MAIL: LazyLock<Regex> = LazyLock::new(|| {
    let host = r"(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+\p{L}{2,24}";
    let cut = r"\p{L}[\p{L}\p{N}_+-]*(?:\.\p{L}[\p{L}\p{N}_+-]*)+@(?:\p{L}[\p{L}\p{N}.-]*)?";
    regex(&format!(r"[\p{{L}}\p{{N}}_][\p{{L}}\p{{N}}_.%+'-]*@{host}|{cut}"))
});

/// Replaces addresses of mail; `git@host:path` names a user that everybody shares.
fn without_mail(text: &str) -> String {
    MAIL.replace_all(text, |found: &regex::Captures<'_>| {
        let found = &found[0];
        if found.starts_with("git@") { found.to_owned() } else { "<mail>".to_owned() }
    })
    .into_owned()
}

/// What commit messages say about people, to the end of the line or of the quoted text.
static TRAILERS: LazyLock<Regex> = LazyLock::new(|| {
    let names =
        "co-authored|signed-off|reviewed|acked|tested|reported|suggested|helped|requested|approved|committed";
    regex(&format!(r#"(?im)[ \t]*(?:(?:{names})-by|change-id|co-author|on-behalf-of)[ \t]*[:=][^\n"\\]*"#))
});

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is a constant, and a test compiles it")
}

#[cfg(test)]
mod tests;

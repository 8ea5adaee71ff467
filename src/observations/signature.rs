//! The signature of a failure: its most particular lines, without what differs between runs.
//!
//! Two runs that fail for the same cause have signatures that are alike (`recall::likeness`); a failure of which only
//! status lines are known has no signature.

use std::borrow::Cow;
use std::collections::HashSet;

use super::echo::Echoes;
use super::lines::{self, Worth};
use crate::model::beginning;

/// Maximum number of lines of a signature.
const MAX_LINES: usize = 3;
/// Maximum length of a line, in characters.
const MAX_LINE: usize = 160;
/// Maximum number of lines of an output that are judged: half from the beginning, half from the end.
const MAX_JUDGED: usize = 2_000;
/// A line of at least this many characters may be broken because there was no more room.
const WRAPPED: usize = 50;
/// Ordinary lines say what went wrong only in a short output, such as a single usage line.
const SHORT_OUTPUT: usize = 6;

/// What is known from the event and is not the cause: what varies between runs, and the words of the command itself.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Varying<'v> {
    pub(super) branch: Option<&'v str>,
    pub(super) folder: Option<&'v str>,
    /// The redacted command; empty if it is no command.
    pub(super) command: &'v str,
}

/// Returns the signature of an output, whose text is redacted, and how much its best line says.
pub(super) fn signature<'t>(
    output: impl Iterator<Item = &'t str>,
    varying: Varying<'_>,
) -> Option<(Worth, String)> {
    let mut box_of_warning = WarningBox::default();
    let all: Vec<&str> =
        output.filter(|line| !line.trim().is_empty() && !box_of_warning.has(line.trim())).collect();
    let half = MAX_JUDGED / 2;
    let skipped = if all.len() > MAX_JUDGED { half..all.len() - half } else { 0..0 };
    let is_difference = all.iter().any(|line| lines::begins_difference(line));
    let is_rustfmt = all.iter().any(|line| line.starts_with("Diff in "));
    let mut is_first_of_npm = true;
    let echoes = Echoes::of(varying.command);
    let mut judged: Vec<(Worth, usize, Cow<'_, str>)> = Vec::new();
    for (at, line) in all.iter().enumerate().filter(|(at, _)| !skipped.contains(at)) {
        let mut worth = echoes.worth_besides(line, worth(line));
        let is_compared =
            is_difference && line.starts_with(['+', '-']) || is_rustfmt && line.starts_with(' ');
        // The line below a frame is the code at that place.
        let is_code = line.starts_with("    ") && at > 0 && lines::is_python_frame(all[at - 1]);
        if worth == Worth::Nothing || is_compared || is_code {
            continue;
        }
        let by_npm = line.starts_with("npm error ") || line.starts_with("npm ERR! ");
        let is_announced = at > 0 && lines::announces(all[at - 1].trim());
        let is_pointed_at =
            all.get(at + 1).is_some_and(|next| lines::pointed_file(next).is_some()) && !lines::is_mild(line);
        if is_announced || is_pointed_at || by_npm && std::mem::take(&mut is_first_of_npm) {
            worth = Worth::Cause;
        }
        let text = lines::without_prefix(line);
        let text = json_message(text).unwrap_or(text);
        let text = if is_announced { unwrapped(text, &all[at..]) } else { Cow::Borrowed(text) };
        judged.push((worth, at, text));
    }
    let least = if judged.len() <= SHORT_OUTPUT { Worth::Plain } else { Worth::Suspect };
    judged.retain(|(worth, ..)| *worth >= least);
    judged.sort_by_key(|(worth, at, _)| (std::cmp::Reverse(*worth), *at));
    let best = judged.first().map(|(worth, ..)| *worth)?;
    let mut seen = HashSet::new();
    let mut chosen = Vec::new();
    for (worth, at, line) in judged {
        // Beside a line that names the cause, an ordinary one adds words without adding knowledge.
        if worth == Worth::Plain && best > Worth::Plain || chosen.len() == MAX_LINES {
            break;
        }
        let place =
            all.get(at + 1).filter(|_| !line.starts_with("error")).and_then(|next| lines::pointed_file(next));
        let masked = match place {
            Some(file) => format!("{}: {}", base(file), masked(&line, varying)),
            None => masked(&line, varying),
        };
        let has_word = masked.contains(char::is_alphabetic);
        // The same message about another thing adds nothing: `no matches found: a`, `no matches found: b`.
        let is_message = |text: &&str| text.split_whitespace().nth(2).is_some();
        let message = masked.rsplit_once(": ").map(|(message, _)| message).filter(is_message);
        let message = message.unwrap_or(&masked).to_owned();
        if has_word && seen.insert(message) {
            chosen.push((at, masked));
        }
    }
    chosen.sort_unstable();
    let text: Vec<String> = chosen.into_iter().map(|(_, line)| line).collect();
    (!text.is_empty()).then(|| (best, text.join("\n")))
}

/// Returns what an answer in JSON says in words: `{"errors":[{"type":"NOT_FOUND","message":"Could not resolve …"}]}`.
fn json_message(line: &str) -> Option<&str> {
    // `gh` writes its own message right behind the answer, without a new line.
    let (_, message) = line.split_once("\"message\":").filter(|_| line.starts_with('{'))?;
    let message = message.trim_start().strip_prefix('"')?;
    // A quotation mark behind a backslash is part of the message.
    let end = message.match_indices('"').map(|(at, _)| at).find(|at| !message[..*at].ends_with('\\'))?;
    Some(&message[..end]).filter(|message| message.split_whitespace().nth(2).is_some())
}

/// The boxes in which Terraform draws warnings, which are not what went wrong.
#[derive(Default)]
struct WarningBox {
    is_open: bool,
}

impl WarningBox {
    /// Returns whether the next line of an output is part of such a box.
    fn has(&mut self, line: &str) -> bool {
        self.is_open |= line.starts_with("│ Warning: ");
        let is_part = self.is_open;
        self.is_open &= line.starts_with('│');
        is_part
    }
}

/// Joins a message that was broken into lines of the same indentation, as CMake writes it; `lines` begin with it.
fn unwrapped<'t>(text: &'t str, lines: &[&str]) -> Cow<'t, str> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let Some((first, more)) = lines.split_first() else { return Cow::Borrowed(text) };
    let continues = |line: &&&str| indent(line) == indent(first) && !line.trim_end().ends_with(':');
    if indent(first) == 0 || first.len() < WRAPPED {
        return Cow::Borrowed(text);
    }
    let more = more.iter().take_while(continues).map(|line| line.trim());
    Cow::Owned([text].into_iter().chain(more).collect::<Vec<_>>().join(" "))
}

/// Returns how much a line says, with and without what a runner writes before it.
pub(super) fn worth(line: &str) -> Worth {
    let (whole, bare) = (lines::worth(line), lines::without_prefix(line));
    // Most lines have no prefix.
    if whole == Worth::Nothing || bare.len() == line.trim().len() {
        return whole;
    }
    match lines::worth(bare) {
        Worth::Nothing => Worth::Nothing,
        // A mark such as `ERROR: ` is a prefix, and says something.
        bare => whole.max(bare),
    }
}

/// Removes everything from a redacted line that differs between runs.
pub(super) fn masked(line: &str, varying: Varying<'_>) -> String {
    let line = beginning(line, MAX_LINE * 2);
    let line = lines::message_behind_place(line).filter(|message| message.contains(' ')).map_or_else(
        || line.to_owned(),
        |message| {
            let file = line.split([':', '(']).next().unwrap_or_default();
            format!("{}: {message}", base(file))
        },
    );
    let mut text = String::new();
    for word in line.split_whitespace() {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&masked_word(word, varying));
    }
    beginning(&text, MAX_LINE).trim().to_owned()
}

fn masked_word(word: &str, varying: Varying<'_>) -> String {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    if [varying.branch, varying.folder].into_iter().flatten().any(|name| name == bare && name.len() > 3) {
        return word.replace(bare, "#");
    }
    // A glob that matches nothing is another one each time; `**` alone is a mark.
    if word.contains('*')
        && !word.contains("@*")
        && word.contains(|c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '-'))
    {
        return "#".to_owned();
    }
    // A path keeps its last part, an address its host.
    let word = match word.find("://") {
        Some(at) if word[..at].ends_with("file") => base(word),
        Some(at) => {
            let place = word[at + 3..].split(['/', '?']).next().unwrap_or_default();
            place.rsplit('@').next().unwrap_or_default()
        }
        None if is_path(word) => base(word),
        None => word,
    };
    let mut result = String::with_capacity(word.len());
    for piece in word.split_inclusive(|c: char| !c.is_alphanumeric()) {
        let (text, end) = match piece.char_indices().last() {
            Some((at, c)) if !c.is_alphanumeric() => piece.split_at(at),
            _ => (piece, ""),
        };
        if text.is_empty() || !text.contains(|c: char| c.is_ascii_digit()) || is_code(text) || is_name(text) {
            result.push_str(text);
        } else if is_hash(text) {
            result.push('#');
        } else {
            // `attr12345678` and `gemini123456` keep their words.
            let mut in_number = false;
            for c in text.chars() {
                if !c.is_ascii_digit() {
                    result.push(c);
                } else if !in_number {
                    result.push('#');
                }
                in_number = c.is_ascii_digit();
            }
        }
        result.push_str(end);
    }
    result
}

/// Tells a path from words such as `MD040/fenced-code-language`.
fn is_path(word: &str) -> bool {
    let start = word.trim_start_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '/' | '.' | '~'));
    let last = word.rsplit('/').next().unwrap_or_default();
    // `@scope/name` is a package.
    let is_package = word.trim_start_matches(['"', '\'', '`']).starts_with('@');
    word.contains('/')
        && !is_package
        && (start.starts_with(['/', '.', '~'])
            || word.matches('/').count() > 1
            || last.trim_end_matches(':').contains('.'))
}

/// Returns the last part of a path.
fn base(path: &str) -> &str {
    let trimmed = path.trim_end_matches(|c: char| !c.is_alphanumeric());
    let start = trimmed.rfind(['/', '\\']).map_or(0, |at| at + 1);
    &path[start..]
}

/// Recognises error codes, which are the most particular words of all: `E0308`, `TS2352`, `MD040`, `CS1002`, `SC2086`.
pub(super) fn is_code(text: &str) -> bool {
    let letters = text.chars().take_while(char::is_ascii_uppercase).count();
    let digits = text.len() - letters;
    (1..=6).contains(&letters)
        && (2..=5).contains(&digits)
        && text[letters..].chars().all(|c| c.is_ascii_digit())
}

/// Recognises names with a few digits, which do not vary: `1Password`, `base64`, `sha256sum`.
fn is_name(text: &str) -> bool {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    digits <= 3 && text.chars().count() >= digits + 4
}

fn is_hash(text: &str) -> bool {
    text.len() >= 7 && text.chars().all(|c| c.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests;

//! Finds the tags in a prompt: `[plan]`, `[m]` and their like, where the user means them.
//!
//! What is quoted is not meant: code, pasted lines that begin with `>`, boxes of a checklist, links, and the header of
//! a section in a configuration file. A header that is pasted alone cannot be told from a tag.

/// What a tag asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Tag {
    Plan {
        auto: bool,
    },
    Run,
    Sync,
    Decide,
    Remember,
    Tidy,
    /// The name is that of the rule's file.
    Rule(Option<String>),
}

/// A tag in a prompt, with the text behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tagged<'p> {
    pub(crate) tag: Tag,
    pub(crate) payload: &'p str,
}

/// A tag is no longer than this, brackets included.
const LONGEST: usize = 64;

/// Returns the tags in their order, each once; the text of one goes on until the next.
pub(crate) fn recognise(prompt: &str) -> Vec<Tagged<'_>> {
    if !prompt.contains('[') {
        return Vec::new();
    }
    let found = find(prompt);
    let ends: Vec<usize> = found.iter().skip(1).map(|(start, ..)| *start).chain([prompt.len()]).collect();
    let mut tagged: Vec<Tagged<'_>> = Vec::new();
    for ((_, behind, tag), end) in found.into_iter().zip(ends) {
        let payload = prompt[behind..end].trim();
        match tagged.iter_mut().find(|one| one.tag == tag) {
            // The first that says something is the one that is meant.
            Some(known) if known.payload.is_empty() => known.payload = payload,
            Some(_) => {}
            None => tagged.push(Tagged { tag, payload }),
        }
    }
    tagged
}

/// Returns where each tag starts, where it ends, and what it is.
fn find(prompt: &str) -> Vec<(usize, usize, Tag)> {
    let mut found = Vec::new();
    let mut fence: Option<&str> = None;
    let mut at = 0;
    for line in prompt.split_inclusive('\n') {
        let start = at;
        at += line.len();
        match (fence, fence_mark(line)) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if mark.starts_with(open) && line.trim() == mark => fence = None,
            (Some(_), _) => {}
            (None, None) if is_quoted(line) => {}
            (None, None) => {
                for (offset, length, tag) in in_line(line) {
                    let alone = line.trim().len() == length;
                    if !(alone && is_setting(&prompt[at..])) {
                        found.push((start + offset, start + offset + length, tag));
                    }
                }
            }
        }
    }
    found
}

/// Returns the mark of a line that opens or closes a block of code.
fn fence_mark(line: &str) -> Option<&str> {
    let text = line.trim_start();
    let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = text.len() - text.trim_start_matches(mark).len();
    (length >= 3 && !is_indented(line)).then(|| &text[..length])
}

fn is_indented(line: &str) -> bool {
    line.starts_with("    ") || line.starts_with('\t')
}

fn is_quoted(line: &str) -> bool {
    is_indented(line) || line.trim_start().starts_with('>')
}

/// Says whether a text begins with a setting: then the line above was the header of its section.
fn is_setting(text: &str) -> bool {
    let Some(line) = text.lines().find(|line| !line.trim().is_empty()) else { return false };
    let Some((key, value)) = line.split_once('=') else { return false };
    let is_key = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '"');
    !key.trim().is_empty() && key.trim().chars().all(is_key) && !value.starts_with('=')
}

/// Returns the tags of one line: where each starts, how long it is, and what it is.
fn in_line(line: &str) -> Vec<(usize, usize, Tag)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = line[at..].find(['`', '[']) {
        at += next;
        if line[at..].starts_with('`') {
            at += code_length(&line[at..]);
            continue;
        }
        let tag = tag_at(&line[at..])
            .filter(|(length, _)| stands_alone(&line[..at]) && !is_link(&line[at + length..]));
        match tag {
            Some((length, tag)) => {
                found.push((at, length, tag));
                at += length;
            }
            None => at += 1,
        }
    }
    found
}

/// Returns how long the code is that begins here; a mark that nothing closes is only itself.
fn code_length(text: &str) -> usize {
    let mark = text.len() - text.trim_start_matches('`').len();
    let mut at = mark;
    while let Some(next) = text[at..].find('`') {
        at += next;
        let length = text[at..].len() - text[at..].trim_start_matches('`').len();
        at += length;
        if length == mark {
            return at;
        }
    }
    mark
}

/// Says whether a tag may follow: it begins the line or a word, and is no box of a list.
fn stands_alone(before: &str) -> bool {
    let marker = before.trim();
    let is_number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    let is_list = matches!(marker, "-" | "*" | "+") || marker.strip_suffix(['.', ')']).is_some_and(is_number);
    !is_list && (before.is_empty() || before.ends_with(char::is_whitespace))
}

/// Says whether what follows makes a link or an index of the brackets.
fn is_link(after: &str) -> bool {
    let target = after.strip_prefix(':').map(str::trim_start);
    after.starts_with(['(', '[', '=', ']'])
        || target.is_some_and(|target| target.contains("://") || target.starts_with(['/', '<', '#', '.']))
}

fn tag_at(text: &str) -> Option<(usize, Tag)> {
    let length = text.bytes().take(LONGEST).position(|byte| byte == b']')? + 1;
    let tag = match &text[1..length - 1] {
        "plan" => Tag::Plan { auto: false },
        "plan:auto" => Tag::Plan { auto: true },
        "run" => Tag::Run,
        "sync" => Tag::Sync,
        "d" => Tag::Decide,
        "m" => Tag::Remember,
        "m:gc" => Tag::Tidy,
        "rule" => Tag::Rule(None),
        other => Tag::Rule(Some(other.strip_prefix("rule:").and_then(rule_name)?)),
    };
    Some((length, tag))
}

/// Returns the name as a file can have it; what could lead elsewhere is no name.
fn rule_name(name: &str) -> Option<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let is_name = name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(plain);
    is_name.then(|| name.to_ascii_lowercase().replace('_', "-"))
}

impl Tag {
    /// Returns the id of the tag in the vocabulary.
    pub(super) fn id(&self) -> &'static str {
        match self {
            Tag::Plan { .. } => "plan",
            Tag::Run => "run",
            Tag::Sync => "sync",
            Tag::Decide => "d",
            Tag::Remember => "m",
            Tag::Tidy => "m-gc",
            Tag::Rule(_) => "rule",
        }
    }
}

#[cfg(test)]
mod tests;

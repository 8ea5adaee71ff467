//! Finds the tags in a prompt: `[plan]`, `[m]` and their like, where the user means them.
//!
//! What is quoted is not meant: code, comments, pasted lines that begin with `>`, tables, boxes of a checklist, links,
//! and the header of a section in a configuration file. A header that is pasted alone cannot be told from a tag.

mod section;

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
    let (mut at, mut quoted_until) = (0, 0);
    // Behind the last end no comment is looked for: each would be sought through the whole prompt.
    let comments_until = prompt.rfind(COMMENT_END).unwrap_or(0);
    for line in prompt.split_inclusive('\n') {
        let start = at;
        at += line.len();
        match (fence, fence_mark(line)) {
            _ if quoted_until >= at => {}
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if mark.starts_with(open) && line.trim() == mark => fence = None,
            (Some(_), _) => {}
            (None, None) if is_quoted(line) => {}
            (None, None) => {
                let from = quoted_until.saturating_sub(start);
                let (tags, end) =
                    in_line(&prompt[start..], line.len(), from, comments_until.saturating_sub(start));
                quoted_until = start + end;
                for (offset, length, tag) in tags {
                    let alone = line.trim().len() == length;
                    if !(alone && section::goes_on(&prompt[at..])) {
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
    is_indented(line) || line.trim_start().starts_with(['>', '|'])
}

/// Returns the tags of the first line of a text, of which so much is quoted: where each starts, how long it is, and
/// what it is; and where the line ends, or what is quoted in it and goes on.
fn in_line(
    text: &str,
    line: usize,
    quoted: usize,
    comments_until: usize,
) -> (Vec<(usize, usize, Tag)>, usize) {
    let mut found: Vec<(usize, usize, Tag)> = Vec::new();
    let mut at = quoted;
    while let Some(next) = text[..line].get(at..).and_then(|rest| rest.find(['`', '[', '<'])) {
        at += next;
        let rest = &text[at..];
        if rest.starts_with('`') {
            let closed = code_length(&rest[..line - at]).or_else(|| code_length(paragraph(rest)));
            at += closed.unwrap_or_else(|| mark_length(rest));
            continue;
        }
        if at < comments_until && rest.starts_with("<!--") {
            at += rest.find(COMMENT_END).map_or(1, |end| end + COMMENT_END.len());
            continue;
        }
        // What follows on the line is what such a tag is about.
        let is_payload = found.last().is_some_and(|(_, _, tag)| tag.takes_line());
        let tag = tag_at(&rest[..line - at]).filter(|(length, _)| {
            !is_payload && stands_alone(&text[..at]) && !is_link(&text[at + length..line])
        });
        match tag {
            Some((length, tag)) => {
                found.push((at, length, tag));
                at += length;
            }
            None => at += 1,
        }
    }
    (found, at)
}

const COMMENT_END: &str = "-->";

/// Returns the text up to where its paragraph ends: before an empty line, or a block of code.
fn paragraph(text: &str) -> &str {
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().map_or(0, str::len);
    let rest = lines.take_while(|line| !line.trim().is_empty() && fence_mark(line).is_none());
    &text[..first + rest.map(str::len).sum::<usize>()]
}

fn mark_length(text: &str) -> usize {
    text.len() - text.trim_start_matches('`').len()
}

/// Returns how long the code is that begins here; nothing where its mark is never closed.
fn code_length(text: &str) -> Option<usize> {
    let mark = mark_length(text);
    let mut at = mark;
    while let Some(next) = text[at..].find('`') {
        at += next;
        let length = mark_length(&text[at..]);
        at += length;
        if length == mark {
            return Some(at);
        }
    }
    None
}

/// Says whether a tag may follow: it begins the line or a word, and is no box of a list.
fn stands_alone(before: &str) -> bool {
    let marker = before.trim();
    let is_number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    let is_list = matches!(marker, "-" | "*" | "+") || marker.strip_suffix(['.', ')']).is_some_and(is_number);
    // A bar begins a cell of a table.
    !is_list && !marker.ends_with('|') && (before.is_empty() || before.ends_with(char::is_whitespace))
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
    /// Says whether the rest of its line is what it is about; other tags there are not meant.
    fn takes_line(&self) -> bool {
        matches!(self, Tag::Decide | Tag::Remember | Tag::Tidy | Tag::Rule(_))
    }

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

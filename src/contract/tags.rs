//! Finds tags such as `[plan]` and `[m]` in a prompt, where the user means them as tags.
//!
//! Quoted text has no tags: code, comments, pasted lines that begin with `>`, tables, checkboxes, links, and section
//! headers of a configuration file. A header that is pasted alone cannot be distinguished from a tag.

mod section;

use crate::model::ModeName;

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

/// A tag in a prompt, with the text after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tagged<'p> {
    pub(crate) tag: Tag,
    pub(crate) payload: &'p str,
}

/// Maximum length of a tag, including brackets.
const MAX_LENGTH: usize = 64;

/// Returns the tags in order, each once; the text of a tag ends at the next one.
pub(crate) fn recognise(prompt: &str) -> Vec<Tagged<'_>> {
    if let Some(called) = skill_call(prompt) {
        return vec![called];
    }
    if !prompt.contains('[') {
        return Vec::new();
    }
    let found = find(prompt);
    let ends: Vec<usize> = found.iter().skip(1).map(|(start, ..)| *start).chain([prompt.len()]).collect();
    let mut tagged: Vec<Tagged<'_>> = Vec::new();
    for ((_, after, tag), end) in found.into_iter().zip(ends) {
        let payload = prompt[after..end].trim();
        match tagged.iter_mut().find(|one| one.tag == tag) {
            // The first tag with a text wins.
            Some(known) if known.payload.is_empty() => known.payload = payload,
            Some(_) => {}
            None => tagged.push(Tagged { tag, payload }),
        }
    }
    tagged
}

/// Returns the tag of a skill that the user calls by its name, as in `/nx-plan` or `$nx-run`; a plugin or a server may be
/// named before it.
fn skill_call(prompt: &str) -> Option<Tagged<'_>> {
    let called = called_skill(prompt)?;
    let payload =
        prompt.trim_start().split_once(char::is_whitespace).map_or("", |(_, payload)| payload.trim());
    let tag = match called.skill {
        "nx-plan" => Tag::Plan { auto: payload == "auto" || payload.starts_with("auto ") },
        "nx-run" => Tag::Run,
        "nx-sync" => Tag::Sync,
        _ => return None,
    };
    Some(Tagged { tag, payload })
}

/// A skill that the user calls by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CalledSkill<'p> {
    pub(crate) skill: &'p str,
    /// A plugin or a server is named before it.
    pub(crate) is_qualified: bool,
}

/// Returns the skill that the prompt calls by its name.
pub(crate) fn called_skill(prompt: &str) -> Option<CalledSkill<'_>> {
    let called = prompt.trim_start().strip_prefix(['/', '$'])?;
    let whole = called.split(char::is_whitespace).next()?;
    let skill = whole.rsplit(':').next()?.rsplit("__").next()?;
    skill.starts_with("nx-").then_some(CalledSkill { skill, is_qualified: skill.len() < whole.len() })
}

/// Returns a text whose tags mean nothing: they are quoted.
pub(super) fn quoted(text: &str) -> String {
    let mut shown = text.to_owned();
    for (start, end, _) in find(text).into_iter().rev() {
        shown.insert(end, '`');
        shown.insert(start, '`');
    }
    shown
}

/// Returns the start, the end and the kind of each tag.
fn find(prompt: &str) -> Vec<(usize, usize, Tag)> {
    let mut found = Vec::new();
    let mut fence: Option<&str> = None;
    let (mut at, mut quoted_until) = (0, 0);
    // After the last end no comment is searched: each search would scan the whole prompt.
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
                    tags_in_line(&prompt[start..], line.len(), from, comments_until.saturating_sub(start));
                quoted_until = start + end;
                for (offset, length, tag) in tags {
                    let alone = line.trim().len() == length;
                    if !(alone && section::continues_section(&prompt[at..])) {
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

/// Returns the tags in the first line of a text, each with its start and length, and the end of the scanned text: the
/// end of the line, or of a quotation that begins in the line. The first `quoted` bytes are skipped.
fn tags_in_line(
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
        // For such a tag, the rest of the line is its text.
        let is_payload = found.last().is_some_and(|(_, _, tag)| tag.takes_line());
        let tag = parse_tag(&rest[..line - at]).filter(|(length, _)| {
            !is_payload && may_precede_tag(&text[..at]) && !is_link(&text[at + length..line])
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

/// Returns the text up to the end of its paragraph: before an empty line or a block of code.
fn paragraph(text: &str) -> &str {
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().map_or(0, str::len);
    let rest = lines.take_while(|line| !line.trim().is_empty() && fence_mark(line).is_none());
    &text[..first + rest.map(str::len).sum::<usize>()]
}

fn mark_length(text: &str) -> usize {
    text.len() - text.trim_start_matches('`').len()
}

/// Returns the length of the code that begins here; `None` if it is never closed.
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

/// Returns whether a tag may follow: at the beginning of a line or a word, and not as a checkbox of a list.
fn may_precede_tag(before: &str) -> bool {
    let marker = before.trim();
    let is_number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    let is_list = matches!(marker, "-" | "*" | "+") || marker.strip_suffix(['.', ')']).is_some_and(is_number);
    // A `|` begins a cell of a table.
    !is_list && !marker.ends_with('|') && (before.is_empty() || before.ends_with(char::is_whitespace))
}

/// Returns whether the brackets are a link or an index, judged by what follows.
fn is_link(after: &str) -> bool {
    let target = after.strip_prefix(':').map(str::trim_start);
    after.starts_with(['(', '[', '=', ']'])
        || target.is_some_and(|target| target.contains("://") || target.starts_with(['/', '<', '#', '.']))
}

fn parse_tag(text: &str) -> Option<(usize, Tag)> {
    let length = text.bytes().take(MAX_LENGTH).position(|byte| byte == b']')? + 1;
    // People write a tag at the beginning of a sentence.
    let tag = match text[1..length - 1].to_ascii_lowercase().as_str() {
        "plan" => Tag::Plan { auto: false },
        "plan:auto" => Tag::Plan { auto: true },
        "run" => Tag::Run,
        "sync" => Tag::Sync,
        "d" => Tag::Decide,
        "m" => Tag::Remember,
        "m:gc" => Tag::Tidy,
        "rule" => Tag::Rule(None),
        other => Tag::Rule(Some(other.strip_prefix("rule:").and_then(parse_rule_name)?)),
    };
    Some((length, tag))
}

/// Parses the name of a rule into a valid file name; refuses anything that could lead to another folder.
fn parse_rule_name(name: &str) -> Option<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let is_name = name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(plain);
    is_name.then(|| name.to_ascii_lowercase().replace('_', "-"))
}

impl Tagged<'_> {
    /// Returns the tag as it is written.
    pub(crate) fn form(&self) -> String {
        self.tag.form()
    }
}

impl Tag {
    /// Returns the tag that starts a mode.
    pub(crate) fn of_mode(mode: ModeName, auto: bool) -> Tag {
        match mode {
            ModeName::Plan => Tag::Plan { auto },
            ModeName::Run => Tag::Run,
            ModeName::Sync => Tag::Sync,
        }
    }

    /// Returns whether the agent starts other agents because of it.
    pub(crate) fn hands_out_work(&self) -> bool {
        matches!(self, Tag::Run | Tag::Plan { .. })
    }

    /// Returns the tag as it is written.
    pub(super) fn form(&self) -> String {
        match self {
            Tag::Plan { auto: true } => "[plan:auto]".to_owned(),
            Tag::Tidy => "[m:gc]".to_owned(),
            Tag::Rule(Some(name)) => format!("[rule:{name}]"),
            tag => format!("[{}]", tag.id()),
        }
    }

    /// Returns whether the rest of its line is its text; other tags in it do not count.
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

//! Characters that a person does not see but a terminal or a model still reads: control characters, direction marks,
//! and invisible characters. They are shown as `\u{…}` in everything that goes to an agent or to a terminal.
//!
//! Emoji stay unchanged: a joiner or a selector that is part of one is not hidden text. So do the joiners of Arabic and
//! Indic scripts.

use std::borrow::Cow;
use std::ops::RangeInclusive;

/// Invisible code points: `Default_Ignorable_Code_Point` of Unicode 16 (DerivedCoreProperties.txt), and the invisible
/// ones of the category `Cf` (format). Visible signs of `Cf`, such as U+06DD, are not in the list. U+2028 and U+2029
/// end a line where they are supported. The blank of Braille (U+2800) and the object replacement character (U+FFFC) are
/// drawn as nothing; noncharacters have no shape by definition ([`is_noncharacter`]).
const HIDDEN: [RangeInclusive<char>; 25] = [
    '\u{ad}'..='\u{ad}',
    '\u{34f}'..='\u{34f}',
    '\u{61c}'..='\u{61c}',
    '\u{70f}'..='\u{70f}',
    '\u{115f}'..='\u{1160}',
    '\u{17b4}'..='\u{17b5}',
    '\u{180b}'..='\u{180f}',
    '\u{200b}'..='\u{200f}',
    '\u{2028}'..='\u{202e}',
    '\u{2060}'..='\u{206f}',
    '\u{2800}'..='\u{2800}',
    '\u{3164}'..='\u{3164}',
    '\u{fdd0}'..='\u{fdef}',
    '\u{fe00}'..='\u{fe0f}',
    '\u{feff}'..='\u{feff}',
    '\u{ffa0}'..='\u{ffa0}',
    '\u{fff0}'..='\u{fffc}',
    '\u{13430}'..='\u{1343f}',
    '\u{16fe4}'..='\u{16fe4}',
    '\u{1bca0}'..='\u{1bca3}',
    '\u{1d159}'..='\u{1d159}',
    '\u{1d173}'..='\u{1d17a}',
    '\u{e0000}'..='\u{e007f}',
    '\u{e0080}'..='\u{e00ff}',
    '\u{e0100}'..='\u{e0fff}',
];

/// The blocks of emoji (`Extended_Pictographic`), and a few signs in Latin-1 and among letters.
const PICTURES: [RangeInclusive<char>; 15] = [
    '\u{a9}'..='\u{a9}',
    '\u{ae}'..='\u{ae}',
    '\u{203c}'..='\u{203c}',
    '\u{2049}'..='\u{2049}',
    '\u{2122}'..='\u{2139}',
    '\u{2190}'..='\u{21ff}',
    '\u{2300}'..='\u{23ff}',
    '\u{24c2}'..='\u{27bf}',
    '\u{2900}'..='\u{297f}',
    '\u{2b00}'..='\u{2bff}',
    '\u{3030}'..='\u{3030}',
    '\u{303d}'..='\u{303d}',
    '\u{3297}'..='\u{3297}',
    '\u{3299}'..='\u{3299}',
    '\u{1f000}'..='\u{1faff}',
];

/// Scripts that use U+200C and U+200D between two letters (UAX #31, section 2.3): Arabic, Syriac, and the
/// scripts of India, Sri Lanka, Tibet, Burma, Cambodia and Mongolia.
const JOINING: [RangeInclusive<char>; 6] = [
    '\u{600}'..='\u{7ff}',
    '\u{840}'..='\u{dff}',
    '\u{f00}'..='\u{109f}',
    '\u{1780}'..='\u{18af}',
    '\u{a840}'..='\u{abff}',
    '\u{fb50}'..='\u{fdff}',
];

/// The flags that are spelled with tags: England, Scotland and Wales.
const TAGGED_FLAGS: [&str; 3] = ["gbeng", "gbsct", "gbwls"];

const ZERO_WIDTH_NON_JOINER: char = '\u{200c}';
const ZERO_WIDTH_JOINER: char = '\u{200d}';
const TEXT_STYLE: char = '\u{fe0e}';
const EMOJI_STYLE: char = '\u{fe0f}';
const KEYCAP: char = '\u{20e3}';
const BLACK_FLAG: char = '\u{1f3f4}';
const TAG_END: char = '\u{e007f}';

/// Makes hidden characters visible in a text of several lines; only line ends and tabs stay.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    rewritten(text, |c, shown| shown.extend(c.escape_unicode()))
}

/// Does the same, but drops control characters, as a terminal would show nothing for them either.
pub(crate) fn without_controls(text: &str) -> Cow<'_, str> {
    rewritten(text, |c, shown| {
        if !c.is_control() {
            shown.extend(c.escape_unicode());
        }
    })
}

/// Returns the text as one line without anything that can be read as markup; `a < b` and redirections stay.
pub(crate) fn plain(text: &str) -> String {
    // A line break in the middle of a tag must not hide it.
    let line = without_controls(text).replace('\n', "").replace('\t', " ");
    let mut is_open = false;
    let mut shown = String::with_capacity(line.len());
    for (at, c) in line.char_indices() {
        shown.push(match c {
            '<' if begins_tag(&line[..at], &line[at + 1..]) => {
                is_open = true;
                '‹'
            }
            '>' if is_open => {
                is_open = false;
                '›'
            }
            c => c,
        });
    }
    shown
}

/// Returns whether a `<` between these texts begins a tag, or could with what is written behind it.
fn begins_tag(before: &str, rest: &str) -> bool {
    let name = rest.trim_start_matches('/');
    let Some(first) = name.chars().next() else { return true };
    if matches!(first, '!' | '?') || is_system(name) {
        return true;
    }
    let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.');
    let (word, after) = name.split_at(name.find(|c| !is_of_name(c)).unwrap_or(name.len()));
    let closes = after.starts_with('>') || after.starts_with("/>");
    // A word with a dot may be a file that a command reads.
    let ends = closes || !word.contains('.') && (after.is_empty() || after.starts_with(' '));
    // `<<EOF` begins a here-document.
    let is_document = before.ends_with('<') && !rest.starts_with('/') && !after.starts_with(['/', '>']);
    first.is_alphabetic() && ends && !is_document
}

fn is_system(name: &str) -> bool {
    name.get(..6).is_some_and(|name| name.eq_ignore_ascii_case("system"))
}

/// Prevents a text from a repository from closing the frame that an agent puts around it, such as `</system-reminder>`,
/// or from opening one in the name of the system.
pub(crate) fn without_frame_ends(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        kept.push_str(before);
        let name = tag[1..].trim_start_matches('/');
        let closes = name.len() + 1 < tag.len() && name.starts_with(|c: char| c.is_ascii_alphabetic());
        kept.push(if closes || is_system(name) { '‹' } else { '<' });
        rest = &tag[1..];
    }
    kept.push_str(rest);
    kept
}

/// Returns whether the character at a position is hidden, and not part of an emoji or of a word.
pub(crate) fn is_hidden_at(text: &[char], at: usize) -> bool {
    let Some(&c) = text.get(at) else { return false };
    (c.is_control() || is_hidden(c)) && !is_part_of_text(text, at, c)
}

fn rewritten(text: &str, show: impl Fn(char, &mut String)) -> Cow<'_, str> {
    let is_plain = |byte: u8| (b' '..=b'~').contains(&byte) || matches!(byte, b'\n' | b'\t');
    if text.bytes().all(is_plain)
        || !text.chars().any(|c| c.is_control() && c != '\n' && c != '\t' || is_hidden(c))
    {
        return Cow::Borrowed(text);
    }
    let characters: Vec<char> = text.chars().collect();
    let mut shown = String::with_capacity(text.len());
    for (at, c) in characters.iter().enumerate() {
        match c {
            '\n' | '\t' => shown.push(*c),
            '\r' if characters.get(at + 1) == Some(&'\n') => {}
            c if is_hidden_at(&characters, at) => show(*c, &mut shown),
            c => shown.push(*c),
        }
    }
    Cow::Owned(shown)
}

fn is_hidden(c: char) -> bool {
    // Most characters are below the first hidden one.
    c >= '\u{ad}' && (is_in(c, &HIDDEN) || is_noncharacter(c))
}

/// Returns whether a code point is one of the last two of its plane, which are reserved forever.
fn is_noncharacter(c: char) -> bool {
    u32::from(c) & 0xfffe == 0xfffe
}

/// Returns whether a hidden character is part of a word's spelling or of an emoji.
fn is_part_of_text(text: &[char], at: usize, c: char) -> bool {
    let before = at.checked_sub(1).map(|at| text[at]);
    let after = text.get(at + 1).copied();
    let is_picture = |c: Option<char>| c.is_some_and(|c| is_in(c, &PICTURES) && !is_hidden(c));
    let is_joined = |c: Option<char>| c.is_some_and(|c| is_in(c, &JOINING) && !is_hidden(c));
    match c {
        EMOJI_STYLE | TEXT_STYLE => {
            is_picture(before) || (before.is_some_and(is_key) && after == Some(KEYCAP))
        }
        ZERO_WIDTH_JOINER if is_joined(before) => is_joined(after),
        ZERO_WIDTH_JOINER => {
            let styled = before == Some(EMOJI_STYLE) && at >= 2 && is_picture(Some(text[at - 2]));
            (is_picture(before) || styled) && is_picture(after)
        }
        ZERO_WIDTH_NON_JOINER => is_joined(before) && is_joined(after),
        '\u{e0020}'..=TAG_END => is_in_flag(text, at),
        _ => false,
    }
}

/// Returns whether a tag is part of one of the flags that are spelled with tags.
fn is_in_flag(text: &[char], at: usize) -> bool {
    let is_tag = |c: &char| ('\u{e0020}'..TAG_END).contains(c);
    let start = (0..at).rev().find(|at| !is_tag(&text[*at]));
    let Some(start) = start.filter(|start| text[*start] == BLACK_FLAG) else { return false };
    let tags = &text[start + 1..];
    let count = tags.iter().take_while(|c| is_tag(c)).count();
    let name: String =
        tags[..count].iter().filter_map(|c| char::from_u32(u32::from(*c) - 0xE_0000)).collect();
    tags.get(count) == Some(&TAG_END) && TAGGED_FLAGS.contains(&name.as_str())
}

fn is_key(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, '#' | '*')
}

fn is_in(c: char, ranges: &[RangeInclusive<char>]) -> bool {
    ranges.iter().any(|range| range.contains(&c))
}

#[cfg(test)]
mod tests;

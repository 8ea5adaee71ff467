//! The window that lists must fit: how wide it is, how wide a text is in it, and how a line is cut.

use std::ops::RangeInclusive;

/// The width of a terminal that does not say its own.
const USUAL_WIDTH: usize = 80;

/// Characters that take two columns: the blocks of East Asian scripts and of emoji (EastAsianWidth.txt, `W` and `F`).
const WIDE: [RangeInclusive<char>; 13] = [
    '\u{1100}'..='\u{115f}',
    '\u{2e80}'..='\u{303e}',
    '\u{3041}'..='\u{33ff}',
    '\u{3400}'..='\u{4dbf}',
    '\u{4e00}'..='\u{a4cf}',
    '\u{ac00}'..='\u{d7a3}',
    '\u{f900}'..='\u{faff}',
    '\u{fe30}'..='\u{fe6f}',
    '\u{ff00}'..='\u{ff60}',
    '\u{ffe0}'..='\u{ffe6}',
    '\u{1f300}'..='\u{1f64f}',
    '\u{1f680}'..='\u{1faff}',
    '\u{20000}'..='\u{3fffd}',
];

/// Characters that are drawn on the one before: accents, joiners and selectors.
const NARROW: [RangeInclusive<char>; 4] =
    ['\u{300}'..='\u{36f}', '\u{200b}'..='\u{200f}', '\u{20d0}'..='\u{20ff}', '\u{fe00}'..='\u{fe0f}'];

/// Returns the columns of a terminal of this size.
pub(super) fn width(size: Option<(terminal_size::Width, terminal_size::Height)>) -> usize {
    size.map_or(USUAL_WIDTH, |(width, _)| usize::from(width.0))
}

/// Cuts a line to a number of columns; colours take no columns, and end with the line.
pub(super) fn cut(line: &str, width: usize) -> String {
    if columns(line) <= width {
        return line.to_owned();
    }
    let (mut used, mut shown, mut is_coloured) = (0, String::new(), false);
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        if let Some(end) = escape(rest) {
            shown.push_str(&rest[..end]);
            is_coloured = true;
            rest = &rest[end..];
            continue;
        }
        // One column is for the mark of the cut.
        if used + columns_of(first) >= width {
            break;
        }
        used += columns_of(first);
        shown.push(first);
        rest = &rest[first.len_utf8()..];
    }
    shown.push('…');
    if is_coloured {
        shown.push_str("\u{1b}[0m");
    }
    shown
}

/// Returns how many columns a text takes on a terminal.
pub(super) fn columns(text: &str) -> usize {
    let (mut count, mut rest) = (0, text);
    while let Some(first) = rest.chars().next() {
        let length = escape(rest).unwrap_or_else(|| {
            count += columns_of(first);
            first.len_utf8()
        });
        rest = &rest[length..];
    }
    count
}

/// Returns the length of the colour that a text begins with.
fn escape(text: &str) -> Option<usize> {
    text.strip_prefix("\u{1b}[")?.find('m').map(|end| end + 3)
}

fn columns_of(c: char) -> usize {
    match c {
        c if c.is_ascii() => 1,
        c if NARROW.iter().any(|range| range.contains(&c)) => 0,
        c if WIDE.iter().any(|range| range.contains(&c)) => 2,
        _ => 1,
    }
}

/// Breaks a text between words, so that every line fits.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if columns(line) + 1 + columns(word) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{columns, cut};

    #[test]
    fn a_line_is_cut_at_its_columns() {
        let check = |line: &str, width, expected: &str| {
            assert_eq!(cut(line, width), expected, "{line}");
            assert!(columns(&cut(line, width)) <= width, "{line}");
        };
        check("abcdef", 6, "abcdef");
        check("abcdefg", 6, "abcde…");
        check("日本語日本語", 6, "日本…");
        check("e\u{301}e\u{301}e\u{301}", 3, "e\u{301}e\u{301}e\u{301}");
        check("e\u{301}e\u{301}e\u{301}e", 3, "e\u{301}e\u{301}…");
        check("\u{1b}[31mred\u{1b}[0m", 3, "\u{1b}[31mred\u{1b}[0m");
        check("\u{1b}[31mreddish\u{1b}[0m", 4, "\u{1b}[31mred…\u{1b}[0m");
        check("", 1, "");
    }
}

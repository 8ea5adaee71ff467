//! Texts within texts: a JSON string has the lines of a file in one line, with `\n` between them.
//!
//! What only lines give away (YAML, flattened records, lists of options) is looked for again as if the line ends were
//! real. The length stays the same, so a finding is where it was.

use std::ops::Range;

/// Returns the lines that have at least two escaped line ends in them, or one that a backslash carries on; a single one
/// ends a message.
pub(super) fn lines(text: &[u8]) -> Vec<Range<usize>> {
    let mut lines: Vec<Range<usize>> = Vec::new();
    let mut last: Option<usize> = None;
    for at in memchr::memmem::find_iter(text, b"\\n") {
        let is_covered = lines.last().is_some_and(|line| at < line.end);
        let same_line = last.replace(at).is_some_and(|last| memchr::memchr(b'\n', &text[last..at]).is_none());
        let is_continued = text[..at].ends_with(b"\\\\");
        if (same_line || is_continued) && !is_covered {
            let start = memchr::memrchr(b'\n', &text[..at]).map_or(0, |end| end + 1);
            let end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |length| at + length);
            lines.push(start..end);
        }
    }
    lines
}

/// Returns a line with real line ends in the place of the escaped ones, and blanks in the place of the backslashes.
pub(super) fn unfolded(line: &str) -> String {
    let mut view = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find("\\n") {
        let slashes = rest[..at].bytes().rev().take_while(|byte| *byte == b'\\').count() + 1;
        let before = &rest[..at + 1 - slashes];
        // The other half of a line end of Windows.
        let returned = before.strip_suffix('r').map_or(before, |before| before.trim_end_matches('\\'));
        let is_returned = before.len() > returned.len() + 1;
        view.push_str(if is_returned { returned } else { before });
        view.extend(std::iter::repeat_n(' ', if is_returned { before.len() - returned.len() } else { 0 }));
        // A backslash that carries a line on is escaped as well: there are three times as many.
        let is_continued = slashes % 3 == 0;
        view.extend(std::iter::repeat_n(' ', slashes - usize::from(is_continued)));
        view.push_str(if is_continued { "\\\n" } else { "\n" });
        rest = &rest[at + 2..];
    }
    view.push_str(rest);
    view
}

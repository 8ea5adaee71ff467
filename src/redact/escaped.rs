//! Texts within texts: a JSON string has the lines of a file in one line, with `\n` between them.
//!
//! Detectors that depend on lines (YAML, flattened records, lists of options) run again as if the line ends were real.
//! The length stays the same, so findings keep their positions.

use std::ops::Range;

/// Returns the parts of the text near a trigger that contain an escaped line end.
///
/// A part begins and ends at a line end, escaped or real, or where the text does.
pub(super) fn parts(text: &[u8], near_triggers: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut parts: Vec<Range<usize>> = Vec::new();
    for near in near_triggers {
        let mut at = parts.last().map_or(near.start, |last| near.start.max(last.end));
        while at < near.end {
            let Some(escape) = memchr::memmem::find(&text[at..near.end], b"\\n").map(|found| at + found)
            else {
                break;
            };
            let line = memchr::memrchr(b'\n', &text[at..escape]).map(|end| at + end + 1);
            let start = line.unwrap_or_else(|| {
                if at == 0 || text[at - 1] == b'\n' { at } else { part_start(text, at, escape) }
            });
            let end = memchr::memchr(b'\n', &text[escape..near.end])
                .map_or_else(|| part_end(text, near.end), |length| escape + length);
            parts.push(start..end);
            at = end + 1;
        }
    }
    parts
}

/// Returns where a part begins that has no real line end before its first escaped one.
fn part_start(text: &[u8], from: usize, escape: usize) -> usize {
    let min = from.saturating_sub(256);
    memchr::memrchr(b'\n', &text[min..from])
        .map_or(if min == 0 { 0 } else { escape + 2 }, |end| min + end + 1)
}

/// Returns the next line end, escaped or real; a longer line is cut at a blank.
fn part_end(text: &[u8], from: usize) -> usize {
    let rest = &text[from..text.len().min(from + MAX_REST)];
    let real = memchr::memchr(b'\n', rest);
    let escaped = memchr::memmem::find(&rest[..real.unwrap_or(rest.len())], b"\\n");
    let cut = || memchr::memrchr(b' ', rest).filter(|_| rest.len() == MAX_REST);
    escaped.or(real).or_else(cut).map_or(from + rest.len(), |length| from + length)
}

/// A part ends at most this far after its trigger.
const MAX_REST: usize = 64 << 10;

/// Returns a line with real line ends instead of escaped ones, and blanks instead of the backslashes.
pub(super) fn unfolded(line: &str) -> String {
    let mut view = String::with_capacity(line.len());
    let mut rest = line;
    let finder = memchr::memmem::Finder::new(b"\\n");
    while let Some(at) = finder.find(rest.as_bytes()) {
        let slashes = rest[..at].bytes().rev().take_while(|byte| *byte == b'\\').count() + 1;
        let before = &rest[..at + 1 - slashes];
        // The other half of a Windows line end.
        let returned = before.strip_suffix('r').map_or(before, |before| before.trim_end_matches('\\'));
        let is_returned = before.len() > returned.len() + 1;
        view.push_str(if is_returned { returned } else { before });
        view.extend(std::iter::repeat_n(' ', if is_returned { before.len() - returned.len() } else { 0 }));
        // A backslash that continues a line is escaped too: then there are three times as many.
        let is_continued = slashes % 3 == 0;
        view.extend(std::iter::repeat_n(' ', slashes - usize::from(is_continued)));
        view.push_str(if is_continued { "\\\n" } else { "\n" });
        rest = &rest[at + 2..];
    }
    view.push_str(rest);
    view
}

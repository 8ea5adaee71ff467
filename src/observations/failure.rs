//! A failure's output: its telling part, and what it has in common with the same failure at another time.

/// So many lines of the beginning and of the end are kept; errors stand at the end.
const FIRST_LINES: usize = 4;
const LAST_LINES: usize = 12;
/// The longest line that is kept whole.
const MAX_LINE: usize = 240;
/// The longest signature.
const MAX_SIGNATURE: usize = 160;

/// Words that make a line the one to look at.
const TELLING: [&str; 14] = [
    "error",
    "failed",
    "failure",
    "panicked",
    "exception",
    "not found",
    "no such",
    "cannot",
    "can't",
    "denied",
    "undefined",
    "unexpected",
    "fatal",
    "refused",
];

/// Returns the first and the last lines, without what agents and terminals put around them.
pub(super) fn excerpt(output: &str) -> String {
    let plain = without_colour(output);
    let lines: Vec<&str> = body(&plain).collect();
    let shorten = |line: &&str| super::gist::short(line, MAX_LINE).to_owned();
    if lines.len() <= FIRST_LINES + LAST_LINES {
        return lines.iter().map(shorten).collect::<Vec<_>>().join("\n");
    }
    let first = lines[..FIRST_LINES].iter().map(shorten);
    let left_out = std::iter::once(format!("… {} lines …", lines.len() - FIRST_LINES - LAST_LINES));
    let last = lines[lines.len() - LAST_LINES..].iter().map(shorten);
    first.chain(left_out).chain(last).collect::<Vec<_>>().join("\n")
}

/// Returns the line that says what went wrong, with everything taken out that differs from one time to the next.
pub(super) fn signature(output: &str) -> Option<String> {
    let plain = without_colour(output);
    let lower = |line: &str| line.to_lowercase();
    let line = body(&plain)
        .find(|line| TELLING.iter().any(|word| lower(line).contains(word)))
        .or_else(|| body(&plain).last())?;
    let words: Vec<String> = line.split_whitespace().map(normalise).collect();
    let text = words.join(" ");
    Some(super::gist::short(&text, MAX_SIGNATURE).to_owned()).filter(|text| !text.is_empty())
}

/// The lines that have any text, without the agent's own first line.
fn body(output: &str) -> impl Iterator<Item = &str> {
    let lines = output.lines().map(str::trim_end).filter(|line| !line.trim().is_empty());
    lines.skip_while(|line| line.starts_with("Exit code ") || line.starts_with("Process exited with code "))
}

/// A path becomes its last part, a number and a hash become `#`.
fn normalise(word: &str) -> String {
    let word = if word.contains('/') { word.rsplit('/').next().unwrap_or(word) } else { word };
    let hash_like = |text: &str| {
        text.len() >= 7
            && text.chars().all(|c| c.is_ascii_hexdigit())
            && text.contains(|c: char| c.is_ascii_digit())
    };
    let mut result = String::with_capacity(word.len());
    for piece in word.split_inclusive(|c: char| !c.is_ascii_alphanumeric()) {
        let (text, end) = match piece.char_indices().last() {
            Some((at, c)) if !c.is_ascii_alphanumeric() => piece.split_at(at),
            _ => (piece, ""),
        };
        if hash_like(text) || (!text.is_empty() && text.chars().all(|c| c.is_ascii_digit())) {
            result.push('#');
        } else {
            result.push_str(text);
        }
        result.push_str(end);
    }
    result
}

/// Takes out the escape sequences with which terminals are coloured.
fn without_colour(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        plain.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('[') {
            let end = after.find(|c: char| c.is_ascii_alphabetic()).map_or(after.len(), |end| end + 1);
            rest = &after[end..];
        }
    }
    plain.push_str(rest);
    plain
}

//! Expands the braces of a glob: `{a,b}/**` becomes `a/**` and `b/**`, each with the meaning that it has by itself.

/// Nobody writes a glob with more alternatives than this.
pub(super) const MAX_ALTERNATIVES: usize = 256;

/// Returns the globs without braces, in order, or `None` if there are more than `MAX_ALTERNATIVES`.
pub(super) fn expanded(glob: &str) -> Option<Vec<String>> {
    let mut done = Vec::new();
    expand("", glob, &mut done).then_some(done)
}

/// Adds every expansion of `rest`, each after `prefix`; returns whether the limit was kept.
fn expand(prefix: &str, rest: &str, done: &mut Vec<String>) -> bool {
    let Some((before, alternatives, after)) = first_group(rest) else {
        // An empty glob, as from `{}`, matches nothing.
        done.extend(Some(without_empty_segments(&format!("{prefix}{rest}"))).filter(|glob| !glob.is_empty()));
        return done.len() <= MAX_ALTERNATIVES;
    };
    let prefix = format!("{prefix}{before}");
    // An alternative may contain braces, so it is expanded in turn.
    alternatives.iter().all(|alternative| expand(&prefix, &format!("{alternative}{after}"), done))
}

/// Splits a glob at its first braces. An unclosed brace is not a group; a checked glob has none.
fn first_group(glob: &str) -> Option<(&str, Vec<&str>, &str)> {
    let mut alternatives = Vec::new();
    let (mut open, mut begin, mut depth) = (0, 0, 0_usize);
    let mut at = 0;
    while let Some(byte) = glob.as_bytes().get(at) {
        match byte {
            b'[' => {
                at = end_of_class(glob, at);
                continue;
            }
            b'{' => {
                depth += 1;
                if depth == 1 {
                    (open, begin) = (at, at + 1);
                }
            }
            b',' if depth == 1 => {
                alternatives.push(&glob[begin..at]);
                begin = at + 1;
            }
            b'}' if depth == 1 => {
                alternatives.push(&glob[begin..at]);
                return Some((&glob[..open], alternatives, &glob[at + 1..]));
            }
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    None
}

/// Returns the end of the character class that begins at `open`; a `]` as its first character does not close it.
fn end_of_class(glob: &str, open: usize) -> usize {
    let bytes = glob.as_bytes();
    let mut at = open + 1;
    at += usize::from(matches!(bytes.get(at), Some(b'!' | b'^')));
    at += usize::from(bytes.get(at) == Some(&b']'));
    let close = bytes.get(at..).and_then(|rest| memchr::memchr(b']', rest));
    close.map_or(glob.len(), |close| at + close + 1)
}

/// Removes the empty segments that an empty alternative leaves: `/work/{api,}` means `/work` too.
fn without_empty_segments(glob: &str) -> String {
    if !glob.contains("//") && !glob.ends_with('/') {
        return glob.to_owned();
    }
    let root = if glob.starts_with('/') { "/" } else { "" };
    let segments: Vec<&str> = glob.split('/').filter(|segment| !segment.is_empty()).collect();
    format!("{root}{}", segments.join("/"))
}

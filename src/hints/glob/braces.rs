//! Takes the braces out of a glob: `{a,b}/**` is `a/**` or `b/**`, whatever either of them means by itself.

/// A glob with more alternatives than this is none that a person wrote.
pub(super) const MOST: usize = 256;

/// Returns the globs that a glob stands for, in order; nothing if they are more than `MOST`.
pub(super) fn expanded(glob: &str) -> Option<Vec<String>> {
    let mut done = Vec::new();
    expand("", glob, &mut done).then_some(done)
}

/// Adds all that the rest can be behind what is settled; says whether there was room for it.
fn expand(settled: &str, rest: &str, done: &mut Vec<String>) -> bool {
    let Some((before, alternatives, after)) = first_group(rest) else {
        // What is left of `{}` matches nothing.
        done.extend(Some(tidy(&format!("{settled}{rest}"))).filter(|glob| !glob.is_empty()));
        return done.len() <= MOST;
    };
    let settled = format!("{settled}{before}");
    // An alternative may have braces of its own, so it is still to be read.
    alternatives.iter().all(|alternative| expand(&settled, &format!("{alternative}{after}"), done))
}

/// Splits a glob at its first braces; what is not closed is no group, and no glob that was checked has it.
fn first_group(glob: &str) -> Option<(&str, Vec<&str>, &str)> {
    let mut alternatives = Vec::new();
    let (mut open, mut begin, mut depth) = (0, 0, 0_usize);
    let mut at = 0;
    while let Some(byte) = glob.as_bytes().get(at) {
        match byte {
            b'[' => {
                at = behind_class(glob, at);
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

/// Returns where a class ends that begins here; its first character may be the bracket that would close it.
fn behind_class(glob: &str, open: usize) -> usize {
    let bytes = glob.as_bytes();
    let mut at = open + 1;
    at += usize::from(matches!(bytes.get(at), Some(b'!' | b'^')));
    at += usize::from(bytes.get(at) == Some(&b']'));
    let close = bytes.get(at..).and_then(|rest| memchr::memchr(b']', rest));
    close.map_or(glob.len(), |close| at + close + 1)
}

/// Brings what an empty alternative leaves into the form that folders have: `/work/{api,}` is `/work` too.
fn tidy(glob: &str) -> String {
    if !glob.contains("//") && !glob.ends_with('/') {
        return glob.to_owned();
    }
    let root = if glob.starts_with('/') { "/" } else { "" };
    let segments: Vec<&str> = glob.split('/').filter(|segment| !segment.is_empty()).collect();
    format!("{root}{}", segments.join("/"))
}

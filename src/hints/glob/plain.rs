//! Matches stars and question marks, in time that grows with glob times text, and without taking any room.

/// Says whether a glob of literals, `*`, `?` and `**` matches all of a text.
pub(super) fn is_match(glob: &str, text: &str) -> bool {
    let (mut glob, mut text) = (Some(glob), Some(text));
    // What follows the last `**`, and from where in the text it was tried: an earlier `**` need not be looked at again,
    // since the later one takes all that the earlier one could.
    let mut retry = None;
    loop {
        match (first(glob), first(text)) {
            (Some(("**", None)), segment) => return segment.is_some(),
            (Some(("**", rest)), _) => {
                retry = Some((rest, text));
                glob = rest;
            }
            (Some((pattern, glob_rest)), Some((segment, text_rest)))
                if fits(pattern.as_bytes(), segment.as_bytes()) =>
            {
                (glob, text) = (glob_rest, text_rest);
            }
            (None, None) => return true,
            _ => {
                // The last `**` takes one segment more.
                let Some((rest, tried)) = retry else { return false };
                let Some((_, later)) = first(tried) else { return false };
                retry = Some((rest, later));
                (glob, text) = (rest, later);
            }
        }
    }
}

/// Returns the first segment, and what is left after its slash.
fn first(rest: Option<&str>) -> Option<(&str, Option<&str>)> {
    let rest = rest?;
    Some(match memchr::memchr(b'/', rest.as_bytes()) {
        Some(at) => (&rest[..at], Some(&rest[at + 1..])),
        None => (rest, None),
    })
}

/// Matches one segment. Like `globset`, it takes a `?` for one byte.
fn fits(pattern: &[u8], segment: &[u8]) -> bool {
    let (mut in_pattern, mut in_segment) = (0, 0);
    // Behind the last star, and how far it reaches in the segment.
    let mut star = None;
    loop {
        match (pattern.get(in_pattern), segment.get(in_segment)) {
            (Some(b'*'), _) => {
                in_pattern += 1;
                star = Some((in_pattern, in_segment));
            }
            (Some(wanted), Some(byte)) if *wanted == b'?' || wanted == byte => {
                in_pattern += 1;
                in_segment += 1;
            }
            (None, None) => return true,
            (_, None) => return false,
            _ => {
                let Some((behind, reach)) = star else { return false };
                star = Some((behind, reach + 1));
                (in_pattern, in_segment) = (behind, reach + 1);
            }
        }
    }
}

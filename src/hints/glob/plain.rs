//! Matches stars and question marks in time proportional to glob length times text length, without allocating.

/// Returns whether a glob of literals, `*`, `?` and `**` matches the whole text.
pub(super) fn is_match(glob: &str, text: &str) -> bool {
    let (mut glob, mut text) = (Some(glob), Some(text));
    // What follows the last `**`, and where in the text it was tried. An earlier `**` need not be tried again, since
    // the last one can match everything that an earlier one could.
    let mut retry = None;
    loop {
        match (first(glob), first(text)) {
            (Some(("**", None)), segment) => return segment.is_some(),
            (Some(("**", rest)), _) => {
                retry = Some((rest, text));
                glob = rest;
            }
            (Some((pattern, glob_rest)), Some((segment, text_rest)))
                if segment_matches(pattern.as_bytes(), segment.as_bytes()) =>
            {
                (glob, text) = (glob_rest, text_rest);
            }
            (None, None) => return true,
            _ => {
                // Let the last `**` match one more segment.
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

/// Matches one segment. As in `globset`, a `?` matches one byte.
fn segment_matches(pattern: &[u8], segment: &[u8]) -> bool {
    let (mut in_pattern, mut in_segment) = (0, 0);
    // The position after the last star in the pattern, and the end of what the star matches in the segment.
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
                let Some((after_star, reach)) = star else { return false };
                star = Some((after_star, reach + 1));
                (in_pattern, in_segment) = (after_star, reach + 1);
            }
        }
    }
}

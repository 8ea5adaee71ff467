//! Patterns of projects that may be shared: with `*` for people, with `%` for the server.

/// Returns a pattern of a person, in which `*` is anything, as `LIKE` reads it.
pub(super) fn stored_pattern(pattern: &str) -> String {
    let escaped = pattern.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    escaped.replace('*', "%")
}

/// Returns a pattern of `LIKE` as people write it.
pub(super) fn shown_pattern(pattern: &str) -> String {
    let (mut shown, mut chars) = (String::new(), pattern.chars());
    while let Some(c) = chars.next() {
        match c {
            '%' => shown.push('*'),
            '\\' => shown.extend(chars.next()),
            c => shown.push(c),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::{shown_pattern, stored_pattern};

    #[test]
    fn a_pattern_is_stored_for_the_server_and_shown_as_it_was_given() {
        for (given, stored) in
            [("github.com/acme/*", "github.com/acme/%"), ("a_b/100%", "a\\_b/100\\%"), ("c\\d", "c\\\\d")]
        {
            assert_eq!(stored_pattern(given), stored);
            assert_eq!(shown_pattern(stored), given);
        }
    }
}

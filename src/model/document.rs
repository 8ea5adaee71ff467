//! Documents that nudge writes as a whole into the folders of an agent, such as the description of a subagent.
//!
//! One line of them is a comment with a checksum of the rest. It tells what nobody has changed since, which may be
//! replaced and removed, from what somebody has made their own, which may not.

use super::fnv1a;

/// The beginning of the line; the checksum follows.
const MARK: &str = "# Written by `nudge setup`; yours as soon as you change it. ";

/// Joins the parts of a document with the line between them; the first part ends with a line break.
pub(crate) fn marked_document(before: &str, after: &str) -> String {
    format!("{before}{MARK}{:016x}\n{after}", checksum(&format!("{before}{after}")))
}

/// Returns whether nudge wrote a document, and nobody has changed it.
pub(crate) fn is_pristine_document(text: &str) -> bool {
    let Some(mark) = mark(text) else { return false };
    let rest: String = text.lines().filter(|line| *line != mark).flat_map(|line| [line, "\n"]).collect();
    mark[MARK.len()..] == format!("{:016x}", checksum(&rest))
}

/// Returns whether nudge wrote a document, whoever has changed it since.
pub(crate) fn is_marked_document(text: &str) -> bool {
    mark(text).is_some()
}

fn mark(text: &str) -> Option<&str> {
    text.lines().find(|line| line.starts_with(MARK))
}

/// Git may change the line ends, which nobody means.
fn checksum(text: &str) -> u64 {
    fnv1a(text.lines().flat_map(|line| line.trim_end_matches('\r').bytes().chain([b'\n'])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_known_until_somebody_changes_it() {
        let document = marked_document("---\nname: a\n", "---\n\nBody.\n");
        assert!(document.starts_with("---\nname: a\n# Written by `nudge setup`"), "{document}");
        assert!(is_pristine_document(&document));
        assert!(is_pristine_document(&document.replace('\n', "\r\n")), "git may change the line ends");
        for changed in [
            document.replace("Body", "My body"),
            document.replace("name: a\n", ""),
            format!("{document}more\n"),
            document.lines().filter(|line| !line.starts_with(MARK)).collect::<Vec<_>>().join("\n"),
            String::new(),
        ] {
            assert!(!is_pristine_document(&changed), "{changed}");
        }
        assert!(is_marked_document(&format!("{document}more\n")));
        assert!(!is_marked_document("---\nname: a\n---\n"));
    }
}

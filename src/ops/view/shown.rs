//! Texts on their way out: redacted once more with the patterns of today, cut, and with hidden characters made visible.

use crate::config::settings;
use crate::context;
use crate::ops::secret_patterns;
use crate::redact::{self, OwnPatterns};

/// Maximum length of a text in a row, in characters.
pub(super) const MAX_ROW_CHARS: usize = 300;
/// A first line that ends with a colon and is shorter announces the next one, as "Implement the following plan:" does.
const MAX_ANNOUNCEMENT: usize = 60;
/// Maximum length of a whole text, in bytes.
pub(super) const MAX_TEXT_BYTES: usize = 8 << 10;

/// Prepares texts for the page.
pub(super) struct Shown {
    /// `None` if the patterns of the settings cannot be used: then every text counts as secret.
    own: Option<OwnPatterns>,
}

impl Shown {
    /// Reads the user's patterns.
    pub(super) fn new() -> Shown {
        Shown { own: secret_patterns::of(&settings::load_user().0).ok() }
    }

    /// Returns a text for a row, in one line.
    pub(super) fn row(&self, text: &str) -> String {
        let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        self.cut(line, MAX_ROW_CHARS).0
    }

    /// Returns the title of a session: the first line of its prompt, with the next one if it only announces that.
    pub(super) fn title(&self, prompt: &str) -> String {
        let mut lines = prompt.lines().map(str::trim).filter(|line| !line.is_empty());
        let first = lines.next().unwrap_or_default();
        let next = lines.next().filter(|_| first.ends_with(':') && first.len() < MAX_ANNOUNCEMENT);
        match next.map(|next| next.trim_start_matches(['#', '*', '-', ' '])) {
            Some(next) => self.cut(&format!("{first} {next}"), MAX_ROW_CHARS).0,
            None => self.cut(first, MAX_ROW_CHARS).0,
        }
    }

    /// Returns a line for a row as it is.
    pub(super) fn line(&self, text: &str) -> String {
        self.cut(text, MAX_ROW_CHARS).0
    }

    /// Returns a whole text, and whether it was cut.
    pub(super) fn text(&self, text: &str) -> (String, bool) {
        self.cut(text, MAX_TEXT_BYTES)
    }

    /// Returns a name: of a project, a session, a rule.
    pub(super) fn name(&self, text: &str) -> String {
        self.cut(text, MAX_ROW_CHARS).0
    }

    fn cut(&self, text: &str, max: usize) -> (String, bool) {
        let Some(own) = &self.own else { return ("[the settings cannot be read]".to_owned(), false) };
        // A long text is searched a little past the cut, so that no half of a secret stays.
        let window = floor(text, max * 2 + 512);
        let redacted = redact::redact(window, own);
        let visible = context::visible(&redacted.text);
        let shown = floor(&visible, max);
        let is_cut = shown.len() < visible.len() || window.len() < text.len();
        (shown.to_owned(), is_cut)
    }
}

/// Returns the beginning of a text, of at most this many bytes.
fn floor(text: &str, max: usize) -> &str {
    &text[..text.floor_char_boundary(max)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_redacted_cut_and_visible() {
        let shown = Shown { own: Some(OwnPatterns::default()) };
        assert_eq!(shown.row("\n  one \u{202e}line\ntwo"), "one \\u{202e}line");
        assert_eq!(shown.row("\u{1b}[31mred"), "\\u{1b}[31mred");
        assert_eq!(shown.title("Implement this plan:\n\n# Retry\n\nOnce."), "Implement this plan: Retry");
        assert_eq!(shown.title("\nFix it.\nNow."), "Fix it.");
        let long = shown.text(&"a".repeat(MAX_TEXT_BYTES + 1));
        assert_eq!((long.0.len(), long.1), (MAX_TEXT_BYTES, true));
        let secret = format!("token ghp_{}", "a1B2".repeat(9));
        assert!(!shown.row(&secret).contains("a1B2a1B2"), "{}", shown.row(&secret));
        let broken = Shown { own: None };
        assert_eq!(broken.row("anything"), "[the settings cannot be read]");
    }
}

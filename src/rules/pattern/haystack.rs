//! A text to search in, with the facts about it that every pattern needs.

/// A text with its properties, which are computed once.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Haystack<'t> {
    pub(crate) text: &'t str,
    pub(crate) ascii: bool,
    /// Lines end in `\r\n`, so `$` must match before it; then a lone `\r` ends a line too, as in `regex`.
    pub(crate) crlf: bool,
}

impl<'t> Haystack<'t> {
    pub(crate) fn new(text: &'t str) -> Haystack<'t> {
        let crlf = memchr::memmem::find(text.as_bytes(), b"\r\n").is_some();
        Haystack { text, ascii: text.is_ascii(), crlf }
    }

    /// Returns the ranges of the lines, without line endings.
    pub(crate) fn lines(self) -> impl Iterator<Item = std::ops::Range<usize>> {
        let bytes = self.text.as_bytes();
        let mut start = Some(0);
        std::iter::from_fn(move || {
            let from = start?;
            let found = if self.crlf {
                memchr::memchr2(b'\r', b'\n', &bytes[from..])
            } else {
                memchr::memchr(b'\n', &bytes[from..])
            };
            let end = found.map(|at| from + at);
            start = end.map(|end| if bytes[end..].starts_with(b"\r\n") { end + 2 } else { end + 1 });
            Some(from..end.unwrap_or(bytes.len()))
        })
    }
}

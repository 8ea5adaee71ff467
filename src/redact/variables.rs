//! Whether a whole environment is listed around a place: the variables that nearly every process has are given values.

/// Variables that nearly every process has, on Unix and on Windows. Settings of a program have hardly three of them.
#[rustfmt::skip]
const USUAL: &[&str] = &[
    "PATH", "Path", "HOME", "USER", "SHELL", "LANG", "LOGNAME", "TERM", "PWD", "HOSTNAME", "TMPDIR", "SHLVL",
    "USERPROFILE", "USERNAME", "COMPUTERNAME", "SystemRoot", "TEMP", "APPDATA", "PATHEXT", "ComSpec",
];
const MIN_USUAL: usize = 3;
/// They are not further away from a variable than this.
const WINDOW: usize = 2 << 10;
/// What is this near to a place has the same answer, so that a text is searched a bounded number of times.
const STEP: usize = 512;

/// Whether an environment is listed around the place that was asked about last.
#[derive(Debug, Default)]
pub(super) struct AskedPlace {
    last: Option<(usize, bool)>,
}

impl AskedPlace {
    /// Returns whether an environment is listed around a place: values are given to usual variables.
    pub(super) fn is_listed(&mut self, text: &[u8], at: usize) -> bool {
        let place = at / STEP;
        if let Some((_, is_listed)) = self.last.filter(|(last, _)| *last == place) {
            return is_listed;
        }
        let start = (place * STEP).saturating_sub(WINDOW);
        let around = &text[start..text.len().min(place * STEP + STEP + WINDOW)];
        let given = USUAL.iter().filter(|name| is_given(around, name.as_bytes()));
        let is_listed = given.take(MIN_USUAL).count() == MIN_USUAL;
        self.last = Some((place, is_listed));
        is_listed
    }
}

/// Returns whether a name is a whole word, and something that joins it to a value follows.
fn is_given(text: &[u8], name: &[u8]) -> bool {
    memchr::memmem::find_iter(text, name).any(|at| {
        let after = at + name.len();
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'{' | b'-');
        let is_free = at == 0 || !is_word(&text[at - 1]) || text[..at].ends_with(b"-e");
        let opens_brace = at > 0 && text[at - 1] == b'{' && text.get(at.wrapping_sub(2)) != Some(&b'$');
        let rest = &text[after.min(text.len())..text.len().min(after + 48)];
        (is_free || opens_brace) && (is_joined(rest) || is_set(&text[..at]))
    })
}

/// `setenv NAME x`, `set -gx NAME x`.
fn is_set(before: &[u8]) -> bool {
    before.ends_with(b"setenv ") || before.ends_with(b"set -gx ") || before.ends_with(b"set -x ")
}

fn is_joined(rest: &[u8]) -> bool {
    let closed = rest
        .iter()
        .position(|byte| !matches!(byte, b'"' | b'\'' | b'`') && !matches!(byte, b'\\' | b']'))
        .unwrap_or(rest.len());
    let tail = &rest[closed..];
    let blanks = tail.iter().position(|byte| !matches!(byte, b' ' | b'\t')).unwrap_or(tail.len());
    match &tail[blanks..] {
        [b'=' | b':' | b',', ..] => true,
        // The bar of a table.
        [0xE2, 0x94, 0x82, ..] | [b'|', ..] => true,
        // A column of a table: several blanks, or a tab.
        [next, ..] => (blanks > 1 || tail.first() == Some(&b'\t')) && !next.is_ascii_whitespace(),
        [] => false,
    }
}

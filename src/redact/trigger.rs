//! The types of the first pass: a literal that announces a secret, and what is done where it is found.

use super::SecretKind;
use super::scan::SecretScan;

/// A literal, and the detector that examines the text around it.
pub(super) struct Trigger {
    pub(super) literal: &'static str,
    pub(super) case: Case,
    pub(super) detector: Detector,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Case {
    Exact,
    Any,
}

pub(super) enum Detector {
    Token(Token),
    Name(Family),
    /// Gets the positions before and after the literal. What it finds may depend on where lines end.
    Line(fn(&mut SecretScan<'_>, usize, usize)),
    /// The same, but line ends do not matter.
    Other(fn(&mut SecretScan<'_>, usize, usize)),
}

/// What follows the prefix of a token.
pub(super) struct Token {
    pub(super) kind: SecretKind,
    pub(super) body: Body,
    /// Shorter bodies are something else.
    pub(super) min_length: usize,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Body {
    Hex,
    /// Exactly this number of hex digits, and then the end of the word.
    HexExact(usize),
    /// With `-`.
    HexDash,
    /// Exactly this number of capital letters and digits, and then the end of the word.
    Capitals(usize),
    /// Exactly the form `8-4-4-4-12` of hex digits.
    Uuid,
    /// With `%`, and with small letters, capitals and digits mixed.
    Percent,
    /// Capital letters and digits in groups of five or more, with `-` between them.
    Groups,
    /// Exactly this number of small letters and digits, and then the end of the word.
    LowerExact(usize),
    Alphanumeric,
    /// Exactly this number of letters and digits, both or with mixed cases, and then the end of the word.
    AlphanumericExact(usize),
    /// With `_`.
    Word,
    /// With `_` and `-`.
    Url,
    /// Exactly this number of letters, digits, `_` and `-`.
    UrlExact(usize),
    /// With `_`, `-` and `.`.
    Dotted,
    /// With `_`, `-`, `.`, `/`, `+` and `=`.
    Base64,
    /// With `_`, `-`, `%`, `/`, `+` and `=`, as a cookie is encoded.
    Encoded,
    /// With `_` and `-`, and with small letters, capitals and digits mixed: many names begin with such a prefix.
    Mixed,
    /// With `_` and `-`, and one long part without them that contains a digit: many names begin with `sk-`.
    Dense,
}

/// This much of a body is enough to recognise it.
pub(super) const WINDOW: usize = 256;

/// What a name says about its value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Family {
    /// People choose it: it may be any text.
    Password,
    /// `pass`, which also means that a test succeeded.
    Pass,
    /// Machines generate it, or sometimes people choose it.
    Secret,
    /// Machines generate it: plain words do not count.
    Token,
    /// `_key`, which also means a column, a cache entry, a key of a keyboard.
    Key,
    /// `_PAT`, a personal access token.
    Pat,
}

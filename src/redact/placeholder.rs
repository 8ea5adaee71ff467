//! What is in the place of a secret but is not one: variables, templates, masks, words of a manual.

use super::kind::OPENING;
use super::scan::{begins, contains, is_one_of, is_word, run};

/// Returns whether the text is only a placeholder for a secret.
pub(super) fn is_placeholder(text: &[u8]) -> bool {
    let head = &text[..text.len().min(WINDOW)];
    head.starts_with(OPENING.as_bytes())
        || is_variable(head)
        || is_template(head)
        || is_mask(head)
        || is_manual(head)
        || (head.len() < 32 && (contains(head, "...") || contains(head, "\u{2026}") || contains(head, "***")))
}

/// Returns whether the text is a word that a program writes for a value that it does not have or show.
pub(super) fn is_constant(text: &[u8]) -> bool {
    is_one_of(text, CONSTANTS)
}

/// Returns whether the text is such a word and not a password that people choose.
pub(super) fn is_unset(text: &[u8]) -> bool {
    is_constant(text)
        && !is_one_of(text, &["password", "passwd", "secret", "admin", "default", "token", "test"])
}

/// This much of a value is enough to recognise it.
pub(super) const WINDOW: usize = 256;

/// `$NAME`, `${…}`, `$(…)`, `%NAME%`, `%s`, `$env:NAME`.
fn is_variable(text: &[u8]) -> bool {
    match text {
        [b'$', b'{' | b'(' | b'<', ..] => true,
        [b'$', first, ..] if first.is_ascii_alphabetic() || *first == b'_' => {
            let end = run(text, 1, is_word);
            matches!(
                text.get(end),
                None | Some(b'/' | b':' | b'.' | b',' | b'@' | b'$' | b'\\' | b'}' | b';' | b'&')
            )
        }
        [b'$', digit] => digit.is_ascii_digit() || *digit == b'@',
        [b'%', b's' | b'v' | b'd' | b'q' | b'r' | b'@'] | [b'%', b's', b'\\' | b':' | b' ', ..] => true,
        [b'%', b'(', ..] => true,
        [b'%', ..] => text[1..]
            .iter()
            .position(|byte| *byte == b'%')
            .is_some_and(|end| text[1..=end].iter().all(|byte| is_word(*byte))),
        _ => false,
    }
}

/// `<…>`, `{…}`, `{{ … }}`, `#{…}`, `@{…}`, `[…]` around a name, and the tags of YAML.
fn is_template(text: &[u8]) -> bool {
    let is_name = |inner: &[u8]| inner.iter().all(|byte| is_word(*byte) || b".:-!? ".contains(byte));
    // The closing brace may be cut off, because it also ends a value.
    let inner = |close: u8| text[1..].split(|byte| *byte == close).next().unwrap_or_default();
    match text {
        [b'{', b'{' | b'%', ..] | [b'#' | b'@', b'{', ..] => true,
        [b'<', next, ..] => next.is_ascii_alphabetic() || text.contains(&b'>'),
        // `{SSHA}…` is the hash of a password.
        [b'{', rest @ ..]
            if ["ssha", "sha", "smd5", "crypt", "pbkdf2", "argon2"].iter().any(|hash| begins(rest, hash)) =>
        {
            inner(b'}').len() + 2 >= text.len()
        }
        [b'{', ..] => is_name(inner(b'}')),
        [b'[', ..] => is_name(inner(b']')),
        [b'!', rest @ ..] => ["secret", "vault", "ref", "sub", "env_var", "getatt", "reference"]
            .iter()
            .any(|tag| begins(rest, tag)),
        _ => false,
    }
}

/// `xxxx-xxxx`, `****`, `....`, or anything with a long run of one character.
fn is_mask(text: &[u8]) -> bool {
    let is_mark = |byte: &u8| matches!(byte, b'x' | b'X' | b'*' | b'.' | b'-' | b'_' | b'#' | b'?');
    let is_masked = text.len() >= 3 && text.iter().all(is_mark);
    let longest = text.chunk_by(|a, b| a == b).map(<[u8]>::len).max();
    // A long key may contain such a run; a mask has little else.
    let has_run = longest.is_some_and(|longest| longest >= LONG_RUN && longest * 4 >= text.len());
    is_masked || has_run || (text.len() < 64 && contains(text, "\u{2022}\u{2022}"))
}

/// A random key of 64 hex digits has such a run once in a hundred million.
const LONG_RUN: usize = 8;

/// Words that only manuals use in place of a secret.
fn is_manual(text: &[u8]) -> bool {
    let begin =
        ["your", "my-api", "my_api", "insert", "replace", "enter-", "enter_", "paste", "todo", "fixme"];
    let inside = ["example", "placeholder", "redacted", "your-", "your_", "-here", "_here"];
    !is_documented(text)
        && (begin.iter().any(|word| begins(text, word)) || inside.iter().any(|word| contains(text, word)))
}

/// Returns whether the text is a complete key from a vendor's manual, such as `AKIAIOSFODNN7EXAMPLE`.
///
/// Such a key cannot be distinguished from a real one that was changed by hand, so it counts as a secret. The examples
/// of AWS end like this.
fn is_documented(text: &[u8]) -> bool {
    let is_key = text.ends_with(b"EXAMPLE") || text.ends_with(b"EXAMPLEKEY");
    let is_long = matches!(text.len(), 16 | 20 | 40);
    is_key
        && is_long
        && text.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+/".contains(byte))
        && text.iter().any(u8::is_ascii_digit)
}

const CONSTANTS: &[&str] = &[
    "true",
    "false",
    "yes",
    "no",
    "on",
    "off",
    "null",
    "none",
    "nil",
    "undefined",
    "nan",
    "void",
    "some",
    "ok",
    "err",
    "string",
    "str",
    "&str",
    "text",
    "bytes",
    "bytea",
    "varchar",
    "char",
    "int",
    "integer",
    "number",
    "bool",
    "boolean",
    "object",
    "any",
    "unknown",
    "never",
    "float",
    "list",
    "dict",
    "tuple",
    "type",
    "uuid",
    "hidden",
    "masked",
    "secret",
    "password",
    "passwd",
    "token",
    "tokens",
    "required",
    "optional",
    "invalid",
    "incorrect",
    "expired",
    "missing",
    "empty",
    "unset",
    "set",
    "default",
    "disabled",
    "enabled",
    "read",
    "write",
    "admin",
    "inherit",
    "auto",
    "prompt",
    "stdin",
    "env",
    "file",
    "keyring",
    "self",
    "this",
    "super",
    "await",
    "new",
    "function",
    "return",
    "if",
    "else",
    "and",
    "or",
    "not",
    "is",
    "in",
    "to",
    "for",
    "from",
    "with",
    "via",
    "are",
    "using",
    "when",
    "can",
    "may",
    "will",
    "should",
    "instead",
    "was",
    "has",
    "must",
    "the",
    "a",
    "an",
    "of",
    "as",
    "by",
    "flag",
    "option",
    "options",
    "value",
    "authentication",
    "auth",
    "authorization",
    "bearer",
    "basic",
    "realm",
    "header",
    "headers",
    "verification",
    "failed",
    "error",
    "changed",
    "unchanged",
    "mismatch",
    "ignored",
    "not_found",
    "n/a",
    "na",
    "tbd",
    "-",
    "--",
    "\\",
];

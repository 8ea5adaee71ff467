//! Bare keys of 32 to 64 hex digits, distinguished from all the hashes that look the same.

use std::ops::Range;

use super::scan::{contains, is_one_of, line_after, line_before, run, run_back, skip_quote};
use super::{Purpose, SecretFinding, SecretKind};

/// Returns the hex key within a run of letters and digits, if there is one.
pub(super) fn judge(text: &[u8], within: &Range<usize>, purpose: Purpose) -> Option<SecretFinding> {
    let mut at = within.start;
    while at < within.end {
        at = after_escape(text, at);
        let end = run(&text[..within.end], at.min(within.end), |byte| byte.is_ascii_alphanumeric());
        if let Some(start) = twilio(text, at..end) {
            return Some(SecretFinding { kind: SecretKind::TwilioKey, span: start..end });
        }
        // Mailgun puts `key-` before its keys.
        if end - at == 32 && text[..at].ends_with(b"key-") && is_key(&text[at..end]) {
            return Some(SecretFinding { kind: SecretKind::CloudToken, span: at..end });
        }
        if is_key(&text[at..end])
            && !is_hash(text, &(at..end))
            && !(purpose == Purpose::Store && is_expected(text, &(at..end)))
        {
            return Some(SecretFinding { kind: SecretKind::HexKey, span: at..end });
        }
        at = end + 1;
    }
    None
}

/// Returns where the word begins if an escaped line end or `%3D` comes directly before it.
pub(super) fn after_escape(text: &[u8], at: usize) -> usize {
    match (at.checked_sub(1).map(|before| text[before]), &text[at..]) {
        (Some(b'\\'), [b'n' | b'r' | b't', ..]) => at + 1,
        (Some(b'%'), [first, second, ..]) if first.is_ascii_hexdigit() && second.is_ascii_hexdigit() => {
            at + 2
        }
        _ => at,
    }
}

/// `0x` and 64 hex digits are a private key only where the line says so; most such numbers are hashes.
pub(super) fn private_key(text: &[u8], within: &Range<usize>) -> Option<SecretFinding> {
    let word = &text[within.clone()];
    let is_number =
        word.len() == 66 && word.starts_with(b"0x") && word[2..].iter().all(u8::is_ascii_hexdigit);
    let says_key = || {
        let before = line_before(text, within.start, 80);
        ["private", "wallet", "signer", "secret"].iter().any(|word| contains(before, word))
    };
    (is_number && says_key() && !super::placeholder::is_placeholder(&word[2..]))
        .then(|| SecretFinding { kind: SecretKind::PrivateKey, span: within.clone() })
}

/// Twilio account and key ids: two letters and 32 digits.
fn twilio(text: &[u8], span: Range<usize>) -> Option<usize> {
    let word = &text[span.clone()];
    let is_one =
        word.len() == 34 && (word.starts_with(b"SK") || word.starts_with(b"AC")) && is_key(&word[2..]);
    is_one.then_some(span.start)
}

/// 32 to 64 hex digits in one case, with letters and digits.
fn is_key(word: &[u8]) -> bool {
    let has = |test: fn(&u8) -> bool| word.iter().any(test);
    (32..=64).contains(&word.len())
        && word.iter().all(u8::is_ascii_hexdigit)
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_lowercase) != has(u8::is_ascii_uppercase)
        && !super::placeholder::is_placeholder(word)
}

/// Returns whether the digits are a UUID, a digest or a commit id.
fn is_hash(text: &[u8], span: &Range<usize>) -> bool {
    is_uuid(&text[span.clone()]) || follows_digest(text, span.start) || is_commit(text, span)
}

/// A UUID of version 4, or of version 7 with a time between 2000 and 2100, without its dashes.
fn is_uuid(word: &[u8]) -> bool {
    let has_variant = word.len() == 32 && matches!(word[16], b'8' | b'9' | b'a' | b'b' | b'A' | b'B');
    let millis = || {
        let digits = std::str::from_utf8(&word[..12]).ok()?;
        u64::from_str_radix(digits, 16).ok()
    };
    has_variant
        && match word[12] {
            b'4' => true,
            b'7' => millis().is_some_and(|millis| (946_684_800_000..4_102_444_800_000).contains(&millis)),
            _ => false,
        }
}

/// Returns whether a word such as `sha256:` or `md5-` comes directly before.
pub(super) fn follows_digest(text: &[u8], at: usize) -> bool {
    let end = run_back(text, at, 4, |byte| b":-=/@ \"'(".contains(&byte));
    let word = &text[run_back(text, end, 16, |byte| byte.is_ascii_alphanumeric())..end];
    end < at && is_one_of(word, DIGESTS)
}

const DIGESTS: &[&str] = &[
    "md5",
    "sha1",
    "sha224",
    "sha256",
    "sha384",
    "sha512",
    "sha",
    "blake2b",
    "blake2",
    "blake3",
    "h1",
    "digest",
    "checksum",
    "hash",
    "etag",
    "integrity",
    "fingerprint",
    "shasum",
    "sha256sum",
    "md5sum",
    "b3sum",
];

/// 40 or 64 digits after `git …`, `commit`, `--rev`, `ref:`, `/tree/`, `@` or `#`, or in the line of a tool that names
/// its objects by hashes.
fn is_commit(text: &[u8], span: &Range<usize>) -> bool {
    let before = line_before(text, span.start, 200);
    let signs = run_back(before, before.len(), 4, |byte| b" =:\"'/".contains(&byte));
    let word =
        &before[run_back(before, signs, 24, |byte| byte.is_ascii_alphanumeric() || byte == b'-')..signs];
    let word = word.strip_prefix(b"--").unwrap_or(word);
    let is_marked =
        matches!(before.last(), Some(b'@' | b'#')) || (signs < before.len() && is_one_of(word, MARKS));
    let is_object = matches!(span.len(), 40 | 64) && (is_marked || has_word(before, TOOLS));
    is_object || is_stored(before)
}

/// Words directly before a commit id.
#[rustfmt::skip]
const MARKS: &[&str] = &[
    "rev", "ref", "refs", "revision", "checkout", "tree", "commit", "commits", "blob", "raw", "sha", "head", "base",
    "branch", "switch", "reset", "cherry-pick", "revert", "merge", "rebase", "show", "archive", "compare", "from",
    "object", "objects", "image", "container", "layer", "digest",
];

/// Tools that name their objects by a hash: commits, containers, images.
#[rustfmt::skip]
const TOOLS: &[&str] = &[
    "git", "gh", "glab", "hg", "jj", "commit", "docker", "podman", "nerdctl", "crictl", "ctr", "skopeo", "nix",
    "cargo",
];

/// `/nix/store/…`, `/gnu/store/…`, `.git/objects/…`: the name of an object is its hash.
fn is_stored(before: &[u8]) -> bool {
    ["/store/", "/objects/", "/sha256/", "/blobs/"].iter().any(|folder| before.ends_with(folder.as_bytes()))
}

/// Returns whether hashes are expected here: in a path, before a file name, in the output of git.
fn is_expected(text: &[u8], span: &Range<usize>) -> bool {
    let (before, after) = (line_before(text, span.start, 200), line_after(text, span.end, 200));
    let is_path = |byte: Option<&u8>| matches!(byte, Some(b'/' | b'.' | b'_' | b'-' | b'\\'));
    // The backslash of `\"` belongs to the quote.
    let is_closed = after.starts_with(b"\\") && skip_quote(after, 0).is_some();
    let is_sum = after.starts_with(b"  ") || after.starts_with(b" *");
    // Anywhere, 40 digits are a thousand times more often a commit id than a key.
    let is_object = span.len() == 40;
    is_path(before.last())
        || (is_path(after.first()) && !is_closed)
        || is_sum
        || is_object
        // The lock file of Elixir.
        || contains(before, "{:hex,")
        || before.ends_with(b"\"hexpm\", \"")
        || has_word(before, WORDS)
        || has_word(before, DIGESTS)
        || has_word(after, &["refs", "HEAD", "commit", "blob", "tree"])
}

const WORDS: &[&str] = &[
    "git",
    "commit",
    "commits",
    "tree",
    "parent",
    "object",
    "blob",
    "merge",
    "merged",
    "index",
    "head",
    "oid",
    "rev",
    "revision",
    "ref",
    "refs",
    "tag",
    "checksums",
    "hashes",
    "sum",
    "container",
    "image",
    "images",
    "layer",
    "docker",
    "digests",
    "uuid",
    "build",
    "trace",
    "traceid",
    "span",
    "gist",
];

fn has_word(text: &[u8], words: &[&str]) -> bool {
    // Most words of a line begin with another letter.
    let letter = |byte: &u8| 1_u32 << (byte & 31);
    let letters =
        words.iter().filter_map(|word| word.as_bytes().first()).fold(0, |all, byte| all | letter(byte));
    let begins_one = |word: &[u8]| word.first().is_some_and(|byte| letters & letter(byte) != 0);
    text.split(|byte| !byte.is_ascii_alphanumeric()).any(|word| begins_one(word) && is_one_of(word, words))
        || contains(text, "trace_id")
}

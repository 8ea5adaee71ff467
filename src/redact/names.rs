//! Names that say their value is secret: `DB_PASSWORD`, `accessToken`, `--api-key`.

use super::SecretKind;
use super::scan::{begins, contains, run_back, run_within};
use super::trigger::{Case, Detector, Family, Trigger};

/// A name that contains a word such as `password` or `token`.
pub(super) struct Name<'t> {
    pub(super) text: &'t [u8],
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) family: Family,
}

impl<'t> Name<'t> {
    /// Returns the name around a word, if the word is what the name is about: `token_count` is a number.
    pub(super) fn around(text: &'t [u8], word: usize, word_end: usize, family: Family) -> Option<Name<'t>> {
        let end = run_within(text, word_end, 32, |byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
        });
        if !is_suffix(&text[word_end..end], family) {
            return None;
        }
        let end = end + value_suffix(&text[end..]);
        // A folder is not the name of a value.
        if text.get(end) == Some(&b'/') {
            return None;
        }
        let start = run_back(text, word, 64, |byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte));
        // `db_pass` leaves no doubt.
        let is_joined = || JOINED.iter().any(|name| text[start..end].ends_with(name.as_bytes()));
        let is_password = family == Family::Pass && (text[start..word].ends_with(b"_") || is_joined());
        let family = if is_password { Family::Password } else { family };
        let name = Name { text: &text[start..end], start, end, family };
        name.is_about(text, word).then_some(name)
    }

    /// Returns whether the name is about the word: a compass is not a password, and a public key is not a secret.
    fn is_about(&self, text: &[u8], word: usize) -> bool {
        let before = word.checked_sub(1).filter(|before| *before >= self.start).map(|before| text[before]);
        let begins_word = before.is_none_or(|byte| !byte.is_ascii_alphabetic());
        let is_camel = text[word] == b'P' && before.is_some_and(|byte| byte.is_ascii_lowercase());
        match self.family {
            Family::Pass if JOINED.iter().any(|name| self.text.ends_with(name.as_bytes())) => true,
            Family::Pass => begins_word || is_camel || (self.is_upper() && !contains(self.text, "bypass")),
            Family::Key => !contains(self.text, "public"),
            // This header only says yes or no.
            Family::Secret => !contains(self.text, "allow-credentials"),
            Family::Pat => self.text.ends_with(b"_PAT") || self.text.ends_with(b"_pat"),
            _ => true,
        }
    }

    /// Returns whether the name is written as an option of a command.
    pub(super) fn is_flag(&self) -> bool {
        self.text.len() > 2 && self.text[0] == b'-' && self.text[2] != b'-'
    }

    /// Returns whether the name is that of a function that sets the value.
    pub(super) fn is_setter(&self) -> bool {
        let last = self.text.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
        ["set", "with"].iter().any(|verb| last.len() > verb.len() + 2 && begins(last, verb))
    }

    /// Returns whether the name is written as environment variables are.
    pub(super) fn is_upper(&self) -> bool {
        !self.text.iter().any(u8::is_ascii_lowercase)
    }

    pub(super) fn kind(&self) -> SecretKind {
        let says = |word| contains(self.text, word);
        match self.family {
            Family::Password | Family::Pass => SecretKind::Password,
            _ if says("account") && says("key") => SecretKind::AzureKey,
            _ if says("aws") && says("secret") || says("secretaccesskey") || says("secret_access_key") => {
                SecretKind::AwsSecret
            }
            _ if says("private") && says("key") => SecretKind::PrivateKey,
            _ if says("api_key") || says("apikey") || says("api-key") => SecretKind::ApiKey,
            _ if says("access_key") || says("accesskey") || says("access-key") => SecretKind::AccessKey,
            _ if says("credential") => SecretKind::Credential,
            _ if says("secret") => SecretKind::Secret,
            Family::Key => SecretKind::Secret,
            Family::Secret | Family::Token | Family::Pat => SecretKind::Token,
        }
    }
}

/// Returns the length of `.value` after a name, as in a flattened object.
fn value_suffix(text: &[u8]) -> usize {
    let word = run_within(text, 0, 12, |byte| byte.is_ascii_alphanumeric() || byte == b'.');
    let suffixes = [".value", ".val", ".text", ".content", ".raw", ".plain", ".string", ".data"];
    let is_set = matches!(text.get(word), Some(b'=' | b':'));
    if is_set && suffixes.iter().any(|suffix| text[..word].eq_ignore_ascii_case(suffix.as_bytes())) {
        word
    } else {
        0
    }
}

/// Returns whether a name may end like this after its word.
fn is_suffix(suffix: &[u8], family: Family) -> bool {
    let digits = suffix.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let suffix = &suffix[..suffix.len() - digits];
    let suffix = suffix.strip_prefix(b"_").or_else(|| suffix.strip_prefix(b"-")).unwrap_or(suffix);
    let more = [
        "",
        "base",
        "value",
        "prod",
        "production",
        "dev",
        "test",
        "staging",
        "live",
        "string",
        "b64",
        "base64",
        "hex",
        "plain",
        "text",
        "data",
        "input",
        "field",
        "box",
        "textbox",
    ];
    let is_one_of = |words: &[&str]| words.iter().any(|word| suffix.eq_ignore_ascii_case(word.as_bytes()));
    match family {
        Family::Pass | Family::Key | Family::Pat => is_one_of(&[""]),
        Family::Secret => is_one_of(&more) || is_one_of(&["key", "key_base", "s", "token"]),
        Family::Password | Family::Token => is_one_of(&more),
    }
}

/// Names that end in `pass` without a mark before it.
const JOINED: &[&str] = &["storepass", "keypass", "userpass", "requirepass"];

const fn name(literal: &'static str, family: Family) -> Trigger {
    Trigger { literal, case: Case::Any, detector: Detector::Name(family) }
}

pub(super) const TRIGGERS: &[Trigger] = &[
    name("password", Family::Password),
    name("passwd", Family::Password),
    name("passphrase", Family::Password),
    name("passcode", Family::Password),
    name("passwort", Family::Password),
    name("pwd", Family::Password),
    name("identified by", Family::Password),
    name("pass", Family::Pass),
    name("secret", Family::Secret),
    name("credential", Family::Secret),
    name("token", Family::Token),
    name("api_key", Family::Token),
    name("api-key", Family::Token),
    name("apikey", Family::Token),
    name("access_key", Family::Token),
    name("access-key", Family::Token),
    name("accesskey", Family::Token),
    name("private_key", Family::Token),
    name("private-key", Family::Token),
    name("privatekey", Family::Token),
    name("accountkey", Family::Token),
    name("account_key", Family::Token),
    name("account-key", Family::Token),
    name("encryption_key", Family::Token),
    name("signing_key", Family::Token),
    name("master_key", Family::Token),
    name("auth_key", Family::Token),
    name("t-key-data", Family::Token),
    name("passe", Family::Password),
    name("se\u{f1}a", Family::Password),
    name("nnwort", Family::Password),
    name("\u{43f}\u{430}\u{440}\u{43e}\u{43b}\u{44c}", Family::Password),
    name("\u{5bc6}\u{7801}", Family::Password),
    name("\u{30d1}\u{30b9}\u{30ef}\u{30fc}\u{30c9}", Family::Password),
    name("_key", Family::Key),
    name("-key", Family::Key),
    name("_pat", Family::Pat),
    name("bindpw", Family::Password),
    name("rootpw", Family::Password),
    name("masterauth", Family::Password),
    name("psk", Family::Password),
    name("jenkins-crumb", Family::Token),
    name("_creds", Family::Secret),
];

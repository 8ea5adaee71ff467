//! Names that say their value is secret: `DB_PASSWORD`, `accessToken`, `--api-key`.

use super::Kind;
use super::scan::{contains, run_back, run_within};
use super::triggers::{Case, Detector, Trigger};

/// How much a name promises.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Family {
    /// People choose it: any text may be one.
    Password,
    /// `pass`, which also means that a test went well.
    Pass,
    /// Machines make it, or people who should not.
    Secret,
    /// Machines make it: plain words are none.
    Token,
    /// `_key`, which also means a column, a cache entry, a key of a keyboard.
    Key,
}

/// A name around a word that gave it away.
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
        let start = run_back(text, word, 64, |byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte));
        // `db_pass` leaves no doubt.
        let is_password = family == Family::Pass && text[start..word].ends_with(b"_");
        let family = if is_password { Family::Password } else { family };
        let name = Name { text: &text[start..end], start, end, family };
        name.is_about(text, word).then_some(name)
    }

    /// Says whether the word is one of its own: a compass is no password, and a public key no secret.
    fn is_about(&self, text: &[u8], word: usize) -> bool {
        let before = word.checked_sub(1).filter(|before| *before >= self.start).map(|before| text[before]);
        let begins_word = before.is_none_or(|byte| !byte.is_ascii_alphabetic());
        let is_camel = text[word] == b'P' && before.is_some_and(|byte| byte.is_ascii_lowercase());
        match self.family {
            Family::Pass => begins_word || is_camel || (self.is_upper() && !contains(self.text, "bypass")),
            Family::Key => !contains(self.text, "public"),
            _ => true,
        }
    }

    /// Says whether the name is written as an option of a command.
    pub(super) fn is_flag(&self) -> bool {
        self.text.len() > 2 && self.text[0] == b'-' && self.text[2] != b'-'
    }

    /// Says whether the name is written as environment variables are.
    pub(super) fn is_upper(&self) -> bool {
        !self.text.iter().any(u8::is_ascii_lowercase)
    }

    pub(super) fn kind(&self) -> Kind {
        let says = |word| contains(self.text, word);
        match self.family {
            Family::Password | Family::Pass => Kind::Password,
            _ if says("account") && says("key") => Kind::AzureKey,
            _ if says("aws") && says("secret") || says("secretaccesskey") || says("secret_access_key") => {
                Kind::AwsSecret
            }
            _ if says("private") && says("key") => Kind::PrivateKey,
            _ if says("api_key") || says("apikey") || says("api-key") => Kind::ApiKey,
            _ if says("access_key") || says("accesskey") || says("access-key") => Kind::AccessKey,
            _ if says("credential") => Kind::Credential,
            _ if says("secret") => Kind::Secret,
            Family::Key => Kind::Secret,
            Family::Secret | Family::Token => Kind::Token,
        }
    }
}

/// Says whether a name may go on like this after its telling word.
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
    ];
    let is_one_of = |words: &[&str]| words.iter().any(|word| suffix.eq_ignore_ascii_case(word.as_bytes()));
    match family {
        Family::Pass | Family::Key => is_one_of(&[""]),
        Family::Secret => is_one_of(&more) || is_one_of(&["key", "key_base", "s", "token"]),
        Family::Password | Family::Token => is_one_of(&more),
    }
}

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
    name("_key", Family::Key),
];

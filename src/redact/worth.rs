//! Whether a value is a secret, given its name and its place.

use super::joint::ValuePlace;
use super::letters::{Doubt, is_random};
use super::names::Name;
use super::placeholder::{WINDOW, is_constant, is_placeholder, is_unset};
use super::scan::{begins, contains, run};
use super::trigger::Family;
use super::value::Form;
use super::{SecretKind, base64, entropy};

/// A value that may be a secret.
pub(super) struct SecretCandidate<'a> {
    pub(super) name: &'a Name<'a>,
    pub(super) place: ValuePlace,
    pub(super) form: Form,
    /// Nothing follows on the line.
    pub(super) is_last: bool,
    pub(super) value: &'a [u8],
}

impl SecretCandidate<'_> {
    pub(super) fn is_secret(&self) -> bool {
        let value = &self.value[..self.value.len().min(WINDOW)];
        let is_machine_made = matches!(self.name.family, Family::Token | Family::Key | Family::Pat);
        let is_machine_made = is_machine_made && !is_app_token(value);
        if is_machine_made && value.iter().any(|byte| b"()[]{}|<>\\*".contains(byte)) {
            return false;
        }
        if value.is_empty() || is_placeholder(value) || self.is_unset(value) || self.is_reference(value) {
            return false;
        }
        if is_machine_made && self.form == Form::Bare && is_type_name(value) {
            return false;
        }
        match self.place {
            ValuePlace::Variable => self.is_variable(value),
            ValuePlace::List => is_strong(value) || self.is_random(value),
            _ if self.form == Form::Nested => is_strong(value) || self.is_random(value),
            ValuePlace::Literal => self.is_literal(value),
            ValuePlace::Setting => {
                self.is_literal(value) && !is_expression(value) && !self.repeats_name(value)
            }
            _ if self.form == Form::Quoted => self.is_quoted(value),
            ValuePlace::Key | ValuePlace::Header if self.is_last => self.is_entry(value),
            _ => {
                // `&{User:bob Password:X7…}`
                let is_chosen = self.name.family == Family::Password
                    && value.len() >= 8
                    && has_both(value)
                    && value.iter().all(u8::is_ascii_alphanumeric)
                    && !is_wordy(value)
                    && !is_figure(value);
                (is_strong(value) || self.is_random(value) || is_chosen) && !is_expression(value)
            }
        }
    }

    /// Returns whether the name is unmistakable and the letters of the value look random.
    fn is_random(&self, value: &[u8]) -> bool {
        let is_data = match self.place {
            ValuePlace::Literal | ValuePlace::Variable | ValuePlace::Setting | ValuePlace::Header => true,
            ValuePlace::Key | ValuePlace::Code => self.form == Form::Quoted,
            ValuePlace::List | ValuePlace::Loose => false,
        };
        let doubt = if is_data { Doubt::Quoted } else { Doubt::Bare };
        // `our secret knowledge` is prose: there the case has to be irregular as well.
        let is_prose = self.place == ValuePlace::Loose && entropy::changes(value) * 3 < value.len();
        !matches!(self.name.family, Family::Key | Family::Pat)
            && !is_prose
            && !is_figure(value)
            && !self.repeats_name(value)
            && is_random(value, doubt)
    }

    fn is_unset(&self, value: &[u8]) -> bool {
        let is_free = self.name.family == Family::Password
            && matches!(self.place, ValuePlace::Literal | ValuePlace::Variable | ValuePlace::Setting);
        if is_free { is_unset(value) || self.is_metavariable(value) } else { is_constant(value) }
    }

    /// A value that says where the secret is: a path, an address, a name in a vault.
    fn is_reference(&self, value: &[u8]) -> bool {
        // These keys are base64 and may begin with a slash.
        let is_base64 = matches!(self.name.kind(), SecretKind::AwsSecret | SecretKind::AzureKey);
        REFERENCES.iter().any(|prefix| begins(value, prefix))
            || (!is_base64 && is_path(value))
            || is_colour(value)
    }

    /// In an environment or after an option every word is a value.
    fn is_literal(&self, value: &[u8]) -> bool {
        let is_number = value.iter().all(u8::is_ascii_digit);
        match self.name.family {
            Family::Password => true,
            Family::Pass => {
                // Of names in lower case, only those of a query are in such a place.
                let is_plain = self.name.is_upper()
                    || self.name.is_flag()
                    || self.says("_pass")
                    || self.place == ValuePlace::Literal;
                (is_plain && value.len() >= 4)
                    || (value.len() >= 6 && has_both(value) && !is_wordy(value))
                    || self.is_random(value)
            }
            Family::Pat => self.is_access_token(value),
            Family::Key => {
                self.name.is_upper() && value.len() >= 16 && has_both(value) && !is_expression(value)
            }
            Family::Secret if self.is_random(value) => true,
            // `--secret my-database-secret` names a secret.
            Family::Secret => {
                value.len() >= 4
                    && !is_number
                    && !(is_wordy(value) && (self.repeats_name(value) || self.name.text == b"--secret"))
                    && !is_list(value)
            }
            Family::Token => {
                value.len() >= 4 && !(is_number && value.len() < 8) && !self.is_metavariable(value)
            }
        }
    }

    /// A variable of a process has its real value, however weak that is.
    fn is_variable(&self, value: &[u8]) -> bool {
        let is_chosen = matches!(self.name.family, Family::Secret | Family::Pass);
        self.is_literal(value)
            || (is_chosen && value.len() >= 6 && !value.iter().all(u8::is_ascii_digit) && !is_list(value))
    }

    /// Quotes make a text a value, but a label is not a password, and a word is not a token.
    fn is_quoted(&self, value: &[u8]) -> bool {
        let is_sentence = value.contains(&b' ');
        match self.name.family {
            _ if self.place == ValuePlace::Code && self.is_lookup(value) => false,
            _ if self.is_random(value) => true,
            Family::Password | Family::Pass if is_sentence => !is_label(value),
            _ if is_sentence => false,
            Family::Password | Family::Pass => {
                value.len() >= 3
                    && !is_label(value)
                    && !is_constant(value)
                    && (has_digit(value) || !is_capitalised(value))
            }
            Family::Secret => value.len() >= 5 && (has_digit(value) || value.len() >= 20 && !is_wordy(value)),
            Family::Token => value.len() >= 6 && !is_wordy(value),
            Family::Pat => self.is_access_token(value),
            Family::Key => value.len() >= 20 && entropy::is_dense(value),
        }
    }

    /// The bare value of a key that ends its line.
    fn is_entry(&self, value: &[u8]) -> bool {
        let is_code = is_expression(value) || matches!(value.last(), Some(b';' | b'{' | b'('));
        match self.name.family {
            _ if is_code => false,
            _ if self.is_random(value) => true,
            Family::Password => {
                value.len() >= 3
                    && !is_label(value)
                    && (has_digit(value) || !is_capitalised(value))
                    && !self.repeats_name(value)
            }
            Family::Secret | Family::Token => value.len() >= 6 && has_both(value) && !is_wordy(value),
            Family::Pass | Family::Key | Family::Pat => is_strong(value),
        }
    }

    /// `get("TOKEN", "ACCESS_TOKEN")` looks one name up after the other.
    fn is_lookup(&self, value: &[u8]) -> bool {
        value.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'_' || byte.is_ascii_digit())
            && value.contains(&b'_')
    }

    /// `password=db_password`, `token: token`.
    fn repeats_name(&self, value: &[u8]) -> bool {
        let word = match self.name.family {
            Family::Password => "pass",
            Family::Pass => "pass",
            Family::Secret => "secret",
            Family::Token | Family::Pat => "token",
            Family::Key => "key",
        };
        (contains(value, word) || contains(value, "pwd")) && is_wordy(value)
    }

    /// `--token TOKEN` of a help text.
    fn is_metavariable(&self, value: &[u8]) -> bool {
        let is_upper = value.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'_');
        is_upper
            && self.name.is_flag()
            && ["token", "key", "pass", "pwd"].iter().any(|word| contains(value, word))
    }

    /// In lower case, `_pat` is also short for a pattern.
    fn is_access_token(&self, value: &[u8]) -> bool {
        let is_plain =
            || value.len() >= 32 && value.iter().all(u8::is_ascii_alphanumeric) && is_strong(value);
        value.len() >= 16 && has_both(value) && (self.name.is_upper() || is_plain())
    }

    fn says(&self, word: &str) -> bool {
        contains(self.name.text, word)
    }
}

/// `id=name` of an option that takes more than one thing; base64 has its `=` at the end.
fn is_list(value: &[u8]) -> bool {
    value.iter().position(|byte| *byte == b'=').is_some_and(|sign| sign + 2 < value.len())
}

/// `number|letters`: an application and its secret, as Facebook joins them.
fn is_app_token(value: &[u8]) -> bool {
    let digits = run(value, 0, |byte| byte.is_ascii_digit());
    digits >= 10
        && value.get(digits) == Some(&b'|')
        && value[digits + 1..].iter().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(byte))
}

/// `#d8dee9`: themes assign colours to tokens.
fn is_colour(value: &[u8]) -> bool {
    matches!(value, [b'#', digits @ ..] if digits.len() <= 8 && digits.iter().all(u8::is_ascii_hexdigit))
}

const REFERENCES: &[&str] = &[
    "http://",
    "https://",
    "op://",
    "arn:",
    "vault:",
    "ref+",
    "file:",
    "env:",
    "ssm:",
    "sha256:",
    "sha512:",
    "sha1:",
    "secrets.",
    "secretref:",
    "keychain:",
    "projects/",
    "@@",
];

fn is_path(value: &[u8]) -> bool {
    let is_rooted = match value {
        [b'/', rest @ ..] => rest.is_empty() || rest[0].is_ascii_alphabetic() || rest[0] == b'.',
        [b'.', b'/', ..] | [b'.', b'.', b'/', ..] | [b'~', b'/', ..] => true,
        [drive, b':', b'\\' | b'/', ..] => drive.is_ascii_alphabetic(),
        _ => false,
    };
    let segments = || value.split(|byte| matches!(byte, b'/' | b'\\'));
    is_rooted
        && segments().count() > 1
        && !entropy::is_dense(value)
        && !segments().any(|segment| segment.len() >= 20 && entropy::is_dense(segment))
}

/// Calls, indices, paths of code, fields of things.
fn is_expression(value: &[u8]) -> bool {
    let is_call = |byte: u8| matches!(byte, b'(' | b'[');
    let end = run(value, 0, |byte| byte.is_ascii_alphanumeric() || b"_.&*:?!".contains(&byte));
    value.get(end).is_some_and(|byte| is_call(*byte))
        || value.starts_with(b"&")
        || value.starts_with(b"*")
        || value.starts_with(b"self.")
        || value.starts_with(b"this.")
        || contains(value, "::")
        || contains(value, "->")
        || (value.contains(&b'.')
            && value.split(|byte| matches!(byte, b'.' | b'?' | b'!')).all(is_identifier))
}

/// `Uint8Array`, `ed25519Seed`: words with one number between them, the next word with a capital.
fn is_type_name(value: &[u8]) -> bool {
    let letters = run(value, 0, |byte| byte.is_ascii_alphabetic());
    let digits = run(value, letters, |byte| byte.is_ascii_digit());
    let is_words = |text: &[u8]| {
        text.len() >= 2 && text.iter().all(u8::is_ascii_alphabetic) && entropy::changes(text) <= 4
    };
    value.len() <= 24
        && digits > letters
        && digits - letters <= 5
        && is_words(&value[..letters])
        && value.get(digits).is_some_and(u8::is_ascii_uppercase)
        && value[digits..].len() >= 3
        && value[digits + 1..digits + 3].iter().all(u8::is_ascii_lowercase)
        && is_words(&value[digits..])
}

fn is_identifier(text: &[u8]) -> bool {
    !text.is_empty()
        && !text[0].is_ascii_digit()
        && text.iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
        || text.is_empty()
}

/// Words with marks between them, and perhaps a number at the end.
pub(super) fn is_wordy(value: &[u8]) -> bool {
    let digits = value.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let words = &value[..value.len() - digits.min(3)];
    let is_words = words
        .iter()
        .all(|byte| byte.is_ascii_alphabetic() || b"-_./: @+#".contains(byte) || !byte.is_ascii());
    let longest = words.split(|byte| !byte.is_ascii_alphabetic()).map(<[u8]>::len).max().unwrap_or(0);
    is_words && (longest < 20 || entropy::changes(words) * 5 < words.len() * 2)
}

/// A number as code writes it: `0x1F`, `16384u32`, `-12i64`.
fn is_figure(value: &[u8]) -> bool {
    let value = value.strip_prefix(b"-").unwrap_or(value);
    let end = run(value, 0, |byte| byte.is_ascii_digit() || byte == b'_');
    let is_suffix = matches!(value.get(end), None | Some(b'i' | b'u' | b'f' | b'L' | b'.'));
    (begins(value, "0x") && value.len() <= 24) || (end > 0 && is_suffix && value.len() - end <= 6)
}

/// What a form shows beside or in the field.
fn is_label(value: &[u8]) -> bool {
    let words = [
        "pass",
        "pwd",
        "your",
        "enter",
        "secret",
        "must",
        "invalid",
        "required",
        "confirm",
        "forgot",
        "token",
        "character",
    ];
    words.iter().any(|word| contains(value, word)) && (value.contains(&b' ') || is_wordy(value))
}

/// `String`, `SecretStr`, `Passwort`.
fn is_capitalised(value: &[u8]) -> bool {
    value[0].is_ascii_uppercase()
        && value.iter().any(u8::is_ascii_lowercase)
        && value
            .iter()
            .all(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii() || b"!?[]<>_.".contains(byte))
}

fn has_digit(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_digit)
}

fn has_both(value: &[u8]) -> bool {
    has_digit(value) && value.iter().any(u8::is_ascii_alphabetic)
}

/// Returns whether a value can only be a secret: it is not a word, a number or a version.
pub(super) fn is_strong(value: &[u8]) -> bool {
    if entropy::is_mixed(value) {
        return true;
    }
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let parts = || value.split(|byte| matches!(byte, b'-' | b'_' | b'.' | b'/'));
    value.len() >= 8
        && digits >= 2
        && has_both(value)
        && value.iter().all(u8::is_ascii_graphic)
        && !is_list(value)
        && !is_figure(value)
        && !contains(value, "://")
        && !is_wordy(value)
        && parts().any(|part| part.len() >= 8 && has_both(part) && !is_wordy(part))
        && (entropy::changes(value) * 6 >= value.len()
            || base64::decode(value).is_some() && value.len() >= 20)
}

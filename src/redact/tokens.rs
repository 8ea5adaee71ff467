//! Tokens whose form shows their vendor. A new vendor is a new line of the table in `vendors.rs`.

use std::ops::Range;

use super::hex::after_escape;
use super::placeholder::is_placeholder;
use super::scan::{SecretScan, run, run_back, run_within, starts_word};
use super::trigger::{Body, Case, Detector, Token, Trigger, WINDOW};
use super::{SecretFinding, SecretKind, base64, entropy, forms};

impl Token {
    pub(super) fn detect(&self, scan: &mut SecretScan<'_>, at: usize, body: usize) {
        let text = scan.text;
        if at < scan.tokens_until || !starts_word(text, at) || follows_own_kind(text, at) {
            return;
        }
        let class = self.body.class();
        let window = &text[body..run_within(text, body, WINDOW, class)];
        if window.len() < self.min_length || !self.body.accepts(window) || is_placeholder(window) {
            return;
        }
        let end = run(text, body, class);
        // A sentence may end after a token.
        let end = run_back(text, end, end - body, |byte| byte == b'.');
        scan.tokens_until = end;
        scan.push(self.kind.clone(), at..end);
    }
}

/// `risk-` and `foo-sk-…` are names; but `-p` and `--` may come before a token.
fn follows_own_kind(text: &[u8], at: usize) -> bool {
    text[at..].starts_with(b"sk-") && at >= 2 && text[at - 1] == b'-' && text[at - 2].is_ascii_alphanumeric()
}

impl Body {
    pub(super) fn class(self) -> fn(u8) -> bool {
        match self {
            Body::Hex => |byte| byte.is_ascii_hexdigit(),
            Body::Percent => |byte| byte.is_ascii_alphanumeric() || byte == b'%',
            Body::Uuid => |byte| byte.is_ascii_alphanumeric() || byte == b'-',
            Body::HexDash => |byte| byte.is_ascii_hexdigit() || byte == b'-',
            Body::Groups => |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'-',
            Body::HexExact(_)
            | Body::Capitals(_)
            | Body::LowerExact(_)
            | Body::Alphanumeric
            | Body::AlphanumericExact(_) => |byte| byte.is_ascii_alphanumeric(),
            Body::Word => |byte| byte.is_ascii_alphanumeric() || byte == b'_',
            Body::Encoded => |byte| byte.is_ascii_alphanumeric() || b"_-%/+=".contains(&byte),
            Body::Url | Body::UrlExact(_) | Body::Dense | Body::Mixed => {
                |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
            }
            Body::Dotted => |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
            Body::Base64 => {
                |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'+' | b'=')
            }
        }
    }

    fn accepts(self, body: &[u8]) -> bool {
        match self {
            Body::Capitals(length) => {
                body.len() == length
                    && body.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
            }
            Body::HexExact(length) => {
                body.len() == length && has_digit(body) && body.iter().all(u8::is_ascii_hexdigit)
            }
            Body::LowerExact(length) => {
                body.len() == length && has_digit(body) && !body.iter().any(u8::is_ascii_uppercase)
            }
            Body::AlphanumericExact(length) => {
                let has_both = has_digit(body) && body.iter().any(u8::is_ascii_alphabetic);
                body.len() == length && (has_both || entropy::is_mixed(body))
            }
            Body::UrlExact(length) => body.len() == length && is_random(body),
            Body::Hex | Body::HexDash => has_digit(body),
            Body::Uuid => is_uuid(body),
            Body::Percent => entropy::is_dense(body),
            Body::Groups => {
                body.split(|byte| *byte == b'-').count() >= 5
                    && body.split(|byte| *byte == b'-').all(|group| group.len() >= 5)
            }
            Body::Dense => {
                body.split(|byte| matches!(byte, b'_' | b'-')).any(|part| part.len() >= 16 && has_digit(part))
            }
            Body::Mixed => is_mixed(body),
            Body::Alphanumeric | Body::Word | Body::Url | Body::Dotted | Body::Base64 | Body::Encoded => {
                is_random(body)
            }
        }
    }
}

/// Returns whether a body can be random. Tokens need no digit: those of Hugging Face have letters only, by definition,
/// and one in thirty of GitLab's has none by chance. Without a digit, words are recognised by their case and length.
fn is_random(body: &[u8]) -> bool {
    let parts = || body.split(|byte| !byte.is_ascii_alphanumeric());
    let changes: usize = parts().map(entropy::changes).sum();
    has_digit(body) || parts().any(|part| part.len() >= LONG_PART) || changes * 5 >= body.len()
}

/// Returns whether small letters, capitals and digits, if any, change as often as in a random text. The words of a name change
/// less often.
pub(super) fn is_mixed(body: &[u8]) -> bool {
    let has = |test: fn(&u8) -> bool| body.iter().any(test);
    has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) && entropy::changes(body) * 3 >= body.len()
}

fn is_uuid(body: &[u8]) -> bool {
    let lengths = body.split(|byte| *byte == b'-').map(<[u8]>::len);
    let is_hex = body.iter().all(|byte| *byte == b'-' || byte.is_ascii_hexdigit());
    is_hex && has_digit(body) && lengths.eq([8, 4, 4, 4, 12])
}

/// No word is this long.
const LONG_PART: usize = 20;

fn has_digit(text: &[u8]) -> bool {
    text.iter().any(u8::is_ascii_digit)
}

pub(super) const fn token(literal: &'static str, kind: SecretKind, body: Body, min_length: usize) -> Trigger {
    Trigger { literal, case: Case::Exact, detector: Detector::Token(Token { kind, body, min_length }) }
}

pub(super) const TRIGGERS: &[Trigger] = &[
    Trigger { literal: "SG.", case: Case::Exact, detector: Detector::Other(sendgrid) },
    Trigger { literal: ":AA", case: Case::Exact, detector: Detector::Other(telegram) },
    Trigger { literal: "telegram.org/bot", case: Case::Any, detector: Detector::Other(telegram_address) },
    Trigger { literal: "-us", case: Case::Exact, detector: Detector::Other(forms::mailchimp) },
    Trigger { literal: ".atlasv1.", case: Case::Exact, detector: Detector::Other(forms::terraform) },
    Trigger { literal: "7Q~", case: Case::Exact, detector: Detector::Other(forms::azure) },
    Trigger { literal: "8Q~", case: Case::Exact, detector: Detector::Other(forms::azure) },
    Trigger {
        literal: "access_token$production$",
        case: Case::Exact,
        detector: Detector::Other(forms::braintree),
    },
    Trigger { literal: "_mmk", case: Case::Exact, detector: Detector::Other(forms::maxmind) },
    Trigger { literal: "-na1-", case: Case::Exact, detector: Detector::Other(forms::hubspot) },
    Trigger { literal: "-eu1-", case: Case::Exact, detector: Detector::Other(forms::hubspot) },
    Trigger { literal: "pat.", case: Case::Exact, detector: Detector::Other(forms::harness) },
    Trigger { literal: "sat.", case: Case::Exact, detector: Detector::Other(forms::harness) },
    Trigger { literal: "perm:", case: Case::Exact, detector: Detector::Other(forms::jetbrains) },
    Trigger { literal: "token-", case: Case::Exact, detector: Detector::Other(forms::rancher) },
    Trigger { literal: "pk_", case: Case::Exact, detector: Detector::Other(forms::clickup) },
    Trigger { literal: "00D", case: Case::Exact, detector: Detector::Other(forms::salesforce) },
    Trigger { literal: "st.", case: Case::Exact, detector: Detector::Other(forms::infisical) },
    Trigger { literal: " s.", case: Case::Exact, detector: Detector::Other(forms::vault) },
    Trigger { literal: "=s.", case: Case::Exact, detector: Detector::Other(forms::vault) },
    Trigger { literal: "\"s.", case: Case::Exact, detector: Detector::Other(forms::vault) },
];

/// `SG.` and two long parts.
fn sendgrid(scan: &mut SecretScan<'_>, at: usize, body: usize) {
    let text = scan.text;
    let url = Body::Url.class();
    let middle = run_within(text, body, WINDOW, url);
    if !starts_word(text, at) || middle - body < 16 || text.get(middle) != Some(&b'.') {
        return;
    }
    let window = &text[middle + 1..run_within(text, middle + 1, WINDOW, url)];
    if window.len() >= 16 && !is_placeholder(window) {
        scan.push(SecretKind::SendgridKey, at..run(text, middle + 1, url));
    }
}

/// The number of the bot, `:AA` and a long part.
fn telegram(scan: &mut SecretScan<'_>, at: usize, body: usize) {
    let text = scan.text;
    let start = run_back(text, at, 12, |byte| byte.is_ascii_digit());
    let end = run_within(text, body, WINDOW, Body::Url.class());
    if (8..=10).contains(&(at - start))
        && (30..=40).contains(&(end - body))
        && !is_placeholder(&text[body..end])
    {
        scan.push(SecretKind::TelegramToken, start..end);
    }
}

/// The address of a bot's API contains its token, whatever that looks like.
fn telegram_address(scan: &mut SecretScan<'_>, _: usize, after: usize) {
    let text = scan.text;
    let sign = run_within(text, after, 12, |byte| byte.is_ascii_digit());
    let end = run_within(text, sign + 1, WINDOW, Body::Url.class());
    if sign > after
        && text.get(sign) == Some(&b':')
        && end - sign > 20
        && !is_placeholder(&text[sign + 1..end])
    {
        scan.push(SecretKind::TelegramToken, after..end);
    }
}

/// Airtable: `pat`, 14 characters, a dot and 64 hex digits, which this run is.
pub(super) fn airtable(text: &[u8], long: &Range<usize>) -> Option<SecretFinding> {
    let dot = long.start.checked_sub(1).filter(|dot| text[*dot] == b'.')?;
    let start = run_back(text, dot, 18, |byte| byte.is_ascii_alphanumeric());
    let is_token =
        dot - start == 17 && text[start..].starts_with(b"pat") && !is_placeholder(&text[long.clone()]);
    is_token.then_some(SecretFinding { kind: SecretKind::CloudToken, span: start..long.end })
}

/// A Discord bot's token: its number in base64, a short part, and the long one that this run is.
pub(super) fn discord(text: &[u8], long: &Range<usize>) -> Option<SecretFinding> {
    let class = Body::Url.class();
    let dot_before = |at: usize| at.checked_sub(1).filter(|dot| text[*dot] == b'.');
    let time_end = dot_before(long.start)?;
    let time = run_back(text, time_end, 8, class);
    let number_end = dot_before(time)?;
    let number = after_escape(text, run_back(text, number_end, 32, class)).min(number_end);
    let is_number = |id: Vec<u8>| id.len() >= 15 && id.iter().all(u8::is_ascii_digit);
    let is_token = time_end - time >= 6 && base64::decode(&text[number..number_end]).is_some_and(is_number);
    let end = run(&text[..long.end], long.start, class);
    is_token.then_some(SecretFinding { kind: SecretKind::DiscordToken, span: number..end })
}

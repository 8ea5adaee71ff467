//! Tokens that say by their beginning whose they are. A new vendor is a new line of the catalogue.

use std::ops::Range;

use super::hex::after_escape;
use super::placeholder::is_placeholder;
use super::scan::{Scan, run, run_back, run_within, starts_word};
use super::triggers::{Case, Detector, Trigger};
use super::{Found, Kind, base64};

/// What follows the beginning of a token.
pub(super) struct Token {
    kind: Kind,
    body: Body,
    /// Shorter bodies are something else.
    least: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum Body {
    Hex,
    /// Exactly so many capital letters and digits, and then a word's end.
    Capitals(usize),
    Alphanumeric,
    /// With `_`.
    Word,
    /// With `_` and `-`.
    Url,
    /// With `_`, `-` and `.`.
    Dotted,
    /// With `_`, `-`, `.`, `/`, `+` and `=`.
    Base64,
    /// With `_` and `-`, and one long part without them that holds a digit: `sk-` alone begins many names.
    Dense,
}

impl Token {
    pub(super) fn detect(&self, scan: &mut Scan<'_>, at: usize, body: usize) {
        let text = scan.text;
        if at < scan.tokens_until || !starts_word(text, at) || follows_own_kind(text, at) {
            return;
        }
        let class = self.body.class();
        let window = &text[body..run_within(text, body, WINDOW, class)];
        if window.len() < self.least || !self.body.accepts(window) || is_placeholder(window) {
            return;
        }
        let end = run(text, body, class);
        // A sentence may end behind a token.
        let end = run_back(text, end, end - body, |byte| byte == b'.');
        scan.tokens_until = end;
        scan.push(self.kind.clone(), at..end);
    }
}

/// More of a body need not be seen to know it.
const WINDOW: usize = 256;

/// `risk-` and `foo-sk-…` are names; but `-p` and `--` may stand before a token.
fn follows_own_kind(text: &[u8], at: usize) -> bool {
    text[at..].starts_with(b"sk-") && at >= 2 && text[at - 1] == b'-' && text[at - 2].is_ascii_alphanumeric()
}

impl Body {
    fn class(self) -> fn(u8) -> bool {
        match self {
            Body::Hex => |byte| byte.is_ascii_hexdigit(),
            Body::Capitals(_) | Body::Alphanumeric => |byte| byte.is_ascii_alphanumeric(),
            Body::Word => |byte| byte.is_ascii_alphanumeric() || byte == b'_',
            Body::Url | Body::Dense => |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
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
            Body::Dense => {
                body.split(|byte| matches!(byte, b'_' | b'-')).any(|part| part.len() >= 16 && has_digit(part))
            }
            _ => has_digit(body),
        }
    }
}

fn has_digit(text: &[u8]) -> bool {
    text.iter().any(u8::is_ascii_digit)
}

const fn token(literal: &'static str, kind: Kind, body: Body, least: usize) -> Trigger {
    Trigger { literal, case: Case::Exact, detector: Detector::Token(Token { kind, body, least }) }
}

pub(super) const TRIGGERS: &[Trigger] = &[
    token("AKIA", Kind::AwsKey, Body::Capitals(16), 16),
    token("ASIA", Kind::AwsKey, Body::Capitals(16), 16),
    token("ABIA", Kind::AwsKey, Body::Capitals(16), 16),
    token("ABSK", Kind::AwsKey, Body::Base64, 60),
    token("ghp_", Kind::GithubToken, Body::Word, 20),
    token("gho_", Kind::GithubToken, Body::Word, 20),
    token("ghu_", Kind::GithubToken, Body::Word, 20),
    token("ghs_", Kind::GithubToken, Body::Dotted, 20),
    token("ghr_", Kind::GithubToken, Body::Word, 20),
    token("github_pat_", Kind::GithubToken, Body::Word, 20),
    token("glpat-", Kind::GitlabToken, Body::Dotted, 16),
    token("glptt-", Kind::GitlabToken, Body::Url, 16),
    token("gldt-", Kind::GitlabToken, Body::Url, 16),
    token("glrt-", Kind::GitlabToken, Body::Dotted, 16),
    token("glcbt-", Kind::GitlabToken, Body::Url, 16),
    token("xoxa-", Kind::SlackToken, Body::Url, 10),
    token("xoxb-", Kind::SlackToken, Body::Url, 10),
    token("xoxc-", Kind::SlackToken, Body::Url, 10),
    token("xoxd-", Kind::SlackToken, Body::Url, 10),
    token("xoxe-", Kind::SlackToken, Body::Url, 10),
    token("xoxe.", Kind::SlackToken, Body::Dotted, 10),
    token("xoxo-", Kind::SlackToken, Body::Url, 10),
    token("xoxp-", Kind::SlackToken, Body::Url, 10),
    token("xoxr-", Kind::SlackToken, Body::Url, 10),
    token("xoxs-", Kind::SlackToken, Body::Url, 10),
    token("xapp-", Kind::SlackToken, Body::Url, 20),
    token("AIza", Kind::GoogleKey, Body::Url, 30),
    token("ya29.", Kind::GoogleKey, Body::Dotted, 20),
    token("GOCSPX-", Kind::GoogleKey, Body::Url, 20),
    token("sk_live_", Kind::StripeKey, Body::Word, 10),
    token("sk_test_", Kind::StripeKey, Body::Word, 10),
    token("rk_live_", Kind::StripeKey, Body::Word, 10),
    token("rk_test_", Kind::StripeKey, Body::Word, 10),
    token("whsec_", Kind::StripeKey, Body::Base64, 20),
    token("sk-ant-", Kind::AnthropicKey, Body::Dense, 20),
    token("sk-", Kind::OpenaiKey, Body::Dense, 20),
    token("sess-", Kind::OpenaiKey, Body::Dense, 30),
    token("gsk_", Kind::ModelKey, Body::Alphanumeric, 30),
    token("pplx-", Kind::ModelKey, Body::Alphanumeric, 30),
    token("xai-", Kind::ModelKey, Body::Alphanumeric, 40),
    token("r8_", Kind::ModelKey, Body::Alphanumeric, 30),
    token("hf_", Kind::HuggingfaceToken, Body::Alphanumeric, 24),
    token("api_org_", Kind::HuggingfaceToken, Body::Alphanumeric, 24),
    token("npm_", Kind::NpmToken, Body::Alphanumeric, 24),
    token("pypi-Ag", Kind::PypiToken, Body::Url, 16),
    token("cio", Kind::RegistryToken, Body::Alphanumeric, 32),
    token("rubygems_", Kind::RegistryToken, Body::Hex, 32),
    token("AKCp", Kind::RegistryToken, Body::Alphanumeric, 60),
    token("dckr_pat_", Kind::DockerToken, Body::Url, 20),
    token("dckr_oat_", Kind::DockerToken, Body::Url, 20),
    token("dop_v1_", Kind::DigitaloceanToken, Body::Hex, 32),
    token("doo_v1_", Kind::DigitaloceanToken, Body::Hex, 32),
    token("dor_v1_", Kind::DigitaloceanToken, Body::Hex, 32),
    token("dapi", Kind::DatabricksToken, Body::Hex, 32),
    token("AGE-SECRET-KEY-1", Kind::AgeKey, Body::Alphanumeric, 20),
    token("hvs.", Kind::VaultToken, Body::Url, 20),
    token("hvb.", Kind::VaultToken, Body::Url, 20),
    token("hvr.", Kind::VaultToken, Body::Url, 20),
    token("shpat_", Kind::ShopifyToken, Body::Hex, 24),
    token("shpca_", Kind::ShopifyToken, Body::Hex, 24),
    token("shppa_", Kind::ShopifyToken, Body::Hex, 24),
    token("shpss_", Kind::ShopifyToken, Body::Hex, 24),
    token("sq0atp-", Kind::SquareToken, Body::Url, 20),
    token("sq0csp-", Kind::SquareToken, Body::Url, 20),
    token("lin_api_", Kind::LinearKey, Body::Alphanumeric, 24),
    token("glsa_", Kind::GrafanaToken, Body::Word, 24),
    token("glc_ey", Kind::GrafanaToken, Body::Base64, 24),
    token("sntrys_", Kind::SentryToken, Body::Base64, 24),
    token("sntryu_", Kind::SentryToken, Body::Hex, 24),
    token("ATATT3", Kind::AtlassianToken, Body::Base64, 24),
    token("tskey-", Kind::CloudToken, Body::Url, 16),
    token("sbp_", Kind::CloudToken, Body::Hex, 32),
    token("nfp_", Kind::CloudToken, Body::Alphanumeric, 32),
    token("pscale_tkn_", Kind::CloudToken, Body::Dotted, 20),
    token("pscale_pw_", Kind::CloudToken, Body::Dotted, 20),
    token("HRKU-", Kind::CloudToken, Body::Url, 30),
    token("NRAK-", Kind::CloudToken, Body::Alphanumeric, 20),
    token("PMAK-", Kind::CloudToken, Body::Url, 30),
    token("figd_", Kind::CloudToken, Body::Url, 30),
    token("dp.pt.", Kind::CloudToken, Body::Alphanumeric, 30),
    token("fo1_", Kind::CloudToken, Body::Url, 30),
    Trigger { literal: "SG.", case: Case::Exact, detector: Detector::Other(sendgrid) },
    Trigger { literal: ":AA", case: Case::Exact, detector: Detector::Other(telegram) },
];

/// `SG.` and two long parts.
fn sendgrid(scan: &mut Scan<'_>, at: usize, body: usize) {
    let text = scan.text;
    let url = Body::Url.class();
    let middle = run_within(text, body, WINDOW, url);
    if !starts_word(text, at) || middle - body < 16 || text.get(middle) != Some(&b'.') {
        return;
    }
    let window = &text[middle + 1..run_within(text, middle + 1, WINDOW, url)];
    if window.len() >= 16 && !is_placeholder(window) {
        scan.push(Kind::SendgridKey, at..run(text, middle + 1, url));
    }
}

/// The number of the bot, `:AA` and a long part.
fn telegram(scan: &mut Scan<'_>, at: usize, body: usize) {
    let text = scan.text;
    let start = run_back(text, at, 12, |byte| byte.is_ascii_digit());
    let end = run_within(text, body, WINDOW, Body::Url.class());
    if (8..=10).contains(&(at - start))
        && (30..=40).contains(&(end - body))
        && !is_placeholder(&text[body..end])
    {
        scan.push(Kind::TelegramToken, start..end);
    }
}

/// A Discord bot's token: its number in base64, a short part, and the long one that this run is.
pub(super) fn discord(text: &[u8], long: &Range<usize>) -> Option<Found> {
    let class = Body::Url.class();
    let dot_before = |at: usize| at.checked_sub(1).filter(|dot| text[*dot] == b'.');
    let time_end = dot_before(long.start)?;
    let time = run_back(text, time_end, 8, class);
    let number_end = dot_before(time)?;
    let number = after_escape(text, run_back(text, number_end, 32, class)).min(number_end);
    let is_number = |id: Vec<u8>| id.len() >= 15 && id.iter().all(u8::is_ascii_digit);
    let is_token = time_end - time >= 6 && base64::decode(&text[number..number_end]).is_some_and(is_number);
    let end = run(&text[..long.end], long.start, class);
    is_token.then_some(Found { kind: Kind::DiscordToken, span: number..end })
}

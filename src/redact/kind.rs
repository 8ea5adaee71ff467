//! What sort of secret a text held, and the word that stands in its place.

use std::fmt;
use std::sync::Arc;

/// The sort of a secret.
///
/// Where two findings overlap, the one listed first names the whole: a vendor says more than "token".
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// What a pattern of the user found, under the name the user gave it.
    Own(Arc<str>),
    PrivateKey,
    AgeKey,
    AnthropicKey,
    AtlassianToken,
    AwsKey,
    AwsSecret,
    AzureKey,
    CloudToken,
    DatabricksToken,
    DigitaloceanToken,
    DiscordToken,
    DockerToken,
    GithubToken,
    GitlabToken,
    GoogleKey,
    GrafanaToken,
    HuggingfaceToken,
    LinearKey,
    ModelKey,
    NpmToken,
    OpenaiKey,
    PypiToken,
    RegistryToken,
    SendgridKey,
    SentryToken,
    ShopifyToken,
    SlackToken,
    SlackWebhook,
    SquareToken,
    StripeKey,
    TelegramToken,
    TwilioKey,
    VaultToken,
    Jwt,
    UrlPassword,
    BasicAuth,
    Authorization,
    Cookie,
    Password,
    ApiKey,
    AccessKey,
    Credential,
    Secret,
    Token,
    HexKey,
    Random,
}

impl Kind {
    /// Returns the word of the placeholder.
    pub(crate) fn name(&self) -> &str {
        match self {
            Kind::Own(name) => name,
            Kind::PrivateKey => "private-key",
            Kind::AgeKey => "age-key",
            Kind::AnthropicKey => "anthropic-key",
            Kind::AtlassianToken => "atlassian-token",
            Kind::AwsKey => "aws-key",
            Kind::AwsSecret => "aws-secret",
            Kind::AzureKey => "azure-key",
            Kind::CloudToken => "cloud-token",
            Kind::DatabricksToken => "databricks-token",
            Kind::DigitaloceanToken => "digitalocean-token",
            Kind::DiscordToken => "discord-token",
            Kind::DockerToken => "docker-token",
            Kind::GithubToken => "github-token",
            Kind::GitlabToken => "gitlab-token",
            Kind::GoogleKey => "google-key",
            Kind::GrafanaToken => "grafana-token",
            Kind::HuggingfaceToken => "huggingface-token",
            Kind::LinearKey => "linear-key",
            Kind::ModelKey => "model-key",
            Kind::NpmToken => "npm-token",
            Kind::OpenaiKey => "openai-key",
            Kind::PypiToken => "pypi-token",
            Kind::RegistryToken => "registry-token",
            Kind::SendgridKey => "sendgrid-key",
            Kind::SentryToken => "sentry-token",
            Kind::ShopifyToken => "shopify-token",
            Kind::SlackToken => "slack-token",
            Kind::SlackWebhook => "slack-webhook",
            Kind::SquareToken => "square-token",
            Kind::StripeKey => "stripe-key",
            Kind::TelegramToken => "telegram-token",
            Kind::TwilioKey => "twilio-key",
            Kind::VaultToken => "vault-token",
            Kind::Jwt => "jwt",
            Kind::UrlPassword => "url-password",
            Kind::BasicAuth => "basic-auth",
            Kind::Authorization => "authorization",
            Kind::Cookie => "cookie",
            Kind::Password => "password",
            Kind::ApiKey => "api-key",
            Kind::AccessKey => "access-key",
            Kind::Credential => "credential",
            Kind::Secret => "secret",
            Kind::Token => "token",
            Kind::HexKey => "hex-key",
            Kind::Random => "random",
        }
    }
}

/// Writes the placeholder: `[REDACTED:aws-key]`.
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{OPENING}{}]", self.name())
    }
}

/// How every placeholder begins.
pub(super) const OPENING: &str = "[REDACTED:";

/// Returns the end of the placeholder that begins here, if one does.
pub(super) fn placeholder_end(text: &[u8], at: usize) -> Option<usize> {
    let name = text.get(at..)?.strip_prefix(OPENING.as_bytes())?;
    let length = name.iter().take(MAX_NAME + 1).take_while(|byte| is_name_byte(**byte)).count();
    (length > 0 && name.get(length) == Some(&b']')).then(|| at + OPENING.len() + length + 1)
}

/// Says whether this can be the name of a kind: a placeholder is recognised by it later.
pub(super) fn is_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= MAX_NAME && name.bytes().all(is_name_byte)
}

const MAX_NAME: usize = 40;

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'_'
}

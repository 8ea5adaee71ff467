//! The kinds of secrets, and the placeholders that replace them.

use std::fmt;
use std::sync::Arc;

/// The kind of a secret.
///
/// If two findings overlap, the kind listed first is used for both: a vendor says more than "token".
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SecretKind {
    /// A match of a user's pattern, with the name that the user gave it.
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

impl SecretKind {
    /// Returns the word of the placeholder.
    pub(crate) fn name(&self) -> &str {
        match self {
            SecretKind::Own(name) => name,
            SecretKind::PrivateKey => "private-key",
            SecretKind::AgeKey => "age-key",
            SecretKind::AnthropicKey => "anthropic-key",
            SecretKind::AtlassianToken => "atlassian-token",
            SecretKind::AwsKey => "aws-key",
            SecretKind::AwsSecret => "aws-secret",
            SecretKind::AzureKey => "azure-key",
            SecretKind::CloudToken => "cloud-token",
            SecretKind::DatabricksToken => "databricks-token",
            SecretKind::DigitaloceanToken => "digitalocean-token",
            SecretKind::DiscordToken => "discord-token",
            SecretKind::DockerToken => "docker-token",
            SecretKind::GithubToken => "github-token",
            SecretKind::GitlabToken => "gitlab-token",
            SecretKind::GoogleKey => "google-key",
            SecretKind::GrafanaToken => "grafana-token",
            SecretKind::HuggingfaceToken => "huggingface-token",
            SecretKind::LinearKey => "linear-key",
            SecretKind::ModelKey => "model-key",
            SecretKind::NpmToken => "npm-token",
            SecretKind::OpenaiKey => "openai-key",
            SecretKind::PypiToken => "pypi-token",
            SecretKind::RegistryToken => "registry-token",
            SecretKind::SendgridKey => "sendgrid-key",
            SecretKind::SentryToken => "sentry-token",
            SecretKind::ShopifyToken => "shopify-token",
            SecretKind::SlackToken => "slack-token",
            SecretKind::SlackWebhook => "slack-webhook",
            SecretKind::SquareToken => "square-token",
            SecretKind::StripeKey => "stripe-key",
            SecretKind::TelegramToken => "telegram-token",
            SecretKind::TwilioKey => "twilio-key",
            SecretKind::VaultToken => "vault-token",
            SecretKind::Jwt => "jwt",
            SecretKind::UrlPassword => "url-password",
            SecretKind::BasicAuth => "basic-auth",
            SecretKind::Authorization => "authorization",
            SecretKind::Cookie => "cookie",
            SecretKind::Password => "password",
            SecretKind::ApiKey => "api-key",
            SecretKind::AccessKey => "access-key",
            SecretKind::Credential => "credential",
            SecretKind::Secret => "secret",
            SecretKind::Token => "token",
            SecretKind::HexKey => "hex-key",
            SecretKind::Random => "random",
        }
    }
}

/// Writes the placeholder: `[REDACTED:aws-key]`.
impl fmt::Display for SecretKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{OPENING}{}]", self.name())
    }
}

/// The beginning of every placeholder.
pub(super) const OPENING: &str = "[REDACTED:";

/// Returns the end of the placeholder that begins here, if one does.
pub(super) fn placeholder_end(text: &[u8], at: usize) -> Option<usize> {
    let name = text.get(at..)?.strip_prefix(OPENING.as_bytes())?;
    let length = name.iter().take(MAX_NAME + 1).take_while(|byte| is_name_byte(**byte)).count();
    (length > 0 && name.get(length) == Some(&b']')).then(|| at + OPENING.len() + length + 1)
}

/// Returns whether this is a valid name of a kind; placeholders are recognised by it later.
pub(super) fn is_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= MAX_NAME && name.bytes().all(is_name_byte)
}

const MAX_NAME: usize = 40;

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'_'
}

//! The address of a team's server, in libpq's form: `postgres://user@host:5432/database?sslmode=require`.
//!
//! TLS with a verified certificate is required except on this machine: neither the address nor the environment can turn
//! verification off.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::PathBuf;

const DEFAULT_PORT: u16 = 5432;

/// Where a team's server is, and as whom to log in there.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TeamAddress {
    pub(crate) host: ServerHost,
    pub(crate) port: u16,
    pub(crate) user: String,
    pub(crate) database: String,
    /// Only if the address itself had one; it is never stored with the address.
    pub(crate) password: Option<String>,
    pub(crate) transport: Transport,
    /// The parameters as they were given, without those that name host, port, user, database and password.
    parameters: Vec<(String, String)>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ServerHost {
    /// A folder with the socket of a server on this machine.
    Socket(PathBuf),
    Name(String),
}

/// What protects the bytes on their way.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Transport {
    /// They do not leave this machine.
    Local,
    Tls {
        /// The authorities to trust instead of the system's.
        root: Option<PathBuf>,
        /// The certificate and the key of this client, where logins are certificates.
        client: Option<(PathBuf, PathBuf)>,
    },
}

/// Why an address is refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(crate) enum AddressError {
    /// It is not repeated: other forms of addresses have passwords in places that are not known here.
    #[error("the address does not begin with `postgres://`")]
    NotPostgres,
    #[error(
        "the password in the address has a character that must be written as a percent sign and two digits"
    )]
    NotEscaped,
    #[error("the address has no {0}")]
    Missing(&'static str),
    #[error("the address has a {0} that cannot be read: `{1}`")]
    Invalid(&'static str, String),
    #[error("the address has a parameter `{0}` that nudge does not know")]
    Unknown(String),
    #[error(
        "`sslmode=disable` is only possible on this machine: everything that is shared would travel in the clear"
    )]
    NotEncrypted,
}

impl AddressError {
    pub(crate) fn hint(&self) -> &'static str {
        match self {
            AddressError::NotEncrypted => "leave `sslmode` out; `sslrootcert=FILE` names a private authority",
            AddressError::Unknown(_) => {
                "known are sslmode, sslrootcert, sslcert, sslkey, host, port, user, password and dbname"
            }
            AddressError::NotEscaped => {
                "`/` is `%2F`, `?` is `%3F`; or leave the password out, and give it with `PGPASSWORD`"
            }
            _ => "an address looks like postgres://nudge_alice@db.example.com/nudge",
        }
    }
}

impl TeamAddress {
    pub(crate) fn parse(url: &str) -> Result<TeamAddress, AddressError> {
        let rest = url.strip_prefix("postgres://").or_else(|| url.strip_prefix("postgresql://"));
        let rest = rest.ok_or(AddressError::NotPostgres)?;
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        // `user:pass/word@host`: what looks like a port, a database or a parameter is the rest of the password.
        if authority.contains(':') && !authority.contains('@') && (path.contains('@') || query.contains('@'))
        {
            return Err(AddressError::NotEscaped);
        }
        let (login, place) = authority.rsplit_once('@').unwrap_or(("", authority));
        let mut values: BTreeMap<&'static str, String> = BTreeMap::new();
        let (user, password) = login.split_once(':').map_or((login, None), |(user, word)| (user, Some(word)));
        let (host, port) = split_port(place)?;
        let texts = [
            ("user", Some(user)),
            ("password", password),
            ("host", Some(host)),
            ("port", port),
            ("dbname", Some(path)),
        ];
        for (name, text) in texts {
            if let Some(text) = text.filter(|text| !text.is_empty()) {
                values.insert(name, decode(name, text)?);
            }
        }
        let mut parameters = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let known = KNOWN.iter().find(|known| **known == name);
            let known = known.ok_or_else(|| AddressError::Unknown(name.to_owned()))?;
            let value = decode(known, value)?;
            if !IN_FRONT.contains(known) {
                parameters.push(((*known).to_owned(), value.clone()));
            }
            values.insert(known, value);
        }
        from_values(&values, parameters)
    }

    /// Returns the address without its password, as settings keep it.
    pub(crate) fn url(&self) -> String {
        let mut parameters: Vec<String> = Vec::new();
        let place = match &self.host {
            ServerHost::Socket(folder) => {
                parameters.push(format!("host={}", encode(&folder.to_string_lossy())));
                if self.port != DEFAULT_PORT {
                    parameters.push(format!("port={}", self.port));
                }
                String::new()
            }
            ServerHost::Name(name) => {
                let name = if name.contains(':') { format!("[{name}]") } else { encode(name) };
                if self.port == DEFAULT_PORT { name } else { format!("{name}:{}", self.port) }
            }
        };
        parameters.extend(self.parameters.iter().map(|(name, value)| format!("{name}={}", encode(value))));
        let query = if parameters.is_empty() { String::new() } else { format!("?{}", parameters.join("&")) };
        format!("postgres://{}@{place}/{}{query}", encode(&self.user), encode(&self.database))
    }

    /// Returns the server's name for people.
    pub(crate) fn server(&self) -> String {
        match &self.host {
            ServerHost::Socket(folder) => folder.to_string_lossy().into_owned(),
            ServerHost::Name(name) if self.port == DEFAULT_PORT => name.clone(),
            ServerHost::Name(name) => format!("{name}:{}", self.port),
        }
    }

    pub(crate) fn is_encrypted(&self) -> bool {
        self.transport != Transport::Local
    }

    /// Returns the same address for another login.
    pub(crate) fn with_user(&self, user: &str) -> TeamAddress {
        TeamAddress { user: user.to_owned(), password: None, ..self.clone() }
    }
}

const KNOWN: [&str; 9] =
    ["dbname", "host", "password", "port", "sslcert", "sslkey", "sslmode", "sslrootcert", "user"];
/// What `url` writes by itself.
const IN_FRONT: [&str; 5] = ["dbname", "host", "password", "port", "user"];

fn from_values(
    values: &BTreeMap<&'static str, String>,
    parameters: Vec<(String, String)>,
) -> Result<TeamAddress, AddressError> {
    let wanted = |name: &'static str, word: &'static str| {
        values.get(name).filter(|value| !value.is_empty()).cloned().ok_or(AddressError::Missing(word))
    };
    let host = wanted("host", "host")?;
    if host.contains(',') {
        return Err(AddressError::Invalid("host", host));
    }
    let port = values.get("port").map_or(Ok(DEFAULT_PORT), |port| {
        port.parse()
            .ok()
            .filter(|port| *port > 0)
            .ok_or_else(|| AddressError::Invalid("port", "…".to_owned()))
    })?;
    let is_socket = host.starts_with('/');
    let is_here = is_socket || is_loopback(&host);
    let path = |name: &str| values.get(name).filter(|path| !path.is_empty()).map(PathBuf::from);
    let tls = || {
        let client = match (path("sslcert"), path("sslkey")) {
            (Some(certificate), Some(key)) => Some((certificate, key)),
            (None, None) => None,
            (Some(_), None) => return Err(AddressError::Missing("sslkey")),
            (None, Some(_)) => return Err(AddressError::Missing("sslcert")),
        };
        Ok(Transport::Tls { root: path("sslrootcert"), client })
    };
    let transport = match values.get("sslmode").map(String::as_str) {
        // PostgreSQL has no TLS on sockets.
        _ if is_socket => Transport::Local,
        Some("require" | "verify-ca" | "verify-full") => tls()?,
        Some("disable") if is_here => Transport::Local,
        Some("disable") => return Err(AddressError::NotEncrypted),
        None | Some("allow" | "prefer") if is_here => Transport::Local,
        None | Some("allow" | "prefer") => tls()?,
        Some(other) => return Err(AddressError::Invalid("sslmode", other.to_owned())),
    };
    Ok(TeamAddress {
        host: if is_socket { ServerHost::Socket(PathBuf::from(host)) } else { ServerHost::Name(host) },
        port,
        user: wanted("user", "user")?,
        database: wanted("dbname", "database")?,
        password: values.get("password").filter(|word| !word.is_empty()).cloned(),
        transport,
        parameters,
    })
}

/// Returns whether a host is this machine. A name is resolved by somebody else, so `localhost` is the only one that counts,
/// and it is connected to by its numbers.
pub(super) fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Splits `host:port`; the numbers of IPv6 are in brackets.
fn split_port(place: &str) -> Result<(&str, Option<&str>), AddressError> {
    if let Some(rest) = place.strip_prefix('[') {
        let (host, after) =
            rest.split_once(']').ok_or_else(|| AddressError::Invalid("host", place.to_owned()))?;
        return Ok((host, after.strip_prefix(':')));
    }
    Ok(place.split_once(':').map_or((place, None), |(host, port)| (host, Some(port))))
}

fn decode(name: &'static str, text: &str) -> Result<String, AddressError> {
    // A password is not repeated, not even a bad one; nor is a port, which is a password in an address that was cut off.
    let shown = if ["password", "port"].contains(&name) { "…".to_owned() } else { text.to_owned() };
    let bad = || AddressError::Invalid(name, shown.clone());
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        if *first == b'%' {
            let digits =
                after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok()).ok_or_else(bad)?;
            bytes.push(u8::from_str_radix(digits, 16).map_err(|_| bad())?);
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    let text = String::from_utf8(bytes).map_err(|_| bad())?;
    if text.contains('\0') { Err(bad()) } else { Ok(text) }
}

fn encode(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/*+".contains(&byte);
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

#[cfg(test)]
mod tests;

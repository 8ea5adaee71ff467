//! One connection to a team's server, for the time of one exchange or one command.
//!
//! Every call is one unnamed statement in one round trip and one transaction, which every pool carries.

use std::cell::Cell;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::config::{ChannelBinding, SslMode};
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Config, NoTls, Row};

use super::address::{ServerHost, TeamAddress, Transport};
use super::fault::{TeamError, TeamRemedy};
use super::tls::TlsSetup;

/// Until a login is done: name, socket, TLS and password.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const CALL_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a server may take to hear that nothing more comes.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// A parameter of a statement, with its type.
pub(super) type TypedParameter<'p> = (&'p (dyn ToSql + Sync), Type);

/// A connection that is logged in.
pub(crate) struct TeamSession {
    /// Gone only while it is dropped.
    runtime: Option<Runtime>,
    client: Option<Client>,
    driver: Option<JoinHandle<()>>,
    call_timeout: Cell<Duration>,
    /// A call that was given up may still be answered, and nobody would know which question that is the answer to.
    is_given_up: Cell<bool>,
}

impl TeamSession {
    /// Connects and logs in.
    pub(crate) fn connect(address: &TeamAddress, password: Option<&str>) -> Result<TeamSession, TeamError> {
        let runtime = Builder::new_current_thread().enable_io().enable_time().build();
        let runtime = runtime.map_err(|error| TeamError::new(TeamRemedy::TryLater, error.to_string()))?;
        let connected = runtime.block_on(async {
            let connecting = connect(address, password);
            timeout(CONNECT_TIMEOUT, connecting)
                .await
                .unwrap_or_else(|_| Err(TeamError::timed_out("the server did not answer", CONNECT_TIMEOUT)))
        });
        match connected {
            Ok((client, driver)) => Ok(TeamSession {
                runtime: Some(runtime),
                client: Some(client),
                driver: Some(driver),
                call_timeout: Cell::new(CALL_TIMEOUT),
                is_given_up: Cell::new(false),
            }),
            Err(error) => {
                // A name that is still being looked up must not hold anybody up.
                runtime.shutdown_background();
                Err(error.at(&address.server()))
            }
        }
    }

    /// Limits the calls that follow, so that an exchange ends in time. No limit exceeds the usual one.
    pub(crate) fn limit_calls(&self, rest: Duration) {
        self.call_timeout.set(rest.min(CALL_TIMEOUT));
    }

    /// Lets the calls that follow take longer: making a schema waits for its locks.
    pub(super) fn allow_long_calls(&self, longest: Duration) {
        self.call_timeout.set(longest);
    }

    /// Runs one statement with parameters, and returns its rows.
    pub(super) fn call(&self, sql: &str, parameters: &[TypedParameter<'_>]) -> Result<Vec<Row>, TeamError> {
        self.wait(|client| async move { client.query_typed(sql, parameters).await })
    }

    /// Runs statements without parameters.
    pub(super) fn run(&self, sql: &str) -> Result<(), TeamError> {
        self.wait(|client| async move { client.batch_execute(sql).await })
    }

    fn wait<'s, T, F>(&'s self, call: impl FnOnce(&'s Client) -> F) -> Result<T, TeamError>
    where
        F: Future<Output = Result<T, tokio_postgres::Error>>,
    {
        let limit = self.call_timeout.get();
        let late = || TeamError::timed_out("the server did not answer", limit);
        let (Some(runtime), Some(client)) = (&self.runtime, &self.client) else { return Err(late()) };
        if self.is_given_up.get() {
            return Err(late());
        }
        match runtime.block_on(async { timeout(limit, call(client)).await }) {
            Ok(answer) => Ok(answer?),
            Err(_) => {
                self.is_given_up.set(true);
                Err(late())
            }
        }
    }
}

impl Drop for TeamSession {
    fn drop(&mut self) {
        let (Some(runtime), Some(driver)) = (self.runtime.take(), self.driver.take()) else { return };
        // Without a client, the driver says goodbye and ends.
        drop(self.client.take());
        if !self.is_given_up.get() {
            let _ = runtime.block_on(async { timeout(CLOSE_TIMEOUT, driver).await });
        }
        runtime.shutdown_background();
    }
}

async fn connect(
    address: &TeamAddress,
    password: Option<&str>,
) -> Result<(Client, JoinHandle<()>), TeamError> {
    let mut config = Config::new();
    config.user(&address.user).dbname(&address.database).application_name("nudge");
    config.connect_timeout(CONNECT_TIMEOUT).tcp_user_timeout(CALL_TIMEOUT);
    config.channel_binding(ChannelBinding::Disable);
    if let Some(password) = password {
        config.password(password);
    }
    match &address.host {
        #[cfg(unix)]
        ServerHost::Socket(folder) => drop(config.host_path(folder).port(address.port)),
        #[cfg(not(unix))]
        ServerHost::Socket(_) => {
            return Err(TeamError::new(TeamRemedy::TryLater, "this system has no sockets of PostgreSQL"));
        }
        // Nobody else says what this name means if nothing is encrypted.
        ServerHost::Name(name) if name == "localhost" && address.transport == Transport::Local => {
            for number in ["127.0.0.1", "::1"] {
                config.host(number).port(address.port);
            }
        }
        ServerHost::Name(name) => drop(config.host(name).port(address.port)),
    }
    match &address.transport {
        Transport::Local => {
            let (client, connection) = config.ssl_mode(SslMode::Disable).connect(NoTls).await?;
            Ok((client, tokio::spawn(async move { drop(connection.await) })))
        }
        Transport::Tls { root, client } => {
            let client = client.as_ref().map(|(certificate, key)| (certificate.as_path(), key.as_path()));
            let connector =
                TlsSetup::new(root.as_deref(), client).map_err(|failure| TeamError::from(&failure))?;
            let (client, connection) = config.ssl_mode(SslMode::Require).connect(connector).await?;
            Ok((client, tokio::spawn(async move { drop(connection.await) })))
        }
    }
}

/// Returns the only row of an answer.
pub(super) fn one(rows: &[Row]) -> Result<&Row, TeamError> {
    let none = || TeamError::new(TeamRemedy::Report, "the server answered without a row");
    rows.first().ok_or_else(none)
}

#[cfg(test)]
mod tests;

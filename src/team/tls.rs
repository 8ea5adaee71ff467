//! TLS between this program and the team's server: `rustls` behind the connector that `tokio-postgres` asks for.
//!
//! The certificate and the name in it are always verified, so a password is never sent to somebody else, and channel
//! binding would add nothing.

use std::fs;
use std::future::Future;
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::Socket;
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};

/// Why there is no TLS with a server.
#[derive(Debug, thiserror::Error)]
pub(super) enum TlsFailure {
    /// Something on this machine is missing or cannot be read.
    #[error("{0}")]
    Setup(String),
    /// The server does not prove to be the one that the address names.
    #[error("{0}")]
    Certificate(String),
    #[error(transparent)]
    Broken(#[from] io::Error),
}

/// Makes connections that trust the system's authorities, or those of a file.
#[derive(Clone)]
pub(super) struct TlsSetup {
    config: Arc<ClientConfig>,
}

impl TlsSetup {
    pub(super) fn new(root: Option<&Path>, client: Option<(&Path, &Path)>) -> Result<TlsSetup, TlsFailure> {
        let mut roots = RootCertStore::empty();
        let trusted = match root {
            Some(path) => certificates(path)?,
            None => rustls_native_certs::load_native_certs().certs,
        };
        let (added, _) = roots.add_parsable_certificates(trusted);
        if added == 0 {
            let of = root.map_or_else(|| "this system".to_owned(), |path| format!("`{}`", path.display()));
            return Err(TlsFailure::Setup(format!("{of} has no certificate of an authority to trust")));
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let failed = |error: rustls::Error| TlsFailure::Setup(error.to_string());
        let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let builder = builder.map_err(failed)?.with_root_certificates(roots);
        let config = match client {
            None => builder.with_no_client_auth(),
            Some((certificate, key)) => {
                let unreadable = |error| unreadable(key, &error);
                let key = PrivateKeyDer::from_pem_slice(&read(key)?).map_err(unreadable)?;
                builder.with_client_auth_cert(certificates(certificate)?, key).map_err(failed)?
            }
        };
        Ok(TlsSetup { config: Arc::new(config) })
    }
}

fn read(path: &Path) -> Result<Vec<u8>, TlsFailure> {
    fs::read(path).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &Path, error: &dyn std::error::Error) -> TlsFailure {
    TlsFailure::Setup(format!("`{}` cannot be read: {error}", path.display()))
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsFailure> {
    let text = read(path)?;
    let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    all.map_err(|error| unreadable(path, &error))
}

impl MakeTlsConnect<Socket> for TlsSetup {
    type Stream = Encrypted;
    type TlsConnect = Handshake;
    type Error = TlsFailure;

    fn make_tls_connect(&mut self, host: &str) -> Result<Handshake, TlsFailure> {
        let name = ServerName::try_from(host.to_owned());
        let name =
            name.map_err(|_| TlsFailure::Certificate(format!("`{host}` is not a name of a server")))?;
        Ok(Handshake { config: self.config.clone(), name })
    }
}

/// A handshake that is about to happen.
pub(super) struct Handshake {
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
}

impl TlsConnect<Socket> for Handshake {
    type Stream = Encrypted;
    type Error = TlsFailure;
    type Future = Pin<Box<dyn Future<Output = Result<Encrypted, TlsFailure>> + Send>>;

    fn connect(self, socket: Socket) -> Self::Future {
        Box::pin(async move {
            let name = self.name.to_str().into_owned();
            let connector = tokio_rustls::TlsConnector::from(self.config);
            match connector.connect(self.name, socket).await {
                Ok(stream) => Ok(Encrypted(stream)),
                Err(error) => Err(failure(error, &name)),
            }
        })
    }
}

fn failure(error: io::Error, name: &str) -> TlsFailure {
    use rustls::CertificateError;
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    let reason = match inner {
        None => return TlsFailure::Broken(error),
        Some(rustls::Error::InvalidCertificate(reason)) => match reason {
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                "it has expired".to_owned()
            }
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                "it is not valid yet; is the clock of this machine right?".to_owned()
            }
            CertificateError::UnknownIssuer => "its authority is not known to this machine".to_owned(),
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                format!("it is not for `{name}`")
            }
            CertificateError::Revoked => "it was revoked".to_owned(),
            other => other.to_string(),
        },
        Some(other) => other.to_string(),
    };
    TlsFailure::Certificate(reason)
}

/// A connection that nobody between here and there can read.
pub(super) struct Encrypted(tokio_rustls::client::TlsStream<Socket>);

impl AsyncRead for Encrypted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buf)
    }
}

impl AsyncWrite for Encrypted {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}

impl TlsStream for Encrypted {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

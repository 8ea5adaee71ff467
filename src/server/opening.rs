//! The opening of a connection: what a client may say before it has chosen an era.
//!
//! `rmcp` ends the connection over a stray notification, and asks for metadata where the method is unknown; a client
//! that probes deserves a proper answer.

use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, GetMeta, ProtocolVersion, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::Notify;

use super::mcp;

/// A transport that keeps back, until the era is chosen, what does not choose one.
pub(super) struct Opening<T> {
    transport: T,
    is_over: bool,
    /// Told when the client has closed its end.
    ended: Arc<Notify>,
}

impl<T> Opening<T> {
    pub(super) fn new(transport: T, ended: Arc<Notify>) -> Opening<T> {
        Opening { transport, is_over: false, ended }
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Opening<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.transport.send(message)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let Some(message) = self.transport.receive().await else {
                self.ended.notify_one();
                return None;
            };
            if self.is_over {
                return Some(message);
            }
            // There is nothing yet that could be cancelled or answered.
            let ClientJsonRpcMessage::Request(request) = &message else { continue };
            if let ClientRequest::CustomRequest(custom) = &request.request {
                let error = ServerJsonRpcMessage::error(mcp::unreadable(custom), Some(request.id.clone()));
                self.transport.send(error).await.ok()?;
                continue;
            }
            self.is_over = chooses_an_era(&request.request);
            return Some(message);
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.transport.close().await
    }
}

fn chooses_an_era(request: &ClientRequest) -> bool {
    let meta = request.get_meta();
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::DiscoverRequest(_) | ClientRequest::PingRequest(_) => false,
        _ => {
            meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
                && meta
                    .protocol_version()
                    .is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version))
        }
    }
}

//! The messages that a client may send before it has chosen a protocol era.
//!
//! `rmcp` closes the connection on a stray notification, and reports missing metadata where the method is unknown. A
//! client that probes the server must get a proper answer.

use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, CustomRequest, ErrorCode, ErrorData, GetMeta, ProtocolVersion,
    ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use tokio::sync::Notify;

/// A transport that handles, until the era is chosen, the messages that do not choose one.
pub(super) struct PreHandshake<T> {
    transport: T,
    is_chosen: bool,
    /// Notified when the client has closed its end.
    ended: Arc<Notify>,
}

impl<T> PreHandshake<T> {
    pub(super) fn new(transport: T, ended: Arc<Notify>) -> PreHandshake<T> {
        PreHandshake { transport, is_chosen: false, ended }
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for PreHandshake<T> {
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
            if self.is_chosen {
                return Some(message);
            }
            // Nothing has been asked yet, so there is nothing to cancel or answer.
            let ClientJsonRpcMessage::Request(request) = &message else { continue };
            if let ClientRequest::CustomRequest(custom) = &request.request {
                let error = ServerJsonRpcMessage::error(unsupported(custom), Some(request.id.clone()));
                self.transport.send(error).await.ok()?;
                continue;
            }
            self.is_chosen = chooses_an_era(&request.request);
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

/// Says what is wrong with a request that is not part of the protocol: its method or its params.
pub(super) fn unsupported(request: &CustomRequest) -> ErrorData {
    const SUPPORTED: [&str; 10] = [
        "initialize",
        "server/discover",
        "tools/list",
        "tools/call",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "prompts/list",
        "prompts/get",
        "completion/complete",
    ];
    if SUPPORTED.contains(&request.method.as_str()) {
        return ErrorData::invalid_params(format!("the params of `{}` are invalid", request.method), None);
    }
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method.clone(), None)
}

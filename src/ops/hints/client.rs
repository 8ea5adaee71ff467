//! Asks the server about hints, and sends it the caller's context: folder, repository, branch, system, and those
//! environment variables that stored scopes need, never all of them.

use std::io::Read;
use std::time::{Duration, Instant};

use serde::Deserialize;

use super::{place, reach};
use crate::api::hints::{EnvNamesRequest, EnvNamesWire, ExportRequest, HintQuestion};
use crate::config::env;
use crate::model::HintContext;
use crate::peers::{self, CallError, NoServer, ServerClient};
use crate::system::clock;

/// How long a server may take to identify itself, and to answer.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

/// A client for questions about hints.
pub(crate) struct HintClient {
    client: ServerClient,
    /// The port that the user gave.
    port: Option<u16>,
    /// When all answers must have arrived; `None` for a person, who waits for each answer.
    deadline: Option<Instant>,
}

impl HintClient {
    pub(crate) fn reach(port: Option<u16>) -> Result<HintClient, NoServer> {
        Ok(HintClient { client: reach::primary(port, CONNECT_TIMEOUT)?, port, deadline: None })
    }

    /// Connects for a hook: only to the server in the address file, and with one timeout for everything.
    pub(crate) fn in_passing(timeout: Duration) -> Option<HintClient> {
        let deadline = clock::instant() + timeout;
        Some(HintClient { client: reach::in_passing(timeout)?, port: None, deadline: Some(deadline) })
    }

    /// Asks one question. A question that must not be executed twice gets an id, by which the server recognizes a
    /// repetition.
    ///
    /// If the server exits before it has answered, the next one is asked, except for a hook.
    pub(crate) fn ask<Q: HintQuestion>(&mut self, question: &Q) -> Result<Q::Answer, CallError> {
        let mut params = question.params();
        if Q::METHOD.changes_something() {
            params.insert("request_id".to_owned(), peers::id().into());
        }
        let left = |deadline: Instant| deadline.saturating_duration_since(clock::instant());
        let waited = clock::stopwatch();
        loop {
            let answer =
                self.client.call(Q::METHOD.name(), &params, self.deadline.map_or(ANSWER_TIMEOUT, left));
            let is_gone = matches!(answer, Err(CallError::Unreachable(_)));
            let may_wait = self.deadline.is_none() && waited() < reach::HANDOVER_TIMEOUT;
            if is_gone
                && may_wait
                && reach::has_servers()
                && let Ok(client) = reach::primary(self.port, CONNECT_TIMEOUT)
            {
                self.client = client;
                continue;
            }
            let unreadable = |error| CallError::Unreachable(format!("the answer cannot be read: {error}"));
            return answer.and_then(|answer| Q::Answer::deserialize(answer).map_err(unreadable));
        }
    }

    /// Asks for an export, which is passed to `read` as it arrives.
    pub(crate) fn export<T>(
        &mut self,
        request: &ExportRequest,
        read: impl FnOnce(&mut dyn Read) -> T,
    ) -> Result<T, CallError> {
        self.client.stream(ExportRequest::METHOD.name(), &request.params(), ANSWER_TIMEOUT, read)
    }

    /// Returns the context of a question about these hints: the given facts, and those that can be found out.
    pub(crate) fn context(
        &mut self,
        given: HintContext,
        component: Option<&str>,
        key: Option<&str>,
    ) -> Result<HintContext, CallError> {
        let (component, key) = (component.map(str::to_owned), key.map(str::to_owned));
        let EnvNamesWire { names } = self.ask(&EnvNamesRequest { component, key })?;
        let names: Vec<String> = names.into_iter().collect();
        Ok(place::complete(given, env::named(&names)))
    }
}

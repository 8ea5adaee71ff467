//! Asks the server about hints, and sends it the caller's context: folder, repository, branch, system, and those
//! environment variables that stored scopes need, never all of them.

use std::io::Read;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::Value;

use super::kept::LocalHints;
use super::{place, reach};
use crate::api::Refusal;
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
    backend: HintBackend,
    /// The port that the user gave.
    port: Option<u16>,
    /// When all answers must have arrived; `None` for a person, who waits for each answer.
    deadline: Option<Instant>,
}

/// Who answers.
enum HintBackend {
    Server(ServerClient),
    /// No server runs: the files of kept hints.
    Files(LocalHints),
}

impl HintClient {
    /// Finds the server; where none runs, kept hints are read from their files.
    pub(crate) fn reach(port: Option<u16>) -> Result<HintClient, NoServer> {
        let backend = match reach::primary(port, CONNECT_TIMEOUT) {
            Ok(client) => HintBackend::Server(client),
            Err(none) => {
                let files = LocalHints::here();
                if !reach::is_absent(&none, port) || !files.exist() {
                    return Err(none);
                }
                HintBackend::Files(files)
            }
        };
        Ok(HintClient { backend, port, deadline: None })
    }

    /// Returns whether no server runs, and files answer.
    pub(crate) fn is_local(&self) -> bool {
        matches!(self.backend, HintBackend::Files(_))
    }

    /// Connects for a hook: only to the server in the address file, and with one timeout for everything.
    pub(crate) fn in_passing(timeout: Duration) -> Result<HintClient, NoServer> {
        let deadline = clock::instant() + timeout;
        let backend = HintBackend::Server(reach::in_passing(timeout)?);
        Ok(HintClient { backend, port: None, deadline: Some(deadline) })
    }

    /// Asks one question. A question that must not be executed twice gets an id, by which the server recognizes a
    /// repetition.
    ///
    /// If the server exits before it has answered, the next one is asked, except for a hook.
    pub(crate) fn ask<Q: HintQuestion>(&mut self, question: &Q) -> Result<Q::Answer, CallError> {
        let mut params = question.params();
        let unreadable = |error| CallError::Unreachable(format!("the answer cannot be read: {error}"));
        if let HintBackend::Files(files) = &self.backend {
            let answer = files.answer(Q::METHOD, &params, clock::moment());
            let refused = |refusal: Refusal| CallError::Refused(refusal.to_error().unwrap_or_default());
            let answer = answer.map_err(refused)?.in_one_message(usize::MAX);
            return Q::Answer::deserialize(answer.map_or(Value::Null, |answer| answer.to_value()))
                .map_err(unreadable);
        }
        if Q::METHOD.changes_something() {
            params.insert("request_id".to_owned(), peers::id().into());
        }
        let left = |deadline: Instant| deadline.saturating_duration_since(clock::instant());
        let waited = clock::stopwatch();
        loop {
            let HintBackend::Server(client) = &mut self.backend else {
                return Err(CallError::Unreachable("no server".to_owned()));
            };
            let answer = client.call(Q::METHOD.name(), &params, self.deadline.map_or(ANSWER_TIMEOUT, left));
            let is_gone = matches!(answer, Err(CallError::Unreachable(_)));
            let may_wait = self.deadline.is_none() && waited() < reach::HANDOVER_TIMEOUT;
            if is_gone
                && may_wait
                && reach::has_servers()
                && let Ok(client) = reach::primary(self.port, CONNECT_TIMEOUT)
            {
                self.backend = HintBackend::Server(client);
                continue;
            }
            return answer.and_then(|answer| Q::Answer::deserialize(answer).map_err(unreadable));
        }
    }

    /// Asks for an export, which is passed to `read` as it arrives.
    pub(crate) fn export<T>(
        &mut self,
        request: &ExportRequest,
        read: impl FnOnce(&mut dyn Read) -> T,
    ) -> Result<T, CallError> {
        match &mut self.backend {
            HintBackend::Server(client) => {
                client.stream(ExportRequest::METHOD.name(), &request.params(), ANSWER_TIMEOUT, read)
            }
            HintBackend::Files(_) => {
                let refused =
                    "an export needs a server: start one with `nudge serve`; kept hints are in their files";
                Err(CallError::Unreachable(refused.to_owned()))
            }
        }
    }

    /// Returns the context of a question about these hints: the given facts, and those that can be found out.
    pub(crate) fn context(
        &mut self,
        given: HintContext,
        component: Option<&str>,
        key: Option<&str>,
    ) -> Result<HintContext, CallError> {
        let (component, key) = (component.map(str::to_owned), key.map(str::to_owned));
        let here = place::complete(given, Vec::new());
        let context = HintContext { cwd: here.cwd.clone(), ..HintContext::default() };
        let EnvNamesWire { names } = self.ask(&EnvNamesRequest { component, key, context })?;
        let names: Vec<String> = names.into_iter().collect();
        let env = env::named(&names).into_iter().collect();
        Ok(here.or(HintContext { env, ..HintContext::default() }))
    }
}

//! Asks the server about hints, and sends it the caller's context: folder, repository, branch, system, and those
//! environment variables that stored scopes need, never all of them.

use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::reach;
use crate::api::HintMethod;
use crate::config::env;
use crate::peers::{self, CallError, NoServer, ServerClient};
use crate::system::{clock, repository};

/// How long a server may take to identify itself, and to answer.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

/// A client for questions about hints.
pub(crate) struct Asker {
    client: ServerClient,
    /// The port that the user gave.
    port: Option<u16>,
    /// When all answers must have arrived; `None` for a person, who waits for each answer.
    deadline: Option<Instant>,
}

/// The facts that the caller gives; the others are looked up.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Facts {
    pub(crate) cwd: Option<String>,
    pub(crate) repo: Option<String>,
    pub(crate) branch: Option<String>,
    pub(crate) os: Option<String>,
    pub(crate) env: Vec<(String, String)>,
}

impl Asker {
    pub(crate) fn reach(port: Option<u16>) -> Result<Asker, NoServer> {
        Ok(Asker { client: reach::primary(port, CONNECT_TIMEOUT)?, port, deadline: None })
    }

    /// Connects for a hook: only to the server in the address file, and with one timeout for everything.
    pub(crate) fn in_passing(timeout: Duration) -> Option<Asker> {
        let deadline = clock::instant() + timeout;
        Some(Asker { client: reach::in_passing(timeout)?, port: None, deadline: Some(deadline) })
    }

    /// Asks one question. A question that must not be executed twice gets an id, by which the server recognizes a
    /// repetition.
    ///
    /// If the server exits before it has answered, the next one is asked, except for a hook.
    pub(crate) fn ask(
        &mut self,
        method: HintMethod,
        mut params: Map<String, Value>,
    ) -> Result<Value, CallError> {
        if method.changes_something() {
            params.insert("request_id".to_owned(), peers::id().into());
        }
        let left = |deadline: Instant| deadline.saturating_duration_since(clock::instant());
        let waited = clock::stopwatch();
        loop {
            let answer = self.client.call(method.name(), &params, self.deadline.map_or(ANSWER_TIMEOUT, left));
            let is_gone = matches!(answer, Err(CallError::Unreachable(_)));
            let may_wait = self.deadline.is_none() && waited() < reach::HANDOVER_TIMEOUT;
            if !is_gone || !may_wait || !reach::has_servers() {
                return answer;
            }
            let Ok(client) = reach::primary(self.port, CONNECT_TIMEOUT) else { return answer };
            self.client = client;
        }
    }

    /// Asks for an export, which is passed to `read` as it arrives.
    pub(crate) fn export<T>(
        &mut self,
        params: &Map<String, Value>,
        read: impl FnOnce(&mut dyn Read) -> T,
    ) -> Result<T, CallError> {
        self.client.stream(HintMethod::Export.name(), params, ANSWER_TIMEOUT, read)
    }

    /// Returns the context of a question about these hints.
    pub(crate) fn context(
        &mut self,
        facts: &Facts,
        component: Option<&str>,
        key: Option<&str>,
    ) -> Result<Value, CallError> {
        let mut about = Map::new();
        about.extend(component.map(|component| ("component".to_owned(), component.into())));
        about.extend(key.map(|key| ("key".to_owned(), key.into())));
        let answer = self.ask(HintMethod::EnvNames, about)?;
        let names = answer["names"].as_array().map(Vec::as_slice).unwrap_or_default();
        let names: Vec<String> = names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect();
        Ok(context(facts, env::named(&names)))
    }
}

/// Joins the given facts with those that are looked up.
fn context(facts: &Facts, variables: Vec<(String, String)>) -> Value {
    let here = env::shown_dir();
    let cwd = match (&facts.cwd, here) {
        (Some(cwd), Some(here)) => Some(here.join(cwd)),
        (Some(cwd), None) => Some(cwd.into()),
        (None, here) => here,
    };
    let found = |look: fn(&Path) -> Option<String>| cwd.as_deref().and_then(look);
    let mut context = Map::new();
    let mut put = |name: &str, value: Option<String>| {
        context.extend(value.map(|value| (name.to_owned(), value.into())));
    };
    put("cwd", cwd.as_ref().map(|cwd| cwd.to_string_lossy().into_owned()));
    put("repo", facts.repo.clone().or_else(|| found(|cwd| Some(repository::remote(cwd)))));
    // Git's name for a detached head, which is not a branch.
    let branch = facts.branch.clone().filter(|branch| branch != "HEAD");
    put("branch", branch.or_else(|| found(repository::branch)));
    put("os", facts.os.clone().or_else(|| env::os().map(str::to_owned)));
    let given = facts.env.iter().cloned();
    let variables: Map<String, Value> =
        variables.into_iter().chain(given).map(|(name, value)| (name, value.into())).collect();
    if !variables.is_empty() {
        context.insert("env".to_owned(), json!(variables));
    }
    Value::Object(context)
}

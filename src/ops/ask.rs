//! Asks the server about hints, and tells it where the asker stands: folder, repository, branch, system, and of the
//! environment those variables that stored scopes ask for, never all of it.

use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::reach;
use crate::api::HintMethod;
use crate::config::{clock, env, repository};
use crate::runtime::{self, CallError, NoServer, ServerClient};

/// How long a server on this machine may take to say who it is, and to answer.
const HELLO: Duration = Duration::from_secs(3);
const ANSWER: Duration = Duration::from_secs(60);

/// Who asks, and whom.
pub(crate) struct Asker {
    client: ServerClient,
    /// The port that the user named.
    port: Option<u16>,
    /// When it is too late for any further answer; a person waits for each.
    deadline: Option<Instant>,
}

/// What the asker says of its place; the rest is looked up.
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
        Ok(Asker { client: reach::primary(port, HELLO)?, port, deadline: None })
    }

    /// Reaches the server for a hook: only one that has written down where it is, and all within this time.
    pub(crate) fn in_passing(patience: Duration) -> Option<Asker> {
        let deadline = clock::instant() + patience;
        Some(Asker { client: reach::in_passing(patience)?, port: None, deadline: Some(deadline) })
    }

    /// Asks one question; what must not happen twice gets an id, by which the server knows a repetition.
    ///
    /// Where the server goes before it has answered, the next one is asked, except for a hook.
    pub(crate) fn ask(
        &mut self,
        method: HintMethod,
        mut params: Map<String, Value>,
    ) -> Result<Value, CallError> {
        use HintMethod::{Bump, DeleteHint, Import, SetHint};
        if matches!(method, Bump | Import | SetHint | DeleteHint) {
            params.insert("request_id".to_owned(), runtime::id().into());
        }
        let left = |deadline: Instant| deadline.saturating_duration_since(clock::instant());
        let waited = clock::stopwatch();
        loop {
            let answer = self.client.call(method.name(), &params, self.deadline.map_or(ANSWER, left));
            let is_gone = matches!(answer, Err(CallError::Unreachable(_)));
            let may_wait = self.deadline.is_none() && waited() < reach::HANDOVER_TIMEOUT;
            if !is_gone || !may_wait || !reach::has_servers() {
                return answer;
            }
            let Ok(client) = reach::primary(self.port, HELLO) else { return answer };
            self.client = client;
        }
    }

    /// Asks for an export, which is handed on as it comes.
    pub(crate) fn export<T>(
        &mut self,
        params: &Map<String, Value>,
        read: impl FnOnce(&mut dyn Read) -> T,
    ) -> Result<T, CallError> {
        self.client.stream(HintMethod::Export.name(), params, ANSWER, read)
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

/// Joins what is said with what is found.
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
    // Git calls a head that is on no branch by this name; it is none.
    let branch = facts.branch.clone().filter(|branch| branch != "HEAD");
    put("branch", branch.or_else(|| found(repository::branch)));
    put("os", facts.os.clone().or_else(|| env::os().map(str::to_owned)));
    let said = facts.env.iter().cloned();
    let variables: Map<String, Value> =
        variables.into_iter().chain(said).map(|(name, value)| (name, value.into())).collect();
    if !variables.is_empty() {
        context.insert("env".to_owned(), json!(variables));
    }
    Value::Object(context)
}

//! MCP in both of its eras: the handshake of 2025 and the self-contained requests of 2026.
//!
//! `rmcp` speaks the protocol. This module is only what nudge offers, the same over stdio and HTTP.

mod offers;
mod shown;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
    ContentBlock, CustomRequest, CustomResult, DiscoverResult, ErrorCode, ErrorData, GetPromptRequestParams,
    GetPromptResponse, Implementation, JsonObject, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, MetaObject, PaginatedRequestParams, ProtocolVersion,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ResourceContents,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::stdio_pipes;
use rmcp::{RoleServer, ServerHandler, ServiceExt};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::Notify;

use self::shown::{shown, shown_text};
use super::answer_space::AnswerShare;
use super::backend::Backend;
use super::hub::internal;
use super::opening::{PreHandshake, unsupported};
use super::tools;
use crate::api::hints::{HintMethod, HintQuestion};
use crate::api::{FoundPageWire, Refusal, Response, Scope, Tool, ToolChoice};
use crate::model::Problem;
use crate::ops::dispatch::dispatch;
use crate::ops::hints::place;
use crate::ops::nexus;
use crate::ops::problems;

/// The offer changes only with the program, and a client restarts a new version anyway.
const FRESH_FOR_MS: u64 = 3_600_000;

/// Without a `.nexus/`, its tools are not offered; it may be created at any time.
const FRESH_OFFER_FOR_MS: u64 = 60_000;

/// Hints may change at any time.
const FRESH_HINTS_FOR_MS: u64 = 0;
/// A client that has closed its end waits up to two seconds for the last answers.
const LAST_ANSWERS_TIMEOUT: Duration = Duration::from_millis(1_200);

/// Serves until the client disconnects. It is not an error if that happens before the first message.
pub(super) async fn serve(backend: Arc<Backend>, cwd: PathBuf, choice: ToolChoice) {
    let (stdin, stdout) = stdio_pipes();
    let ended = Arc::new(Notify::new());
    let transport = PreHandshake::new(AsyncRwTransport::new_server(stdin, stdout), Arc::clone(&ended));
    let serving = async {
        if let Ok(running) = (Mcp { backend, cwd: Some(cwd.into()), choice }).serve(transport).await {
            drop(running.waiting().await);
        }
    };
    let too_late = async {
        ended.notified().await;
        tokio::time::sleep(LAST_ANSWERS_TIMEOUT).await;
    };
    tokio::select! {
        () = serving => {}
        () = too_late => {}
    }
}

/// What is offered to one client.
#[derive(Clone)]
pub(super) struct Mcp {
    backend: Arc<Backend>,
    /// Where the client works; unknown over HTTP.
    cwd: Option<Arc<Path>>,
    choice: ToolChoice,
}

impl Mcp {
    /// For clients whose folder is unknown.
    pub(super) fn anywhere(backend: Arc<Backend>) -> Mcp {
        Mcp { backend, cwd: None, choice: ToolChoice::default() }
    }

    /// Asks about hints, and adds what is known about where the client works.
    async fn ask(&self, method: HintMethod, mut params: JsonObject) -> Result<Value, Value> {
        if let Some(cwd) = self.cwd.as_ref().filter(|_| method.has_parameter("inferred")) {
            params.insert("inferred".to_owned(), json!(place::known_about(cwd)));
        }
        self.backend.call(method, params).await
    }

    /// Asks a question of our own about hints.
    async fn ask_typed<Q: HintQuestion>(&self, question: &Q) -> Result<Q::Answer, Value> {
        let answer = self.ask(Q::METHOD, question.params()).await?;
        Q::Answer::deserialize(answer)
            .map_err(|error| internal(&format!("the answer cannot be read: {error}")))
    }

    /// Asks for a change to hints, and names the agent: a hint without a scope is pushed in that agent's project only.
    async fn ask_as(
        &self,
        agent: Option<String>,
        method: HintMethod,
        mut params: JsonObject,
    ) -> Result<Value, Value> {
        if method.has_parameter("origin") {
            params.insert("origin".to_owned(), json!(place::origin(self.cwd.as_deref(), agent)));
        }
        self.ask(method, params).await
    }

    async fn call_memory_tool(&self, tool: &'static Tool, arguments: JsonObject) -> CallToolResult {
        let cwd = self.cwd.clone();
        let result = answer(move || {
            let request = tool.parse(&arguments)?;
            if cwd.is_none() && request.scope() == Some(&Scope::Current) {
                return Err(Refusal::new(
                    "over HTTP there is no current project: name one in `project`, or null for all",
                ));
            }
            dispatch(request, cwd.as_deref().unwrap_or(Path::new("/")))
        })
        .await;
        if tool.is_of_project() { as_contract(result) } else { result }
    }

    /// Over HTTP the caller's project is unknown, so the project's tools are not offered.
    fn offers(&self, tool: &Tool, has_nexus: bool) -> bool {
        (self.cwd.is_some() || !tool.is_of_project()) && self.choice.offers(tool.group(), has_nexus)
    }

    /// Returns whether a tool can be called: in a project without `.nexus/`, some can that were not offered.
    fn allows(&self, tool: &Tool) -> bool {
        (self.cwd.is_some() || !tool.is_of_project()) && self.choice.allows(tool.group())
    }

    /// Tells the agent when to use what it is offered.
    fn instructions(&self) -> String {
        let cwd = self.cwd.as_deref();
        let has_nexus =
            self.choice.depends_on_project() && cwd.is_some_and(|cwd| nexus::of_folder(cwd).exists());
        self.choice.instructions(cwd.is_some(), has_nexus)
    }

    /// Returns whether the client's project has a `.nexus/` now.
    async fn has_nexus(&self) -> bool {
        let Some(cwd) = self.cwd.clone() else { return false };
        let exists = tokio::task::spawn_blocking(move || nexus::of_folder(&cwd).exists());
        exists.await.unwrap_or(false)
    }
}

impl ServerHandler for Mcp {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .enable_completions()
            .build();
        ServerConfig::new(capabilities).with_server_info(program()).with_instructions(self.instructions())
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, self.get_info()).with_ttl_ms(FRESH_FOR_MS))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let has_nexus = self.choice.depends_on_project() && self.has_nexus().await;
        let offered = Tool::all().filter(|tool| self.offers(tool, has_nexus)).map(tools::describe);
        let mut list = ListToolsResult::with_all_items(offered.collect());
        if is_modern(&context) {
            let may_change = self.choice.depends_on_project() && !has_nexus;
            list = list.with_ttl_ms(if may_change { FRESH_OFFER_FOR_MS } else { FRESH_FOR_MS });
            list.meta = Some(signature());
        }
        Ok(list)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let Some(tool) = Tool::by_name(&request.name).filter(|tool| self.allows(tool)) else {
            return Err(ErrorData::invalid_params(format!("unknown tool `{}`", request.name), None));
        };
        let notes = tool.notes(&arguments);
        let mut result = match tool.hint_method() {
            Some(method) => {
                let agent = context.client_info().map(|client| client.name);
                hint_result(self.ask_as(agent, method, arguments).await)
            }
            None => self.call_memory_tool(tool, arguments).await,
        };
        result
            .content
            .extend(notes.into_iter().map(|note| ContentBlock::text(shown_text(format!("note: {note}")))));
        let result = match take_room(&context, size(&result)) {
            Ok(()) => result,
            Err(why) => refused(why.to_owned()),
        };
        Ok(result.with_meta(is_modern(&context).then(signature)).into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut list = ListResourcesResult::with_all_items(offers::resources(self).await);
        if is_modern(&context) {
            list = list.with_ttl_ms(FRESH_HINTS_FOR_MS);
            list.meta = Some(signature());
        }
        Ok(list)
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut list = ListResourceTemplatesResult::with_all_items(vec![offers::template()]);
        if is_modern(&context) {
            list = list.with_ttl_ms(FRESH_FOR_MS);
            list.meta = Some(signature());
        }
        Ok(list)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let contents = offers::read(self, &request.uri).await?;
        if let ResourceContents::TextResourceContents { text, .. } = &contents {
            take_room(&context, text.len()).map_err(|why| ErrorData::internal_error(why, None))?;
        }
        let mut result = ReadResourceResult::new(vec![contents]);
        if is_modern(&context) {
            result = result.with_ttl_ms(FRESH_HINTS_FOR_MS);
            result.meta = Some(signature());
        }
        Ok(result.into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let client = context.client_info().map(|client| client.name);
        let mut list = ListPromptsResult::with_all_items(offers::prompts(self, client.as_deref()));
        if is_modern(&context) {
            list = list.with_ttl_ms(FRESH_FOR_MS);
            list.meta = Some(signature());
        }
        Ok(list)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let (text, prompt) = offers::prompt(self, &request.name, &arguments).await?;
        take_room(&context, text).map_err(|why| ErrorData::internal_error(why, None))?;
        Ok(prompt.into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        offers::complete(self, &request).await
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // In the second era there is no handshake, even if its params are valid.
        if is_modern(&context) && request.method == "initialize" {
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None));
        }
        Err(unsupported(&request))
    }
}

/// Answers on a thread that may block. A panic there affects only this answer.
async fn answer(work: impl FnOnce() -> Result<Response, Refusal> + Send + 'static) -> CallToolResult {
    match tokio::task::spawn_blocking(work).await {
        Ok(Ok(response)) => to_result(&response),
        Ok(Err(refusal)) => refused(refusal.to_string()),
        Err(_) => {
            problems::record(&[Problem::error(
                "a question over MCP failed with an internal error; the server is still running",
            )
            .hint("please report this bug, with the question if you can")]);
            refused("nudge hit an internal error on this question; other questions still work".to_owned())
        }
    }
}

/// The text is the plain answer. Structured content must be a map, so a list gets a name there.
fn to_result(response: &Response) -> CallToolResult {
    let answer = match serde_json::to_value(response) {
        Ok(answer) => shown(answer),
        Err(error) => return refused(format!("the answer cannot be serialized: {error}")),
    };
    let mut result = CallToolResult::success(vec![ContentBlock::text(answer.to_string())]);
    result.structured_content = Some(match answer {
        Value::Array(observations) => json!({ "observations": observations }),
        map => map,
    });
    if let (Response::Found(FoundPageWire { note: Some(note), .. }), Some(content)) =
        (response, &mut result.structured_content)
    {
        content["note"] = json!(note);
        result.content.push(ContentBlock::text(note.clone()));
    }
    result
}

/// Converts an answer about hints: text and structured content are the same, also in a refusal.
fn hint_result(answer: Result<Value, Value>) -> CallToolResult {
    let (content, is_error) = match answer {
        Ok(result) => (result, false),
        Err(error) => (json!({ "error": error }), true),
    };
    let content = shown(content);
    let blocks = vec![ContentBlock::text(content.to_string())];
    let mut result = if is_error { CallToolResult::error(blocks) } else { CallToolResult::success(blocks) };
    result.structured_content = Some(content);
    result
}

/// Formats a refusal as the `.nexus/` contract requires: the sentence in a map, as text and as structured content.
fn as_contract(result: CallToolResult) -> CallToolResult {
    match result.content.first().and_then(ContentBlock::as_text) {
        Some(sentence) if result.is_error == Some(true) => {
            CallToolResult::structured_error(json!({ "error": sentence.text }))
        }
        _ => result,
    }
}

/// Takes room for an answer over HTTP, where a client may stop reading; on stdio there is one client, which waits itself.
fn take_room(context: &RequestContext<RoleServer>, bytes: usize) -> Result<(), &'static str> {
    let request = context.extensions.get::<hyper::http::request::Parts>();
    let share = request.and_then(|request| request.extensions.get::<AnswerShare>());
    share.map_or(Ok(()), |share| share.take(bytes))
}

/// Returns about how many bytes a result has: its text, and the structured content that repeats it.
fn size(result: &CallToolResult) -> usize {
    let text = result.content.iter().filter_map(ContentBlock::as_text).map(|text| text.text.len());
    let copies = if result.structured_content.is_some() { 2 } else { 1 };
    text.sum::<usize>() * copies
}

fn refused(sentence: String) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(shown_text(sentence))])
}

fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

/// Without a handshake, each result names the server.
fn signature() -> MetaObject {
    let mut meta = MetaObject::new();
    meta.0.insert("io.modelcontextprotocol/serverInfo".to_owned(), json!(program()));
    meta
}

fn program() -> Implementation {
    Implementation::new("nudge", env!("CARGO_PKG_VERSION"))
}

#[cfg(test)]
mod tests;

//! The requests about hints, parsed from the parameters of a call. The parts of a hint itself (`value`, `meta`,
//! `payload`) are passed on unparsed: `hints` parses them, in the same way for a set and an import.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::arguments::{Arguments, Bounds};
use super::{HintMethod, Refusal};
use crate::model::{Fact, HintContext, HintFlaw, HintOrigin, Os};

/// A request about hints.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum HintRequest {
    Set(SetHintRequest),
    Get(GetHintRequest),
    Query(QueryRequest),
    Delete(DeleteHintRequest),
    /// With a component: only that one, with its keys.
    ListComponents(Option<String>),
    Bump(BumpRequest),
    Export(ExportRequest),
    Import(ImportRequest),
    /// Limited to one component, and to one key, if given.
    EnvNames(Option<String>, Option<String>),
    Suggest(SuggestRequest),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SetHintRequest {
    pub(crate) component: String,
    pub(crate) key: String,
    pub(crate) value: Value,
    pub(crate) meta: Value,
    pub(crate) if_match_version: Option<u64>,
    pub(crate) replace: bool,
    /// The agent that sets it, as reported by the server that it is connected to.
    pub(crate) origin: Option<HintOrigin>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GetHintRequest {
    pub(crate) component: String,
    pub(crate) key: String,
    pub(crate) context: HintContext,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct QueryRequest {
    pub(crate) component: Option<String>,
    pub(crate) keys: Vec<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) regex: Option<String>,
    pub(crate) context: HintContext,
    pub(crate) limit: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DeleteHintRequest {
    pub(crate) component: String,
    pub(crate) key: String,
    pub(crate) scope: Option<Value>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BumpRequest {
    pub(crate) component: String,
    pub(crate) key: String,
    pub(crate) delta: u64,
    pub(crate) context: HintContext,
    /// Whether the caller sent a context, so that it picks the variant.
    pub(crate) is_picked: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ExportRequest {
    pub(crate) component: Option<String>,
    pub(crate) include_secrets: bool,
    /// The answer must be one message, as for a tool; then its length is limited.
    pub(crate) whole: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ImportRequest {
    pub(crate) payload: Value,
    pub(crate) mode: ImportMode,
    pub(crate) stage: Option<StageRequest>,
    pub(crate) origin: Option<HintOrigin>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ImportMode {
    Merge,
    Replace,
}

/// Which part of a large replacement this is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StageRequest {
    pub(crate) id: String,
    pub(crate) part: Option<usize>,
    pub(crate) last: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SuggestRequest {
    pub(crate) trigger: SuggestTrigger,
    pub(crate) session: String,
    pub(crate) text: String,
    pub(crate) context: HintContext,
    pub(crate) limit: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SuggestTrigger {
    SessionStart,
    Prompt,
    Failure,
}

const QUERY_LIMIT: Bounds = Bounds { default: 10, min: 1, max: 5_000 };
const SUGGEST_LIMIT: Bounds = Bounds { default: 3, min: 1, max: 20 };
const DELTA: Bounds = Bounds { default: 1, min: 1, max: 1_000_000 };
const VERSION: Bounds = Bounds { default: 0, min: 0, max: usize::MAX };
/// Maximum length of names and ids.
const MAX_ID_BYTES: usize = 256;

impl HintRequest {
    /// Parses the parameters of a call. Unknown parameters are ignored, because agents add their own. But in a change,
    /// a misplaced `scope` beside `meta` would change more than intended, so there they are refused.
    pub(crate) fn parse(method: HintMethod, params: &Map<String, Value>) -> Result<HintRequest, Refusal> {
        if let Some(message) = unknown_parameter(method, params) {
            return Err(Refusal::of_hint(HintFlaw::invalid(message)));
        }
        parse_request(method, &Arguments(params)).map_err(|refusal| match refusal.to_error() {
            Some(_) => refusal,
            None => Refusal::of_hint(HintFlaw::invalid(refusal.to_string())),
        })
    }

    /// Parses the id under which the answer of this call is stored, so that it can be sent again.
    pub(crate) fn parse_id(params: &Map<String, Value>) -> Result<Option<&str>, Refusal> {
        match params.get("request_id") {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(id)) if (1..=MAX_ID_BYTES).contains(&id.len()) => Ok(Some(id)),
            Some(_) => Err(Refusal::of_hint(HintFlaw::invalid("`request_id` must be a short text"))),
        }
    }
}

/// Returns a message about the first unknown parameter of a change.
fn unknown_parameter(method: HintMethod, params: &Map<String, Value>) -> Option<String> {
    let known: &[&str] = match method {
        HintMethod::SetHint => &["component", "key", "value", "meta", "if_match_version", "replace"],
        HintMethod::DeleteHint => &["component", "key", "scope"],
        _ => return None,
    };
    let anywhere = ["context", "inferred", "origin", "request_id"];
    let is_known = |name: &str| known.contains(&name) || anywhere.contains(&name) || name.starts_with('_');
    let name = params.keys().find(|name| !is_known(name))?;
    let of_meta =
        ["reason", "tags", "priority", "confidence", "ttl", "sensitivity", "scope", "source", "added_by"];
    Some(match method {
        HintMethod::SetHint if of_meta.contains(&name.as_str()) => format!("`{name}` belongs in `meta`"),
        _ => format!("unknown parameter `{name}`; known are {}", known.join(", ")),
    })
}

fn parse_request(method: HintMethod, arguments: &Arguments<'_>) -> Result<HintRequest, Refusal> {
    let name = |name: &str| required(arguments, name);
    Ok(match method {
        HintMethod::SetHint => HintRequest::Set(SetHintRequest {
            component: name("component")?,
            key: name("key")?,
            value: arguments.get("value").cloned().ok_or_else(|| missing("value"))?,
            meta: arguments.get("meta").cloned().unwrap_or(Value::Null),
            if_match_version: match arguments.get("if_match_version") {
                Some(_) => Some(arguments.count("if_match_version", &VERSION)? as u64),
                None => None,
            },
            replace: arguments.flag("replace")?,
            origin: parse_origin(arguments)?,
        }),
        HintMethod::GetHint => HintRequest::Get(GetHintRequest {
            component: name("component")?,
            key: name("key")?,
            context: parse_context(arguments)?,
        }),
        HintMethod::Query => HintRequest::Query(QueryRequest {
            component: optional(arguments, "component")?,
            keys: arguments.texts_or_one("keys")?,
            tags: arguments.texts_or_one("tags")?,
            regex: arguments.text("regex")?.filter(|regex| !regex.is_empty()).map(str::to_owned),
            context: parse_context(arguments)?,
            limit: arguments.count("limit", &QUERY_LIMIT)?,
        }),
        HintMethod::DeleteHint => HintRequest::Delete(DeleteHintRequest {
            component: name("component")?,
            key: name("key")?,
            scope: arguments.get("scope").cloned(),
        }),
        HintMethod::ListComponents => HintRequest::ListComponents(optional(arguments, "component")?),
        HintMethod::Bump => HintRequest::Bump(BumpRequest {
            component: name("component")?,
            key: name("key")?,
            delta: arguments.count("delta", &DELTA)? as u64,
            context: parse_context(arguments)?,
            is_picked: arguments.get("context").is_some(),
        }),
        HintMethod::Export => {
            arguments.one_of("format", [("json", ())])?;
            HintRequest::Export(ExportRequest {
                component: optional(arguments, "component")?,
                include_secrets: arguments.flag("include_secrets")?,
                whole: arguments.flag("whole")?,
            })
        }
        HintMethod::Import => HintRequest::Import(parse_import(arguments)?),
        HintMethod::EnvNames => {
            HintRequest::EnvNames(optional(arguments, "component")?, optional(arguments, "key")?)
        }
        HintMethod::Suggest => HintRequest::Suggest(parse_suggest(arguments)?),
    })
}

fn parse_import(arguments: &Arguments<'_>) -> Result<ImportRequest, Refusal> {
    let modes = [("merge", ImportMode::Merge), ("replace", ImportMode::Replace)];
    let mode = arguments.one_of("mode", modes)?.unwrap_or(ImportMode::Merge);
    let stage = match arguments.object("stage")? {
        None => None,
        Some(_) if mode == ImportMode::Merge => {
            return Err(Refusal::new("`stage` is for `mode` replace; a merge can come in several calls"));
        }
        Some(map) => {
            let stage = Arguments(map);
            let part = stage.get("part").map(|_| stage.count("part", &VERSION)).transpose()?;
            Some(StageRequest { id: required(&stage, "id")?, part, last: stage.flag("last")? })
        }
    };
    let payload = arguments.get("payload").cloned().ok_or_else(|| missing("payload"))?;
    Ok(ImportRequest { payload, mode, stage, origin: parse_origin(arguments)? })
}

fn parse_origin(arguments: &Arguments<'_>) -> Result<Option<HintOrigin>, Refusal> {
    let Some(map) = arguments.object("origin")? else { return Ok(None) };
    let origin = Arguments(map);
    let text = |name: &str| origin.text(name).map(|text| text.map(str::to_owned));
    Ok(Some(HintOrigin { agent: text("agent")?, cwd: text("cwd")?, repo: text("repo")? }))
}

fn parse_suggest(arguments: &Arguments<'_>) -> Result<SuggestRequest, Refusal> {
    let triggers = [
        ("session_start", SuggestTrigger::SessionStart),
        ("prompt", SuggestTrigger::Prompt),
        ("failure", SuggestTrigger::Failure),
    ];
    Ok(SuggestRequest {
        trigger: arguments.one_of("trigger", triggers)?.ok_or_else(|| missing("trigger"))?,
        session: required(arguments, "session")?,
        text: arguments.text("text")?.unwrap_or_default().to_owned(),
        context: parse_context(arguments)?,
        limit: arguments.count("limit", &SUGGEST_LIMIT)?,
    })
}

/// Parses what the caller says about where it is, and adds what the server has found out itself.
fn parse_context(arguments: &Arguments<'_>) -> Result<HintContext, Refusal> {
    let facts =
        |name: &str| arguments.object(name)?.map(parse_facts).transpose().map(Option::unwrap_or_default);
    Ok(facts("context")?.or_inferred(facts("inferred")?))
}

fn parse_facts(map: &Map<String, Value>) -> Result<HintContext, Refusal> {
    let arguments = Arguments(map);
    // A shell passes an unknown value as an empty text; a detached HEAD is not a branch.
    let text = |name: &str| -> Result<Option<Fact<String>>, Refusal> {
        let text = arguments.text(name)?.map(str::trim).filter(|text| !text.is_empty());
        Ok(text.map(|text| Fact::said(text.to_owned())))
    };
    Ok(HintContext {
        cwd: text("cwd")?,
        repo: text("repo")?,
        branch: text("branch")?.filter(|branch| branch.value != "HEAD"),
        os: match arguments.text("os")? {
            None | Some("") => None,
            Some(_) => arguments.one_of("os", Os::ALL.map(|os| (os.name(), os)))?.map(Fact::said),
        },
        env: match arguments.object("env")? {
            None => BTreeMap::new(),
            Some(map) => parse_env(map)?,
        },
    })
}

/// Parses environment variables; `null` counts as missing.
fn parse_env(map: &Map<String, Value>) -> Result<BTreeMap<String, String>, Refusal> {
    let set = map.iter().filter(|(_, value)| !value.is_null());
    let texts = set.map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
    texts.collect::<Option<_>>().ok_or_else(|| Refusal::new("`env` must be an object with text values"))
}

fn required(arguments: &Arguments<'_>, name: &str) -> Result<String, Refusal> {
    optional(arguments, name)?.ok_or_else(|| missing(name))
}

/// Parses a name without surrounding whitespace.
fn optional(arguments: &Arguments<'_>, name: &str) -> Result<Option<String>, Refusal> {
    let text = arguments.text(name)?.map(str::trim);
    match text {
        Some("") => Err(Refusal::new(format!("`{name}` must not be empty"))),
        // Messages contain it.
        Some(text) if text.len() > MAX_ID_BYTES => {
            Err(Refusal::new(format!("`{name}` must be at most {MAX_ID_BYTES} bytes long")))
        }
        text => Ok(text.map(str::to_owned)),
    }
}

fn missing(name: &str) -> Refusal {
    Refusal::new(format!("`{name}` is required"))
}

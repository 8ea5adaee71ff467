//! The requests about hints, parsed from the parameters of a call. The parts of a hint itself (`value`, `meta`,
//! `payload`) are passed on unparsed: `hints` parses them, in the same way for a set and an import.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::api::Refusal;
use crate::api::arguments::Arguments;
use crate::model::{
    Fact, HintContext, HintFlaw, HintMeta, HintOrigin, HintScope, HintValue, ImportMode, ImportStage, Os,
    PushTrigger,
};

/// A request about hints.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum HintRequest {
    Set(SetHintRequest),
    Get(GetHintRequest),
    Query(QueryRequest),
    Delete(DeleteHintRequest),
    ListComponents(ListComponentsRequest),
    Bump(BumpRequest),
    Export(ExportRequest),
    Import(ImportRequest),
    EnvNames(EnvNamesRequest),
    Suggest(SuggestRequest),
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct SetHintRequest {
    pub(crate) component: String,
    pub(crate) key: String,
    pub(crate) value: Value,
    #[serde(skip_serializing_if = "Value::is_null")]
    pub(crate) meta: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) if_match_version: Option<u64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) replace: bool,
    /// The agent that sets it, as reported by the server that it is connected to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) origin: Option<HintOrigin>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct GetHintRequest {
    pub(crate) component: String,
    pub(crate) key: String,
    pub(crate) context: HintContext,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct QueryRequest {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) component: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) keys: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) tags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) regex: Option<String>,
    pub(crate) context: HintContext,
    pub(crate) limit: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct DeleteHintRequest {
    pub(crate) component: String,
    pub(crate) key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) scope: Option<Value>,
    pub(crate) context: HintContext,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct BumpRequest {
    pub(crate) component: String,
    pub(crate) key: String,
    pub(crate) delta: u64,
    pub(crate) context: HintContext,
    /// Whether the caller sent a context, so that it picks the variant.
    #[serde(skip)]
    pub(crate) is_picked: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ExportRequest {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) component: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) include_secrets: bool,
    /// The answer must be one message, as for a tool; then its length is limited.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) whole: bool,
    /// With a context, the kept hints of that place are exported too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) context: Option<HintContext>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ImportRequest {
    pub(crate) payload: Value,
    pub(crate) mode: ImportMode,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stage: Option<ImportStage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) origin: Option<HintOrigin>,
}

/// With a component: only that one, with its keys.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub(crate) struct ListComponentsRequest {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) component: Option<String>,
    pub(crate) context: HintContext,
}

/// Limited to one component, and to one key, if given.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct EnvNamesRequest {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) component: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) key: Option<String>,
    pub(crate) context: HintContext,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct SuggestRequest {
    pub(crate) trigger: PushTrigger,
    pub(crate) session: String,
    pub(crate) text: String,
    pub(crate) context: HintContext,
    pub(crate) limit: usize,
    /// Whether `context` has all environment variables that scopes need. If not, the answer may ask for them first.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) has_env: bool,
}

/// Maximum length of names and ids.
const MAX_ID_BYTES: usize = 256;

impl SetHintRequest {
    /// Asks for a hint to be set; empty metadata is left out.
    pub(crate) fn new(component: &str, key: &str, value: &HintValue, meta: &HintMeta) -> SetHintRequest {
        SetHintRequest {
            component: component.to_owned(),
            key: key.to_owned(),
            value: to_json(value),
            meta: if *meta == HintMeta::default() { Value::Null } else { to_json(meta) },
            if_match_version: None,
            replace: false,
            origin: None,
        }
    }
}

impl DeleteHintRequest {
    /// Asks for a hint to be deleted: all variants, or the one with exactly this scope.
    pub(crate) fn new(component: &str, key: &str, scope: Option<&HintScope>) -> DeleteHintRequest {
        let (component, key) = (component.to_owned(), key.to_owned());
        DeleteHintRequest { component, key, scope: scope.map(to_json), context: HintContext::default() }
    }
}

impl QueryRequest {
    pub(crate) const LIMIT: usize = 10;
}

impl BumpRequest {
    pub(crate) const DELTA: u64 = 1;
    /// More uses than this are not counted at once.
    pub(crate) const MAX_DELTA: u64 = 1_000_000;
}

/// The parts of a hint have only text keys, so this cannot fail.
fn to_json(part: &impl Serialize) -> Value {
    serde_json::to_value(part).unwrap_or_default()
}

impl HintRequest {
    /// Parses the id under which the answer of this call is stored, so that it can be sent again.
    pub(crate) fn parse_id(params: &Map<String, Value>) -> Result<Option<&str>, Refusal> {
        match params.get("request_id") {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(id)) if (1..=MAX_ID_BYTES).contains(&id.len()) => Ok(Some(id)),
            Some(_) => Err(Refusal::of_hint(HintFlaw::invalid("`request_id` must be a short text"))),
        }
    }
}

pub(in crate::api) fn parse_set(arguments: &Arguments<'_>) -> Result<HintRequest, Refusal> {
    Ok(HintRequest::Set(SetHintRequest {
        component: required(arguments, "component")?,
        key: required(arguments, "key")?,
        value: arguments.get("value")?.map(unwrap_value).ok_or_else(|| missing("value"))?,
        meta: arguments.get("meta")?.cloned().unwrap_or(Value::Null),
        if_match_version: arguments.given_count("if_match_version")?.map(|version| version as u64),
        replace: arguments.flag("replace")?,
        origin: parse_origin(arguments)?,
    }))
}

/// Returns the value; some models send a typed value as a text with its JSON.
fn unwrap_value(value: &Value) -> Value {
    const TYPES: [&str; 4] = ["command", "path", "template", "json"];
    let parsed = value.as_str().filter(|text| text.trim_start().starts_with('{'));
    let parsed = parsed.and_then(|text| serde_json::from_str::<Value>(text).ok());
    parsed
        .filter(|parsed| parsed["type"].as_str().is_some_and(|kind| TYPES.contains(&kind)))
        .unwrap_or_else(|| value.clone())
}

pub(in crate::api) fn parse_get(arguments: &Arguments<'_>) -> Result<HintRequest, Refusal> {
    Ok(HintRequest::Get(GetHintRequest {
        component: required(arguments, "component")?,
        key: required(arguments, "key")?,
        context: parse_context(arguments)?,
    }))
}

pub(in crate::api) fn parse_query(arguments: &Arguments<'_>) -> Result<HintRequest, Refusal> {
    Ok(HintRequest::Query(QueryRequest {
        component: optional(arguments, "component")?,
        keys: arguments.texts_or_one("keys")?,
        tags: arguments.texts_or_one("tags")?,
        regex: arguments.text("regex")?.filter(|regex| !regex.is_empty()).map(str::to_owned),
        context: parse_context(arguments)?,
        limit: arguments.count("limit")?,
    }))
}

pub(in crate::api) fn parse_delete(arguments: &Arguments<'_>) -> Result<HintRequest, Refusal> {
    Ok(HintRequest::Delete(DeleteHintRequest {
        component: required(arguments, "component")?,
        key: required(arguments, "key")?,
        scope: arguments.get("scope")?.cloned(),
        context: parse_context(arguments)?,
    }))
}

pub(in crate::api) fn parse_list_components(arguments: &Arguments<'_>) -> Result<HintRequest, Refusal> {
    Ok(HintRequest::ListComponents(ListComponentsRequest {
        component: optional(arguments, "component")?,
        context: parse_context(arguments)?,
    }))
}

pub(in crate::api) fn parse_bump(arguments: &Arguments<'_>) -> Result<HintRequest, Refusal> {
    Ok(HintRequest::Bump(BumpRequest {
        component: required(arguments, "component")?,
        key: required(arguments, "key")?,
        delta: arguments.count("delta")? as u64,
        context: parse_context(arguments)?,
        is_picked: arguments.get("context")?.is_some(),
    }))
}

pub(in crate::api) fn parse_export(arguments: &Arguments<'_>) -> Result<HintRequest, Refusal> {
    arguments.one_of("format", [("json", ())])?;
    Ok(HintRequest::Export(ExportRequest {
        component: optional(arguments, "component")?,
        include_secrets: arguments.flag("include_secrets")?,
        whole: arguments.flag("whole")?,
        context: arguments.object("context")?.map(|facts| parse_facts(&facts)).transpose()?,
    }))
}

pub(in crate::api) fn parse_env_names(arguments: &Arguments<'_>) -> Result<HintRequest, Refusal> {
    Ok(HintRequest::EnvNames(EnvNamesRequest {
        component: optional(arguments, "component")?,
        key: optional(arguments, "key")?,
        context: parse_context(arguments)?,
    }))
}

pub(in crate::api) fn parse_import(arguments: &Arguments<'_>) -> Result<HintRequest, Refusal> {
    let modes = [("merge", ImportMode::Merge), ("replace", ImportMode::Replace)];
    let mode = arguments.one_of("mode", modes)?.unwrap_or(ImportMode::Merge);
    let stage = match arguments.object("stage")? {
        None => None,
        Some(_) if mode == ImportMode::Merge => {
            return Err(Refusal::new("`stage` is for `mode` replace; a merge can come in several calls"));
        }
        Some(stage) => Some(ImportStage {
            part: stage.given_count("part")?,
            id: required(&stage, "id")?,
            last: stage.flag("last")?,
        }),
    };
    let payload = arguments.get("payload")?.cloned().ok_or_else(|| missing("payload"))?;
    Ok(HintRequest::Import(ImportRequest { payload, mode, stage, origin: parse_origin(arguments)? }))
}

fn parse_origin(arguments: &Arguments<'_>) -> Result<Option<HintOrigin>, Refusal> {
    let Some(origin) = arguments.object("origin")? else { return Ok(None) };
    let text = |name: &str| origin.text(name).map(|text| text.map(str::to_owned));
    Ok(Some(HintOrigin { agent: text("agent")?, cwd: text("cwd")?, repo: text("repo")? }))
}

pub(in crate::api) fn parse_suggest(arguments: &Arguments<'_>) -> Result<HintRequest, Refusal> {
    let triggers = [
        ("session_start", PushTrigger::SessionStart),
        ("prompt", PushTrigger::Prompt),
        ("failure", PushTrigger::Failure),
    ];
    Ok(HintRequest::Suggest(SuggestRequest {
        trigger: arguments.one_of("trigger", triggers)?.ok_or_else(|| missing("trigger"))?,
        session: required(arguments, "session")?,
        text: arguments.text("text")?.unwrap_or_default().to_owned(),
        context: parse_context(arguments)?,
        limit: arguments.count("limit")?,
        has_env: arguments.flag("has_env")?,
    }))
}

/// Parses what the caller says about where it is, and adds what the server has found out itself.
fn parse_context(arguments: &Arguments<'_>) -> Result<HintContext, Refusal> {
    let facts = |name: &str| {
        let facts = arguments.object(name)?;
        facts.map(|facts| parse_facts(&facts)).transpose().map(Option::unwrap_or_default)
    };
    Ok(facts("context")?.or_inferred(facts("inferred")?))
}

fn parse_facts(arguments: &Arguments<'_>) -> Result<HintContext, Refusal> {
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
        env: match arguments.map("env")? {
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

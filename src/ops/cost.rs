//! What a session costs in tokens: everything of nudge that a model reads.

use std::path::Path;

use super::hook::signed_parts;
use super::{nexus, session_preview};
use crate::api::memory::SessionCostJson;
use crate::api::{Tool, ToolChoice};
use crate::context::{brief, snapshot};
use crate::model::{ContextPart, Plan, PlanOutline, TaskOutlines, Tasks};
use crate::nexus::{Nexus, PLAN, TASKS};
use crate::store::StoreError;

/// A token of English and of code has about four bytes; models count differently, but not by much.
const BYTES_OF_TOKEN: usize = 4;

/// Counts what a session in this folder costs, with the tools that a server offers by default.
pub(crate) fn of_session(folder: &Path) -> Result<SessionCostJson, StoreError> {
    let nexus = nexus::of_folder(folder);
    let (choice, has_nexus) = (ToolChoice::default(), nexus.exists());
    let offered = Tool::all().filter(|tool| choice.offers(tool.group(), has_nexus));
    Ok(SessionCostJson {
        start: tokens(&start(folder, &nexus)?),
        instructions: tokens(&choice.instructions(true, has_nexus)),
        tools: offered.map(Tool::bytes_for_model).sum::<usize>().div_ceil(BYTES_OF_TOKEN),
        prompt: tokens(&prompt(&nexus)),
        compaction: tokens(&compaction(folder, &nexus)?),
    })
}

fn tokens(text: &str) -> usize {
    text.len().div_ceil(BYTES_OF_TOKEN)
}

fn start(folder: &Path, nexus: &Nexus) -> Result<String, StoreError> {
    let past = session_preview::preview(folder, "startup")?.rendered.text;
    let tasks = tasks(nexus).as_ref().and_then(brief::tasks);
    Ok(joined([
        (ContextPart::Tasks, tasks),
        (ContextPart::Knowledge, knowledge(nexus)),
        (ContextPart::Past, Some(past)),
    ]))
}

/// The summary of the session itself is the agent's own.
fn compaction(folder: &Path, nexus: &Nexus) -> Result<String, StoreError> {
    let past = session_preview::preview(folder, "compact")?.rendered.text;
    let tasks = nexus.read::<Tasks>(TASKS).ok().flatten();
    let plan = nexus.read::<Plan>(PLAN).ok().flatten();
    Ok(joined([
        (ContextPart::Tasks, tasks.as_ref().and_then(snapshot::tasks)),
        (ContextPart::Plan, plan.as_ref().map(snapshot::plan)),
        (ContextPart::Knowledge, knowledge(nexus)),
        (ContextPart::Past, Some(past)),
    ]))
}

fn prompt(nexus: &Nexus) -> String {
    let plan = nexus.read::<PlanOutline>(PLAN).ok().flatten().map(Plan::from);
    let tasks = tasks(nexus).as_ref().and_then(brief::tasks);
    joined([(ContextPart::Tasks, tasks), (ContextPart::Plan, plan.as_ref().map(brief::plan))])
}

fn tasks(nexus: &Nexus) -> Option<Tasks> {
    nexus.read::<TaskOutlines>(TASKS).ok().flatten().map(Tasks::from)
}

fn knowledge(nexus: &Nexus) -> Option<String> {
    nexus.exists().then(|| snapshot::knowledge(&nexus.knowledge())).flatten()
}

/// Joins the parts as a hook does.
fn joined<const N: usize>(parts: [(ContextPart, Option<String>); N]) -> String {
    let parts =
        parts.into_iter().filter_map(|(part, text)| Some((part, text.filter(|text| !text.is_empty())?)));
    signed_parts::join(parts.collect()).unwrap_or_default()
}

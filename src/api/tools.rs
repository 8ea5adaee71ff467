//! Every tool that agents are offered over MCP, and every method about hints, each as one row of a table.
//!
//! The reader of its arguments, the JSON Schemas, the annotations, "changes something" and the tables of
//! `docs/guide/mcp.md` all come from here. To add a tool, add its row, and answer its request in `ops`.

mod choice;
mod hints;
mod memory;
mod nexus;
mod notes;
mod output;

use serde_json::{Map, Value};

use super::argument::{Argument, ArgumentKind, Need, object_schema};
use super::arguments::Arguments;
use super::hints::{HintMethod, HintRequest};
use super::nexus::NexusRequest;
use super::notes::NotesRequest;
use super::{Refusal, Request};
use crate::model::HintFlaw;

pub(crate) use choice::ToolChoice;

/// One tool.
#[derive(Debug)]
pub(crate) struct Tool {
    /// Without dots: agents refuse a server whose tools have dots in their names.
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    /// What an agent reads; its first sentence is also the tool's row in `docs/guide/mcp.md`.
    pub(crate) about: &'static str,
    pub(crate) arguments: &'static [Argument],
    /// Returns the JSON Schema of the answer; `None` if the contract has none.
    pub(crate) output: Option<fn() -> Value>,
    pub(crate) effect: ToolEffect,
    pub(crate) reader: ArgumentReader,
}

/// What a call does to what is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolEffect {
    /// Changes nothing.
    Reads,
    Changes {
        /// Something may be lost: the others only add, or keep in the history what they remove.
        destructive: bool,
        /// The same call again changes nothing more.
        idempotent: bool,
    },
}

/// Parses the arguments of a call into a request.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ArgumentReader {
    /// About observations.
    Memory(fn(&Arguments<'_>) -> Result<Request, Refusal>),
    /// About `.nexus/` of the caller's project.
    Nexus(fn(&Arguments<'_>) -> Result<NexusRequest, Refusal>),
    /// About the notes and the guidance in it.
    Notes(fn(&Arguments<'_>) -> Result<NotesRequest, Refusal>),
    /// About hints; the PRIMARY reads these arguments, and other servers forward them.
    Hint(HintMethod, fn(&Arguments<'_>) -> Result<HintRequest, Refusal>),
}

/// The tools, in the order in which agents are offered them.
const TABLE: [&[Tool]; 4] = [memory::TOOLS, nexus::TOOLS, notes::TOOLS, hints::TOOLS];

/// Maximum number of unknown arguments that are named.
const MAX_NOTES: usize = 3;

/// Parameters that any call about hints may have: servers and clients of nudge send them.
const OF_ANY_HINT_CALL: [&str; 4] = ["context", "inferred", "origin", "request_id"];

impl Tool {
    /// Returns the tools that agents are offered.
    pub(crate) fn all() -> impl Iterator<Item = &'static Tool> {
        TABLE.into_iter().flatten()
    }

    /// Finds a tool that agents are offered.
    pub(crate) fn by_name(name: &str) -> Option<&'static Tool> {
        Tool::all().find(|tool| tool.name == name)
    }

    /// Returns whether the tool works on `.nexus/` of the caller's project, and refuses as that contract requires.
    pub(crate) fn is_of_project(&self) -> bool {
        matches!(self.reader, ArgumentReader::Nexus(_) | ArgumentReader::Notes(_))
    }

    pub(crate) fn hint_method(&self) -> Option<HintMethod> {
        match self.reader {
            ArgumentReader::Hint(method, _) => Some(method),
            ArgumentReader::Memory(_) | ArgumentReader::Nexus(_) | ArgumentReader::Notes(_) => None,
        }
    }

    pub(crate) fn changes_something(&self) -> bool {
        self.effect != ToolEffect::Reads
    }

    /// Returns the JSON Schema of the arguments.
    pub(crate) fn input_schema(&self) -> Value {
        object_schema(self.arguments)
    }

    /// Parses the arguments of a call; unknown ones are ignored, because agents add their own.
    pub(crate) fn parse(&self, given: &Map<String, Value>) -> Result<Request, Refusal> {
        let arguments = Arguments::new(given, self.arguments);
        match self.reader {
            ArgumentReader::Memory(parse) => parse(&arguments),
            ArgumentReader::Nexus(parse) => parse(&arguments).map(Request::Nexus),
            ArgumentReader::Notes(parse) => parse(&arguments).map(Request::Notes),
            ArgumentReader::Hint(..) => {
                Err(Refusal::new(format!("`{}` is a question for the PRIMARY", self.name)))
            }
        }
    }

    /// Returns what a caller should know about its arguments: those that the tool does not have, and counts that are
    /// reduced. The contract of `.nexus/` has no place for this.
    pub(crate) fn notes(&self, given: &Map<String, Value>) -> Vec<String> {
        if self.is_of_project() {
            return Vec::new();
        }
        let known: Vec<&str> = self.described().collect();
        let mut notes = Vec::new();
        for (name, value) in given {
            let row = self.arguments.iter().find(|row| row.name == name);
            let max = match row.map(|row| &row.kind) {
                Some(ArgumentKind::Capped { max, .. }) => Some(*max),
                _ => None,
            };
            let number = Arguments::new(given, self.arguments).integer(name).ok().flatten();
            if let Some((max, number)) = max.zip(number)
                && usize::try_from(number).is_ok_and(|number| number > max)
            {
                notes.push(format!("`{name}` was reduced from {number} to {max}, the maximum"));
            }
            let is_known =
                row.is_some() || OF_ANY_HINT_CALL.contains(&name.as_str()) || name.starts_with('_');
            if !is_known && !value.is_null() && notes.len() < MAX_NOTES {
                let shown: String = name.chars().filter(|c| !c.is_control()).take(60).collect();
                notes.push(format!(
                    "`{shown}` is not an argument, and was ignored; known: {}",
                    known.join(", ")
                ));
            }
        }
        notes
    }

    fn described(&self) -> impl Iterator<Item = &'static str> {
        self.arguments.iter().filter(|row| row.need != Need::Hidden).map(|row| row.name)
    }
}

impl HintMethod {
    /// Returns the name of the method, with an underscore, as agents know it.
    pub(crate) fn name(self) -> &'static str {
        self.tool().name
    }

    /// Finds a method by the tool's name, or by the seed's name, with a dot.
    pub(crate) fn by_name(name: &str) -> Option<HintMethod> {
        let rest = name.strip_prefix("nudge.").or_else(|| name.strip_prefix("nudge_"))?;
        let mut tools = hints::TOOLS.iter().chain(hints::OWN);
        tools.find(|tool| tool.name["nudge_".len()..] == *rest)?.hint_method()
    }

    pub(crate) fn changes_something(self) -> bool {
        self.tool().changes_something()
    }

    /// Returns whether the method has a parameter of this name.
    pub(crate) fn has_parameter(self, name: &str) -> bool {
        self.tool().arguments.iter().any(|row| row.name == name)
    }

    /// Parses the parameters of a call. Unknown parameters are ignored, because agents add their own. But in a change
    /// of one hint, a misplaced `scope` beside `meta` would change more than intended, so there they are refused.
    pub(crate) fn parse(self, params: &Map<String, Value>) -> Result<HintRequest, Refusal> {
        if let Some(message) = self.unknown_parameter(params) {
            return Err(Refusal::of_hint(HintFlaw::invalid(message)));
        }
        let tool = self.tool();
        let parsed = match tool.reader {
            ArgumentReader::Hint(_, parse) => parse(&Arguments::new(params, tool.arguments)),
            ArgumentReader::Memory(_) | ArgumentReader::Nexus(_) | ArgumentReader::Notes(_) => {
                Err(Refusal::new(format!("`{}` is not about hints", tool.name)))
            }
        };
        parsed.map_err(|refusal| match refusal.to_error() {
            Some(_) => refusal,
            None => Refusal::of_hint(HintFlaw::invalid(refusal.to_string())),
        })
    }

    /// Returns a message about the first unknown parameter of a change.
    fn unknown_parameter(self, params: &Map<String, Value>) -> Option<String> {
        if !matches!(self, HintMethod::SetHint | HintMethod::DeleteHint) {
            return None;
        }
        let known: Vec<&str> = self.tool().described().collect();
        let is_known =
            |name: &str| known.contains(&name) || OF_ANY_HINT_CALL.contains(&name) || name.starts_with('_');
        let name = params.keys().find(|name| !is_known(name))?;
        let is_of_meta = hints::META.iter().any(|field| field.name == name);
        Some(match self {
            HintMethod::SetHint if is_of_meta => format!("`{name}` belongs in `meta`"),
            _ => format!("unknown parameter `{name}`; known are {}", known.join(", ")),
        })
    }

    fn tool(self) -> &'static Tool {
        hints::tool(self)
    }
}

#[cfg(test)]
mod tests;

//! What the agent reads when a prompt has tags: the guidance of the vocabulary, with additions for the current state.

use super::tags::{Tag, Tagged};
use super::words;
use crate::model::ModeName;

const AUTO: &str = "With `:auto`, do not ask: decide yourself, and record with each decision which options you rejected \
                    and why.";
const NO_PLAN: &str =
    "No plan is open, so there is nothing to decide on. Tell the user; `[plan]` starts one.";
const NO_TEXT: &str = "There is no text after the tag: ask the user for it.";

/// Returns one paragraph for each tag; `None` if there are no tags.
pub(crate) fn directives(tagged: &[Tagged<'_>], has_plan: bool) -> Option<String> {
    if tagged.is_empty() {
        return None;
    }
    let words = words::tags();
    let guidance = |tag: &Tag| {
        let entry = words.iter().find(|entry| entry.id == tag.id());
        entry.map_or("", |entry| entry.prose_guidance.as_str())
    };
    let paragraphs = tagged.iter().map(|Tagged { tag, payload }| {
        let text = match tag {
            Tag::Decide if !has_plan => NO_PLAN.to_owned(),
            Tag::Plan { auto: true } => format!("{}\n{AUTO}", guidance(tag)),
            Tag::Rule(None) => {
                format!("{} It belongs in `.nexus/rules/`, in a file named after its topic.", guidance(tag))
            }
            Tag::Rule(Some(name)) => {
                format!("{} It belongs in `.nexus/rules/{name}.md`.", guidance(tag))
            }
            tag => guidance(tag).to_owned(),
        };
        let wants_text = matches!(tag, Tag::Decide | Tag::Remember | Tag::Rule(_)) && text != NO_PLAN;
        let missing = if wants_text && payload.is_empty() { format!(" {NO_TEXT}") } else { String::new() };
        format!("`{}` in the user's prompt means in this project: {text}{missing}", form(tag))
    });
    Some(paragraphs.collect::<Vec<_>>().join("\n\n"))
}

/// Returns what the tag of a mode means, for an agent that has forgotten it.
pub(crate) fn mode_directive(mode: ModeName, auto: bool) -> Option<String> {
    let tag = match mode {
        ModeName::Plan => Tag::Plan { auto },
        ModeName::Run => Tag::Run,
        ModeName::Sync => Tag::Sync,
    };
    directives(&[Tagged { tag, payload: "" }], true)
}

/// Returns the tag as it is written.
fn form(tag: &Tag) -> String {
    match tag {
        Tag::Plan { auto: true } => "[plan:auto]".to_owned(),
        Tag::Tidy => "[m:gc]".to_owned(),
        Tag::Rule(Some(name)) => format!("[rule:{name}]"),
        tag => format!("[{}]", tag.id()),
    }
}

#[cfg(test)]
mod tests;

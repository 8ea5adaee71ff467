//! The seven parts of the vocabulary as stored in `assets/vocabulary`, with only the keys of the contract.

use serde::{Deserialize, Serialize};

const CAPABILITIES: &str = include_str!("../../assets/vocabulary/capabilities.toml");
const CATEGORIES: &str = include_str!("../../assets/vocabulary/categories.toml");
const RESUME_TIERS: &str = include_str!("../../assets/vocabulary/resume_tiers.toml");
const TAGS: &str = include_str!("../../assets/vocabulary/tags.toml");
const INVOCATIONS: &str = include_str!("../../assets/vocabulary/invocations.toml");
const TASK_EXCEPTIONS: &str = include_str!("../../assets/vocabulary/task_exceptions.toml");
const MEMORY_POLICY: &str = include_str!("../../assets/vocabulary/memory_policy.toml");

/// All seven parts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Vocabulary {
    pub(crate) capabilities: Vec<CapabilityEntry>,
    pub(crate) categories: Vec<VocabularyEntry>,
    pub(crate) resume_tiers: Vec<VocabularyEntry>,
    pub(crate) tags: Vec<TagEntry>,
    pub(crate) invocations: Vec<InvocationEntry>,
    pub(crate) task_exceptions: Vec<TaskException>,
    pub(crate) memory_policy: MemoryPolicy,
}

/// Parses all seven parts.
pub(crate) fn vocabulary() -> Vocabulary {
    let parts = [CAPABILITIES, CATEGORIES, RESUME_TIERS, TAGS, INVOCATIONS, TASK_EXCEPTIONS, MEMORY_POLICY];
    parse(&parts.join("\n"))
}

/// Parses only the tags.
pub(super) fn tags() -> Vec<TagEntry> {
    #[derive(Deserialize)]
    struct TagsPart {
        tags: Vec<TagEntry>,
    }
    parse::<TagsPart>(TAGS).tags
}

/// Parses only the capabilities.
pub(super) fn capabilities() -> Vec<CapabilityEntry> {
    #[derive(Deserialize)]
    struct CapabilitiesPart {
        capabilities: Vec<CapabilityEntry>,
    }
    parse::<CapabilitiesPart>(CAPABILITIES).capabilities
}

fn parse<T: serde::de::DeserializeOwned>(text: &str) -> T {
    toml::from_str(text).expect("the built-in vocabulary is valid, as a test verifies")
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct VocabularyEntry {
    pub(crate) id: String,
    pub(crate) description: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CapabilityEntry {
    pub(crate) id: String,
    pub(crate) intent: String,
    pub(crate) description: String,
    pub(crate) blocks_semantic_classes: Vec<String>,
    pub(crate) prose_guidance: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TagEntry {
    pub(crate) id: String,
    pub(crate) trigger: String,
    #[serde(rename = "type")]
    pub(crate) kind: TagKind,
    pub(crate) description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) skill: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) handler: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) variants: Vec<String>,
    pub(crate) prose_guidance: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TagKind {
    Skill,
    InlineAction,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct InvocationEntry {
    pub(crate) id: String,
    pub(crate) intent: String,
    pub(crate) description: String,
    pub(crate) semantic_params: Vec<Parameter>,
    pub(crate) prose_guidance: String,
    pub(crate) fallback_behavior: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) required: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TaskException {
    pub(crate) id: String,
    pub(crate) description: String,
    pub(crate) applies_when: String,
    pub(crate) treatment: String,
    pub(crate) rationale: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MemoryPolicy {
    pub(crate) categories: Vec<NoteCategory>,
    pub(crate) naming: Naming,
    pub(crate) access_tracking: AccessTracking,
    pub(crate) forgetting: Forgetting,
    pub(crate) merge: Principle,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoteCategory {
    pub(crate) id: String,
    pub(crate) prefix: String,
    pub(crate) description: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Naming {
    pub(crate) pattern: String,
    pub(crate) description: String,
    pub(crate) optional_prefix: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AccessTracking {
    pub(crate) observation_primitive: String,
    pub(crate) scope: String,
    pub(crate) description: String,
    pub(crate) information_accumulated: Vec<AccessFact>,
    pub(crate) storage_contract_reference: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AccessFact {
    pub(crate) name: String,
    pub(crate) meaning: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Forgetting {
    pub(crate) manual_gate_default: bool,
    pub(crate) description: String,
    pub(crate) automatic_deletion_structure: Principle,
    pub(crate) recoverable_deletion_requirement: String,
    pub(crate) recoverable_deletion_description: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Principle {
    pub(crate) principle: String,
    pub(crate) description: String,
}

#[cfg(test)]
mod tests;

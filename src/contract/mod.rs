//! The vocabulary of plans and tasks: which tags a user can write in a prompt, what agents may do, and when an agent
//! continues earlier work.
//!
//! The texts are data in `assets/vocabulary`, one file for each of the seven parts, built into the program. A hook
//! parses only the part that it quotes; decisions use tables here, which a test compares with the data.

mod agents;
mod capability;
mod catalogue;
mod deeds;
mod dependencies;
mod directive;
mod histories;
mod last_words;
mod macros;
mod refusal;
mod resume;
mod sha256;
mod tags;
mod words;

pub(crate) use agents::{AGENTS, ResumeTier, agent, role};
use capability::Capability;
pub(crate) use capability::limits;
pub(crate) use catalogue::{BodyKind, Catalogue, skill_in};
pub(crate) use deeds::{Deed, deeds};
pub(crate) use dependencies::{DependencyFlaw, check_dependencies, find_circles, misspelt_role};
pub(crate) use directive::{CrewMember, DirectiveScene, NO_NEXUS, directives};
pub(crate) use histories::{join_extensions, join_histories, parse_conflict};
pub(crate) use last_words::sounds_failed;
pub(crate) use refusal::refusal;
pub(crate) use resume::{Decision, ResumeQuestion, decide, edited_since};
pub(crate) use tags::{Tag, Tagged, called_skill, recognise};
pub(crate) use words::{Vocabulary, vocabulary};

//! Rules: parses YAML into a book of rules, and evaluates the rules that match an event.
//!
//! Nothing here touches a file: `config` finds and reads rule files, `ops` connects the two.

mod book;
mod call;
mod compiled;
mod edits;
mod evaluate;
mod glob;
mod language;
mod lexer;
mod message;
mod name_lists;
mod packs;
mod pattern;
mod presence;
mod read;
mod said;
mod sample;
mod schema;
mod session;
mod stray;
mod suggest;
mod switches;
mod tool;
mod touch;
mod yaml;

pub(crate) use book::{Book, RuleSource, duplicates};
pub(crate) use call::{Call, calls};
pub(crate) use compiled::keep_compiled;
pub(crate) use evaluate::{Candidate, Fired, RuleOutcome, Trial};
pub(crate) use glob::FileFilter;
pub(crate) use language::language_of;
pub(crate) use name_lists::{EditError, ListEdit, edit_list, set_switch};
pub(crate) use packs::{PACKS, RulePack};
pub(crate) use pattern::PatternSupport;
pub(crate) use read::{Loaded, MissingVersion, pack_rules, read};
pub(crate) use said::{RuleMessage, Signed, join, join_texts};
pub(crate) use sample::{describe, describe_earlier, parse_earlier};
pub(crate) use schema::{
    Action, CallEnding, Conditions, EarlierCall, Example, Field, Happening, Matcher, Rule, Sample,
    SessionCondition, json_schema,
};
pub(crate) use session::{SessionWait, fact_key, own_key};
pub(crate) use stray::strays;
pub(crate) use suggest::{did_you_mean, nearest};
pub(crate) use switches::{SwitchOwner, Switches, disable_in_packs, settle};
pub(crate) use tool::ToolFilter;

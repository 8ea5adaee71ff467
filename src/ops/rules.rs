//! Rules: loads them from files and cache, evaluates them, checks files with them, and explains what they did.

pub(crate) mod change;
pub(crate) mod check;
pub(crate) mod explain;
pub(crate) mod load;
pub(crate) mod packs;
pub(crate) mod replay;
pub(crate) mod show;
pub(crate) mod shown;
pub(crate) mod try_out;
pub(crate) mod validate;

pub(crate) use crate::rules::{Action, EarlierCall, Rule, Sample, did_you_mean, json_schema, parse_earlier};

//! Joins two versions of the history, as a merge of two branches needs it.
//!
//! A cycle is recognised by everything in it but the number of its plan: two branches count their plans alone, so both
//! have a plan 2. After the merge the later of them gets a number that is free.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::model::{CycleExtension, History, HistoryExtension};

/// Joins both sides; `base` is what they began with, as far as it is known.
///
/// What one side has removed from the base stays removed. The order is that of closing, so both directions of a merge
/// give the same file.
pub(crate) fn join_histories(base: Option<&History>, ours: &History, theirs: &History) -> History {
    let cycles = join(base.map(|base| &base.cycles[..]), &ours.cycles, &theirs.cycles, without_plan_id);
    let mut joined = History { cycles, ..ours.clone() };
    joined.schema_version = joined.schema_version.or_else(|| theirs.schema_version.clone());
    for (name, value) in &theirs.rest {
        joined.rest.entry(name).or_insert_with(|| value.clone());
    }
    joined.cycles.sort_by(|one, other| closing_time(one).cmp(closing_time(other)));
    settle_plan_ids(&mut joined);
    joined
}

/// Joins both sides of the extension file in the same way.
pub(crate) fn join_extensions(
    base: Option<&HistoryExtension>,
    ours: &HistoryExtension,
    theirs: &HistoryExtension,
) -> HistoryExtension {
    let base = base.map(|base| &base.cycle_extensions[..]);
    let key =
        |one: &CycleExtension| json!([one.completed_at, one.branch, one.goal, one.decisions, one.carried]);
    let mut joined = ours.clone();
    joined.cycle_extensions = join(base, &ours.cycle_extensions, &theirs.cycle_extensions, key);
    // A cycle that one side has opened again is open for both.
    for one in &mut joined.cycle_extensions {
        let other = theirs.cycle_extensions.iter().find(|other| key(other) == key(one));
        one.reopened_at = one.reopened_at.take().or_else(|| other?.reopened_at.clone());
    }
    joined.cycle_extensions.sort_by(|one, other| one.completed_at.cmp(&other.completed_at));
    for (name, value) in &theirs.rest {
        joined.rest.entry(name).or_insert_with(|| value.clone());
    }
    joined
}

fn join<T: Clone>(base: Option<&[T]>, ours: &[T], theirs: &[T], key: impl Fn(&T) -> Value) -> Vec<T> {
    let keys = |all: &[T]| all.iter().map(|one| key(one).to_string()).collect::<BTreeSet<String>>();
    let (in_base, in_ours, in_theirs) = (keys(base.unwrap_or_default()), keys(ours), keys(theirs));
    let mut seen = BTreeSet::new();
    let all = ours.iter().chain(theirs);
    let is_kept = |one: &&T| {
        let key = key(one).to_string();
        let is_removed = in_base.contains(&key) && !(in_ours.contains(&key) && in_theirs.contains(&key));
        !is_removed && seen.insert(key)
    };
    all.filter(is_kept).cloned().collect()
}

fn without_plan_id(cycle: &Value) -> Value {
    let mut cycle = cycle.clone();
    if let Some(plan) = cycle["plan"].as_object_mut() {
        plan.remove("id");
    }
    cycle
}

fn closing_time(cycle: &Value) -> &str {
    cycle["completed_at"].as_str().unwrap_or_default()
}

/// Gives every plan a number of its own: of two with the same one, the later gets the next that is free.
fn settle_plan_ids(history: &mut History) {
    let (mut taken, mut next) = (BTreeSet::new(), history.next_plan_id());
    for cycle in &mut history.cycles {
        let Some(id) = cycle["plan"]["id"].as_u64() else { continue };
        if !taken.insert(id) {
            cycle["plan"]["id"] = json!(next);
            taken.insert(next);
            next += 1;
        }
    }
}

/// Takes both sides out of a text with git's marks of a conflict; `None` if it has none.
pub(crate) fn parse_conflict(text: &str) -> Option<(String, String)> {
    #[derive(PartialEq)]
    enum Side {
        Both,
        Ours,
        Base,
        Theirs,
    }
    let (mut ours, mut theirs, mut side, mut found) = (String::new(), String::new(), Side::Both, false);
    for line in text.split_inclusive('\n') {
        let mark = |sign: &str| line.starts_with(sign) && line[sign.len()..].starts_with([' ', '\n', '\r']);
        match side {
            Side::Both if mark("<<<<<<<") => (side, found) = (Side::Ours, true),
            Side::Ours if mark("|||||||") => side = Side::Base,
            Side::Ours | Side::Base if mark("=======") => side = Side::Theirs,
            Side::Theirs if mark(">>>>>>>") => side = Side::Both,
            Side::Both => {
                ours.push_str(line);
                theirs.push_str(line);
            }
            Side::Ours => ours.push_str(line),
            Side::Theirs => theirs.push_str(line),
            Side::Base => {}
        }
    }
    (found && side == Side::Both).then_some((ours, theirs))
}

#[cfg(test)]
mod tests;

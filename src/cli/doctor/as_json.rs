//! The findings for a program.

use serde_json::{Value, json};

use super::user_rules;
use crate::cli::output::{problem_json, problems_json};
use crate::config::{env, paths};
use crate::journal::problems::Logged;
use crate::ops::doctor::agent_place::reach_word;
use crate::ops::doctor::agents::Wired;
use crate::ops::doctor::entries::{Entry, Kind};
use crate::ops::doctor::findings::{Connected, Findings, Lowered};
use crate::ops::why::Latency;
use crate::wiring::Presence;

pub(super) fn to_json(found: &Findings) -> Value {
    let memory = &found.memory;
    let integrity = memory.integrity.as_ref();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "program": env::current_exe(),
        "project": found.root,
        "data": paths::data_dir(),
        "cache": paths::cache_dir(),
        "user_rules": user_rules(),
        "rules": found.rules,
        "lowered": found.lowered.iter().map(lowered_json).collect::<Vec<_>>(),
        "problems": problems_json(&found.about_rules),
        "settings": { "problems": problems_json(&found.about_settings) },
        "memory": {
            "database": memory.database,
            "bytes": memory.bytes,
            "schema_version": memory.schema_version,
            "rows": integrity.map(|found| found.rows),
            "indexed": integrity.map(|found| found.indexed),
            "faults": integrity.map(|found| &found.faults),
            "spool_bytes": memory.spool_bytes,
            "rejected_lines": memory.rejected_lines,
            "problems": problems_json(&memory.problems),
        },
        "others": found.others,
        "other_problems": problems_json(&found.about_program),
        "folders": {
            "open": found.open.iter().map(|open| &open.path).collect::<Vec<_>>(),
            "problems": problems_json(&found.about_folders),
        },
        "server": {
            "folder": found.server.folder,
            "health": found.server.health,
            "problems": problems_json(&found.server.problems),
        },
        "agents": found.agents.iter().map(agent_json).collect::<Vec<_>>(),
        "state": { "problems": problems_json(&found.state) },
        "hooks": {
            "latency": found.hooks.latency.iter().map(latency_json).collect::<Vec<_>>(),
            "dropped": found.hooks.dropped,
            "torn_lines": found.hooks.torn_lines,
            "problems": problems_json(&found.hooks.problems),
        },
        "log": found.logged.iter().map(logged_json).collect::<Vec<_>>(),
    })
}

fn agent_json(agent: &Connected) -> Value {
    json!({
        "agent": agent.name,
        "places": agent.places.iter().map(place_json).collect::<Vec<_>>(),
        "entries": agent.entries.iter().map(entry_json).collect::<Vec<_>>(),
        "problems": problems_json(&agent.problems),
    })
}

fn entry_json(entry: &Entry) -> Value {
    json!({
        "file": entry.file,
        "line": entry.line,
        "count": entry.count,
        "kind": match entry.kind {
            Kind::Hook => "hook",
            Kind::Server => "server",
            Kind::Plugin => "plugin",
        },
        "command": entry.command,
        "program": entry.program,
        "version": entry.version,
        "answers": entry.answers,
        "problems": problems_json(&entry.problem),
    })
}

fn place_json(wired: &Wired) -> Value {
    json!({
        "reach": reach_word(wired.reach),
        "hooks": presence_word(wired.hooks),
        "server": presence_word(wired.server),
        "files": wired.files,
        "answers": wired.answers,
        "elsewhere": wired.elsewhere,
        "problems": problems_json(&wired.problems),
    })
}

fn presence_word(presence: Presence) -> &'static str {
    match presence {
        Presence::Absent => "absent",
        Presence::Partial => "old",
        Presence::Complete => "complete",
    }
}

fn latency_json(one: &Latency) -> Value {
    json!({
        "hook": one.hook.map(crate::model::Hook::name),
        "count": one.count,
        "p50_us": one.p50,
        "p95_us": one.p95,
        "max_us": one.max,
    })
}

fn lowered_json(one: &Lowered) -> Value {
    json!({ "rule": one.rule, "harness": one.harness, "instead": one.instead })
}

fn logged_json(logged: &Logged) -> Value {
    let mut value = json!({ "at": logged.at });
    if let (Value::Object(all), Value::Object(problem)) = (&mut value, problem_json(&logged.problem)) {
        all.extend(problem);
    }
    value
}

//! The findings for a program.

use super::agent_place::reach_word;
use super::agents::AgentConnection;
use super::entries::{Kind, ProgramEntry};
use super::findings::{Connected, Findings};
use crate::api::doctor::{
    ConnectedAgentJson, ConnectedPlaceJson, DegradedRuleJson, DoctorJson, EntryJson, FoldersJson, HooksJson,
    LatencyJson, MemoryHealthJson, OtherProgramJson, SectionJson, ServerJson, TeamFilesJson,
};
use crate::api::problem::{LoggedProblemJson, ProblemJson, problems};
use crate::model::{Hook, Timestamp};
use crate::wiring::Presence;

/// Returns everything that was found.
pub(crate) fn to_json(found: &Findings) -> DoctorJson {
    DoctorJson {
        version: env!("CARGO_PKG_VERSION"),
        program: found.places.program.clone(),
        project: found.root.clone(),
        data: found.places.data.clone(),
        cache: found.places.cache.clone(),
        user_rules: found.places.user_rules.clone(),
        rules: found.rules,
        disabled_rules: found.disabled_rules,
        lowered: found
            .lowered
            .iter()
            .map(|one| DegradedRuleJson {
                rule: one.rule.clone(),
                harness: one.harness,
                instead: one.instead,
            })
            .collect(),
        problems: problems(&found.about_rules),
        settings: SectionJson { problems: problems(&found.about_settings) },
        memory: memory(found),
        others: found
            .others
            .iter()
            .map(|other| OtherProgramJson {
                path: other.path.clone(),
                version: other.version.clone(),
                comes_first: other.comes_first,
            })
            .collect(),
        other_problems: problems(&found.about_program),
        folders: FoldersJson {
            open: found.open.iter().map(|open| open.path.clone()).collect(),
            problems: problems(&found.about_folders),
        },
        server: ServerJson {
            folder: found.server.folder.clone(),
            health: found.server.health.clone(),
            problems: problems(&found.server.problems),
        },
        agents: found.agents.iter().map(agent).collect(),
        state: SectionJson { problems: problems(&found.state) },
        hooks: hooks(found),
        log: logged(found),
    }
}

fn memory(found: &Findings) -> MemoryHealthJson {
    let memory = &found.memory;
    let integrity = memory.integrity.as_ref();
    MemoryHealthJson {
        database: memory.database.clone(),
        bytes: memory.bytes,
        schema_version: memory.schema_version,
        rows: integrity.map(|found| found.rows),
        indexed: integrity.map(|found| found.indexed),
        faults: integrity.map(|found| found.faults.clone()),
        spool_bytes: memory.spool_bytes,
        rejected_lines: memory.rejected_lines,
        problems: problems(&memory.problems),
    }
}

fn agent(agent: &Connected) -> ConnectedAgentJson {
    ConnectedAgentJson {
        agent: agent.name,
        places: agent.places.iter().map(place).collect(),
        entries: agent.entries.iter().map(entry).collect(),
        problems: problems(&agent.problems),
    }
}

fn place(wired: &AgentConnection) -> ConnectedPlaceJson {
    ConnectedPlaceJson {
        reach: reach_word(wired.reach),
        hooks: presence_word(wired.hooks),
        server: presence_word(wired.server),
        files: wired.files.clone(),
        answers: wired.answers,
        elsewhere: wired.elsewhere.clone(),
        team: TeamFilesJson {
            current: wired.team.current,
            outdated: wired.team.outdated.clone(),
            foreign: wired.team.foreign.clone(),
            missing: wired.team.missing,
        },
        problems: problems(&wired.problems),
    }
}

fn entry(entry: &ProgramEntry) -> EntryJson {
    EntryJson {
        file: entry.file.clone(),
        line: entry.line,
        count: entry.count,
        kind: match entry.kind {
            Kind::Hook => "hook",
            Kind::Server => "server",
            Kind::Plugin => "plugin",
        },
        command: entry.command.clone(),
        program: entry.program.clone(),
        version: entry.version.clone(),
        answers: entry.answers,
        problems: problems(&entry.problem),
    }
}

fn presence_word(presence: Presence) -> &'static str {
    match presence {
        Presence::Absent => "absent",
        Presence::Partial => "old",
        Presence::Complete => "complete",
    }
}

fn hooks(found: &Findings) -> HooksJson {
    let latency = found.hooks.latency.iter().map(|one| LatencyJson {
        hook: one.hook.map(Hook::name),
        count: one.count,
        p50_us: one.p50,
        p95_us: one.p95,
        max_us: one.max,
    });
    HooksJson {
        latency: latency.collect(),
        dropped: found.hooks.dropped,
        torn_lines: found.hooks.torn_lines,
        problems: problems(&found.hooks.problems),
    }
}

fn logged(found: &Findings) -> Vec<LoggedProblemJson> {
    let logged = found.logged.iter().map(|logged| LoggedProblemJson {
        at: Timestamp(i64::try_from(logged.at).unwrap_or(i64::MAX)).into(),
        problem: ProblemJson::from(&logged.problem),
    });
    logged.collect()
}

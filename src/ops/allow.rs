//! What a person does with calls that wait: looks at them, allows one once, takes a permission back.

use std::io;
use std::path::Path;

use crate::config::env;
use crate::config::settings;
use crate::files::Process;
use crate::harness;
use crate::journal::allowances;
use crate::model::{
    ALLOWED, ALLOWED_START, EventKey, Grant, Metadata, NewObservation, ObservationType, SessionId,
    WaitingCall,
};
use crate::ops::observations::database::open_spool;
use crate::ops::{project, secret_patterns};
use crate::redact::{self, OwnPatterns};
use crate::system::clock;

/// Variables that any agent may set: from the proposals that several of them follow.
const ANY_AGENT: [&str; 2] = ["AI_AGENT", "AGENT"];
/// Maximum number of characters of a call that the memory keeps.
const MAX_REMEMBERED: usize = 2_000;

/// Returns how it is known that an agent runs this process; `None` if nothing says so.
pub(crate) fn running_agent() -> Option<String> {
    let by_variable = harness::AGENTS.iter().find_map(|agent| {
        let name = agent.children.variables.iter().find(|name| env::value(name).is_some())?;
        Some(format!("{} runs it (`{name}` is set)", agent.title))
    });
    let by_any = || {
        let name = ANY_AGENT.iter().find(|name| env::value(name).is_some())?;
        Some(format!("an agent runs it (`{name}` is set)"))
    };
    by_variable.or_else(by_any).or_else(|| {
        let above = Process::ancestors();
        harness::AGENTS.iter().find_map(|agent| {
            let is_agent =
                |words: &Vec<String>| words.iter().any(|word| is_program(word, agent.children.programs));
            above
                .iter()
                .any(is_agent)
                .then(|| format!("{} runs it (its process is above this one)", agent.title))
        })
    })
}

/// Returns whether a word of a command line names one of these programs, or their script.
fn is_program(word: &str, programs: &[&str]) -> bool {
    let stem = Path::new(word).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let stem =
        [".js", ".mjs", ".cjs", ".exe", ".cmd"].iter().find_map(|end| stem.strip_suffix(end)).unwrap_or(stem);
    programs.contains(&stem)
}

/// The calls that wait, and the permissions that can still be used.
pub(crate) struct Allowances {
    pub(crate) waiting: Vec<WaitingCall>,
    pub(crate) granted: Vec<Grant>,
}

/// Returns all calls that wait, those of this project first, and all permissions.
pub(crate) fn list(root: &Path) -> Allowances {
    let now = clock::timestamp();
    let granted = allowances::grants(now);
    let mut waiting = allowances::waiting(now);
    let root = root.to_string_lossy();
    waiting.sort_by_key(|call| call.project != root);
    Allowances { waiting, granted }
}

/// Allows a call once, from now on for ten minutes, and remembers that.
pub(crate) fn grant(call: WaitingCall) -> io::Result<Grant> {
    let grant = Grant::now(call, clock::timestamp());
    // Nothing may be allowed without a trace: what cannot be remembered is not allowed.
    remember(&grant)?;
    allowances::add_grant(&grant)?;
    Ok(grant)
}

/// Takes a permission back, or stops offering a call.
pub(crate) fn revoke(id: &str) -> bool {
    allowances::remove(id)
}

fn remember(grant: &Grant) -> io::Result<()> {
    let call = &grant.call;
    let root = Path::new(&call.project);
    let (settings, _) = settings::load(root);
    if !settings.remember {
        return Ok(());
    }
    let Ok(own) = secret_patterns::of(&settings) else { return Ok(()) };
    let Some(spool) = open_spool() else { return Ok(()) };
    spool.append(&[observation(grant, &own)])
}

fn observation(grant: &Grant, own: &OwnPatterns) -> NewObservation {
    let call = &grant.call;
    let project = project::of_folder(Path::new(&call.project));
    let facts = serde_json::json!({
        "kind": ALLOWED,
        "harness": call.harness,
        "rules": call.rules,
        "until": grant.until.0,
    });
    let facts = facts.as_object().cloned().unwrap_or_default();
    let (since, session) = (grant.since.0.to_string(), call.session.clone());
    NewObservation {
        timestamp: grant.since,
        session_id: session.unwrap_or_else(|| SessionId("nudge-allow".to_owned())),
        project: project.as_ref().map(|project| project.name.clone()),
        project_root: project.and_then(|project| project.root),
        repository: None,
        obs_type: ObservationType::UserPrompt,
        source_event: "nudge allow".to_owned(),
        tool_name: Some(call.tool.clone()),
        content: redact::excerpt(
            &format!("{ALLOWED_START}: {} {}", call.tool, call.input),
            MAX_REMEMBERED,
            own,
        ),
        file_path: None,
        metadata: Some(Metadata(facts)),
        event_key: Some(EventKey::of(["allow", &call.id, &since])),
        program: None,
        signature: None,
        pinned: false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_program;

    #[test]
    fn a_program_is_recognised_by_its_last_name() {
        let check =
            |word: &str, expected| assert_eq!(is_program(word, &["gemini", "claude"]), expected, "{word}");
        check("gemini", true);
        check("/usr/lib/node_modules/.bin/gemini", true);
        check("/opt/x/bundle/gemini.js", true);
        check("/root/claude/notes.txt", false);
        check("vim", false);
        check("claude.exe", true);
    }
}

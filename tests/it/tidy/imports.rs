//! The directions between the layers: `model` is below all, operations use logic and state, and nothing uses the edges.

use super::source::Source;
use super::{assert_complains, assert_content, assert_tidy};

/// What a module may import besides itself.
const MAY_IMPORT: [(&str, &[&str]); 29] = [
    ("model", &[]),
    ("redact", &["model"]),
    ("rules", &["model", "redact", "shell"]),
    ("hints", &["model", "redact"]),
    ("shell", &["model"]),
    ("recall", &["model", "shell"]),
    ("observations", &["model", "redact", "shell"]),
    ("context", &["model", "observations", "recall", "redact"]),
    ("learn", &["model", "context", "recall", "shell"]),
    ("notes", &["model", "redact", "shell"]),
    ("contract", &["model", "shell"]),
    ("wiring", &["model"]),
    ("files", &[]),
    ("store", &["model", "files"]),
    ("nexus", &["model", "files"]),
    ("config", &["model", "files"]),
    ("system", &["model", "files", "config"]),
    ("journal", &["model", "files", "config", "system"]),
    ("peers", &["model", "files"]),
    ("team", &["model", "files"]),
    ("api", &["model"]),
    ("harness", &["model"]),
    ("imports", &["model"]),
    ("ops", &BELOW_OPS),
    ("server", &["model", "api", "ops"]),
    ("cli", &["model", "api", "ops"]),
    ("inside", &[]),
    ("lib", &[]),
    ("main", &[]),
];

const BELOW_OPS: [&str; 23] = [
    "model",
    "harness",
    "redact",
    "rules",
    "hints",
    "imports",
    "observations",
    "recall",
    "learn",
    "shell",
    "context",
    "notes",
    "contract",
    "wiring",
    "files",
    "store",
    "nexus",
    "config",
    "system",
    "journal",
    "peers",
    "team",
    "api",
];

/// The library lists all modules.
const MAY_IMPORT_ANYTHING: [&str; 3] = ["inside", "lib", "main"];

/// Files of the edges that import more than data, protocol and actions, and why. This list may only become shorter.
const EDGE_EXCEPTIONS: [(&str, &[&str]); 22] = [
    // Variables of the environment that only the command line reads or lists.
    ("src/cli/complete.rs", &["config"]),
    ("src/cli/completions.rs", &["config"]),
    // The hook is prepared by the command line, which is the first code that runs.
    ("src/cli/hook.rs", &["harness", "redact", "system"]),
    // The variables again, and the limit of open files.
    ("src/cli/man/sections.rs", &["config"]),
    ("src/cli/mod.rs", &["system"]),
    // A file that the user names for the output.
    ("src/cli/observations.rs", &["files"]),
    // Hidden characters are made visible where text leaves the program.
    ("src/cli/output.rs", &["context"]),
    ("src/cli/resume_check.rs", &["config"]),
    ("src/cli/rows.rs", &["context"]),
    // The options of a server come from flags and variables.
    ("src/cli/serve.rs", &["config", "peers", "server"]),
    ("src/cli/topic.rs", &["config"]),
    // The server is the other end of what `peers` finds: locks, sockets, proofs; and it has its own clock.
    ("src/server/backend.rs", &["peers", "system"]),
    ("src/server/forward.rs", &["peers", "system"]),
    ("src/server/http/gate.rs", &["peers"]),
    ("src/server/http/listen.rs", &["peers"]),
    ("src/server/http/peer.rs", &["peers"]),
    ("src/server/hub.rs", &["system"]),
    ("src/server/lead.rs", &["peers", "system"]),
    ("src/server/mcp/shown.rs", &["context"]),
    ("src/server/mod.rs", &["peers", "system"]),
    ("src/server/saver.rs", &["peers", "system"]),
    ("src/server/status.rs", &["peers"]),
];

#[test]
fn modules_import_only_what_is_below_them() {
    assert_tidy(directions);
}

#[test]
fn exceptions_of_the_edges_are_needed() {
    assert_tidy(stale_exceptions);
    assert!(!stale_exceptions(&[]).is_empty(), "the check can fail");
}

#[test]
fn directions_are_held() {
    let rules = "src/rules/glob.rs";
    assert_complains(
        directions,
        rules,
        "use crate::config::env;",
        "src/rules/glob.rs:1: `rules` imports `config`",
    );
    assert_complains(
        directions,
        rules,
        "use crate::{model, ops};",
        "src/rules/glob.rs:1: `rules` imports `ops`",
    );
    assert_complains(
        directions,
        rules,
        "use crate::{\n    model::{Event, Hook},\n    store::Store,\n};",
        "src/rules/glob.rs:1: `rules` imports `store`",
    );
    assert_complains(
        directions,
        rules,
        "fn f() { crate::cli::run() }",
        "src/rules/glob.rs:1: `rules` imports `cli`",
    );
    assert_complains(
        directions,
        "src/model/event.rs",
        "use super::super::rules::Rule;",
        "src/model/event.rs:1: `super::super` hides which module is meant",
    );
    assert_complains(
        directions,
        "src/ops/hook.rs",
        "use crate::server::Hub;",
        "src/ops/hook.rs:1: `ops` imports `server`",
    );
    assert_complains(
        directions,
        "src/harness/codex/wire.rs",
        "use crate::system::target;",
        "src/harness/codex/wire.rs:1: `harness` imports `system`",
    );
    assert_complains(
        directions,
        "src/gadgets/mod.rs",
        "use crate::model::Event;",
        "src/gadgets/mod.rs: `gadgets` has no place in the layers",
    );
    assert_complains(
        directions,
        "src/peers/client.rs",
        "use crate::system::clock;",
        "src/peers/client.rs:1: `peers` imports `system`",
    );
    assert_content(directions, rules, "use crate::model::Event;\nuse crate::rules::glob;\nuse super::tool;");
    assert_complains(
        directions,
        "src/cli/stats.rs",
        "use crate::store::Reader;",
        "src/cli/stats.rs:1: `cli` imports `store`",
    );
    assert_complains(
        directions,
        "src/server/mcp.rs",
        "use crate::nexus::Nexus;",
        "src/server/mcp.rs:1: `server` imports `nexus`",
    );
    assert_content(directions, "src/cli/stats.rs", "use crate::{api, model, ops};");
    assert_content(directions, "src/ops/hook.rs", "use crate::harness::Agent;");
    assert_content(directions, rules, "// As crate::ops does.");
}

fn directions(files: &[Source]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files {
        let Some(module) = file.module() else { continue };
        let Some((_, allowed)) = MAY_IMPORT.iter().find(|(name, _)| *name == module) else {
            complaints.push(format!("{}: `{module}` has no place in the layers", file.path));
            continue;
        };
        for (line, imported) in imports(file) {
            let free = MAY_IMPORT_ANYTHING.contains(&module) || imported == module;
            if imported == "super" {
                let why = "`super::super` hides which module is meant";
                complaints.push(format!("{}:{line}: {why}", file.path));
            } else if !free && !allowed.contains(&imported.as_str()) && !is_excepted(file, &imported) {
                complaints.push(format!("{}:{line}: `{module}` imports `{imported}`", file.path));
            }
        }
    }
    complaints
}

fn is_excepted(file: &Source, imported: &str) -> bool {
    EDGE_EXCEPTIONS.iter().any(|(path, modules)| *path == file.path && modules.contains(&imported))
}

/// Reports exceptions that are not needed any more.
fn stale_exceptions(files: &[Source]) -> Vec<String> {
    let is_used = |path: &str, module: &str| {
        let file = files.iter().find(|file| file.path == path);
        file.is_some_and(|file| imports(file).iter().any(|(_, imported)| imported == module))
    };
    let each =
        EDGE_EXCEPTIONS.iter().flat_map(|(path, modules)| modules.iter().map(move |module| (path, module)));
    each.filter(|(path, module)| !is_used(path, module))
        .map(|(path, module)| format!("{path} does not import `{module}` any more"))
        .collect()
}

/// Returns every first name after `crate::`, each with its line; `super` where a path climbs more than once.
fn imports(file: &Source) -> Vec<(usize, String)> {
    let code: Vec<(usize, &str)> = file.code().collect();
    let mut found = Vec::new();
    for (index, (line, text)) in code.iter().enumerate() {
        if text.contains("super::super::") && !file.path.ends_with("/tests.rs") {
            found.push((*line, "super".to_owned()));
        }
        for (at, _) in text.match_indices("crate::") {
            let rest: Vec<&str> = std::iter::once(&text[at + "crate::".len()..])
                .chain(code[index + 1..].iter().map(|(_, text)| *text))
                .collect();
            found.extend(first_names(&rest.join("\n")).into_iter().map(|name| (*line, name)));
        }
    }
    found
}

/// Parses `name…` or `{ a, b::{c, d} }`, and returns the first names.
fn first_names(rest: &str) -> Vec<String> {
    let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let Some(group) = rest.strip_prefix('{') else { return vec![word(rest)] };
    let (mut depth, mut names, mut item) = (1, Vec::new(), String::new());
    for c in group.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 || (depth == 1 && c == ',') {
            names.push(word(item.trim()));
            item.clear();
        } else {
            item.push(c);
        }
        if depth == 0 {
            break;
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// Returns the absolute path of every import and every path that starts with `crate`, `super` or `self`.
pub(super) fn paths_behind(file: &Source, module: &[String]) -> Vec<Vec<String>> {
    let code: Vec<&str> =
        file.code().map(|(_, text)| text).take_while(|text| *text != "mod tests {").collect();
    let code = code.join("\n");
    let mut found = Vec::new();
    for start in ["crate::", "super::", "self::"] {
        for (at, _) in code.match_indices(start) {
            let is_begun = code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
            if !is_begun {
                let base = if start == "crate::" { Vec::new() } else { module.to_vec() };
                let rest = code[at..].strip_prefix("crate::").unwrap_or(&code[at..]);
                leaves(rest, &base, &mut found);
            }
        }
    }
    found
}

/// Reads `a::{b, c::d}` behind a path, adds what it names, and returns what follows it.
fn leaves<'t>(text: &'t str, base: &[String], found: &mut Vec<Vec<String>>) -> &'t str {
    let (mut path, mut rest) = (base.to_vec(), text);
    loop {
        if let Some(mut group) = rest.strip_prefix('{') {
            loop {
                group = group.trim_start();
                if group.is_empty() || group.starts_with('}') {
                    return group.strip_prefix('}').unwrap_or(group);
                }
                let before = group.len();
                group = leaves(group, &path, found).trim_start();
                group = group.strip_prefix(',').unwrap_or(group);
                if group.len() == before {
                    return group;
                }
            }
        }
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        match &rest[..end] {
            "super" => drop(path.pop()),
            "self" => {}
            name => path.push(name.to_owned()),
        }
        rest = &rest[end..];
        let Some(next) = rest.strip_prefix("::") else { break };
        rest = next;
    }
    found.push(path);
    // An alias is not another path.
    rest.strip_prefix(" as ")
        .map_or(rest, |alias| alias.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_'))
}

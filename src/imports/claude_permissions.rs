//! Claude Code's permissions, according to its documentation of 2026: what is denied and what is asked about.
//!
//! A rule of ours can block and ask. It cannot grant, so `allow` is counted and not carried over.

use serde_json::Value;

use super::RuleImport;
use super::draft::{LeftOut, SourceRecord};
use super::yaml::{self, DraftAction, RuleDraft};

pub(super) fn rules(files: &[SourceRecord]) -> RuleImport {
    let mut import = RuleImport::default();
    let mut drafts: Vec<RuleDraft> = Vec::new();
    let mut allowed = 0;
    for file in files {
        let parsed: Option<Value> = serde_json::from_str(&file.text).ok();
        let Some(permissions) =
            parsed.as_ref().map(|parsed| &parsed["permissions"]).filter(|one| one.is_object())
        else {
            import
                .left_out
                .push(LeftOut { what: file.name.clone(), why: "it has no `permissions`".to_owned() });
            continue;
        };
        allowed += texts(&permissions["allow"]).count();
        for (key, action) in [("deny", DraftAction::Interrupt), ("ask", DraftAction::Ask)] {
            for text in texts(&permissions[key]) {
                match rule_of(text, action) {
                    Ok(rule) if drafts.iter().any(|one| one.name == rule.name) => {}
                    Ok(rule) => drafts.push(rule),
                    Err(why) => import.left_out.push(LeftOut { what: text.to_owned(), why: why.to_owned() }),
                }
            }
        }
    }
    if allowed > 0 {
        let why = "a rule cannot give a permission; Claude Code still does".to_owned();
        import.left_out.push(LeftOut { what: format!("{allowed} of `allow`"), why });
    }
    import.rules = drafts.len();
    if !drafts.is_empty() {
        import.text = yaml::file(&drafts, "Claude Code's permissions");
        import.changes = [
            "commands are also found in pipes, behind `sudo` and in `bash -c`, and words may stand between others",
            "`Write(…)` and `MultiEdit(…)` are never consulted by Claude Code; here they count as `Edit(…)`",
            "a path that begins with `~` or `//` is recognised by its end, in any folder",
        ]
        .map(str::to_owned)
        .into();
    }
    import
}

fn texts(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::trim)
        .filter(|text| !text.is_empty())
}

/// Turns `Tool` or `Tool(about)` into a rule.
fn rule_of(text: &str, action: DraftAction) -> Result<RuleDraft, &'static str> {
    let (tool, about) = match text.split_once('(') {
        Some((tool, rest)) => {
            (tool.trim(), Some(rest.strip_suffix(')').ok_or("its bracket is not closed")?.trim()))
        }
        None => (text, None),
    };
    let is_name =
        |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-*".contains(c));
    if !is_name(tool) {
        return Err("it is not the name of a tool");
    }
    let verb = if action == DraftAction::Ask { "ask" } else { "deny" };
    let rule = RuleDraft {
        name: name_of(verb, text),
        enabled: true,
        hook: "PreToolUse",
        action,
        is_case_sensitive: true,
        message: match action {
            DraftAction::Ask => format!("The permission `{text}` wants a person to decide."),
            _ => format!("The permission `{text}` denies this. Do it another way, or ask the user."),
        }
        .replace("{{", "{ {"),
        ..RuleDraft::default()
    };
    let about = about.filter(|about| !about.is_empty() && *about != "*");
    match (tool, about) {
        ("Bash", Some(about)) => of_command(rule, about),
        ("Read" | "Edit" | "Write" | "MultiEdit" | "NotebookEdit", Some(glob)) => {
            let does = if tool == "Read" { "read" } else { "change" };
            Ok(RuleDraft { does: Some(does), file: Some(glob_of(glob)), ..rule })
        }
        ("WebFetch", Some(about)) => {
            let domain = about.strip_prefix("domain:").ok_or("only `domain:` is known for WebFetch")?;
            let host = domain.split('*').map(escape).collect::<Vec<_>>().join("[^/]*");
            let pattern = format!(r"(?i)https?://{host}([:/?#]|\z)");
            Ok(RuleDraft { tool: Some("WebFetch".to_owned()), matches: vec![("content", pattern)], ..rule })
        }
        (server, None) if server.starts_with("mcp__") => {
            let name = server.strip_suffix("__*").unwrap_or(server);
            // A server alone means all of its tools.
            let is_server = name.matches("__").count() == 1;
            let tool = if is_server {
                format!("{}__.*", escape(name))
            } else {
                name.split('*').map(escape).collect::<Vec<_>>().join(".*")
            };
            Ok(RuleDraft { tool: Some(tool), ..rule })
        }
        (_, None) => {
            Ok(RuleDraft { tool: Some(tool.split('*').map(escape).collect::<Vec<_>>().join(".*")), ..rule })
        }
        (_, Some(_)) => Err("a condition on this tool cannot be expressed"),
    }
}

/// `x` is exactly this command, `x:*` and `x *` begin with these words, and `*` elsewhere is anything.
fn of_command(rule: RuleDraft, about: &str) -> Result<RuleDraft, &'static str> {
    let tool = Some("Bash".to_owned());
    let prefix = about.strip_suffix(":*").or_else(|| about.strip_suffix(" *"));
    if let Some(words) = prefix.filter(|words| is_plain(words)) {
        // A star between words is anything, which may stand between words anyway.
        let words: Vec<&str> = words.split_whitespace().filter(|word| *word != "*").collect();
        return Ok(RuleDraft { tool, commands: vec![words.join(" ")], ..rule });
    }
    let words = prefix.map_or_else(|| about.to_owned(), |prefix| format!("{prefix} *"));
    let pattern = words.split('*').map(escape).collect::<Vec<_>>().join(r"[^;&|\n]*");
    // Claude Code compares each command of a line.
    let pattern = format!(r"(?:\A|[;&|\n])\s*{}\s*(?:\z|[;&|\n])", pattern.trim());
    Ok(RuleDraft { tool, matches: vec![("content", pattern)], ..rule })
}

/// Words that mean the same in a pattern for commands: a program first, no quotes, nothing that a shell would read.
fn is_plain(words: &str) -> bool {
    let program = words.split_whitespace().next().unwrap_or_default();
    !program.is_empty()
        && !program.contains('*')
        && !program.contains('=')
        && words.chars().all(|c| c.is_alphanumeric() || " -_./:=@+,*".contains(c))
}

/// Patterns are those of `.gitignore`: without a slash in it, a name matches in every folder.
fn glob_of(glob: &str) -> String {
    if let Some(below) = glob.strip_prefix("~/").or_else(|| glob.strip_prefix("//")) {
        return format!("**/{below}");
    }
    let below = glob.strip_prefix("./").or_else(|| glob.strip_prefix('/')).unwrap_or(glob);
    let is_anchored = below.len() != glob.len() || below.trim_end_matches('/').contains('/');
    let below = below.strip_suffix('/').map_or_else(|| below.to_owned(), |folder| format!("{folder}/**"));
    if is_anchored || below.starts_with("**/") { below } else { format!("**/{below}") }
}

/// Returns a name for the rule: the permission in words that a name may have.
fn name_of(verb: &str, text: &str) -> String {
    let mut name = verb.to_owned();
    for part in text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty()) {
        name.push('-');
        name.push_str(&part.to_ascii_lowercase());
    }
    // Two permissions may have the same words and differ in what stands between them.
    let sum = text.bytes().fold(0_u16, |sum, byte| sum.wrapping_mul(31).wrapping_add(u16::from(byte)));
    format!("{name}-{sum:04x}")
}

fn escape(text: &str) -> String {
    let special = |c: char| "\\.+*?()|[]{}^$".contains(c);
    text.chars().flat_map(|c| special(c).then_some('\\').into_iter().chain([c])).collect()
}

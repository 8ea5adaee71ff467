//! cc-safety-net's own rules, according to its source of May 2026: commands with words that must not follow.

use serde_json::Value;

use super::RuleImport;
use super::draft::{LeftOut, SourceRecord};
use super::yaml::{self, DraftAction, RuleDraft};

pub(super) fn rules(files: &[SourceRecord]) -> RuleImport {
    let mut import = RuleImport::default();
    let mut drafts: Vec<RuleDraft> = Vec::new();
    for file in files {
        let parsed: Option<Value> = serde_json::from_str(&file.text).ok();
        let Some(list) = parsed.as_ref().and_then(|parsed| parsed["rules"].as_array()) else {
            import.left_out.push(LeftOut { what: file.name.clone(), why: "it has no `rules`".to_owned() });
            continue;
        };
        for rule in list {
            match rule_of(rule) {
                // The project's file is read first, and wins.
                Some(rule) if drafts.iter().any(|one| one.name.eq_ignore_ascii_case(&rule.name)) => {
                    import.left_out.push(LeftOut {
                        what: rule.name,
                        why: "the project has a rule of this name".to_owned(),
                    });
                }
                Some(rule) => drafts.push(rule),
                None => import.left_out.push(LeftOut {
                    what: rule["name"].as_str().unwrap_or("a rule").to_owned(),
                    why: "it has no name, command or reason".to_owned(),
                }),
            }
        }
    }
    import.rules = drafts.len();
    if !drafts.is_empty() {
        import.text = yaml::file(&drafts, "cc-safety-net");
    }
    import
}

fn rule_of(rule: &Value) -> Option<RuleDraft> {
    let text = |name: &str| rule[name].as_str().map(str::trim).filter(|text| !text.is_empty());
    let words = |name: &str| rule[name].as_array().into_iter().flatten().filter_map(Value::as_str);
    let start = [text("command"), text("subcommand")].into_iter().flatten().collect::<Vec<_>>().join(" ");
    let arguments: Vec<String> = words("block_args").map(|word| format!("{start} {word}")).collect();
    Some(RuleDraft {
        name: text("name")?.to_owned(),
        enabled: true,
        hook: "PreToolUse",
        tool: Some("Bash".to_owned()),
        commands: text("command").map(|_| if arguments.is_empty() { vec![start] } else { arguments })?,
        is_case_sensitive: true,
        action: DraftAction::Interrupt,
        message: text("reason")?.replace("{{", "{ {"),
        ..RuleDraft::default()
    })
}

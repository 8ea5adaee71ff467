//! Codex's rules, according to its documentation of 2026: calls of `prefix_rule` in Starlark files.

use super::RuleImport;
use super::draft::{LeftOut, SourceRecord};
use super::starlark::{self, Literal};
use super::yaml::{self, DraftAction, RuleDraft};

/// Alternatives are multiplied up to this many patterns.
const MAX_PATTERNS: usize = 64;

pub(super) fn rules(files: &[SourceRecord]) -> RuleImport {
    let mut import = RuleImport::default();
    let mut drafts: Vec<RuleDraft> = Vec::new();
    let mut allowed = 0;
    for file in files.iter().filter(|file| is_rule_file(&file.name)) {
        for call in starlark::calls(&file.text) {
            let what = || format!("{}:{} `{}`", file.name, call.line, call.name);
            let read = match (call.name.as_str(), &call.arguments) {
                ("prefix_rule", Some(arguments)) => rule_of(arguments),
                ("prefix_rule", None) => {
                    Err("it is computed, and only what is written down can be read".to_owned())
                }
                ("host_executable", _) => Err("paths of programs are not compared here".to_owned()),
                _ => Err("it is not a rule".to_owned()),
            };
            match read {
                Ok(Some(mut rule)) => {
                    rule.name = unique(&rule.name, &drafts);
                    drafts.push(rule);
                }
                Ok(None) => allowed += 1,
                Err(why) => import.left_out.push(LeftOut { what: what(), why }),
            }
        }
    }
    if allowed > 0 {
        let why = "a rule cannot give a permission; Codex still does".to_owned();
        import.left_out.push(LeftOut { what: format!("{allowed} with `allow`"), why });
    }
    import.rules = drafts.len();
    if !drafts.is_empty() {
        import.text = yaml::file(&drafts, "Codex's rules");
        import.changes = vec![
            "the words are also found with others between them, in pipes and behind wrappers: stricter than in Codex"
                .to_owned(),
        ];
    }
    import
}

fn is_rule_file(name: &str) -> bool {
    name.ends_with(".rules") || name.ends_with(".codexpolicy")
}

/// Returns the rule of a call; nothing if it allows something.
fn rule_of(arguments: &[(String, Literal)]) -> Result<Option<RuleDraft>, String> {
    let argument = |name: &str| arguments.iter().find(|(own, _)| own == name).map(|(_, value)| value);
    let text = |name: &str| match argument(name) {
        Some(Literal::Text(text)) => Some(text.as_str()),
        _ => None,
    };
    let action = match text("decision").unwrap_or("allow") {
        "allow" => return Ok(None),
        "prompt" => DraftAction::Ask,
        "forbidden" => DraftAction::Interrupt,
        other => return Err(format!("the decision `{other}` is not known")),
    };
    let Some(Literal::List(pattern)) = argument("pattern") else {
        return Err("it has no pattern".to_owned());
    };
    let commands = commands(pattern)?;
    let first = commands.first().ok_or("its pattern is empty")?;
    let message = text("justification").map(str::trim).filter(|text| !text.is_empty());
    let message = message.map_or_else(|| format!("A rule for `{first}` says no."), str::to_owned);
    Ok(Some(RuleDraft {
        name: name_of(first),
        enabled: true,
        hook: "PreToolUse",
        tool: Some("Bash".to_owned()),
        is_case_sensitive: true,
        action,
        message: message.replace("{{", "{ {"),
        fires: examples(argument("match")),
        quiet: examples(argument("not_match")),
        commands,
        ..RuleDraft::default()
    }))
}

/// Returns the words of each command that a pattern with alternatives means.
fn commands(pattern: &[Literal]) -> Result<Vec<String>, String> {
    let mut commands = vec![String::new()];
    for part in pattern {
        let alternatives: Vec<&str> = match part {
            Literal::Text(word) => vec![word],
            Literal::List(words) => words.iter().filter_map(as_text).collect(),
            Literal::Other => return Err("a part of its pattern is not a word".to_owned()),
        };
        let is_word = |word: &&str| {
            !word.is_empty() && !word.contains(|c: char| c.is_whitespace() || "*{}|".contains(c))
        };
        if let Some(word) = alternatives.iter().find(|word| !is_word(word)) {
            return Err(format!("the word `{word}` cannot be in a pattern"));
        }
        if alternatives.is_empty() || commands.len() * alternatives.len() > MAX_PATTERNS {
            return Err("its pattern has too many alternatives, or none".to_owned());
        }
        let longer = |start: &String| {
            let words = alternatives.iter().map(|word| format!("{start} {word}").trim_start().to_owned());
            words.collect::<Vec<_>>()
        };
        commands = commands.iter().flat_map(longer).collect();
    }
    Ok(commands.into_iter().filter(|command| !command.is_empty()).collect())
}

fn as_text(literal: &Literal) -> Option<&str> {
    match literal {
        Literal::Text(text) => Some(text),
        _ => None,
    }
}

/// Examples are commands as texts, or as lists of words.
fn examples(list: Option<&Literal>) -> Vec<String> {
    let Some(Literal::List(list)) = list else { return Vec::new() };
    let words = |list: &[Literal]| {
        let words: Vec<String> = list.iter().filter_map(as_text).map(quoted).collect();
        words.join(" ")
    };
    let command = |one: &Literal| match one {
        Literal::Text(text) => Some(text.clone()),
        Literal::List(list) => Some(words(list)),
        Literal::Other => None,
    };
    list.iter().filter_map(command).filter(|command| !command.trim().is_empty()).collect()
}

fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@+,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

fn name_of(command: &str) -> String {
    let parts = command.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    format!("codex-{}", parts.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-"))
}

fn unique(name: &str, drafts: &[RuleDraft]) -> String {
    let is_taken = |name: &str| drafts.iter().any(|rule| rule.name == name);
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    std::iter::once(name.to_owned()).chain(numbered).find(|name| !is_taken(name)).unwrap_or_default()
}

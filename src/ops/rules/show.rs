//! Shows one rule as it is written, with where it comes from.

use std::path::Path;

use super::change::RuleEditError;
use super::load;
use crate::rules::{PACKS, Rule, RulePack, did_you_mean, pack_rules};
use crate::system::{rule_files, rule_levels};

/// A rule with its text.
pub(crate) struct ShownRule {
    pub(crate) rule: Rule,
    /// The rule as it is written in its file or pack.
    pub(crate) source: String,
    /// Whether a rule file here has it, itself or through its pack.
    pub(crate) is_used: bool,
}

/// Finds the rules with a name: those that apply here, else the one of a pack that is not used here.
pub(crate) fn find(root: &Path, name: &str) -> Result<Vec<ShownRule>, RuleEditError> {
    let (rules, _) = load::all(root);
    let mut found: Vec<ShownRule> = Vec::new();
    for rule in rules.iter().filter(|rule| rule.name == name) {
        let source = match rule.pack.as_deref().and_then(|name| PACKS.iter().find(|pack| pack.name == name)) {
            Some(pack) => in_pack(pack, name),
            None => in_file(root, rule),
        };
        found.push(ShownRule { rule: rule.clone(), source, is_used: true });
    }
    if found.is_empty() {
        for pack in PACKS {
            let of_name = pack_rules(pack).into_iter().filter(|rule| rule.name == name);
            found.extend(of_name.map(|rule| ShownRule {
                rule: Rule { pack: Some(pack.name.to_owned()), ..rule },
                source: in_pack(pack, name),
                is_used: false,
            }));
        }
    }
    if found.is_empty() {
        let of_packs: Vec<Rule> = PACKS.iter().flat_map(pack_rules).collect();
        let all = rules.iter().chain(&of_packs).map(|rule| rule.name.as_str());
        return Err(RuleEditError {
            message: format!("no rule is named `{name}`"),
            hint: Some(match crate::rules::nearest(name, all.clone()) {
                Some(_) => did_you_mean(name, all),
                None => {
                    "`nudge rules` lists the rules that apply here, `nudge rules packs` the packs".to_owned()
                }
            }),
        });
    }
    Ok(found)
}

/// Returns the text of a rule in a pack.
fn in_pack(pack: &RulePack, name: &str) -> String {
    let rules = pack_rules(pack);
    let first = rules.iter().find(|rule| rule.name == name).map_or(1, |rule| rule.place.line);
    cut(pack.text, first, rules.iter().map(|rule| rule.place.line))
}

/// Returns the text of a rule in its file.
fn in_file(root: &Path, rule: &Rule) -> String {
    let mut levels = rule_levels::of_folder(root);
    levels.extend(rule_levels::below(root));
    let mut files = load::user_files().files;
    files.extend(rule_files::discover(&levels, None).files);
    let file = files.iter().find(|file| file.shown == rule.place.file);
    let text = file.and_then(|file| rule_files::read(file).ok()).unwrap_or_default();
    let loaded = crate::rules::read(&rule.place.file, &text, crate::rules::MissingVersion::Warn);
    cut(
        &text,
        rule.place.line,
        loaded.rules.iter().filter(|rule| rule.pack.is_none()).map(|rule| rule.place.line),
    )
}

/// Returns the lines of a rule, up to the next one, without the comments and blank lines that follow it.
fn cut(text: &str, first: usize, starts: impl Iterator<Item = usize>) -> String {
    let end = starts.filter(|line| *line > first).min().unwrap_or(usize::MAX);
    let mut lines: Vec<&str> = text.lines().skip(first - 1).take(end - first).collect();
    while lines.last().is_some_and(|line| line.trim().is_empty() || line.trim_start().starts_with('#')) {
        lines.pop();
    }
    let margin = lines.first().map_or(0, |line| line.len() - line.trim_start().len());
    let without_margin = |line: &&str| line.get(margin..).unwrap_or(line.trim_start()).to_owned();
    lines.iter().map(without_margin).collect::<Vec<_>>().join("\n")
}

//! Parses what a rule file switches: `packs`, `disable`, `shadow`, and entries of `rules` that change a rule of a pack.

use super::{MapFields, MissingVersion, Reported, RuleReader, child, read};
use crate::model::FilePosition;
use crate::rules::packs::{PACKS, RulePack, pack};
use crate::rules::schema::{self, Rule};
use crate::rules::suggest::did_you_mean;
use crate::rules::switches::{RuleChange, RuleReference, pack_of};
use crate::rules::yaml::{Node, YamlValue};

/// The keys that a file may give to a rule of a pack.
const CHANGEABLE: [&str; 8] =
    ["name", "description", "action", "message", "enabled", "once", "on_failure", "shadow"];

/// Returns the rules of a pack, at their places in the pack's own file.
pub(crate) fn pack_rules(pack: &RulePack) -> Vec<Rule> {
    read(&format!("pack {}", pack.name), pack.text, MissingVersion::Refuse).rules
}

/// Returns the rules of a pack for a file that uses it at this position.
fn pack_rules_at(pack: &RulePack, place: &FilePosition) -> Vec<Rule> {
    let used = |rule: Rule| Rule { place: place.clone(), pack: Some(pack.name.to_owned()), ..rule };
    pack_rules(pack).into_iter().map(used).collect()
}

impl RuleReader<'_> {
    /// Parses the lists of the file; returns the rules of its packs.
    pub(super) fn parse_switches(&mut self, fields: &MapFields<'_>) -> Vec<Rule> {
        let mut rules = Vec::new();
        for (name, node) in self.parse_names(fields, "packs") {
            match pack(name) {
                Some(pack) => rules.extend(pack_rules_at(pack, &self.place(node))),
                None => {
                    let hint = did_you_mean(name, PACKS.iter().map(|pack| pack.name));
                    self.fault(node, &format!("no pack is named `{name}`"), &hint);
                }
            }
        }
        for key in ["disable", "shadow"] {
            let named = self.parse_names(fields, key).into_iter();
            let named: Vec<RuleReference> = named
                .map(|(rule, node)| RuleReference { rule: rule.to_owned(), place: self.place(node) })
                .collect();
            if key == "disable" {
                self.switches.disable = named;
            } else {
                self.switches.shadow = named;
            }
        }
        rules
    }

    /// Parses an entry of `rules`; one that changes a rule of a pack is kept as that.
    pub(super) fn parse_rule_or_change(&mut self, node: &Node) -> Option<Rule> {
        let name = child(node, "name").and_then(Node::name).filter(|name| pack_of(name).is_some());
        let Some(name) = name.filter(|_| child(node, "on").is_none()) else {
            return self.parse_rule(node).ok();
        };
        self.rule = Some(name.to_owned());
        let faults_before = self.faults;
        let change = self.parse_change(name, node);
        self.rule = None;
        if let Ok(change) = change
            && self.faults == faults_before
        {
            self.switches.changes.push(change);
        }
        None
    }

    fn parse_change(&mut self, name: &str, node: &Node) -> Result<RuleChange, Reported> {
        let fields = self.parse_map(node, schema::RULE, "a rule")?;
        for (key, node) in &fields.entries {
            if !CHANGEABLE.contains(key) {
                let hint = "to replace the whole rule, write it with `on`";
                self.fault(node, &format!("`{key}` of a pack's rule cannot be changed alone"), hint);
            }
        }
        let once = self.parse_choice(&fields, "once", &["session"])?;
        let on_failure = self.parse_choice(&fields, "on_failure", &["open", "closed"])?;
        Ok(RuleChange {
            rule: name.to_owned(),
            place: self.place(node),
            action: self.parse_action(&fields, None)?,
            message: self.parse_text(&fields, "message")?,
            enabled: self.parse_bool(&fields, "enabled")?,
            once_per_session: once.map(|_| true),
            fails_closed: on_failure.map(|word| word == "closed"),
            shadow: self.parse_bool(&fields, "shadow")?,
        })
    }

    /// Returns the names in a list of the file; a single name counts as a list of one.
    fn parse_names<'n>(&mut self, fields: &MapFields<'n>, key: &str) -> Vec<(&'n str, &'n Node)> {
        let Some(node) = fields.get(key) else { return Vec::new() };
        let items = match &node.value {
            YamlValue::List(items) => items.as_slice(),
            YamlValue::Null => &[],
            _ => std::slice::from_ref(node),
        };
        items.iter().filter_map(|item| Some((self.parse_text_of(item, key).ok()?, item))).collect()
    }

    fn place(&self, node: &Node) -> FilePosition {
        FilePosition { file: self.file.to_owned(), line: node.line, column: node.column }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_used_rule_is_at_the_place_that_uses_it() {
        let place = FilePosition { file: ".nudge.yaml".into(), line: 2, column: 9 };
        for rule in pack_rules_at(&PACKS[0], &place) {
            assert_eq!((&rule.place, rule.pack.as_deref()), (&place, Some(PACKS[0].name)));
        }
    }
}

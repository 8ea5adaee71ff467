//! Parses `command`: patterns for the commands of a shell.

use super::{MapFields, RuleReader, child};
use crate::rules::yaml::YamlValue;
use crate::shell::{CommandPattern, CommandPatterns};

impl RuleReader<'_> {
    /// Parses the `command` of `match` or `unless`; the caller has checked that the hook has it.
    pub(super) fn parse_commands(&mut self, rule: &MapFields<'_>, key: &str) -> Option<CommandPatterns> {
        let node = rule.get(key).and_then(|node| child(node, "command"))?;
        let items = if let YamlValue::List(items) = &node.value {
            items.as_slice()
        } else {
            std::slice::from_ref(node)
        };
        if items.is_empty() {
            self.fault(node, "`command` is an empty list", "name at least one command, or remove it");
        }
        let mut patterns = Vec::new();
        for item in items {
            let Ok(source) = self.parse_text_of(item, "command") else { continue };
            match CommandPattern::new(source) {
                Ok(pattern) => patterns.push(pattern),
                Err(error) => {
                    let hint =
                        "write the words of one command, as in `git push --force`, and a list for several";
                    self.fault(item, &format!("`command` can never match: {error}"), hint);
                }
            }
        }
        Some(CommandPatterns { patterns })
    }
}

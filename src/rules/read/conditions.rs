//! Parses `when`: what must be true beside the call itself.

use super::{MapFields, Reported, RuleReader};
use crate::model::Hook;
use crate::rules::schema::{self, Conditions};
use crate::rules::tool::ToolFilter;

impl RuleReader<'_> {
    pub(super) fn parse_conditions(
        &mut self,
        rule: &MapFields<'_>,
        hook: Option<Hook>,
    ) -> Result<Conditions, Reported> {
        let Some(node) = rule.get("when") else { return Ok(Conditions::default()) };
        let fields = self.parse_map(node, schema::WHEN, "`when`")?;
        let new_file = self.parse_bool(&fields, "new_file")?;
        if let (Some(node), Some(hook)) = (fields.get("new_file"), hook)
            && hook != Hook::PreToolUse
        {
            let message = format!("`new_file` does not exist on {}", hook.name());
            return Err(self.fault(node, &message, "only before a call is it known that a file is new"));
        }
        Ok(Conditions {
            branch: self.parse_name_filter(&fields, "branch")?,
            agent: self.parse_name_filter(&fields, "agent")?,
            mode: self.parse_name_filter(&fields, "mode")?,
            subagent: self.parse_name_filter(&fields, "subagent")?,
            new_file,
        })
    }

    fn parse_name_filter(
        &mut self,
        fields: &MapFields<'_>,
        key: &str,
    ) -> Result<Option<ToolFilter>, Reported> {
        let Some(node) = fields.get(key) else { return Ok(None) };
        let source = self.parse_text_of(node, key)?;
        ToolFilter::new(source).map(Some).map_err(|error| {
            self.fault(node, &format!("`{key}` is not a regex: {error}"), "as in `main|release/.*`")
        })
    }
}

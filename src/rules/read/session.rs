//! Parses what a rule asks about the session: `after`, `without`, `times` and `within`; and what an example says about it.

use super::{MapFields, Reported, RuleReader, YamlValue};
use crate::model::Hook;
use crate::rules::sample::{parse_earlier, parse_span};
use crate::rules::schema::{
    self, CallEnding, EarlierCall, Field, Happening, Key, MAX_TIMES, Sample, SessionCondition,
};
use crate::rules::yaml::Node;

impl RuleReader<'_> {
    pub(super) fn parse_session(
        &mut self,
        rule: &MapFields<'_>,
        hook: Option<Hook>,
    ) -> Result<Option<SessionCondition>, Reported> {
        let after = self.parse_happening(rule, "after", schema::AFTER)?;
        let without = self.parse_happening(rule, "without", schema::WITHOUT)?;
        let times = self.parse_count(rule, "times", MAX_TIMES)?;
        let within = self.parse_time_span(rule, "within")?;
        if let Some(node) = rule.get("within").filter(|_| (&after, &without, times) == (&None, &None, None)) {
            let hint = "add `after`, `without` or `times`";
            return Err(self.fault(node, "`within` alone says nothing", hint));
        }
        if let (Some(hook), Some(node)) = (hook, rule.get("times"))
            && after.is_none()
            && !matches!(hook, Hook::PreToolUse | Hook::PostToolUse | Hook::UserPromptSubmit)
        {
            let message = format!("`times` needs an `after` on {}", hook.name());
            return Err(self.fault(node, &message, "say what is counted, as in `after: { tool: Bash }`"));
        }
        let asks = after.is_some() || without.is_some() || times.is_some();
        Ok(asks.then_some(SessionCondition { after, without, times, within }))
    }

    fn parse_happening(
        &mut self,
        rule: &MapFields<'_>,
        key: &str,
        keys: &'static [Key],
    ) -> Result<Option<Happening>, Reported> {
        let Some(node) = rule.get(key) else { return Ok(None) };
        let fields = self.parse_map(node, keys, &format!("`{key}`"))?;
        let is_prompt = fields.get(Field::Prompt.name()).is_some();
        let hook = if is_prompt { Hook::UserPromptSubmit } else { Hook::PostToolUse };
        let tool = self.parse_tool(&fields)?;
        let file = self.parse_globs(&fields)?;
        let outcome = self.parse_choice(&fields, "outcome", &CallEnding::NAMES)?;
        let matchers = self.parse_fields(&fields, Some(hook))?;
        let commands = self.parse_commands(rule, key);
        if tool.is_none() && file.is_none() && matchers.is_empty() && fields.get("command").is_none() {
            let hint = "say what must happen, as in `tool: Write|Edit` with a `file`";
            return Err(self.fault(node, &format!("`{key}` names nothing"), hint));
        }
        let of_calls =
            ["tool", "file", "command", "outcome"].into_iter().find_map(|key| Some((key, fields.get(key)?)));
        if let (true, Some((of_calls, node))) = (is_prompt, of_calls) {
            let message = format!("a prompt has no `{of_calls}`");
            return Err(self.fault(node, &message, "use `prompt` alone"));
        }
        let by_default = (key == "without" && !is_prompt).then_some(CallEnding::Succeeded);
        let ending = match outcome {
            Some("succeeded") => Some(CallEnding::Succeeded),
            Some("failed") => Some(CallEnding::Failed),
            Some(_) => None,
            None => by_default,
        };
        Ok(Some(Happening { tool, file, matchers, commands, ending }))
    }

    fn parse_count(&mut self, fields: &MapFields<'_>, key: &str, max: u32) -> Result<Option<u32>, Reported> {
        let Some(node) = fields.get(key) else { return Ok(None) };
        let number = match node.value {
            YamlValue::Integer(number) => {
                u32::try_from(number).ok().filter(|number| (1..=max).contains(number))
            }
            _ => None,
        };
        let hint = format!("write a number from 1 to {max}, without quotes");
        number.map(Some).ok_or_else(|| self.fault(node, &format!("`{key}` is not such a number"), &hint))
    }

    fn parse_time_span(&mut self, fields: &MapFields<'_>, key: &str) -> Result<Option<i64>, Reported> {
        let Some(node) = fields.get(key) else { return Ok(None) };
        let text = match &node.value {
            // A bare number has no unit.
            YamlValue::Integer(number) => number.to_string(),
            _ => self.parse_text_of(node, key)?.to_owned(),
        };
        let hint = "write how long, as in `10m`, `2h` or `1d`";
        let seconds = parse_span(&text);
        seconds.map(Some).ok_or_else(|| self.fault(node, &format!("`{key}` is not a time: `{text}`"), hint))
    }

    pub(super) fn parse_earlier_calls(
        &mut self,
        sample: &MapFields<'_>,
    ) -> Result<Option<Vec<EarlierCall>>, Reported> {
        let Some(node) = sample.get("after") else { return Ok(None) };
        let items = match &node.value {
            YamlValue::List(items) => items.as_slice(),
            _ => std::slice::from_ref(node),
        };
        items.iter().map(|item| self.parse_earlier_call(item)).collect::<Result<Vec<_>, _>>().map(Some)
    }

    fn parse_earlier_call(&mut self, node: &Node) -> Result<EarlierCall, Reported> {
        if !matches!(node.value, YamlValue::Map(_)) {
            let text = self.parse_text_of(node, "after")?;
            let hint = "as in `Write src/a.rs`, `cargo test` or `failed cargo test`";
            return parse_earlier(text).map_err(|why| self.fault(node, &why, hint));
        }
        let fields = self.parse_map(node, schema::EARLIER, "an earlier call")?;
        let sample = Sample {
            tool: self.parse_text(&fields, "tool")?,
            file: self.parse_text(&fields, "file")?,
            content: self.parse_text(&fields, "content")?,
            new_string: self.parse_text(&fields, "new_string")?,
            old_string: self.parse_text(&fields, "old_string")?,
            prompt: self.parse_text(&fields, "prompt")?,
            output: self.parse_text(&fields, "output")?,
            ..Sample::default()
        };
        let failed = self.parse_bool(&fields, "failed")?.unwrap_or(false);
        let ago = self.parse_time_span(&fields, "ago")?.unwrap_or(0);
        Ok(EarlierCall { sample, failed, ago })
    }
}

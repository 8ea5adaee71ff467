//! Macros in the bodies of a nexus-core folder: `{{name key=value …}}`, written out as a sentence for the model.
//!
//! A value is a word, a text in quotes, a list in `[]`, a map in `{}`, or the lines between `>>WORD` and `<<WORD`, which
//! are taken as they are. An unknown macro is an error: a body that says half of what its author meant is worse than none.

use std::fmt::Write;

/// Replaces all macros of a body; the error says what is wrong with one.
pub(super) fn expand(body: &str) -> Result<String, String> {
    let mut expanded = String::with_capacity(body.len());
    let mut rest = body;
    while let Some((before, after)) = rest.split_once("{{") {
        expanded.push_str(before);
        let (call, remaining) = parse_macro(after)?;
        expanded.push_str(&call.sentence()?);
        rest = remaining;
    }
    expanded.push_str(rest);
    Ok(expanded)
}

/// A macro with its arguments.
struct MacroCall<'b> {
    name: &'b str,
    arguments: Vec<(&'b str, String)>,
}

impl MacroCall<'_> {
    fn sentence(&self) -> Result<String, String> {
        let text = match self.name {
            "skill_activation" => {
                let mode = self.get("mode").map(|mode| format!(" in mode `{mode}`")).unwrap_or_default();
                format!("start the skill `{}`{mode}", self.required("skill")?)
            }
            "subagent_spawn" => {
                let named = self.get("name").map(|name| format!(", named `{name}`")).unwrap_or_default();
                let role = self.required("target_role")?;
                format!(
                    "start an agent of the role `{role}`{named} with this prompt: {}",
                    self.required("prompt")?
                )
            }
            "task_register" => {
                let (label, state) = (self.required("label")?, self.required("state")?);
                format!("note in your list of tasks that \"{label}\" is {state}")
            }
            "user_question" => {
                let mut text = format!("ask the user: {}", self.required("question")?);
                let options = self.get("options").map(|options| options.trim_matches(['[', ']']).trim());
                if let Some(options) = options.filter(|options| !options.is_empty()) {
                    write!(text, " (options: {options})").unwrap_or_default();
                }
                text
            }
            // Hooks see what is read.
            "memory_read_observation" => String::new(),
            name => return Err(format!("there is no macro `{name}`")),
        };
        Ok(text)
    }

    fn get(&self, key: &str) -> Option<&str> {
        self.arguments.iter().find(|(name, _)| *name == key).map(|(_, value)| value.as_str())
    }

    fn required(&self, key: &str) -> Result<&str, String> {
        self.get(key).ok_or_else(|| format!("the macro `{}` has no `{key}`", self.name))
    }
}

/// Parses what follows `{{`; returns the macro and the text after its `}}`.
fn parse_macro(text: &str) -> Result<(MacroCall<'_>, &str), String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let text = text.trim_start();
    let (name, mut rest) = text.split_at(text.find(|c| !is_word(c)).unwrap_or(text.len()));
    let mut arguments = Vec::new();
    loop {
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix("}}") {
            return Ok((MacroCall { name, arguments }, after));
        }
        let (key, value) = rest.split_once('=').ok_or_else(|| format!("the macro `{name}` has no end"))?;
        if key.is_empty() || !key.chars().all(is_word) {
            return Err(format!("the macro `{name}` has an argument without a name"));
        }
        let (value, after) = parse_value(value)
            .ok_or_else(|| format!("the value of `{key}` in the macro `{name}` has no end"))?;
        arguments.push((key, value));
        rest = after;
    }
}

fn parse_value(text: &str) -> Option<(String, &str)> {
    if let Some(lines) = text.strip_prefix(">>") {
        let (mark, lines) = lines.split_once('\n')?;
        let end = format!("<<{}", mark.trim());
        let mut at = 0;
        for line in lines.split_inclusive('\n') {
            if line.trim() == end || line.trim().starts_with(&format!("{end}}}")) {
                let after = &lines[at + line.find(&end)? + end.len()..];
                return Some((lines[..at].trim_end_matches('\n').to_owned(), after));
            }
            at += line.len();
        }
        return None;
    }
    match text.chars().next()? {
        '"' => {
            let (value, after) = text[1..].split_once('"')?;
            Some((value.to_owned(), after))
        }
        open @ ('[' | '{') => {
            let close = if open == '[' { ']' } else { '}' };
            let mut depth = 0;
            for (at, c) in text.char_indices() {
                depth += i32::from(c == open) - i32::from(c == close);
                if depth == 0 {
                    return Some((text[..=at].to_owned(), &text[at + 1..]));
                }
            }
            None
        }
        _ => {
            let end = text.find(|c: char| c.is_whitespace()).into_iter().chain(text.find("}}")).min()?;
            Some((text[..end].to_owned(), &text[end..]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::expand;

    #[test]
    fn macros_become_sentences() {
        let check = |body: &str, expected: Result<&str, &str>| {
            assert_eq!(expand(body).as_deref().map_err(String::as_str), expected, "{body}");
        };
        check("Plain { text }.\n", Ok("Plain { text }.\n"));
        check(
            "First {{skill_activation skill=nx-run mode=auto}}.",
            Ok("First start the skill `nx-run` in mode `auto`."),
        );
        check(
            "{{subagent_spawn target_role=engineer prompt=\"Fix it\" name=e1}}",
            Ok("start an agent of the role `engineer`, named `e1` with this prompt: Fix it"),
        );
        check(
            "{{subagent_spawn target_role=tester prompt=>>END\nTry {{this}}.\n\nTwice.\n<<END}} Then go on.",
            Ok("start an agent of the role `tester` with this prompt: Try {{this}}.\n\nTwice. Then go on."),
        );
        check(
            "{{task_register label=\"Parse it\" state=completed}}",
            Ok("note in your list of tasks that \"Parse it\" is completed"),
        );
        check(
            "{{user_question question=\"Which?\" options=[{label: a, description: b}]}}",
            Ok("ask the user: Which? (options: {label: a, description: b})"),
        );
        check("{{user_question question=\"Why?\" options=[]}}", Ok("ask the user: Why?"));
        check("{{unknown_thing a=b}}", Err("there is no macro `unknown_thing`"));
        check("{{skill_activation}}", Err("the macro `skill_activation` has no `skill`"));
        check(
            "{{skill_activation skill=\"x",
            Err("the value of `skill` in the macro `skill_activation` has no end"),
        );
        check("{{skill_activation", Err("the macro `skill_activation` has no end"));
    }
}

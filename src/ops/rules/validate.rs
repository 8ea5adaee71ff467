//! Validates rule files: reports everything a hook would skip, compiles every pattern, tries every example.

use std::path::Path;

use super::explain::{Explanation, explain_event};
use super::load::{self, LoadedFile};
use crate::model::{Event, Problem};
use crate::rules::{self, Conditions, Example, Matcher, MissingVersion, PatternSupport, Rule};

/// What validation found in one file.
pub(crate) struct Validated {
    pub(crate) shown: String,
    pub(crate) rules: Vec<Rule>,
    pub(crate) problems: Vec<Problem>,
}

/// Examples are about files that do not exist: an edit in one must not read what happens to be on this disk.
const EXAMPLE_ROOT: &str = "/project-of-an-example";

/// Validates every rule file of a project; also returns the problems that do not belong to one file.
pub(crate) fn project(root: &Path) -> (Vec<Validated>, Vec<Problem>) {
    let (files, mut problems) = load::tree(root, MissingVersion::Refuse);
    let validated: Vec<Validated> = files.into_iter().map(validate).collect();
    let all: Vec<Rule> = validated.iter().flat_map(|file| file.rules.iter().cloned()).collect();
    problems.extend(load::across(&all, root));
    (validated, problems)
}

/// Validates one file that the user named.
pub(crate) fn file(path: &Path) -> std::io::Result<Validated> {
    let mut validated = validate(load::file(path, MissingVersion::Refuse)?);
    validated.problems.extend(rules::duplicates(&validated.rules));
    Ok(validated)
}

fn validate(file: LoadedFile) -> Validated {
    let LoadedFile { shown, loaded } = file;
    let mut problems = loaded.problems;
    // The rules of packs are tested with the program.
    for rule in loaded.rules.iter().filter(|rule| rule.pack.is_none()) {
        let matchers = rule.matchers.iter().chain(&rule.exceptions);
        problems.extend(matchers.filter_map(|matcher| try_pattern(rule, matcher)));
        problems.extend(rule.examples.iter().filter_map(|example| try_example(rule, example)));
    }
    problems.sort_by_key(|problem| problem.place.as_ref().map_or((0, 0), |place| (place.line, place.column)));
    Validated { shown, rules: loaded.rules, problems }
}

fn try_pattern(rule: &Rule, matcher: &Matcher) -> Option<Problem> {
    let field = matcher.field.name();
    let problem = match matcher.pattern.reach() {
        PatternSupport::AnyText => return None,
        PatternSupport::AsciiOnly(why) => {
            Problem::warning(format!("`{field}` is not evaluated on texts beyond ASCII: {why}"))
        }
        PatternSupport::Nothing(why) => Problem::error(format!("`{field}` cannot be evaluated: {why}")),
    };
    let problem = problem.at(&rule.place.file, matcher.line, matcher.column).of_rule(&rule.name);
    Some(problem.hint("make the pattern smaller, or split the rule"))
}

fn try_example(rule: &Rule, example: &Example) -> Option<Problem> {
    let problem = |message: &str, hint: String| {
        let problem = Problem::error(message).at(&rule.place.file, example.line, example.column);
        Some(problem.of_rule(&rule.name).hint(hint))
    };
    let root = Path::new(EXAMPLE_ROOT);
    let event = match rules::describe(rule, &example.sample) {
        Ok(event) => Event { cwd: root.to_owned(), ..event },
        Err(hint) => return problem("this example cannot be tried", hint),
    };
    // An example is about the call alone, unless it says what happened before.
    let mut enabled = Rule { enabled: true, when: Conditions::default(), ..rule.clone() };
    let earlier = example.sample.after.as_deref();
    if earlier.is_none() {
        enabled.session = None;
    }
    match (explain_event(&enabled, event, root, earlier.unwrap_or_default()), example.fires) {
        (why @ Explanation::Unevaluated(_), _) => problem("this example was not evaluated", why.to_string()),
        (Explanation::Fired(fired), false) => {
            let said = fired.message.lines().next().unwrap_or_default();
            problem("the rule fires on this example, but should be quiet", format!("it says: {said}"))
        }
        (Explanation::Fired(_), true) | (_, false) => None,
        (why, true) => problem("the rule is quiet on this example, but should fire", why.to_string()),
    }
}

//! Validates rule files: everything a hook would pass over, every pattern compiled, every example tried.

use std::path::Path;
use std::time::Duration;

use super::load_rules::{self, LoadedFile};
use super::try_rules::try_rules;
use crate::model::{Event, Problem};
use crate::rules::{self, Book, MissingVersion, Outcome, Rule};

/// What validation found in one file.
pub(crate) struct Validated {
    pub(crate) shown: String,
    pub(crate) rules: Vec<Rule>,
    pub(crate) problems: Vec<Problem>,
}

/// An example that runs longer than this is broken in any case.
const EXAMPLE_DEADLINE: Duration = Duration::from_secs(5);

/// Examples are about files that are not there: an edit of one must not see what happens to lie on this disk.
const EXAMPLE_ROOT: &str = "/project-of-an-example";

/// Validates every rule file of a project; the problems that belong to no file come second.
pub(crate) fn project(root: &Path) -> (Vec<Validated>, Vec<Problem>) {
    let (files, mut problems) = load_rules::files(root, MissingVersion::Refuse);
    let validated: Vec<Validated> = files.into_iter().map(validate).collect();
    let all: Vec<Rule> = validated.iter().flat_map(|file| file.rules.iter().cloned()).collect();
    problems.extend(load_rules::across(&all, root));
    (validated, problems)
}

/// Validates one file that a person named.
pub(crate) fn file(path: &Path) -> std::io::Result<Validated> {
    let mut validated = validate(load_rules::file(path, MissingVersion::Refuse)?);
    validated.problems.extend(rules::duplicates(&validated.rules));
    Ok(validated)
}

fn validate(file: LoadedFile) -> Validated {
    let LoadedFile { shown, loaded } = file;
    let mut problems = loaded.problems;
    for rule in &loaded.rules {
        for matcher in rule.matchers.iter().chain(&rule.exceptions) {
            if let Err(why) = matcher.pattern.check() {
                let message = format!("`{}` cannot be evaluated: {}", matcher.field.name(), why.0);
                problems.push(at_rule(rule, message).hint("make the pattern smaller, or split the rule"));
            }
        }
        problems.extend(rule.examples.iter().filter_map(|example| {
            let problem = |message: String| {
                Problem::error(message).at(&rule.place.file, example.line, example.column).of_rule(&rule.name)
            };
            let root = Path::new(EXAMPLE_ROOT);
            let event = match rules::describe(rule, &example.sample) {
                Ok(event) => Event { cwd: root.to_owned(), ..event },
                Err(hint) => return Some(problem("this example cannot be tried".into()).hint(hint)),
            };
            let enabled = Rule { enabled: true, ..rule.clone() };
            let bytes = Book::pack(&[enabled], Vec::new());
            let (_, tried) = try_rules(&Book::open(&bytes)?, event, root, EXAMPLE_DEADLINE);
            match tried.into_iter().next().map(|tried| tried.outcome) {
                Some(Outcome::Unevaluated(why)) => {
                    Some(problem(format!("this example was not evaluated: {why}")))
                }
                Some(Outcome::Fired(_)) if !example.fires => {
                    Some(problem("the rule fires on this example, but should be quiet".into()))
                }
                Some(Outcome::Fired(_)) => None,
                _ if example.fires => {
                    Some(problem("the rule is quiet on this example, but should fire".into()))
                }
                _ => None,
            }
        }));
    }
    problems.sort_by_key(|problem| problem.place.as_ref().map_or((0, 0), |place| (place.line, place.column)));
    Validated { shown, rules: loaded.rules, problems }
}

fn at_rule(rule: &Rule, message: String) -> Problem {
    Problem::error(message).at(&rule.place.file, rule.place.line, rule.place.column).of_rule(&rule.name)
}

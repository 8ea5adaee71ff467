//! Findings in the formats of CI: SARIF 2.1.0, and the workflow commands of GitHub Actions.

use serde_json::{Value, json};

use crate::model::{FilePosition, Problem};
use crate::ops::rules::Action;
use crate::ops::rules::check::Finding;

/// Returns a SARIF log: one run, with each rule that fired and each place.
pub(super) fn sarif(findings: &[Finding], problems: &[Problem]) -> Value {
    let mut names: Vec<&str> = findings.iter().map(|finding| finding.rule.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let results = findings.iter().flat_map(|finding| {
        let places = places(finding).map(|line| {
            let mut place = json!({ "artifactLocation": { "uri": uri(&finding.file) } });
            if let Some(line) = line {
                place["region"] = json!({ "startLine": line });
            }
            json!({
                "ruleId": finding.rule,
                "ruleIndex": names.binary_search(&finding.rule.as_str()).unwrap_or_default(),
                "level": if finding.action == Action::Interrupt { "error" } else { "warning" },
                "message": { "text": finding.message },
                "locations": [{ "physicalLocation": place }],
            })
        });
        places.collect::<Vec<_>>()
    });
    let notices = problems.iter().map(|problem| {
        let level = if problem.is_error() { "error" } else { "warning" };
        json!({ "level": level, "message": { "text": problem.to_string() } })
    });
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "nudge",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": names.iter().map(|name| json!({ "id": name })).collect::<Vec<_>>(),
            } },
            "invocations": [{
                "executionSuccessful": !problems.iter().any(Problem::is_error),
                "toolExecutionNotifications": notices.collect::<Vec<_>>(),
            }],
            "results": results.collect::<Vec<_>>(),
        }],
    })
}

/// Returns one workflow command for each place of a finding.
pub(super) fn annotations(finding: &Finding) -> Vec<String> {
    let level = if finding.action == Action::Interrupt { "error" } else { "warning" };
    let (file, title) = (property(&finding.file), property(&finding.rule));
    let command = |line: Option<usize>| {
        let line = line.map(|line| format!(",line={line}")).unwrap_or_default();
        format!("::{level} file={file}{line},title={title}::{}", data(&finding.message))
    };
    places(finding).map(command).collect()
}

/// Returns the workflow command for a problem in a rule file.
pub(super) fn problem_annotation(problem: &Problem) -> String {
    let level = if problem.is_error() { "error" } else { "warning" };
    let place = problem.place.as_ref().map(|FilePosition { file, line, .. }| match line {
        0 => format!(" file={}", property(file)),
        line => format!(" file={},line={line}", property(file)),
    });
    format!("::{level}{}::{}", place.unwrap_or_default(), data(&problem.to_string()))
}

/// Returns every line of a finding; one place without a line if the whole file is meant.
fn places(finding: &Finding) -> impl Iterator<Item = Option<usize>> {
    let whole = finding.lines.is_empty().then_some(None);
    finding.lines.iter().copied().map(Some).chain(whole)
}

/// Escapes a text as GitHub Actions reads it, so that no line of it is a command of its own.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// Writes a path as a relative reference: SARIF wants a URI.
fn uri(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let path = if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() };
    path.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

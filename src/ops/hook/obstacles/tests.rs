//! What is said about a failure that was overcome, in many ecosystems: what failed, what happened, what is told.

use serde_json::json;

use crate::context::describe_way_out;
use crate::model::{
    Metadata, NewObservation, Observation, ObservationId, ObservationType, SessionId, Timestamp,
};
use crate::{recall, shell};

/// What happened after a failure.
enum Then {
    Ran(&'static str),
    Failed(&'static str),
    Edited(&'static str),
    Called(&'static str),
    /// It still ran in the background when the turn ended.
    Began(&'static str),
    Prompt,
}
use Then::{Began, Called, Edited, Failed, Prompt, Ran};

fn row(id: i64, obs_type: ObservationType, content: &str) -> Observation {
    let seen = NewObservation {
        timestamp: Timestamp(id),
        session_id: SessionId("s1".to_owned()),
        project: None,
        project_root: None,
        repository: None,
        obs_type,
        source_event: "PostToolUse".to_owned(),
        tool_name: None,
        content: content.to_owned(),
        file_path: None,
        metadata: None,
        event_key: None,
        program: None,
        signature: None,
        pinned: false,
    };
    Observation { id: ObservationId(id), seen }
}

fn command(id: i64, obs_type: ObservationType, line: &str, exit_code: Option<i64>) -> Observation {
    let mut row = row(id, obs_type, line);
    let parts = shell::parts(line);
    row.seen.program = parts.iter().rev().find_map(shell::program);
    let facts = row.seen.metadata.get_or_insert_with(Metadata::default);
    facts.0.insert("command".to_owned(), json!(line));
    facts.0.extend(exit_code.map(|code| ("exit_code".to_owned(), json!(code))));
    row
}

fn called(id: i64, obs_type: ObservationType, tool: &str) -> Observation {
    let mut row = row(id, obs_type, tool);
    row.seen.program = Some(tool.split(' ').take(2).collect::<Vec<_>>().join(" "));
    row
}

fn happened(id: i64, then: &Then) -> Observation {
    match then {
        Ran(line) => command(id, ObservationType::Command, line, Some(0)),
        Failed(line) => command(id, ObservationType::CommandError, line, Some(0)),
        Began(line) => command(id, ObservationType::Command, line, None),
        Called(tool) => called(id, ObservationType::McpCall, tool),
        Prompt => row(id, ObservationType::UserPrompt, "and now the docs"),
        Edited(path) => {
            let mut row = row(id, ObservationType::FileEdit, &format!("{path}: + a line"));
            row.seen.file_path = Some((*path).to_owned());
            row
        }
    }
}

fn told(failure: &Observation, after: &[Then]) -> Option<String> {
    let after: Vec<Observation> = (2..).zip(after).map(|(id, then)| happened(id, then)).collect();
    recall::remedy(failure, &after).map(|remedy| describe_way_out(failure, &remedy))
}

#[test]
fn the_way_out_is_told_in_many_ecosystems() {
    let check = |failed: &str, after: &[Then], expected: Option<&str>| {
        let failure = command(1, ObservationType::CommandError, failed, Some(1));
        assert_eq!(told(&failure, after).as_deref(), expected, "{failed}");
    };
    check("git push", &[Ran("git push -u origin topic")], Some("+ -u origin topic (#2)"));
    check("git add dist/a.css", &[Ran("git add -f dist/a.css")], Some("+ -f (#2)"));
    check("npm test", &[Ran("npm install left-pad"), Ran("npm test")], Some("`npm install left-pad` (#3)"));
    check("cargo test", &[Edited("src/cart.rs"), Ran("cargo test")], Some("cart.rs: + a line (#3)"));
    check(
        "go build -tags=e2e ./cmd/app",
        &[Ran("go vet -tags=e2e ./cmd/app")],
        Some("`go vet -tags=e2e ./cmd/app` (#2)"),
    );
    check("go test ./...", &[Ran("go mod tidy"), Ran("go test ./...")], Some("`go mod tidy` (#3)"));
    check("pip install x", &[Ran("pip install --user x")], Some("+ --user (#2)"));
    check("uv run pytest", &[Ran("uv sync"), Ran("uv run pytest")], Some("`uv sync` (#3)"));
    check(
        "docker compose up -d",
        &[Ran("docker compose down -v"), Ran("docker compose up -d")],
        Some("`docker compose down -v` (#3)"),
    );
    check("make build", &[Edited("Makefile"), Ran("make build")], Some("Makefile: + a line (#3)"));
    check("mix test", &[Ran("mix deps.get"), Ran("mix test")], Some("`mix deps.get` (#3)"));
    check("gradle test", &[Ran("./gradlew test --offline")], Some("+ ./gradlew --offline - gradle (#2)"));
    check(
        "bundle exec rspec",
        &[Ran("bundle install"), Ran("bundle exec rspec")],
        Some("`bundle install` (#3)"),
    );
    check("terraform plan", &[Ran("terraform init"), Ran("terraform plan")], Some("`terraform init` (#3)"));
    check("composer test", &[Edited("src/Cart.php"), Ran("composer test")], Some("Cart.php: + a line (#3)"));
}

#[test]
fn what_was_no_success_is_never_told() {
    let none = |failed: &str, after: &[Then]| {
        let failure = command(1, ObservationType::CommandError, failed, Some(1));
        assert_eq!(told(&failure, after), None, "{failed}");
    };
    // A failure behind a pipe, a command that still runs, a look, another turn.
    none("go test ./...", &[Edited("a.go"), Failed("go test ./... 2>&1 | head -30")]);
    none("npm run dev", &[Began("npm run dev")]);
    none("git push", &[Ran("git status"), Ran("git log -3")]);
    none("docker build .", &[Prompt, Ran("docker build -t docs docs")]);
}

#[test]
fn tools_of_servers_fail_and_succeed_like_commands() {
    let failure = called(1, ObservationType::CommandError, "playwright browser_click element=Upload");
    let after =
        [Called("playwright browser_snapshot"), Called("playwright browser_click element=Upload button")];
    assert!(told(&failure, &after).is_some_and(|text| text.ends_with("(#3)")));
    assert_eq!(told(&failure, &[Called("playwright browser_snapshot")]), None);
}

//! What is said about a failure that was overcome, in many ecosystems: what failed, what happened, what is told.

use crate::context::describe_way_out;
use crate::model::{Observation, ObservationType};
use crate::recall::fixture::{edited, failed, program_of, ran, row};
use crate::recall::remedy;

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

fn called(id: i64, obs_type: ObservationType, tool: &str) -> Observation {
    let mut row = row(id, obs_type, tool);
    row.seen.program = Some(tool.split(' ').take(2).collect::<Vec<_>>().join(" "));
    row
}

fn happened(id: i64, then: &Then) -> Observation {
    match then {
        Ran(line) => ran(id, &program_of(line), line),
        Failed(line) => failed(id, &program_of(line), line),
        Began(line) => {
            let mut began = ran(id, &program_of(line), line);
            began.seen.metadata.as_mut().and_then(|facts| facts.0.shift_remove("exit_code"));
            began
        }
        Called(tool) => called(id, ObservationType::McpCall, tool),
        Prompt => row(id, ObservationType::UserPrompt, "and now the docs"),
        Edited(path) => edited(id, path),
    }
}

fn told(failure: &Observation, after: &[Then]) -> Option<String> {
    let after: Vec<Observation> = (2..).zip(after).map(|(id, then)| happened(id, then)).collect();
    remedy(failure, &after).map(|remedy| describe_way_out(failure, &remedy))
}

#[test]
fn the_way_out_is_told_in_many_ecosystems() {
    let check = |line: &str, after: &[Then], expected: Option<&str>| {
        let failure = failed(1, &program_of(line), line);
        assert_eq!(told(&failure, after).as_deref(), expected, "{line}");
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
    let none = |line: &str, after: &[Then]| {
        let failure = failed(1, &program_of(line), line);
        assert_eq!(told(&failure, after), None, "{line}");
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

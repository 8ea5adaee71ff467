//! Tests of this module.

#![expect(clippy::needless_pass_by_value, reason = "tables read better without borrows")]

use serde_json::{Value, json};

use super::*;
use crate::hints::table::{Draft, HintLimits, HintName, PutOptions};
use crate::model::{Fact, Os};

struct TestSession {
    table: HintTable,
    log: PushedHints,
    now: Timestamp,
}

impl TestSession {
    fn new() -> TestSession {
        TestSession {
            table: HintTable::default(),
            log: PushedHints::default(),
            now: "2026-01-02T03:04:05Z".parse().unwrap(),
        }
    }

    fn hint(mut self, name: &str, value: &str, meta: Value) -> TestSession {
        let (component, key) = name.split_once('/').unwrap();
        let place = HintName { component, key };
        let limits = HintLimits {
            max_hints: 5_000,
            secret_guard: true,
            default_ttl: "session".into(),
            suggestions: 5,
        };
        let draft = Draft::read(place, &json!(value), &meta, &limits).unwrap();
        self.table.put(place, draft, PutOptions::default(), &limits, self.now).unwrap();
        self
    }

    fn wait(&mut self, seconds: i64) -> &mut TestSession {
        self.now = self.now.checked_add(SignedDuration::from_secs(seconds)).unwrap();
        self
    }

    /// Returns the names and first reasons of the hints that are pushed to session `s`, up to 5 in ten minutes.
    fn pushed(&mut self, trigger: PushTrigger, text: &str) -> Vec<String> {
        self.pushed_to("s", trigger, text)
    }

    fn pushed_to(&mut self, session: &str, trigger: PushTrigger, text: &str) -> Vec<String> {
        let context = HintContext {
            cwd: Some(Fact::said("/work/minerva/http-proxy".into())),
            repo: Some(Fact::said("git@github.com:org/minerva.git".into())),
            os: Some(Fact::said(Os::Linux)),
            ..HintContext::default()
        };
        let occasion = Occasion { trigger, text: Text::new(text), context };
        let chosen =
            suggest((&self.table, &Origins::default()), &mut self.log, session, &occasion, (20, 5), self.now);
        chosen.iter().map(|hint| format!("{}/{}: {}", hint.component, hint.key, hint.reasons[0])).collect()
    }
}

fn here() -> Value {
    json!({"scope": {"cwd_glob": ["**/http-proxy"]}})
}

#[test]
fn a_session_starts_with_the_hints_of_its_location() {
    let mut scene = TestSession::new()
        .hint("x/scoped", "v", here())
        .hint("http-proxy/folder", "v", json!({}))
        .hint("minerva/repo", "v", json!({}))
        .hint("other/unscoped", "v", json!({}))
        .hint("x/elsewhere", "v", json!({"scope": {"cwd_glob": ["/elsewhere"]}}))
        .hint("x/system", "v", json!({"scope": {"os": ["linux"]}}))
        .hint("http-proxy/hidden", "v", json!({"sensitivity": "secret"}));
    assert_eq!(
        scene.pushed(PushTrigger::SessionStart, ""),
        [
            "x/scoped: cwd matched **/http-proxy",
            "http-proxy/folder: cwd is in `http-proxy`",
            "minerva/repo: cwd is in `minerva`",
        ]
    );
}

#[test]
fn a_prompt_must_name_the_component_or_inside_its_scope_the_key_or_a_tag() {
    let scene = || {
        TestSession::new()
            .hint("auth/build", "v", json!({}))
            .hint("x/deploy", "v", here())
            .hint("y/k", "v", json!({"scope": {"cwd_glob": ["**/http-proxy"]}, "tags": ["lint"]}))
            .hint("z/deploy", "v", json!({}))
    };
    let check = |prompt: &str, expect: &[&str]| {
        assert_eq!(scene().pushed(PushTrigger::Prompt, prompt), expect, "{prompt}");
    };
    check("fix the auth service", &["auth/build: `auth` is mentioned"]);
    check("fix the Auth, please", &["auth/build: `auth` is mentioned"]);
    check("who is the author? authx", &[]);
    check("build it", &[]);
    check("deploy it", &["x/deploy: it is about `deploy`"]);
    check("redeploy it, pre-deploy", &[]);
    check("please lint", &["y/k: it is about `lint`"]);
    check("hello", &[]);
    check("", &[]);
    check("deploy auth", &["auth/build: `auth` is mentioned", "x/deploy: it is about `deploy`"]);
}

#[test]
fn a_failure_brings_up_hints_about_the_command() {
    let scene = || {
        TestSession::new()
            .hint("http-proxy/build", "docker compose build router", json!({"tags": ["build"]}))
            .hint("http-proxy/run", "docker compose up router", json!({}))
            .hint("http-proxy/port", "8765", json!({}))
            .hint("auth/build", "make auth", json!({}))
    };
    let failure = "docker compose build\nservice router not found";
    assert_eq!(
        scene().pushed(PushTrigger::Failure, failure),
        [
            "http-proxy/build: it is about `build`",
            "http-proxy/run: it has `docker`, `compose`, `router` in common",
        ]
    );
    // The command that failed is not proposed again.
    let failure = "docker  compose build router\nno space left";
    assert_eq!(
        scene().pushed(PushTrigger::Failure, failure),
        ["http-proxy/run: it has `docker`, `compose`, `router` in common"]
    );
    assert_eq!(
        scene().pushed(PushTrigger::Failure, "make auth build\nerror"),
        ["auth/build: `auth` is mentioned", "http-proxy/build: it is about `build`"]
    );
    assert_eq!(scene().pushed(PushTrigger::Failure, "cat x\nno such file"), Vec::<String>::new());
}

#[test]
fn nothing_is_pushed_twice_and_only_the_best_variant_is_pushed() {
    let mut scene = TestSession::new().hint("http-proxy/k", "v", json!({})).hint("http-proxy/k", "w", here());
    assert_eq!(scene.pushed(PushTrigger::SessionStart, ""), ["http-proxy/k: cwd matched **/http-proxy"]);
    assert_eq!(scene.pushed(PushTrigger::Prompt, "http-proxy"), Vec::<String>::new());
    assert_eq!(scene.wait(86_000).pushed(PushTrigger::SessionStart, ""), Vec::<String>::new());
    assert_eq!(scene.pushed_to("other", PushTrigger::SessionStart, "").len(), 1);
}

#[test]
fn up_to_five_hints_are_pushed_in_ten_minutes() {
    let mut scene = TestSession::new();
    for number in 0..12 {
        scene = scene.hint(&format!("http-proxy/k{number:02}"), "v", json!({}));
    }
    assert_eq!(scene.pushed(PushTrigger::SessionStart, "").len(), 5);
    assert_eq!(scene.wait(599).pushed(PushTrigger::SessionStart, "").len(), 0);
    assert_eq!(scene.wait(1).pushed(PushTrigger::SessionStart, "").len(), 5);
    assert_eq!(scene.wait(600).pushed(PushTrigger::SessionStart, "").len(), 2);
    assert_eq!(scene.wait(600).pushed(PushTrigger::SessionStart, "").len(), 0);
}

#[test]
fn sessions_are_forgotten_after_a_day_or_when_there_are_too_many() {
    let mut scene = TestSession::new().hint("http-proxy/k", "v", json!({}));
    assert_eq!(scene.pushed(PushTrigger::SessionStart, "").len(), 1);
    assert_eq!(scene.wait(86_400).pushed(PushTrigger::SessionStart, "").len(), 1);
    for number in 0..300 {
        scene.wait(1).pushed_to(&number.to_string(), PushTrigger::SessionStart, "");
    }
    assert_eq!(scene.log.0.len(), MAX_SESSIONS);
    assert_eq!(scene.pushed(PushTrigger::SessionStart, "").len(), 1);
    assert_eq!(scene.pushed_to("299", PushTrigger::SessionStart, "").len(), 0);
}

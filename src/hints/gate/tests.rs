//! Tests each condition alone (met, failed, unknown), then all together.

#![expect(clippy::needless_pass_by_value, reason = "tables read better without borrows")]

use serde_json::{Value, json};

use super::*;
use crate::hints::scope::scope;

/// The known facts; `env` is a list of name and value pairs.
#[derive(Default)]
struct KnownFacts<'a> {
    cwd: Option<&'a str>,
    repo: Option<&'a str>,
    branch: Option<&'a str>,
    os: Option<Os>,
    env: &'a [(&'a str, &'a str)],
}

impl KnownFacts<'_> {
    fn context(&self) -> HintContext {
        let text = |text: Option<&str>| text.map(|text| Fact::said(text.to_owned()));
        HintContext {
            cwd: text(self.cwd),
            repo: text(self.repo),
            branch: text(self.branch),
            os: self.os.map(Fact::said),
            env: self.env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        }
    }
}

#[track_caller]
fn check(value: Value, known: &KnownFacts<'_>, expect: &[&str]) {
    let scope = scope(&value).unwrap();
    let gate = ScopeMatcher::of(&scope);
    let context = known.context();
    let outcomes: Vec<String> = gate
        .outcomes(&scope, &context)
        .map(|outcome| match outcome {
            ConditionOutcome::Met { evidence, .. } => format!("{evidence:?}"),
            ConditionOutcome::Missing(fact) => format!("{fact} missing"),
            ConditionOutcome::Differs { asked, .. } => format!("{asked} differs"),
        })
        .collect();
    assert_eq!(outcomes, expect);
    let open = !expect.iter().any(|outcome| outcome.ends_with("missing") || outcome.ends_with("differs"));
    assert_eq!(gate.is_open(&scope, &context), open);
}

#[test]
fn a_scope_without_conditions_applies_everywhere() {
    check(json!({}), &KnownFacts::default(), &[]);
    check(json!({}), &KnownFacts { cwd: Some("/a"), ..KnownFacts::default() }, &[]);
}

#[test]
fn each_condition_is_met_by_its_fact() {
    let known = KnownFacts {
        cwd: Some("/work/a"),
        repo: Some("git@github.com:org/repo.git"),
        branch: Some("hotfix/x"),
        os: Some(Os::Linux),
        env: &[("CI", "true"), ("EMPTY", "")],
    };
    check(json!({"cwd_glob": ["/other", "/work/*"]}), &known, &[r#"Cwd("/work/*")"#]);
    check(json!({"repo": ["git:x/y", "git:org/repo"]}), &known, &[r#"Repo("git:org/repo")"#]);
    check(json!({"branch": ["hotfix/x"]}), &known, &[r#"Branch { branch: "hotfix/x", glob: "hotfix/x" }"#]);
    check(
        json!({"branch": ["dev", "hotfix/*"]}),
        &known,
        &[r#"Branch { branch: "hotfix/x", glob: "hotfix/*" }"#],
    );
    check(json!({"os": ["linux", "darwin"]}), &known, &["Os(Linux)"]);
    check(json!({"env_required": ["CI", "EMPTY"]}), &known, &[r#"EnvSet("CI")"#, r#"EnvSet("EMPTY")"#]);
    check(json!({"env_match": {"CI": ["1", "true"]}}), &known, &[r#"EnvMatch("CI")"#]);
    check(json!({"env_match": {"EMPTY": ""}}), &known, &[r#"EnvMatch("EMPTY")"#]);
}

#[test]
fn each_condition_fails_when_its_fact_differs() {
    let known = KnownFacts {
        cwd: Some("/elsewhere"),
        repo: Some("git:x/y"),
        branch: Some("hotfix/x/y"),
        os: Some(Os::Windows),
        env: &[("CI", "false")],
    };
    check(json!({"cwd_glob": ["/work/*"]}), &known, &["cwd differs"]);
    check(json!({"repo": "git:org/repo"}), &known, &["repo differs"]);
    check(json!({"branch": ["hotfix/*"]}), &known, &["branch differs"]);
    check(json!({"os": ["linux"]}), &known, &["os differs"]);
    check(json!({"env_required": ["DEBUG"]}), &known, &["env DEBUG missing"]);
    check(json!({"env_match": {"CI": "true"}}), &known, &["env CI differs"]);
}

#[test]
fn a_condition_fails_when_its_fact_is_unknown() {
    let nothing = KnownFacts::default();
    check(json!({"cwd_glob": ["**"]}), &nothing, &["cwd missing"]);
    check(json!({"repo": "git:org/repo"}), &nothing, &["repo missing"]);
    check(json!({"branch": ["**"]}), &nothing, &["branch missing"]);
    check(json!({"os": ["linux", "darwin", "windows"]}), &nothing, &["os missing"]);
    check(json!({"env_required": ["CI"]}), &nothing, &["env CI missing"]);
    check(json!({"env_match": {"CI": "true"}}), &nothing, &["env CI missing"]);
}

#[test]
fn all_conditions_must_be_met_together() {
    let scope = json!({
        "cwd_glob": ["/work/**"], "repo": "git:org/repo", "branch": ["dev"], "os": ["linux"],
        "env_required": ["CI"], "env_match": {"MODE": "test"},
    });
    let known = |branch: &'static str, env| KnownFacts {
        cwd: Some("/work"),
        repo: Some("git:org/repo"),
        branch: Some(branch),
        os: Some(Os::Linux),
        env,
    };
    let met = [
        r#"Cwd("/work/**")"#,
        r#"Repo("git:org/repo")"#,
        r#"Branch { branch: "dev", glob: "dev" }"#,
        "Os(Linux)",
        r#"EnvSet("CI")"#,
        r#"EnvMatch("MODE")"#,
    ];
    check(scope.clone(), &known("dev", &[("CI", "1"), ("MODE", "test")]), &met);
    let mut one_differs = met;
    one_differs[2] = "branch differs";
    check(scope.clone(), &known("main", &[("CI", "1"), ("MODE", "test")]), &one_differs);
    let mut one_missing = met;
    one_missing[5] = "env MODE missing";
    check(scope, &known("dev", &[("CI", "1")]), &one_missing);
}

#[test]
fn windows_folders_match_in_any_case() {
    let scope = json!({"cwd_glob": ["C:\\Code\\*"]});
    let known = |os| KnownFacts { cwd: Some("c:/code/x"), os, ..KnownFacts::default() };
    check(scope.clone(), &known(Some(Os::Windows)), &[r#"Cwd("C:/Code/*")"#]);
    check(scope, &known(Some(Os::Linux)), &["cwd differs"]);
}

#[test]
fn an_inferred_fact_is_marked_as_inferred() {
    let scope = scope(&json!({"os": ["linux"], "branch": ["dev"]})).unwrap();
    let given = KnownFacts { branch: Some("dev"), ..KnownFacts::default() }.context();
    let inferred = KnownFacts {
        branch: Some("main"),
        os: Some(Os::Linux),
        env: &[("CI", "1")],
        ..KnownFacts::default()
    };
    let context = given.or_inferred(inferred.context());
    assert!(context.env.is_empty());
    let gate = ScopeMatcher::of(&scope);
    let outcomes: Vec<ConditionOutcome<'_>> = gate.outcomes(&scope, &context).collect();
    assert_eq!(
        outcomes,
        [
            ConditionOutcome::Met {
                evidence: Evidence::Branch { branch: "dev", glob: "dev" },
                inferred: false
            },
            ConditionOutcome::Met { evidence: Evidence::Os(Os::Linux), inferred: true },
        ]
    );
}

#[test]
fn a_wider_glob_is_proposed_when_the_glob_is_too_narrow() {
    let scope = scope(&json!({"cwd_glob": ["/x", "**/http-proxy*"]})).unwrap();
    let wider =
        |cwd| ScopeMatcher::of(&scope).wider_glob(&KnownFacts { cwd, ..KnownFacts::default() }.context());
    assert_eq!(wider(Some("/work/http-proxy/src")).as_deref(), Some("**/http-proxy*/**"));
    assert_eq!(wider(Some("/work/other")), None);
    assert_eq!(wider(None), None);
}

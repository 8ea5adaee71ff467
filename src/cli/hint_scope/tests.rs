//! Flags → scope.

use clap::Parser;
use serde_json::{Value, json};

use super::{HintScopeArgs, below, parts};

#[derive(Parser)]
struct ScopeLine {
    #[command(flatten)]
    scope: HintScopeArgs,
}

#[track_caller]
fn check(line: &[&str], expected: &Value) {
    let line = ScopeLine::try_parse_from([&["set"], line].concat()).expect("a line");
    assert_eq!(json!(line.scope.scope().expect("a scope")), *expected);
}

#[test]
fn flags_become_conditions() {
    check(&[], &Value::Null);
    check(
        &["--scope-cwd-glob", "**/http-proxy*", "--scope-branch", "dev,main", "--scope-os", "linux,Darwin"],
        &json!({ "cwd_glob": ["**/http-proxy*"], "branch": ["dev", "main"], "os": ["linux", "darwin"] }),
    );
    check(
        &["--scope-cwd-glob", "/a/{b,c}/**, /d", "--scope-cwd-glob", "/e", "--scope-repo", "git:org/repo"],
        &json!({ "cwd_glob": ["/a/{b,c}/**", "/d", "/e"], "repo": ["git:org/repo"] }),
    );
    check(
        &["--scope-env-required", "CI,HOME", "--scope-env-match", "A=1", "--scope-env-match", "A=2,3"],
        &json!({ "env_required": ["CI", "HOME"], "env_match": { "A": ["1", "2,3"] } }),
    );
}

#[test]
fn commas_within_braces_stay() {
    let split = |list: &str| parts(&[list.to_owned()]);
    assert_eq!(split("a,b"), ["a", "b"]);
    assert_eq!(split("{a,{b,c}},d,"), ["{a,{b,c}}", "d"]);
    assert_eq!(split("a},b"), ["a}", "b"]);
    assert_eq!(split(""), [""; 0]);
}

#[test]
fn here_is_the_folder_and_all_below_it() {
    assert_eq!(below("/work/api"), ["/work/api", "/work/api/**"]);
    assert_eq!(below("/"), ["/", "/**"]);
    assert_eq!(below("/work/[x] {a*}?"), ["/work/[[]x] [{]a[*][}][?]", "/work/[[]x] [{]a[*][}][?]/**"]);
}

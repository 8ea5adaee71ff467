//! What leaves, in tables: a text as it is stored, and as a colleague would see it.

use serde_json::json;

use super::{Border, Withheld, arrived, session_hash};
use crate::model::{
    EventKey, LeavingRecord, Metadata, NewObservation, Observation, ObservationId, ObservationType,
    RecordKind, SessionId, Timestamp,
};
use crate::redact::OwnPatterns;

const ROOT: &str = "/home/alice/src/shop";

fn row(content: &str) -> Observation {
    Observation {
        id: ObservationId(1),
        seen: NewObservation {
            timestamp: Timestamp(1_700_000_000),
            session_id: SessionId("a-session".to_owned()),
            project: Some("shop".to_owned()),
            project_root: Some(ROOT.to_owned()),
            repository: None,
            obs_type: ObservationType::Command,
            source_event: "PostToolUse".to_owned(),
            tool_name: Some("Bash".to_owned()),
            content: content.to_owned(),
            file_path: None,
            metadata: None,
            event_key: Some(EventKey([7; 16])),
            program: None,
            signature: None,
            pinned: false,
        },
    }
}

fn crossed(row: &Observation, patterns: &OwnPatterns) -> Result<LeavingRecord, Withheld> {
    Border { patterns, home: Some("/home/alice") }.cross(row, |content, _| Some(content.to_owned()))
}

fn text(content: &str) -> String {
    crossed(&row(content), &OwnPatterns::default()).unwrap().row.unwrap().content
}

#[test]
fn a_text_loses_what_names_a_person_or_a_machine() {
    for (stored, leaves) in [
        ("cargo test", "cargo test"),
        // The project's folder.
        ("cd /home/alice/src/shop && make", "cd . && make"),
        ("cat /home/alice/src/shop/src/a.rs", "cat src/a.rs"),
        ("error in /home/alice/src/shop.", "error in .."),
        ("ls /home/alice/src/shop/", "ls ./"),
        ("ls /home/alice/src/shopping", "ls ~/src/shopping"),
        ("ls ~/.claude/projects/-home-alice-src-shop/x", "ls ~/.claude/projects/./x"),
        // Homes, the user's own and others.
        ("cat /home/alice/.bashrc", "cat ~/.bashrc"),
        ("HOME=/home/alice", "HOME=~"),
        ("ls /home/bob/x", "ls ~/x"),
        ("at /Users/Bob.Miller/x.js:3", "at ~/x.js:3"),
        (r"in C:\Users\bob\x", r"in ~\x"),
        (r"in C:\\Users\\bob\\x", r"in ~\\x"),
        ("cp /root/x y", "cp ~/x y"),
        ("src/home/page.rs", "src/home/page.rs"),
        ("app/Users/list.tsx", "app/Users/list.tsx"),
        ("https://example.org/home/page", "https://example.org/home/page"),
        // Mail.
        ("author bob.miller+x@mail.example.co.uk said", "author <mail> said"),
        ("Bob <bob@example.org>", "Bob <<mail>>"),
        ("error in bob.miller@corp…", "error in <mail>…"),
        ("error in bob.miller@", "error in <mail>"),
        ("git clone git@github.com:acme/shop", "git clone git@github.com:acme/shop"),
        ("npm i left-pad@1.3.0 @acme/x@latest", "npm i left-pad@1.3.0 @acme/x@latest"),
        // Trailers.
        ("fix\n\nCo-Authored-By: Bob <b@x.org>\nSigned-off-by: Eve O'Hara\n", "fix"),
        (
            r#"git commit -m "fix" -m "Co-authored-by: Bob Miller" && ls"#,
            r#"git commit -m "fix" -m "" && ls"#,
        ),
        (r#"git commit -m "fix\n\nReviewed-by: Bob Miller\nmore""#, r#"git commit -m "fix\n\n\nmore""#),
        ("written by: hand", "written by: hand"),
        // What a database refuses.
        ("a\0b", "ab"),
    ] {
        assert_eq!(text(stored), leaves, "{stored}");
    }
}

#[test]
fn secrets_are_removed_again_with_the_patterns_of_the_team() {
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    assert!(!text(&format!("git push https://{token}@github.com/a/b")).contains(&token));
    let team = OwnPatterns::new(&[("ticket", "ACME-[0-9]+")]).unwrap();
    let leaves = crossed(&row("fixed ACME-1234"), &team).unwrap().row.unwrap();
    assert_eq!(leaves.content, "fixed [REDACTED:ticket]");
}

#[test]
fn only_named_facts_leave_and_are_cleaned_too() {
    let mut row = row("git commit -m x");
    let facts = json!({
        "command": "cd /home/alice/src/shop; git commit -m x", "kind": "git_commit", "exit_code": 0,
        "branch": "main", "duration_ms": 12, "programs": ["git commit", "mail bob@example.org"],
        "subject": "by bob@example.org", "tool_use_id": "toolu_1", "worktree": "w", "harness": "claude-code",
        "agent_id": "a", "rule": "r", "guided": "g", "commit": "abc", "hash": "h", "at_ms": 1,
    });
    row.seen.metadata = Some(Metadata(facts.as_object().unwrap().clone()));
    row.seen.program = Some("git commit".to_owned());
    row.seen.signature = Some("error in /home/alice/x".to_owned());
    let record = crossed(&row, &OwnPatterns::default()).unwrap();
    assert_eq!(
        record.to_json(),
        json!({
            "kind": "observation", "at": 1_700_000_000, "event_key": "07".repeat(16), "obs_type": "command",
            "session": record.to_json()["session"], "content": "git commit -m x", "program": "git commit",
            "signature": "error in ~/x", "parts": "git commit -m x",
            "facts": {
                "command": "cd .; git commit -m x", "kind": "git_commit", "exit_code": 0, "branch": "main",
                "duration_ms": 12, "programs": ["git commit", "mail <mail>"], "subject": "by <mail>",
            },
        })
    );
}

#[test]
fn some_rows_do_not_leave_at_all() {
    let key = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtz\n-----END OPENSSH PRIVATE KEY-----";
    let mut found_before = row("cat key\n[REDACTED:private-key]");
    let noted = json!({"redacted": ["private-key"]});
    let mut noted_before = row("cat key");
    noted_before.seen.metadata = Some(Metadata(noted.as_object().unwrap().clone()));
    let mut outside = row("x: a line");
    outside.seen.obs_type = ObservationType::FileEdit;
    outside.seen.file_path = Some("/etc/hosts".to_owned());
    let mut above = outside.clone();
    above.seen.file_path = Some("../other/x".to_owned());
    let mut keyless = row("x");
    keyless.seen.event_key = None;
    let mut homeless = row("x");
    homeless.seen.project_root = None;
    for (row, expected) in [
        (row(key), Withheld::PrivateKey),
        (found_before.clone(), Withheld::PrivateKey),
        (noted_before, Withheld::PrivateKey),
        (outside, Withheld::Outside),
        (above, Withheld::Outside),
        (keyless, Withheld::NoKey),
        (homeless, Withheld::NoProject),
    ] {
        assert_eq!(crossed(&row, &OwnPatterns::default()), Err(expected), "{}", row.content);
    }
    found_before.seen.content = "cat a".to_owned();
    assert!(crossed(&found_before, &OwnPatterns::default()).is_ok());
}

#[test]
fn a_path_inside_the_project_leaves_and_lengths_are_cut() {
    let mut row = row(&"é".repeat(9_000));
    row.seen.obs_type = ObservationType::FileEdit;
    row.seen.file_path = Some("src/a.rs".to_owned());
    row.seen.signature = Some("x".repeat(400));
    let record = crossed(&row, &OwnPatterns::default()).unwrap();
    assert_eq!(record.kind, RecordKind::Observation);
    let leaves = record.row.unwrap();
    assert_eq!(leaves.file_path.as_deref(), Some("src/a.rs"));
    assert_eq!(leaves.content.chars().count(), 8_192);
    assert_eq!(leaves.signature.map(|text| text.len()), Some(256));
}

#[test]
fn what_arrives_is_cleaned_as_an_import_is() {
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    assert_eq!(arrived(&format!("x {token}\0"), &OwnPatterns::default()), "x [REDACTED:github-token]");
}

#[test]
fn rows_of_one_session_have_one_hash() {
    assert_eq!(session_hash("a"), session_hash("a"));
    assert_ne!(session_hash("a"), session_hash("b"));
    assert_ne!(session_hash("a"), [0; 16]);
}

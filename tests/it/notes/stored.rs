//! `nudge memory`: notes are named well, merged before they multiply, and never contain a secret.

use std::fs;

use expect_test::expect;

use crate::repository::repository;
use crate::sandbox::Sandbox;

const LIMITS: &str =
    "# Rate limits of the GitHub API\n\nSearch allows 30 requests per minute with a token.\n";

fn text(sandbox: &Sandbox, name: &str) -> String {
    fs::read_to_string(sandbox.path(".nexus/memory").join(name)).expect("the note")
}

fn names(sandbox: &Sandbox) -> Vec<String> {
    let entries = fs::read_dir(sandbox.path(".nexus/memory")).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_note_is_stored_listed_shown_and_found() {
    let sandbox = repository();
    sandbox
        .run(["memory"])
        .code(0)
        .stdout(expect![""])
        .stderr(expect!["no notes in $BASE/project/.nexus/memory\n"]);
    let added = sandbox.run_with(
        ["memory", "add", "-", "--category", "external", "--tags", "github, api"],
        LIMITS.as_bytes(),
    );
    added
        .code(0)
        .stdout(expect!["created .nexus/memory/external-rate-limits-github-api.md\n"])
        .stderr(expect![""]);
    sandbox.run(["memory", "add", "retry-uploads", "Three times, then give up."]).code(0).stderr(expect![[r#"
        hint: a name may begin with `empirical-` (what this project found out by trying), `external-` (what others impose: limits, quirks and words of vendors), `pattern-` (recipes for recurring work; design belongs in `.nexus/context/`)
    "#]]);
    sandbox.run(["memory", "list"]).code(0).stdout(expect![[r#"
        external-rate-limits-github-api.md     111 B  never read
        retry-uploads.md                        27 B  never read
    "#]]);
    sandbox.run(["memory", "show", "external-rate-limits-github-api"]).code(0).stdout(expect![[r#"
        <!-- tags: github, api -->
        # Rate limits of the GitHub API

        Search allows 30 requests per minute with a token.
    "#]]);
    sandbox.run(["memory", "search", "requests"]).code(0).stdout(expect![
        "external-rate-limits-github-api.md  Search allows 30 requests per minute with a token.\n"
    ]);
    sandbox
        .run(["memory", "search", "nothing", "alike"])
        .code(0)
        .stderr(expect!["no note has any of these words\n"]);
    sandbox.run(["memory", "show", "other-note"]).code(1).stderr(expect![[r#"
        error: there is no note `other-note.md`
        hint: `nudge note` lists them
    "#]]);
    // Neither a look nor a search is a read.
    assert!(!sandbox.path(".nexus/state/claude-code").exists());
    assert_eq!(fs::read_to_string(sandbox.path(".nexus/.gitignore")).expect("it is made"), "state/\n");
}

#[test]
fn a_bad_name_is_refused_with_a_better_one() {
    let sandbox = repository();
    let check = |name: &str, expected: expect_test::Expect| {
        sandbox.run(["memory", "add", name, LIMITS]).code(1).stderr(expected);
        assert_eq!(names(&sandbox), Vec::<String>::new());
    };
    check(
        "Notes 2026-01.md",
        expect![[r#"
            error: `Notes 2026-01.md` is not a valid name for a note: write lower-case words with `-` between them, and `.md`
            hint: call it `notes-rate.md`; a name may begin with `empirical-` (what this project found out by trying), `external-` (what others impose: limits, quirks and words of vendors), `pattern-` (recipes for recurring work; design belongs in `.nexus/context/`)
        "#]],
    );
    check(
        "external-github-api-v3-limits",
        expect![[r#"
            error: `external-github-api-v3-limits.md` is not a valid name for a note: `v3` is a version, which belongs in the text
            hint: call it `external-github-api-limits.md`
        "#]],
    );
    check(
        "../context/design",
        expect![[r#"
            error: `../context/design.md` is not a valid name for a note: write lower-case words with `-` between them, and `.md`
            hint: call it `context-design.md`; a name may begin with `empirical-` (what this project found out by trying), `external-` (what others impose: limits, quirks and words of vendors), `pattern-` (recipes for recurring work; design belongs in `.nexus/context/`)
        "#]],
    );
    sandbox.run(["memory", "add", "pattern-rate-limits", LIMITS, "--category", "external"]).code(1).stderr(
        expect![[r#"
        error: `pattern-rate-limits.md` says `pattern` and the category says `external`
        hint: leave one of them out
    "#]],
    );
    sandbox.run(["memory", "add", "rate-limits"]).code(2).stderr(expect![[r#"
        error: `rate-limits` has no text
        hint: write it behind the name, or `nudge note add rate-limits -` and pipe it in
    "#]]);
    sandbox
        .run(["memory", "add", "rate-limits", " "])
        .code(1)
        .stderr(expect!["error: there is nothing to store\n"]);
}

#[test]
fn a_secret_is_refused_and_never_repeated() {
    let sandbox = repository();
    let token = format!("ghp_{}", "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5");
    let ran = sandbox.run(["memory", "add", "deploy-the-shop", &format!("Deploy with {token} as token")]);
    ran.code(1).stdout(expect![""]).stderr(expect![[r#"
        error: this looks like it contains a secret (github-token), and notes go into git
        hint: say where the secret is kept, instead of the secret itself
    "#]]);
    sandbox.put(".nudge/config.toml", "[redact]\nbadge = 'B-\\d{4}'\n");
    sandbox.run(["memory", "add", "open-the-door", "Show badge B-1234"]).code(1).stderr(expect![[r#"
        error: this looks like it contains a secret (badge), and notes go into git
        hint: say where the secret is kept, instead of the secret itself
    "#]]);
    assert_eq!(names(&sandbox), Vec::<String>::new());
}

#[test]
fn what_speaks_of_the_same_becomes_one_note() {
    let sandbox = repository();
    sandbox.run(["memory", "add", "external-github-rate-limits", LIMITS]).code(0);
    let header = "The GitHub API sends the rate limit that is left in a header.";
    let add = |extra: Option<&str>| match extra {
        Some(extra) => sandbox.run(["memory", "add", "external-github-rate-limit-header", header, extra]),
        None => sandbox.run(["memory", "add", "external-github-rate-limit-header", header]),
    };
    add(None)
        .code(0)
        .stdout(expect![
            "added to .nexus/memory/external-github-rate-limits.md: both mention github, rate, limit, api\n"
        ])
        .stderr(expect!["hint: `--new` makes a note of its own\n"]);
    assert_eq!(text(&sandbox, "external-github-rate-limits.md"), format!("{LIMITS}\n{header}\n"));
    // The same again adds nothing.
    add(None).code(0).stdout(expect![
        "all of it is in .nexus/memory/external-github-rate-limits.md already: both mention github, rate, limit, header, api, send, left\n"
    ]);
    assert_eq!(text(&sandbox, "external-github-rate-limits.md"), format!("{LIMITS}\n{header}\n"));
    assert_eq!(names(&sandbox), ["external-github-rate-limits.md"]);
    add(Some("--new"))
        .code(0)
        .stdout(expect!["created .nexus/memory/external-github-rate-limit-header.md\n"]);
    assert_eq!(names(&sandbox), ["external-github-rate-limit-header.md", "external-github-rate-limits.md"]);
    add(Some("--new")).code(1).stderr(expect![[r#"
        error: a note `external-github-rate-limit-header.md` already exists
        hint: choose another name, or add the text to that note
    "#]]);
    let json = sandbox.run(["memory", "add", "github-rate-limits", "Nothing alike.", "--json"]).json();
    let expected = serde_json::json!({
        "stored": "merged",
        "path": ".nexus/memory/external-github-rate-limits.md",
        "why": "its name has the same words",
    });
    assert_eq!(json, expected);
}

#[test]
fn a_finding_is_never_filed_under_another_name() {
    let sandbox = repository();
    let add = |name: &str, text: &str| sandbox.run(["memory", "add", name, text]);
    add("empirical-staging-db-access", "Access to the staging DB needs the VPN and role reader on host one.")
        .code(0);
    add("empirical-production-db-access", "Access to the production DB needs the VPN and role reader on host two.")
        .code(0)
        .stdout(expect!["created .nexus/memory/empirical-production-db-access.md\n"])
        .stderr(expect![[r#"
            hint: `empirical-staging-db-access.md` is similar (both mention db, access, need, vpn, role, reader, host); if both are one topic, `nudge note merge empirical-production-db-access --into empirical-staging-db-access` joins them
        "#]]);
    add("import-speed", "The import speed of CSV files is 20 MB per second on the build host.").code(0);
    add("export-speed", "The export speed of CSV files is 30 MB per second on the build host.")
        .code(0)
        .stdout(expect!["created .nexus/memory/export-speed.md\n"])
        .stderr(expect![[r#"
            hint: `import-speed.md` is similar (both mention speed, csv, file, mb, per, second, build, host); if both are one topic, `nudge note merge export-speed --into import-speed` joins them; a name may begin with `empirical-` (what this project found out by trying), `external-` (what others impose: limits, quirks and words of vendors), `pattern-` (recipes for recurring work; design belongs in `.nexus/context/`)
        "#]]);
    assert_eq!(names(&sandbox).len(), 4);
    // One word, or five, is advice; a script without Latin letters gets a name all the same.
    add("retries", "Three times, then give up.")
        .code(0)
        .stdout(expect!["created .nexus/memory/retries.md\n"])
        .stderr(expect![[r#"
            hint: one word says little: two to four say what the note is about; a name may begin with `empirical-` (what this project found out by trying), `external-` (what others impose: limits, quirks and words of vendors), `pattern-` (recipes for recurring work; design belongs in `.nexus/context/`)
        "#]]);
    add("pattern-how-we-deploy-the-shop", "Twice a day.").code(0).stderr(expect![[r#"
        hint: two to four words are easier to find than 5
    "#]]);
    add("external-v8-heap-limits", "Two gigabytes by default.").code(0).stderr(expect![""]);
    let korean = ["memory", "add", "금요일 오후에는 배포하지 않는다", "--category", "pattern"];
    sandbox.run(korean).code(0).stdout(expect![[r#"
        created .nexus/memory/pattern-geumyoil-ohueneun-baepohaji-anneunda.md
    "#]]);
    sandbox.run(["memory", "add", "限流之后等十秒", "--category", "external"]).code(0).stdout(expect![[r#"
        created .nexus/memory/external-note-sulhzn.md
    "#]]);
}

#[test]
fn a_note_has_a_bound_and_an_old_name_is_left_in_peace() {
    let sandbox = repository().file(".nexus/memory/lessons.md", "# Lessons\n");
    sandbox
        .run(["memory", "add", "lessons", "Measure first."])
        .code(0)
        .stdout(expect!["added to .nexus/memory/lessons.md: it has this name\n"]);
    assert_eq!(text(&sandbox, "lessons.md"), "# Lessons\n\nMeasure first.\n");
    sandbox.put("finding.md", "Then measure again.");
    sandbox.run(["memory", "add", "lessons.md", "--file", "finding.md"]).code(0);
    assert_eq!(text(&sandbox, "lessons.md"), "# Lessons\n\nMeasure first.\n\nThen measure again.\n");
    sandbox.run(["memory", "add", "lessons", "--file", "gone.md"]).code(1);
    let long = "word ".repeat(14_000);
    sandbox.run_with(["memory", "add", "much-too-long", "-"], long.as_bytes()).code(1).stderr(expect![[r#"
        error: the note would have 69 KB, and the limit is 64 KB
        hint: keep what cannot be found elsewhere; long texts belong in files of their own
    "#]]);
    sandbox.put(".nexus/memory/binary-note.md", [0xff, 0xfe]);
    sandbox
        .run(["memory", "add", "binary-note", "text"])
        .code(1)
        .stderr(expect!["error: `binary-note.md` is not plain text, so nothing can be added to it\n"]);
}

#[test]
fn twenty_writers_at_once_lose_nothing() {
    let sandbox = repository();
    std::thread::scope(|scope| {
        for number in 0..20 {
            let sandbox = &sandbox;
            scope.spawn(move || {
                sandbox
                    .run(["memory", "add", "shared-findings", &format!("Finding number {number}.")])
                    .code(0);
            });
        }
    });
    let text = text(&sandbox, "shared-findings.md");
    for number in 0..20 {
        assert_eq!(text.matches(&format!("number {number}.")).count(), 1, "{text}");
    }
    assert_eq!(names(&sandbox), ["shared-findings.md"]);
}

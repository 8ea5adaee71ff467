//! A table of texts and the note each of them belongs to.

use super::{NewText, overlap, same_matter, similar};
use crate::model::{Category, Note};

fn notes() -> Vec<Note> {
    let note =
        |name: &str, text: &str| Note { name: name.into(), text: text.into(), bytes: text.len() as u64 };
    vec![
        note(
            "external-github-rate-limits.md",
            "<!-- tags: github, api -->\n# Rate limits of the GitHub API\n\nSearch allows 30 requests per minute with a token, \
             everything else 5000 per hour.\n",
        ),
        note(
            "pattern-flaky-browser-tests.md",
            "# Flaky browser tests\n\nRun them with one worker; the login page races with the cookie banner.\n",
        ),
        note(
            "pattern-release-steps.md",
            "# Release\n\nTag, wait for the pipeline, publish the crate, announce.\n",
        ),
        note(
            "empirical-cold-start-time.md",
            "A cold start of the server takes 4 seconds; half of it is the font cache.\n",
        ),
    ]
}

fn found(name: Option<&str>, category: Option<Category>, text: &str) -> String {
    match overlap(NewText { name, is_named: name.is_some(), category, text }, &notes()) {
        Some(overlap) => format!("{}: {}", overlap.name, overlap.why),
        None => "none".to_owned(),
    }
}

#[test]
fn a_text_belongs_to_the_note_on_the_same_topic() {
    let check = |name: &str, text: &str, expected: &str| {
        assert_eq!(found(Some(name), None, text), expected, "{name}");
    };
    check("pattern-release-steps.md", "anything", "pattern-release-steps.md: it has this name");
    check("release-steps.md", "anything", "pattern-release-steps.md: its name has the same words");
    check("pattern-step-release.md", "anything", "pattern-release-steps.md: its name has the same words");
    check(
        "external-github-rate-limit-header.md",
        "The GitHub API sends the rate limit that is left in a header.",
        "external-github-rate-limits.md: both mention github, rate, limit, api",
    );
    check(
        "pattern-flaky-browser-test-workers.md",
        "Browser tests are flaky with more than one worker.",
        "pattern-flaky-browser-tests.md: both mention flaky, browser, test, worker",
    );
}

#[test]
fn a_text_is_not_added_under_a_name_that_says_something_else() {
    let note =
        |name: &str, text: &str| Note { name: name.into(), text: text.into(), bytes: text.len() as u64 };
    let notes = [
        note(
            "empirical-staging-db-access.md",
            "Access to the staging DB needs the VPN and the role reader on host db-one.\n",
        ),
        note("import-speed.md", "The import speed of CSV files is 20 MB per second on the build host.\n"),
    ];
    let check = |name: Option<&str>, text: &str, expected: (&str, &str)| {
        let new = NewText { name, is_named: name.is_some(), category: None, text };
        let found = overlap(new, &notes).map(|found| found.name);
        let alike = similar(new, &notes).map(|found| found.name);
        let shown = (found.as_deref().unwrap_or("none"), alike.as_deref().unwrap_or("none"));
        assert_eq!(shown, expected, "{name:?} {text}");
    };
    let (staging, import) = ("empirical-staging-db-access.md", "import-speed.md");
    let production = "Access to the production DB needs the VPN and the role reader on host db-two.";
    check(Some("empirical-production-db-access.md"), production, ("none", staging));
    check(None, production, ("none", staging));
    let export = "The export speed of CSV files is 30 MB per second on the build host.";
    check(Some("export-speed.md"), export, ("none", import));
    check(Some("export-speed.md"), &format!("{export} The import is slower."), ("none", import));
    check(None, export, ("none", import));
    // The note on the wider topic takes it.
    check(
        Some("import-speed-csv.md"),
        "The import speed of CSV files on the build host halved.",
        (import, import),
    );
    check(None, "The import speed of CSV files on the build host halved.", (import, import));
}

#[test]
fn a_text_on_another_topic_stays_separate() {
    let check = |name: &str, text: &str| assert_eq!(found(Some(name), None, text), "none", "{name}");
    // The same words, in another category.
    check("empirical-release-steps.md", "anything");
    check("external-gitlab-webhook-retries.md", "GitLab sends a webhook again after 10 seconds, four times.");
    check("pattern-database-tests.md", "Run the database tests with one worker, they share a schema.");
    check("empirical-search-index-size.md", "The search index takes 3 GB per million rows.");
    check("pattern-publish-docs.md", "Build the book, then publish it from the main branch.");
}

#[test]
fn the_category_counts_without_a_name() {
    let text = "Rate limits of the GitHub API: search has 30 requests per minute.";
    let expected =
        "external-github-rate-limits.md: both mention rate, limit, github, api, search, 30, request, per";
    assert_eq!(found(None, None, text), expected);
    assert_eq!(found(None, Some(Category::External), text), expected);
    assert_eq!(found(None, Some(Category::Pattern), text), "none");
}

#[test]
fn a_rule_is_on_the_same_topic_if_a_short_text_shares_most_of_its_words() {
    let rule =
        |name: &str, text: &str| Note { name: name.into(), text: text.into(), bytes: text.len() as u64 };
    let rules = [
        rule("never-sleep-tests-wait.md", "Never sleep in tests: wait for a condition.\n"),
        rule("run-cargo-fmt-commit.md", "Run cargo fmt before each commit.\n"),
        rule("style.md", "# Style\n\nTabs.\n"),
    ];
    let check = |name: &str, text: &str, expected: &str| {
        let found = same_matter(name, text, &rules);
        let found = found.map_or("none".to_owned(), |found| format!("{}: {}", found.name, found.why));
        assert_eq!(found, expected, "{name}");
    };
    check("tests-sleep.md", "Tests must not sleep.", "never-sleep-tests-wait.md: both mention test, sleep");
    check(
        "testing.md",
        "Never let a test sleep.",
        "never-sleep-tests-wait.md: both mention never, test, sleep",
    );
    check("styles.md", "Spaces.", "style.md: its name has the same words");
    check("run-cargo-test-push.md", "Run cargo test before each push.", "none");
    check("commits.md", "Sign every commit.", "none");
}

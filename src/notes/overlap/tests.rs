//! A table of texts and the note each of them belongs to.

use super::{overlap, same_matter};
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
    match overlap(name, category, text, &notes()) {
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
        "external-github-api-limits.md",
        "The GitHub API sends the rate limit that is left in a header.",
        "external-github-rate-limits.md: both mention github, api, limit, rate",
    );
    check(
        "pattern-browser-test-workers.md",
        "Browser tests are flaky with more than one worker.",
        "pattern-flaky-browser-tests.md: both mention browser, test, worker, flaky",
    );
    check(
        "measure-the-server.md",
        "Half of the 4 seconds of a cold server start goes into the font cache",
        "empirical-cold-start-time.md: both mention server, half, second, cold, start, font, cache",
    );
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

//! Tables of good and bad names, and of what is proposed instead.

use super::{advice, check, check as check_name, from_text, propose};
use crate::model::Category;

#[test]
fn names_are_checked() {
    let judged = |name: &str| match check(name) {
        Ok(()) => "fine".to_owned(),
        Err(fault) => fault.to_string(),
    };
    let table = [
        ("retry-uploads.md", "fine"),
        ("pattern-retry-uploads.md", "fine"),
        ("external-github-api-rate-limits.md", "fine"),
        ("team-retry-uploads.md", "fine"),
        ("exit-137-memory.md", "fine"),
        ("mysql-2006-gone-away.md", "fine"),
        ("oauth2-ipv6-quirks.md", "fine"),
        ("retry-uploads", "write lower-case words with `-` between them, and `.md`"),
        ("Retry-Uploads.md", "write lower-case words with `-` between them, and `.md`"),
        ("../retry-uploads.md", "write lower-case words with `-` between them, and `.md`"),
        ("retry_uploads.md", "write lower-case words with `-` between them, and `.md`"),
        ("-retry-uploads.md", "write lower-case words with `-` between them, and `.md`"),
        (".md", "write lower-case words with `-` between them, and `.md`"),
        ("메모리-정책.md", "write lower-case words with `-` between them, and `.md`"),
        ("uploads.md", "fine"),
        ("pattern-uploads.md", "fine"),
        ("how-we-retry-the-uploads.md", "fine"),
        ("v8-heap-limits.md", "fine"),
        ("pattern-v8-heap.md", "fine"),
        ("uploads-2026-01-31.md", "`2026-01-31` is a date, which belongs in the text"),
        ("uploads-of-2026.md", "`2026` is a date, which belongs in the text"),
        ("upload-notes-20260131.md", "`20260131` is a date, which belongs in the text"),
        ("upload-api-v2.md", "`v2` is a version, which belongs in the text"),
        ("upload-api-v2-1-3.md", "`v2-1-3` is a version, which belongs in the text"),
        ("upload-api-1-20.md", "`1-20` is a version, which belongs in the text"),
        ("upload-api-rc1.md", "`rc1` is a version, which belongs in the text"),
    ];
    for (name, expected) in table {
        assert_eq!(judged(name), expected, "{name}");
    }
}

#[test]
fn a_valid_name_is_proposed_for_an_invalid_one() {
    let text = "# Rate limits of GitHub\n\n5000 an hour.";
    let table = [
        ("Notes 2026-01.md", Some("notes-rate.md")),
        ("Upload Retries", Some("upload-retries.md")),
        ("how-we-retry-the-uploads.md", Some("retry-uploads.md")),
        ("pattern-uploads.md", Some("pattern-uploads-rate.md")),
        ("external-github-api-v3-limits.md", Some("external-github-api-limits.md")),
        ("one-two-three-four-five-six.md", Some("two-three-four-five.md")),
        ("메모리", Some("memori-rate.md")),
        ("限流", Some("rate-limits.md")),
    ];
    for (name, expected) in table {
        assert_eq!(propose(name, text).as_deref(), expected, "{name}");
    }
    assert_eq!(propose("메모리", "정책").as_deref(), Some("memori-jeongchaek.md"));
    assert_eq!(propose("限流", ""), None);
}

#[test]
fn a_note_is_named_after_its_first_words() {
    let check = |text: &str, category, expected: Option<&str>| {
        assert_eq!(from_text(text, category).as_deref(), expected, "{text}");
    };
    check("# Rate limits of GitHub\n\nText.", None, Some("rate-limits-github.md"));
    check(
        "<!-- tags: api -->\n\n## Retry the uploads",
        Some(Category::Pattern),
        Some("pattern-retry-uploads.md"),
    );
    check("Pattern: retry uploads", Some(Category::Pattern), Some("pattern-retry-uploads.md"));
    check("In 2026-01 the vendor halved all its limits for us", None, Some("vendor-halved-limits-us.md"));
    check("# Uploads", None, Some("uploads.md"));
    check("", None, None);
    check("...\n", None, None);
    // A script without letters for a name gets a few that stay the same.
    check("금요일 오후에는 배포하지 않는다", None, Some("geumyoil-ohueneun-baepohaji-anneunda.md"));
    check("API 10번 이후 제한", Some(Category::External), Some("external-api-10beon-ihu-jehan.md"));
    check("Откат базы занимает час", None, Some("otkat-bazy-zanimaet-chas.md"));
    let shape = |text: &str, category| {
        let name = from_text(text, category).expect("a name");
        assert_eq!(check_name(&name), Ok(()), "{name}");
        assert_eq!(from_text(text, category).as_ref(), Some(&name));
        name
    };
    assert!(shape("限流之后等十秒 API 10", None).starts_with("note-"));
    assert!(shape("שלום עולם", Some(Category::Pattern)).starts_with("pattern-note-"));
    assert_ne!(shape("限流之后等十秒", None), shape("限流之后等九秒", None));
}

#[test]
fn the_number_of_words_is_advice() {
    for (name, expected) in [
        ("retry-uploads.md", None),
        ("external-github-api-rate-limits.md", None),
        ("uploads.md", Some("one word says little: two to four say what the note is about")),
        ("pattern-uploads.md", Some("one word says little: two to four say what the note is about")),
        ("how-we-retry-the-uploads.md", Some("two to four words are easier to find than 5")),
    ] {
        assert_eq!(advice(name).as_deref(), expected, "{name}");
    }
}

//! Which failures have the same cause.

use super::{Corpus, SAME_CAUSE};

fn likeness(one: &str, two: &str) -> f64 {
    Corpus::new([one, two]).likeness(0, 1)
}

#[test]
fn the_same_cause_with_other_names_is_alike() {
    for (one, two) in [
        (
            "fatal: The current branch # has no upstream branch.",
            "fatal: The current branch # has no upstream branch.",
        ),
        (
            "invalid checkpoint ID \"attr#\": must be # lowercase hex",
            "invalid checkpoint ID \"gemini#\": must be # lowercase hex",
        ),
        ("a.go: undefined: defaultAgent", "b.go: undefined: defaultAgent"),
        ("(eval):#: command not found: docker", "zsh: command not found: docker"),
        (
            "a.md: error MD040/fenced-code-language Fenced code blocks",
            "b.md: error MD040/fenced-code-language Fenced code blocks",
        ),
    ] {
        let found = likeness(one, two);
        assert!(found >= SAME_CAUSE, "{found:.2}: {one} / {two}");
    }
}

#[test]
fn another_cause_of_the_same_kind_is_not_alike() {
    for (one, two) in [
        ("(eval):#: command not found: docker", "(eval):#: command not found: redis-cli"),
        ("a.go: undefined: defaultAgent", "a.go: undefined: otherThing"),
        ("--- FAIL: TestOne\na_test.go: got 1", "--- FAIL: TestTwo\nb_test.go: wrong branch"),
        ("Dialog.tsx: error TS2352: Conversion of type", "Dialog.tsx: error TS6133: Page is declared"),
        ("fatal: not a git repository", "fatal: pathspec did not match any files"),
        ("error: cannot find value", "error: cannot find type"),
        // Everything but the thing that is not there is the same.
        (
            "ERROR collecting test_cart.py\nModuleNotFoundError: No module named 'freezegun'",
            "ERROR collecting test_cart.py\nModuleNotFoundError: No module named 'hypothesis'",
        ),
        (
            "Could not resolve dependencies for project com.acme:shop: Could not find artifact com.acme:money",
            "Could not resolve dependencies for project com.acme:shop: Could not find artifact io.zipkin:brave",
        ),
    ] {
        let found = likeness(one, two);
        assert!(found < SAME_CAUSE, "{found:.2}: {one} / {two}");
    }
}

#[test]
fn general_words_alone_are_never_enough() {
    assert_eq!(likeness("error: file not found", "error: file not found"), 0.0);
    assert_eq!(likeness("", "anything"), 0.0);
}

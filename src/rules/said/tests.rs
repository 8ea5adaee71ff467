//! Which messages are kept when not all fit.

use expect_test::{Expect, expect};

use super::*;

/// A rule that interrupts (`!`) or not, with a message of this many letters.
fn fired(rule: &str, letters: usize) -> RuleMessage {
    let action = if rule.ends_with('!') { Action::Interrupt } else { Action::Continue };
    let letter = rule.chars().next().expect("a name");
    let (rule, message) = (rule.to_owned(), letter.to_string().repeat(letters));
    RuleMessage { signature: format!("[nudge: {rule} · r.yaml:1]"), rule, action, message }
}

/// Shows an outcome with every run of a letter as its length.
#[track_caller]
fn check(messages: &[RuleMessage], expect: &Expect) {
    let (word, message) = match join(messages, Signed::No) {
        Outcome::Pass => ("pass", String::new()),
        Outcome::Guide(message) => ("guide", message),
        Outcome::Ask { reason, context } => ("ask", join_texts(reason, context)),
        Outcome::Block(message) => ("block", message),
    };
    let parts = message.split(SEPARATOR).map(|part| {
        let letter = part.chars().next().expect("no message is empty");
        let rest = part.trim_start_matches(letter);
        format!("{letter}*{}{rest}", part.chars().count() - rest.chars().count())
    });
    expect.assert_eq(&format!("{word} {}", parts.collect::<Vec<_>>().join(" | ")));
}

#[test]
fn messages_that_fit_are_joined_in_order() {
    assert_eq!(join(&[], Signed::Yes), Outcome::Pass);
    check(&[fired("a", 10), fired("b!", 20), fired("c", 30)], &expect!["block a*10 | b*20 | c*30"]);
    check(&[fired("a", 8_000)], &expect!["guide a*8000"]);
    check(&[fired("a", 4_000), fired("b", 3_993)], &expect!["guide a*4000 | b*3993"]);
}

#[test]
fn messages_that_interrupt_come_first_when_not_all_fit() {
    check(
        &[fired("a", 3_000), fired("b", 3_000), fired("c", 3_000), fired("d!", 100), fired("e", 50)],
        &expect![[r#"
            block d*100 | a*3000 | b*3000 | e*50
            … (cut: `c` had more to say)"#]],
    );
    check(
        &[fired("a!", 5_000), fired("b!", 5_000), fired("c", 100)],
        &expect![[r#"
            block a*5000 | c*100
            … (cut: `b!` had more to say)"#]],
    );
}

#[test]
fn a_message_that_is_too_long_is_cut() {
    check(
        &[fired("a", 100), fired("b!", 9_000)],
        &expect![[r#"
            block b*8000
            … (cut: `b!`, `a` had more to say)"#]],
    );
}

#[test]
fn omitted_rules_are_named_or_counted() {
    let messages: Vec<RuleMessage> =
        "abcdefghijklm".chars().map(|name| fired(&name.to_string(), 7_000)).collect();
    check(
        &messages,
        &expect![[r#"
            guide a*7000
            … (cut: `b`, `c`, `d`, `e`, `f`, `g`, `h`, `i`, `j`, `k`, 2 more rules had more to say)"#]],
    );
}

#[test]
fn each_message_is_signed_and_the_limit_counts_signatures() {
    let text = |messages: &[RuleMessage]| match join(messages, Signed::Yes) {
        Outcome::Pass => String::new(),
        Outcome::Guide(text) | Outcome::Block(text) | Outcome::Ask { reason: text, .. } => text,
    };
    let two = text(&[fired("a", 3), fired("b!", 2)]);
    assert_eq!(two, "aaa\n[nudge: a · r.yaml:1]\n\n---\n\nbb\n[nudge: b! · r.yaml:1]");
    // Without its signature, the message would just fit.
    let cut = text(&[fired("a", 8_000)]);
    assert!(cut.ends_with("a\n[nudge: a · r.yaml:1]\n… (cut: `a` had more to say)"), "{cut}");
    let signed = cut.split_once("\n…").expect("the end of what is kept").0;
    assert_eq!(signed.chars().count(), MAX_MESSAGE);
    let many: Vec<RuleMessage> = "abcdefghij".chars().map(|name| fired(&name.to_string(), 1_000)).collect();
    let kept = text(&many);
    assert!(kept.chars().count() < MAX_MESSAGE + 200 && kept.contains("[nudge: g · r.yaml:1]"), "{kept}");
}

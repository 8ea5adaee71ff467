//! Which brackets are tags, and which only look like tags.

use super::*;
use crate::contract::vocabulary;

#[track_caller]
fn check(prompt: &str, expect: &[(Tag, &str)]) {
    let expect: Vec<Tagged<'_>> =
        expect.iter().map(|(tag, payload)| Tagged { tag: tag.clone(), payload }).collect();
    assert_eq!(recognise(prompt), expect, "{prompt}");
}

#[track_caller]
fn check_none(prompts: &[&str]) {
    prompts.iter().for_each(|prompt| check(prompt, &[]));
}

const PLAN: Tag = Tag::Plan { auto: false };

#[test]
fn every_form_of_the_vocabulary_is_recognised() {
    check("[plan] a login", &[(PLAN, "a login")]);
    check("[plan:auto] a login", &[(Tag::Plan { auto: true }, "a login")]);
    check("[run]", &[(Tag::Run, "")]);
    check("[sync]", &[(Tag::Sync, "")]);
    check("[d] option 2", &[(Tag::Decide, "option 2")]);
    check("[m] ports below 1024 need root", &[(Tag::Remember, "ports below 1024 need root")]);
    check("[m:gc]", &[(Tag::Tidy, "")]);
    check("[rule] no unwrap", &[(Tag::Rule(None), "no unwrap")]);
    check("[rule:testing] no sleeps", &[(Tag::Rule(Some("testing".to_owned())), "no sleeps")]);
    check("[rule:Error_Text] short", &[(Tag::Rule(Some("error-text".to_owned())), "short")]);
    for tag in vocabulary().tags {
        let variants = tag.variants.iter().map(|variant| {
            let variant = if variant == "*" { "anything" } else { variant };
            format!("[{}:{variant}]", tag.id)
        });
        for form in variants.chain([tag.trigger.clone()]) {
            let found: Vec<&str> = recognise(&form).iter().map(|tagged| tagged.tag.id()).collect();
            assert_eq!(found, [tag.id.as_str()], "{form}");
        }
    }
}

#[test]
fn a_tag_may_be_anywhere_and_its_text_ends_at_the_next() {
    check("please\n  [plan] the parser\nin two steps", &[(PLAN, "the parser\nin two steps")]);
    check("let us [plan] this", &[(PLAN, "this")]);
    check("[m] first\n[m:gc] then", &[(Tag::Remember, "first"), (Tag::Tidy, "then")]);
    check("[plan] x then [run]", &[(PLAN, "x then"), (Tag::Run, "")]);
    check("[run]\n\n[run] the rest", &[(Tag::Run, "the rest")]);
    check("[plan], please", &[(PLAN, ", please")]);
    check("[plan]로그인 기능", &[(PLAN, "로그인 기능")]);
    check("[m]: a colon", &[(Tag::Remember, ": a colon")]);
    check("a lone ` and [run]", &[(Tag::Run, "")]);
}

#[test]
fn the_rest_of_the_line_of_a_short_tag_is_its_text() {
    let check_one = |tag: Tag, form: &str| {
        check(&format!("{form} that [run] is a tag"), &[(tag.clone(), "that [run] is a tag")]);
        check(&format!("{form} [m:gc]\n[sync] now"), &[(tag, "[m:gc]"), (Tag::Sync, "now")]);
    };
    check_one(Tag::Remember, "[m]");
    check_one(Tag::Decide, "[d]");
    check_one(Tag::Rule(None), "[rule]");
    check_one(Tag::Rule(Some("x".to_owned())), "[rule:x]");
    check("[m:gc] not [run]\n[run]", &[(Tag::Tidy, "not [run]"), (Tag::Run, "")]);
    check("[m] see `a\n[run] b`", &[(Tag::Remember, "see `a\n[run] b`")]);
}

#[test]
fn code_has_no_tags() {
    check_none(&[
        "```toml\n[run]\nbranch = true\n```",
        "~~~\n[plan]\n~~~",
        "```\n[run]",
        "````\n```\n[run]\n````",
        "`[plan]` is a tag",
        "``a ` [plan]`` is a tag",
        "    [run] in indented code",
        "\t[run]",
        "> [plan] somebody else's words",
        "see `a\n[run]\nb` there",
        "<!-- [run] -->",
        "a <!-- b\n\n```\n[run]\n--> c",
        "| [run] | runs it |\n|---|---|",
        "tag | [run] | x",
    ]);
    // A backtick that is never closed in its paragraph quotes nothing.
    check("a ` b\n[run]\n\nc ` d", &[(Tag::Run, "c ` d")]);
    check("<!-- [run]", &[(Tag::Run, "")]);
    check("<!-- a\n--> [run]", &[(Tag::Run, "")]);
    check("```\n[run]\n```\n[sync]", &[(Tag::Sync, "")]);
    check("`x` [run] `y`", &[(Tag::Run, "`y`")]);
}

#[test]
fn links_lists_and_indexes_are_not_tags() {
    check_none(&[
        "[run](https://ci.example/run)",
        "[plan][1]",
        "[d]: https://example.org/d",
        "[rule:a]: ./rules.md",
        "- [d] done",
        "* [m] milk",
        "  + [plan] later",
        "1. [run] it",
        "2) [sync]",
        "a[d] = b[m]",
        "list[run]",
        "x=[d]",
        "[d]=1",
        "[[run]]",
        "([run])",
    ]);
}

#[test]
fn a_section_header_of_a_configuration_is_not_a_tag() {
    check_none(&["[run]\nbranch = True\nsource = src", "look:\n[plan]\n\n  key.\"x\" = 1"]);
    check_none(&[
        "[run]\n# how\ncommand = \"make\"",
        "[run]\n; how\n\n# more\ncommand=make",
        "[run]\n\"quoted key\" = 1",
        "[run]\n'a = b'.c = 1",
        "[run]\n[run.env]\nA=\"1\"",
        "[plan]\n[[plan.items]]",
        "[plan]\n[[plan.items]] # each\nname = 1",
        "[run]\n[report]\nx = 1",
    ]);
    check("[run]\n# Login\nas said", &[(Tag::Run, "# Login\nas said")]);
    check("[plan]\n[run]", &[(PLAN, ""), (Tag::Run, "")]);
    // Pasted alone, it is a tag.
    check("[run]", &[(Tag::Run, "")]);
    check("[run]\nif a == b it is fine", &[(Tag::Run, "if a == b it is fine")]);
}

#[test]
fn other_words_in_brackets_are_not_tags() {
    check_none(&[
        "",
        "no brackets",
        "[ ] [x] [plans] [plan ] [ plan]",
        "[plan:fast] [run:all] [m:all] [d:1]",
        "[rule:] [rule:../x] [rule:a/b] [rule:-a] [rule:ü]",
        "[plan",
        "[]",
        "[é]",
    ]);
    check_none(&[&format!("[rule:{}]", "a".repeat(100))]);
}

proptest::proptest! {
    #[test]
    fn no_prompt_causes_a_panic(prompt in "([\\[\\]`~>:=ampnrud \n-]|.){0,80}") {
        for tagged in recognise(&prompt) {
            proptest::prop_assert!(prompt.contains(tagged.payload));
        }
    }
}

#[test]
fn quoted_tags_mean_nothing() {
    let text = "First [plan] it,\nthen [run]; `[d]` is quoted already.";
    assert_eq!(quoted(text), "First `[plan]` it,\nthen `[run]`; `[d]` is quoted already.");
    check_none(&[&quoted(text)]);
}

#[test]
fn case_does_not_matter_and_a_skill_may_be_called_by_its_name() {
    let first = |prompt: &str| recognise(prompt).first().map(|one| (one.tag.clone(), one.payload.to_owned()));
    let plan = |auto: bool, payload: &str| Some((Tag::Plan { auto }, payload.to_owned()));
    assert_eq!(first("[Plan] it"), plan(false, "it"));
    assert_eq!(first("[PLAN:Auto] it"), plan(true, "it"));
    assert_eq!(first("/nx-plan the move"), plan(false, "the move"));
    assert_eq!(first("/nudge:nx-plan auto the move"), plan(true, "auto the move"));
    assert_eq!(first("/mcp__nudge__nx-run"), Some((Tag::Run, String::new())));
    assert_eq!(first(" $nx-sync now"), Some((Tag::Sync, "now".to_owned())));
    assert_eq!(called_skill("see /nx-plan"), None);
    for (prompt, is_qualified) in [("/nx-plan x", false), ("$nx-plan", false), ("/nudge:nx-plan x", true)] {
        assert_eq!(called_skill(prompt), Some(CalledSkill { skill: "nx-plan", is_qualified }), "{prompt}");
    }
    for other in ["/nx-init", "/plan it", "nx-plan it", "see /nx-plan"] {
        assert_eq!(first(other), None, "{other}");
    }
}

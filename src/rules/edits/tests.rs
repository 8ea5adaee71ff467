//! Tests of this module.

use proptest::prelude::*;

use super::*;

fn once(old: &str, new: &str) -> Replacement {
    Replacement { old: old.into(), new: new.into(), all: false }
}

fn all(old: &str, new: &str) -> Replacement {
    Replacement { all: true, ..once(old, new) }
}

/// Shows a result with the added parts in brackets.
fn show(edited: Option<Edited>) -> Option<String> {
    let Edited { mut text, inserted } = edited?;
    for span in inserted.iter().rev() {
        text.insert(span.end, ']');
        text.insert(span.start, '[');
    }
    Some(text)
}

#[track_caller]
fn check_apply(before: &str, replacements: &[Replacement], expect: Option<&str>) {
    assert_eq!(show(apply(before, replacements)).as_deref(), expect);
}

#[track_caller]
fn check_locate(after: &str, replacements: &[Replacement], expect: Option<&str>) {
    assert_eq!(show(locate(after, replacements)).as_deref(), expect);
}

#[test]
fn one_replacement_changes_the_first_place_and_all_changes_every_one() {
    check_apply("a b a b", &[once("a", "x")], Some("[x] b a b"));
    check_apply("a b a b", &[all("a", "x")], Some("[x] b [x] b"));
    check_apply("aaa", &[all("aa", "b")], Some("[b]a"));
    check_apply("a", &[all("a", "aa")], Some("a[a]"));
}

#[test]
fn a_replacement_that_does_not_match_fails_the_edit() {
    check_apply("abc", &[once("x", "y")], None);
    check_apply("abc", &[once("a", "x"), once("a", "y")], None);
    check_apply("", &[once("x", "y")], None);
}

#[test]
fn an_empty_old_text_makes_a_new_file_and_nothing_else() {
    check_apply("", &[once("", "new")], Some("[new]"));
    check_apply("", &[once("", "new"), once("e", "E")], Some("[nEw]"));
    check_apply("abc", &[once("", "new")], None);
    check_apply("", &[once("", "")], Some("[]"));
}

#[test]
fn no_replacements_leave_the_file_as_it_is() {
    check_apply("abc", &[], Some("abc"));
}

#[test]
fn text_that_old_and_new_have_in_common_was_not_added() {
    check_apply("f(a)", &[once("f(a)", "f(a, b)")], Some("f(a[, b])"));
    check_apply("let x = 1;", &[once("let x = 1;", "let x = 2;")], Some("let x = [2];"));
    check_apply("aa", &[once("aa", "aaa")], Some("aa[a]"));
    check_apply("same", &[once("same", "same")], Some("same[]"));
}

#[test]
fn multibyte_characters_are_not_cut() {
    // é and è share their first byte; 日 and 旦 share two.
    check_apply("é!", &[once("é", "è")], Some("[è]!"));
    check_apply("x日y", &[once("日", "旦")], Some("x[旦]y"));
    check_apply("añb", &[once("aña", "")], None);
    check_apply("ßaß", &[once("ßaß", "ßßß")], Some("ß[ß]ß"));
}

#[test]
fn a_deletion_leaves_an_empty_span() {
    check_apply("foo bar", &[once("foo ", "")], Some("[]bar"));
    check_apply("con--sole", &[once("--", "")], Some("con[]sole"));
    check_apply("a.b", &[once("a.b", "ab")], Some("a[]b"));
}

#[test]
fn later_edits_move_the_earlier_spans() {
    check_apply("a b", &[once("b", "TODO"), once("a", "longer")], Some("[longer] [TODO]"));
    check_apply("a b", &[once("a", "TODO"), once("b", "x")], Some("[TODO] [x]"));
    check_apply("aXb", &[once("X", "one two"), once("one ", "")], Some("a[two]b"));
    check_apply("aXb", &[once("X", "TODO"), all("O", "00")], Some("a[T00D00]b"));
}

#[test]
fn an_earlier_insertion_that_a_later_edit_repeats_is_still_an_insertion() {
    check_apply("x()", &[once("x()", "x(TODO)"), once("x(TODO)", "x(TODO, y)")], Some("x([TODO, y])"));
    check_apply("é1", &[once("1", "TODO2"), once("éTODO2", "é, ßTODO2")], Some("é[, ßTODO2]"));
}

#[test]
fn an_earlier_insertion_may_be_replaced_by_something_shorter() {
    check_apply("a", &[once("a", "a very long text"), once("a very long text", "é")], Some("[é]"));
    check_apply("p a", &[once("a", "bbbbbbbb"), once("bbbbbb", "é")], Some("p [ébb]"));
    check_apply("p a", &[once("a", "bbbb"), once("p bbbb", "")], Some("[]"));
}

#[test]
fn new_texts_are_located_after_the_edit() {
    check_locate("x TODO y", &[once("a", "TODO")], Some("x [TODO] y"));
    check_locate("b b", &[all("a", "b")], Some("[b] [b]"));
    check_locate("b b", &[once("a", "b")], Some("[b] b"));
    check_locate("f(a, b)", &[once("f(a)", "f(a, b)")], Some("f(a[, b])"));
    check_locate("one two", &[once("2", "two"), once("1", "one")], Some("[one] [two]"));
    check_locate("one two", &[once("gone", "")], Some("one two"));
    check_locate("one two", &[once("2", "two"), once("1", "uno")], None);
    check_locate("aba", &[once("x", "ab"), once("y", "ba")], Some("[aba]"));
}

#[test]
fn thousands_of_changes_are_fast() {
    let before = "a ".repeat(50_000);
    let edited = apply(&before, &[all("a", "bb"), all("b", "cc"), all("cc cc", "d")]).unwrap();
    assert_eq!(edited.text.len(), before.len() / 2 * 5 - edited.text.matches('d').count() * 4);
}

/// The same as `apply`, in the simplest way.
fn naive(before: &str, replacements: &[Replacement]) -> Option<String> {
    replacements.iter().try_fold(before.to_owned(), |text, Replacement { old, new, all }| {
        match (old.is_empty(), text.contains(old.as_str())) {
            (true, _) => text.is_empty().then(|| new.clone()),
            (false, false) => None,
            (false, true) if *all => Some(text.replace(old.as_str(), new)),
            (false, true) => Some(text.replacen(old.as_str(), new, 1)),
        }
    })
}

fn word() -> impl Strategy<Value = String> {
    proptest::collection::vec(prop_oneof!["a", "b", "é", "è", "日", "\n"], 0..4)
        .prop_map(|letters| letters.concat())
}

fn replacement() -> impl Strategy<Value = Replacement> {
    (word(), word(), any::<bool>()).prop_map(|(old, new, all)| Replacement { old, new, all })
}

proptest! {
    #[test]
    fn the_result_is_that_of_plain_replacing(
        before in proptest::collection::vec(word(), 0..8).prop_map(|words| words.concat()),
        replacements in proptest::collection::vec(replacement(), 0..4),
    ) {
        let edited = apply(&before, &replacements);
        prop_assert_eq!(edited.as_ref().map(|edited| edited.text.clone()), naive(&before, &replacements));
        for edited in edited.into_iter().chain(locate(&before, &replacements)) {
            for span in &edited.inserted {
                prop_assert!(edited.text.get(span.clone()).is_some(), "{span:?} in {:?}", edited.text);
            }
            for pair in edited.inserted.windows(2) {
                prop_assert!(pair[0].end < pair[1].start, "{:?}", edited.inserted);
            }
        }
    }

    #[test]
    fn all_new_text_is_inside_the_spans(
        before in "[ab ]{0,12}",
        replacements in proptest::collection::vec(("[ab]{1,2}", "[abXY]{0,3}", any::<bool>()), 1..4),
    ) {
        let replacements: Vec<_> =
            replacements.into_iter().map(|(old, new, all)| Replacement { old, new, all }).collect();
        if let Some(edited) = apply(&before, &replacements) {
            for (at, letter) in edited.text.match_indices(['X', 'Y']) {
                prop_assert!(
                    edited.inserted.iter().any(|span| span.contains(&at)),
                    "{letter} at {at} in {edited:?}"
                );
            }
        }
    }
}

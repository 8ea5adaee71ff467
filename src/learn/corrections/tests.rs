//! What users take back in several sessions.

use super::corrected_things;
use crate::model::{Observation, ObservationType, REFUSAL, SessionId};
use crate::recall::fixture::{edited, ran, row};

fn in_session(mut row: Observation, session: &str) -> Observation {
    row.seen.session_id = SessionId(session.to_owned());
    row
}

fn prompt(id: i64, session: &str, text: &str) -> Observation {
    in_session(row(id, ObservationType::UserPrompt, text), session)
}

#[test]
fn corrections_of_one_thing_are_listed_with_what_they_correct() {
    let rows = [
        prompt(1, "a", "set the project up"),
        in_session(ran(2, "npm install", "npm install"), "a"),
        prompt(3, "a", "no, use pnpm here"),
        prompt(4, "b", "add a page for the cart"),
        in_session(edited(5, "/src/cart.ts"), "b"),
        prompt(6, "b", "I said no npm, we have pnpm"),
        in_session(edited(7, "/src/cart.ts"), "b"),
        prompt(8, "b", "no, keep the header"),
    ];
    let found = corrected_things(&rows);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!((found[0].word.as_str(), found[0].sessions), ("pnpm", 2));
    let shown: Vec<(i64, Option<i64>)> =
        found[0].corrections.iter().map(|one| (one.prompt.id.0, one.before.map(|row| row.id.0))).collect();
    assert_eq!(shown, [(6, Some(5)), (3, Some(2))]);
}

#[test]
fn words_at_a_refusal_are_corrections_and_first_prompts_are_not() {
    let refusal = |id, session: &str| {
        let row =
            in_session(row(id, ObservationType::UserPrompt, "the generated client is off limits"), session);
        row.with("kind", serde_json::json!(REFUSAL))
    };
    let mut second = refusal(2, "b");
    second.seen.content = "again the generated client".to_owned();
    assert_eq!(corrected_things(&[refusal(1, "a"), second])[0].corrections.len(), 2);
    // Nothing was done before it in this session.
    assert!(
        corrected_things(&[prompt(1, "a", "no, use pnpm"), prompt(2, "b", "no, use pnpm now")]).is_empty()
    );
    assert!(corrected_things(&[]).is_empty());
}

#[test]
fn the_same_words_in_several_sessions_are_several_corrections() {
    let rows: Vec<Observation> = ["a", "b", "c", "d"]
        .iter()
        .zip([1, 10, 20, 30])
        .flat_map(|(session, id)| {
            [
                prompt(id, session, "install lodash"),
                in_session(ran(id + 1, "npm install", "npm install lodash"), session),
                prompt(id + 2, session, "no, use pnpm"),
            ]
        })
        .collect();
    let found = corrected_things(&rows);
    assert_eq!(found.iter().map(|one| (one.word.as_str(), one.sessions)).collect::<Vec<_>>(), [("pnpm", 4)]);
}

//! How many answers may wait.

use hyper::StatusCode;

use super::{Answers, MAX_SMALL_BYTES};

#[test]
fn large_answers_share_their_room_and_give_it_back() {
    let answers = Answers::new();
    let large = || "x".repeat(16 << 20);
    let waiting: Vec<_> = (0..8).map(|_| answers.reply(large(), None)).collect();
    assert!(waiting.iter().all(|reply| reply.status() == StatusCode::OK));
    assert_eq!(answers.reply(large(), None).status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(answers.reply("x".repeat(MAX_SMALL_BYTES), None).status(), StatusCode::OK);
    drop(waiting);
    assert_eq!(answers.reply(large(), None).status(), StatusCode::OK);
}

#[tokio::test]
async fn a_batch_has_its_room_before_it_is_worked_on() {
    let answers = Answers::new();
    let large = || "x".repeat(16 << 20);
    let mut waiting = Vec::new();
    for _ in 0..8 {
        let turn = answers.batch_turn().await.ok();
        assert!(turn.is_some());
        waiting.push(answers.reply(large(), turn));
    }
    assert!(waiting.iter().all(|reply| reply.status() == StatusCode::OK));
    assert_eq!(
        answers.batch_turn().await.err().map(|reply| reply.status()),
        Some(StatusCode::SERVICE_UNAVAILABLE)
    );
    // A question alone may turn out to have a short answer.
    let turn = answers.turn().await.ok();
    assert_eq!(answers.reply("short".to_owned(), turn).status(), StatusCode::OK);
    waiting.pop();
    assert!(answers.batch_turn().await.is_ok());
}

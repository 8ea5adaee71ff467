//! How many answers may wait.

use hyper::StatusCode;

use super::{Answers, MAX_SMALL_BYTES};

#[test]
fn large_answers_share_their_room_and_give_it_back() {
    let answers = Answers::new();
    let large = || "x".repeat(16 << 20);
    let waiting: Vec<_> = (0..8).map(|_| answers.reply(large())).collect();
    assert!(waiting.iter().all(|reply| reply.status() == StatusCode::OK));
    assert_eq!(answers.reply(large()).status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(answers.reply("x".repeat(MAX_SMALL_BYTES)).status(), StatusCode::OK);
    drop(waiting);
    assert_eq!(answers.reply(large()).status(), StatusCode::OK);
}

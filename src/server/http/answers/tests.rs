//! How many large answers may wait to be read.

use hyper::StatusCode;

use super::{Answers, MAX_SMALL_BYTES, reply};

#[test]
fn large_answers_share_their_space_and_release_it() {
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
async fn a_batch_reserves_its_space_before_it_is_processed() {
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

#[tokio::test]
async fn mcp_answers_share_the_space_until_their_last_byte_is_sent() {
    use http_body_util::BodyExt;
    let answers = Answers::new();
    let large = 32 << 20;
    let open = || {
        let share = answers.share();
        share.take(large).map(|()| {
            let reply = reply::json(StatusCode::OK, "x".into());
            reply::holding(reply, share)
        })
    };
    let mut waiting: Vec<_> = (0..4).map(|_| open().expect("there is space")).collect();
    let refused = open().expect_err("there is no space");
    assert!(refused.contains("ask again"), "{refused}");
    assert_eq!(answers.reply("x".repeat(1 << 20), None).status(), StatusCode::SERVICE_UNAVAILABLE);
    assert!(
        answers.share().take(MAX_SMALL_BYTES).is_ok(),
        "a small one is sent beside any number of large ones"
    );
    // `hyper` drops the body before the last piece of it is sent.
    let mut body = waiting.pop().expect("a reply").into_body();
    let piece = body.frame().await.expect("a frame");
    drop(body);
    assert!(open().is_err(), "a piece that is not sent yet keeps the space");
    drop(piece);
    assert!(open().is_ok());
}

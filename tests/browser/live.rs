//! Live: what the stream brings is on the page without a reload, tabs share one stream, hidden pages are quiet.

use serde_json::{Value, json};

use crate::page::NOW_MS;
use crate::{Check, Stage};

pub(crate) const CHECKS: [(&str, Check); 5] = [
    ("live::marks_arrive_on_their_lane", marks_arrive_on_their_lane),
    ("live::rows_are_counted_while_nobody_follows", rows_are_counted),
    ("live::ten_tabs_share_one_stream", ten_tabs_share_one_stream),
    ("live::a_hidden_page_stops_reading_and_goes_on", a_hidden_page_stops_reading),
    ("live::stale_answers_are_asked_again", stale_answers_are_asked_again),
];

fn row(id: u32, kind: &str, target: &str) -> Value {
    json!({"id": id.to_string(), "at_ms": NOW_MS, "us": 700, "session": "d41c9a02", "agent": "claude-code", "project": "",
        "hook": "PreToolUse", "tool": "Edit", "target": target, "verdict": "block", "rule": "lock-file", "kind": kind,
        "parts": [], "told": 0, "obs": []})
}

fn marks_arrive_on_their_lane(stage: &Stage) {
    stage.show("/");
    stage.browser.wait_for("Live");
    let lane = json!({"id": "d41c9a02", "agent": "claude-code", "title": "Retry until the database is up",
        "from_ms": NOW_MS - 7_440_000, "to_ms": NOW_MS, "live": true});
    let marks = json!([
        [7_000_000, 4, 901, 0],
        [7_100_000, 5, 902, 0],
        [7_200_000, 6, 903, 0],
        [7_300_000, 7, 904, 0]
    ]);
    let carry = json!({"fix_id": 462, "fix_session": "09eff2b4", "told_id": 904, "session": "d41c9a02", "at_ms": NOW_MS - 140_000, "helped": false});
    stage.page.send("marks", &json!({"session": "d41c9a02", "lane": lane, "marks": marks, "arcs": [[901, 902]], "carries": [carry]}));
    stage.page.send("hook", &row(9100, "block", "yarn.lock"));
    stage.browser.wait_for("yarn.lock");
    for name in ["failed, 12:16, fixed after 1 m", "fixed, 12:18", "blocked, 12:20", "told, 12:21"] {
        stage.browser.wait(&format!(
            "[...document.querySelectorAll('.mark-button')].some((one) => one.getAttribute('aria-label').startsWith({}))",
            json!(name)
        ));
    }
    // A session that nobody knew gets a lane of its own.
    let lanes = stage.browser.ask("document.querySelectorAll('.lane').length");
    let lane = json!({"id": "77777777", "agent": "codex", "title": "A new session", "from_ms": NOW_MS - 60_000, "to_ms": NOW_MS, "live": true});
    stage.page.send(
        "marks",
        &json!({"session": "77777777", "lane": lane, "marks": [[0, 3, 950, 0]], "arcs": [], "carries": []}),
    );
    stage.browser.wait_for("A new session");
    stage.browser.wait(&format!("document.querySelectorAll('.lane').length === {lanes} + 1"));
    stage.assert_clean(&[]);
}

fn rows_are_counted(stage: &Stage) {
    stage.browser.size(1440, 400);
    stage.show("/live");
    stage.browser.script("scrollTo(0, 200)", &[]);
    stage.browser.wait("scrollY > 100");
    for id in 9200..9203 {
        stage.page.send("hook", &row(id, "block", &format!("held-{id}.lock")));
    }
    stage.browser.wait_for("3 new");
    assert_eq!(stage.browser.ask("document.body.innerText.includes('held-9200.lock')"), json!(false));
    stage.browser.press("f");
    stage.browser.wait_for("held-9202.lock");
    stage.assert_clean(&[]);
}

fn ten_tabs_share_one_stream(stage: &Stage) {
    stage.show("/live");
    for _ in 0..9 {
        stage.browser.new_tab();
        stage.browser.open(&format!("http://127.0.0.1:{}/ui/#/live", stage.page.port));
        stage.browser.settled();
    }
    assert_eq!(stage.browser.tabs().len(), 10);
    stage.page.send("hook", &row(9300, "block", "shared.lock"));
    stage.browser.wait_for("shared.lock");
    let streams = stage.page.streams();
    assert_eq!(streams, 1, "streams that are open for ten tabs");
    // The first tab, hidden meanwhile, has it when it is looked at again; so has the last when the reader is closed.
    let tabs = stage.browser.tabs();
    stage.browser.switch(&tabs[0]);
    stage.browser.wait_for("shared.lock");
    stage.assert_clean(&[]);
}

fn a_hidden_page_stops_reading(stage: &Stage) {
    stage.show("/live");
    stage.page.send("hook", &row(9400, "block", "seen.lock"));
    stage.browser.wait_for("seen.lock");
    // A tab that is behind another one counts as hidden; here the page is told so.
    let hide = |hidden: bool| {
        stage.browser.script(
            "Object.defineProperty(document, 'hidden', { configurable: true, value: arguments[0] });
             document.dispatchEvent(new Event('visibilitychange'));",
            &[json!(hidden)],
        );
    };
    hide(true);
    let mut is_quiet = false;
    for _ in 0..600 {
        is_quiet = stage.page.streams() == 0;
        if is_quiet {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert!(is_quiet, "a hidden page still reads");
    hide(false);
    let mut is_back = false;
    for _ in 0..600 {
        is_back = stage.page.streams() == 1;
        if is_back {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert!(is_back, "it reads again when it is looked at");
    stage.page.send("hook", &row(9401, "block", "again.lock"));
    stage.browser.wait_for("again.lock");
    stage.assert_clean(&[]);
}

fn stale_answers_are_asked_again(stage: &Stage) {
    stage.show("/rules");
    stage.page.asked();
    stage.page.send("stale", &json!({"what": ["rules"]}));
    let asked = || stage.page.asked().iter().any(|question| question.starts_with("rules"));
    stage.browser.wait("true");
    let mut seen = false;
    for _ in 0..400 {
        seen = seen || asked();
        if seen {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert!(seen, "the rules were not asked for again");
    stage.assert_clean(&[]);
}

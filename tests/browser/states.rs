//! Every page in every state: loaded, empty, failed, slow, without a server, narrow, in print.

use std::time::Duration;

use serde_json::{Value, json};

use crate::page::{Reply, sample};
use crate::{Check, Stage};

pub(crate) const CHECKS: [(&str, Check); 13] = [
    ("states::only_a_page_that_was_opened_for_it_changes_things", only_an_edit_page_changes_things),
    ("states::every_page_shows_the_sample", every_page_shows_the_sample),
    ("states::an_empty_memory_says_what_to_do", an_empty_memory_says_what_to_do),
    ("states::empty_answers_are_said_in_words", empty_answers_are_said_in_words),
    ("states::an_error_replaces_its_pane_and_can_be_tried_again", an_error_can_be_tried_again),
    ("states::every_page_says_what_went_wrong", every_page_says_what_went_wrong),
    ("states::garbage_is_an_error", garbage_is_an_error),
    ("states::a_slow_answer_shows_shapes_first", a_slow_answer_shows_shapes_first),
    ("states::a_server_that_is_gone_leaves_the_page_readable", a_server_that_is_gone),
    ("states::nothing_scrolls_sideways", nothing_scrolls_sideways),
    ("states::print_has_lanes_as_elements_and_no_buttons", print_has_lanes),
    ("states::times_stay_in_sight_below_many_lanes", times_stay_in_sight),
    ("states::without_a_key_the_page_is_closed", without_a_key),
];

/// The pages, with a text that each shows of the sample.
pub(crate) const PAGES: [(&str, &str); 13] = [
    ("/", "stopped 4 calls"),
    ("/live", "package-lock.json"),
    ("/sessions", "Cart totals wrong with two coupons"),
    ("/session/d41c9a02", "Told at session start"),
    ("/search?q=coupon+ECONNREFUSED", "7 groups of 46"),
    ("/walls", "connect ECONNREFUSED"),
    ("/files", "src/cart/total.ts"),
    ("/rules", "no-console-log"),
    ("/told", "at session start"),
    ("/hints", "docker compose up -d db"),
    ("/notes", "cart-rounding"),
    ("/plan", "Measure one million rows"),
    ("/health", "All hooks answer."),
];

fn every_page_shows_the_sample(stage: &Stage) {
    for (route, text) in PAGES {
        stage.show(route);
        stage.browser.wait_for(text);
        let heads = stage.browser.ask("document.querySelectorAll('h1').length");
        assert_eq!(heads, json!(1), "one h1 on {route}");
        let links = "[...document.querySelectorAll('[href]')].every((one) => one.getAttribute('href').startsWith('#/'))";
        assert_eq!(
            stage.browser.ask(&format!("{links} || document.querySelector('link') !== null")),
            json!(true)
        );
        let failure = stage.browser.ask("document.querySelector('.failure') === null");
        assert_eq!(failure, json!(true), "{route} shows an error");
        assert!(!stage.browser.address().contains("in=ticket"), "the ticket is out of the address");
        stage.assert_clean(&[]);
    }
}

fn empty_answers() -> Value {
    json!({
        "meta": {"version": "0", "instance": "x", "scope": "read", "agents": [{"id": "codex", "name": "Codex"}], "counts": {"rules": 5},
            "projects": [{"name": "shop", "root": "/shop", "last_ms": null, "observations": 0}], "retention_days": {}, "first_ms": null},
        "overview": {"agents": 0, "sessions": 0, "blocked": 0, "guided": 0, "carried": 0, "carried_helped": 0, "failures": 0,
            "fixed": 0, "open": 0, "told": {"deliveries": 0, "chars": 0, "tokens": 0, "parts": {}}, "hooks": {"p50_us": 0, "p95_us": 0, "lost": 0}},
        "density": {"from_ms": 0, "step_ms": 3_600_000, "all": [], "failed": [], "blocked": []},
        "lanes": {"sessions": [], "arcs": [], "carries": [], "more": false},
        "feed": {"rows": []}, "sessions": {"rows": []}, "walls": {"rows": [], "single": 0}, "files": {"rows": []},
        "rules": {"rules": [], "broken": [], "files": 0}, "told": {"rows": [], "by_part": {}, "by_agent": {}, "left_out": []},
        "hints": {"hints": [], "server": false}, "notes": {"rows": []},
        "plan": {"plan": null, "tasks": [], "layers": [], "longest": [], "flaws": [], "during": {}, "history": []},
        "search": {"took_us": 1, "total": 0, "groups": 0, "looked_for": [{"word": "x", "as": "stem"}], "left_out": [], "kinds": {}, "elsewhere": [], "hits": []},
        "health": {"hooks": {"latency": [], "dropped": 0, "problems": []}, "histogram": []},
    })
}

fn an_empty_memory_says_what_to_do(stage: &Stage) {
    stage.page.answer_all(&empty_answers());
    stage.show("/");
    for text in [
        "Nothing has been recorded",
        "Agents are connected",
        "Codex",
        "5 rules",
        "Start a session in this folder",
    ] {
        stage.browser.wait_for(text);
    }
    stage.browser.script(
        "[...document.querySelectorAll('button')].find((one) => one.innerText === 'Show a sample').click()",
        &[],
    );
    stage.browser.wait_for("Sample data.");
    stage.browser.wait_for("stopped 4 calls");
    let stored = stage.browser.ask("Object.keys(localStorage).join()");
    assert_eq!(stored, json!("nudge-key"), "the sample stores nothing");
    stage.browser.script("[...document.querySelectorAll('button')].find((one) => one.innerText === 'Leave the sample').click()", &[]);
    stage.browser.wait_for("Nothing has been recorded");
    stage.assert_clean(&[]);
}

fn empty_answers_are_said_in_words(stage: &Stage) {
    let words = [
        ("/live", "No hook yet."),
        ("/sessions", "No session today."),
        ("/search?q=x", "Nothing was found."),
        ("/walls", "No failure came back today."),
        ("/files", "No file was changed today."),
        ("/rules", "There are no rules here."),
        ("/told", "Nothing was told today."),
        ("/hints", "No hint server runs."),
        ("/notes", "Nothing has been written down yet."),
        ("/plan", "There is no plan and no task here."),
        ("/health", "No hook was called yet."),
    ];
    stage.page.answer_all(&empty_answers());
    for (route, text) in words {
        stage.show(route);
        stage.browser.wait_for(text);
    }
    stage.assert_clean(&[]);
}

fn an_error_can_be_tried_again(stage: &Stage) {
    for (status, endpoint, route) in [
        (500, "walls", "/walls"),
        (504, "sessions", "/sessions"),
        (429, "health", "/health"),
        (503, "rules", "/rules"),
    ] {
        stage.page.answer(endpoint, Reply::Error(status, "the memory is busy"));
        stage.show(route);
        stage.browser.wait_for("The memory is busy");
        stage.browser.wait_for("a hint");
        stage.page.answer(endpoint, Reply::Data(sample()["answers"][endpoint].clone()));
        stage.browser.script("document.querySelector('.failure button').click()", &[]);
        stage.browser.wait("!document.querySelector('.failure')");
    }
    // One pane that fails leaves the others as they are.
    stage.page.answer("walls", Reply::Error(500, "the memory is busy"));
    stage.show("/");
    stage.browser.wait_for("The memory is busy");
    stage.browser.wait_for("stopped 4 calls");
    stage.assert_clean(&["Failed to load resource"]);
}

/// Each page with the question that it is about.
const QUESTIONS: [(&str, &str); 13] = [
    ("/", "lanes"),
    ("/live", "feed"),
    ("/sessions", "sessions"),
    ("/session/d41c9a02", "session/d41c9a02"),
    ("/search?q=coupon+ECONNREFUSED", "search?q=coupon+ECONNREFUSED"),
    ("/walls", "walls"),
    ("/files", "files"),
    ("/rules", "rules"),
    ("/told", "told"),
    ("/hints", "hints"),
    ("/notes", "notes"),
    ("/plan", "plan"),
    ("/health", "health"),
];

/// Every page: slow, then with an error of the server, with one of a busy memory, with garbage, and well again.
fn every_page_says_what_went_wrong(stage: &Stage) {
    for ((route, question), (same, text)) in QUESTIONS.iter().zip(PAGES) {
        assert_eq!(*route, same);
        stage.page.answer(question, Reply::Held);
        stage.browser.open_anew(&stage.page.link(route));
        stage.browser.wait(
            "document.querySelector('.ghosts, .ghost-lanes') && !document.querySelector('main .waiting')",
        );
        for (reply, words) in [
            (Reply::Error(500, "the memory is busy"), "The memory is busy"),
            (Reply::Error(504, "this took longer than five seconds"), "This took longer than five seconds"),
            (Reply::Garbage, "something that is not JSON"),
        ] {
            stage.page.answer(question, reply);
            // The first is the answer that was waited for; the others are asked for again.
            stage.browser.script("document.querySelector('main .failure button')?.click()", &[]);
            stage.browser.wait_for(words);
        }
        stage.page.answer(question, Reply::Data(sample()["answers"][question].clone()));
        stage.browser.script("document.querySelector('main .failure button').click()", &[]);
        stage.browser.wait_for(text);
        stage.browser.wait("!document.querySelector('main .failure')");
        stage.assert_clean(&["Failed to load resource"]);
    }
}

fn garbage_is_an_error(stage: &Stage) {
    stage.page.answer("walls", Reply::Garbage);
    stage.show("/walls");
    stage.browser.wait_for("something that is not JSON");
    stage.assert_clean(&[]);
}

fn a_slow_answer_shows_shapes_first(stage: &Stage) {
    let walls = sample()["answers"]["walls"].clone();
    stage.page.answer("walls", Reply::Slow(Duration::from_secs(3), walls.clone()));
    stage.browser.open_anew(&stage.page.link("/walls"));
    stage.browser.wait("document.querySelector('.ghosts') && !document.querySelector('.waiting')");
    stage.browser.wait_for("connect ECONNREFUSED");
    // What is on the screen stays, dimmed, while the next answer is on its way.
    stage.browser.press("w");
    stage.browser.wait("document.querySelector('.stale')");
    assert_eq!(
        stage.browser.ask("document.querySelector('.stale').innerText.includes('ECONNREFUSED')"),
        json!(true)
    );
    stage.browser.wait("!document.querySelector('.stale')");
    stage.assert_clean(&[]);
}

fn a_server_that_is_gone(stage: &Stage) {
    stage.show("/");
    stage.browser.wait_for("stopped 4 calls");
    stage.page.answer_everything(Some(Reply::Gone));
    stage.browser.press("w");
    stage.browser.wait_for("The server is gone. Reconnecting…");
    stage.browser.wait_for("stopped 4 calls");
    stage.page.answer_everything(None);
    // The next try of the stream brings it back without a reload.
    stage.browser.wait("!document.body.innerText.includes('The server is gone')");
    stage.browser.wait_for("stopped 4 calls");
    stage.assert_clean(&["Failed to load resource"]);
}

/// The elements that make the page scroll sideways, with their right edge.
const TOO_WIDE: &str = "document.documentElement.scrollWidth <= innerWidth ? [] : \
    [...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > innerWidth) \
    .map((one) => `${one.tagName}.${one.getAttribute('class')} to ${one.getBoundingClientRect().right}`)";

fn nothing_scrolls_sideways(stage: &Stage) {
    for width in [320, 420, 760, 1080, 1440] {
        stage.browser.size(width, 900);
        for (route, _) in PAGES {
            stage.show(route);
            assert_eq!(stage.browser.ask(TOO_WIDE), json!([]), "{route} at {width}");
        }
    }
    // Neither does the longest word about the stream, beside the longest name of a project.
    for width in [320, 720, 760, 1080] {
        stage.browser.size(width, 900);
        stage.show("/");
        stage.browser.ask(
            "(document.querySelector('.live-sign span').textContent = 'Asking every 3 s', \
            document.querySelector('.project').firstChild.textContent = 'a-project-whose-name-never-ends')",
        );
        assert_eq!(stage.browser.ask(TOO_WIDE), json!([]), "the bar on top at {width}");
    }
    // Details are pages of their own in a narrow window.
    stage.browser.size(420, 900);
    stage.show("/rule/no-console-log");
    stage.browser.wait_for("Last firings");
    assert_eq!(stage.browser.ask("document.querySelector('.rules-table') === null"), json!(true));
}

fn times_stay_in_sight(stage: &Stage) {
    let mut lanes = sample()["answers"]["lanes"].clone();
    let sessions = lanes["sessions"].as_array().expect("lanes").clone();
    let copies = (0..4).flat_map(|copy| {
        sessions.iter().cloned().map(move |mut lane| {
            lane["id"] = json!(format!("{}{copy}", lane["id"].as_str().unwrap_or_default()));
            lane["parent"] = Value::Null;
            lane
        })
    });
    lanes["sessions"] = copies.collect();
    stage.page.answer("lanes", Reply::Data(lanes));
    stage.browser.size(1300, 1000);
    stage.show("/");
    stage.browser.wait("document.querySelectorAll('.lane').length >= 10");
    for end in ["0", "node.scrollHeight"] {
        stage.browser.script(
            &format!("const node = document.querySelector('.lane-scroll'); node.scrollTop = {end}"),
            &[],
        );
        stage.browser.settled();
        let places = "(() => { const at = (one) => document.querySelector(one).getBoundingClientRect();
            const [axis, box, words] = [at('.lanes-axis'), at('.lane-scroll'), at('.lane-switches')];
            return [box.height < 500, Math.abs(axis.bottom - box.bottom) < 1, words.top >= axis.top, words.bottom <= axis.bottom]; })()";
        assert_eq!(stage.browser.ask(places), json!([true, true, true, true]), "scrolled to {end}");
    }
    let drawn = "(() => { const node = document.querySelector('.lanes-axis');
        return node.getContext('2d').getImageData(0, 0, node.width, node.height).data.some((byte) => byte > 0); })()";
    assert_eq!(stage.browser.ask(drawn), json!(true), "the times are drawn");
    stage.assert_clean(&[]);
}

fn print_has_lanes(stage: &Stage) {
    for route in ["/", "/session/d41c9a02"] {
        stage.show(route);
        stage.browser.script("dispatchEvent(new Event('beforeprint'))", &[]);
        stage.browser.tools("Emulation.setEmulatedMedia", &json!({"media": "print", "features": []}));
        stage.browser.wait("document.querySelector('.lanes-svg path')");
        let hidden = "['.top', '.rail', '.button'].every((one) => [...document.querySelectorAll(one)].every((node) => getComputedStyle(node).display === 'none'))";
        assert_eq!(stage.browser.ask(hidden), json!(true), "{route}");
        stage.browser.wait_for("nudge 0.1.0");
        let light = stage.browser.text("getComputedStyle(document.body).backgroundColor");
        assert_eq!(light, "rgb(255, 255, 255)");
        stage.browser.script("dispatchEvent(new Event('afterprint'))", &[]);
        stage.browser.prefer(&[("prefers-color-scheme", "dark")]);
        stage.browser.wait("document.querySelector('.lanes-canvas')");
    }
}

fn only_an_edit_page_changes_things(stage: &Stage) {
    let route = "/search?q=coupon+ECONNREFUSED";
    stage.show(route);
    stage.browser.wait_for("nudge pin 460");
    assert_eq!(stage.browser.ask("document.body.innerText.includes('Forget')"), json!(false));
    let mut meta = sample()["answers"]["meta"].clone();
    meta["scope"] = json!("edit");
    stage.page.answer("meta", Reply::Data(meta));
    stage
        .page
        .answer("act", Reply::Data(json!({"count": 1, "pinned": 0, "sample": ["npm test"], "proof": "p"})));
    stage.show(route);
    stage.browser.wait_for("May change things");
    let press = |name: &str| {
        let find =
            "[...document.querySelectorAll('button')].find((one) => one.innerText === arguments[0]).click()";
        stage.browser.script(find, &[json!(name)]);
    };
    stage.browser.wait_for("Forget…");
    press("Forget…");
    stage.browser.wait_for("Forget 1 observation?");
    assert_eq!(
        stage.browser.ask("document.querySelector('.button-fail').disabled"),
        json!(true),
        "there is time to read"
    );
    assert_eq!(stage.browser.text("document.activeElement.innerText"), "Keep");
    stage.browser.wait("!document.querySelector('.button-fail').disabled");
    stage.page.asked();
    press("Forget 1 for good");
    stage.browser.wait_for("Forgot 1 observation.");
    assert!(stage.page.asked().iter().any(|question| question == "act"));
    stage.assert_clean(&[]);
}

fn without_a_key(stage: &Stage) {
    stage.show("/");
    stage.browser.script("localStorage.clear()", &[]);
    stage.browser.open_anew(&format!("http://127.0.0.1:{}/ui/#/", stage.page.port));
    stage.browser.wait_for("This page is closed");
    stage.browser.wait_for("nudge ui");
    // A key that the server does not know any more closes it, too.
    stage.show("/");
    stage.page.answer_everything(Some(Reply::Error(401, "this page has no way in any more")));
    stage.browser.press("w");
    stage.browser.wait_for("This page is closed");
    stage.page.answer_everything(None);
    stage.assert_clean(&["Failed to load resource"]);
}

//! Speed in the browser, as ratios and counts: the first page, moves of the pointer, and long lists.
//!
//! `NUDGE_SPEED=1` also holds the time of the first page to its limit, on a machine with nothing else to do.

use serde_json::{Value, json};

use crate::page::{NOW_MS, Reply};
use crate::{Check, Stage, say, setting};

pub(crate) const CHECKS: [(&str, Check); 3] = [
    ("speed::the_first_page_beside_an_empty_one", the_first_page),
    ("speed::moves_of_the_pointer_cause_no_layout", moves_cause_no_layout),
    ("speed::a_long_list_stays_small", a_long_list_stays_small),
];

/// When the largest text was painted, in milliseconds from the start of the navigation.
const PAINTED: &str = "
    const done = arguments[0];
    new PerformanceObserver((list) => done(list.getEntries().at(-1).startTime)).observe({ type: 'largest-contentful-paint', buffered: true });
    setTimeout(() => done(-1), 20000);
";

/// How often both pages are opened, in turn; the best times are compared, since a busy machine only adds to them.
const ROUNDS: usize = 9;

fn painted(stage: &Stage, address: &str) -> f64 {
    stage.browser.open_anew(address);
    stage.browser.wait("document.readyState === 'complete'");
    if address.contains("#in=") {
        stage.browser.settled();
    }
    stage.browser.script_later(PAINTED, &[]).as_f64().expect("a time")
}

fn the_first_page(stage: &Stage) {
    // A page of one line from the same server: what the browser and the connection cost.
    let page = stage.page.link("/");
    let empty = page.split("/ui/").next().expect("an address").to_owned() + "/empty.html";
    let (mut one, mut all) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..ROUNDS {
        one = one.min(painted(stage, &empty));
        all = all.min(painted(stage, &page));
    }
    let ratio = all / one;
    say(&format!("  first page: {all:.0} ms, an empty page {one:.0} ms: {ratio:.2}x (limit 3x)"));
    assert!(one > 0.0 && all > 0.0, "both were painted");
    // A busy machine slows a page that works and not one that does not, so the limit is held where the machine is quiet.
    assert!(ratio <= 3.0 || setting("NUDGE_SPEED") != "1", "{ratio:.2} times an empty page");
}

fn metric(stage: &Stage, name: &str) -> f64 {
    let all = stage.browser.tools("Performance.getMetrics", &json!({}));
    let found = all["metrics"].as_array().expect("metrics").iter().find(|one| one["name"] == name);
    found.and_then(|one| one["value"].as_f64()).unwrap_or_else(|| panic!("no {name}: {all}"))
}

fn moves_cause_no_layout(stage: &Stage) {
    stage.show("/");
    stage.browser.tools("Performance.enable", &json!({}));
    let place = stage.browser.ask("(() => { const box = document.querySelector('canvas').getBoundingClientRect(); return [box.left, box.top, box.width, box.height]; })()");
    let [left, top, width, height] = [0, 1, 2, 3].map(|at| place[at].as_f64().expect("a number"));
    // Above the lanes nothing opens, so only the moves themselves are counted.
    let move_to = |n: usize| {
        let x = left + width * (n as f64 / 120.0);
        let y = top + height * 0.999;
        stage.browser.tools("Input.dispatchMouseEvent", &json!({ "type": "mouseMoved", "x": x, "y": y }));
    };
    move_to(0);
    stage.browser.settled();
    let before = (metric(stage, "LayoutCount"), metric(stage, "RecalcStyleCount"));
    (0..120).for_each(move_to);
    let after = (metric(stage, "LayoutCount"), metric(stage, "RecalcStyleCount"));
    let (layouts, styles) = (after.0 - before.0, after.1 - before.1);
    say(&format!("  120 moves: {layouts} layouts, {styles} style recalculations (limits 0 and 120)"));
    assert!(layouts <= 0.0 && styles <= 120.0, "{layouts} layouts, {styles} recalculations");
}

fn rows(from: usize) -> Value {
    let row = |n: usize| {
        json!({"id": format!("{n:08x}"), "at_ms": NOW_MS - n as u64 * 1_000, "us": 700, "session": format!("s{}", n % 9),
            "agent": "claude-code", "project": "", "hook": "PostToolUse", "tool": "Bash", "target": format!("make target-{n}"),
            "verdict": "pass", "kind": "command", "parts": [], "told": 0, "obs": []})
    };
    json!({ "rows": (from..from + 100).map(row).collect::<Vec<_>>() })
}

fn a_long_list_stays_small(stage: &Stage) {
    stage.page.answer("feed", Reply::Data(rows(0)));
    stage.show("/live");
    let elements =
        |stage: &Stage| stage.browser.ask("document.querySelectorAll('*').length").as_u64().expect("a count");
    let first = elements(stage);
    for n in 0..2_000_u64 {
        let row = json!({"id": format!("new{n:06}"), "at_ms": NOW_MS + n, "us": 700, "session": format!("s{}", n % 9),
            "agent": "codex", "project": "", "hook": "PostToolUse", "tool": "Bash", "target": format!("make new-{n}"),
            "verdict": "pass", "kind": "command", "parts": [], "told": 0, "obs": []});
        stage.page.send("hook", &row);
    }
    stage.browser.wait_for("make new-1999");
    let last = elements(stage);
    say(&format!("  elements after 2,000 rows: {last}, before {first} (limits 1.5x and 2,500)"));
    assert!(2 * last <= 3 * first && last <= 2_500, "{last} elements, {first} at first");
}

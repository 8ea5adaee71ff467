//! Speed in the browser, as ratios and counts: the first page, moves of the pointer, and long lists.
//!
//! `NUDGE_SPEED=1` also holds times to their limits, on a machine with nothing else to do.

use serde_json::{Value, json};

use crate::page::{NOW_MS, Reply};
use crate::{Check, Stage, say, setting};

pub(crate) const CHECKS: [(&str, Check); 6] = [
    ("speed::the_first_page_beside_an_empty_one", the_first_page),
    ("speed::moves_of_the_pointer_cause_no_layout", moves_cause_no_layout),
    ("speed::a_long_list_stays_small", a_long_list_stays_small),
    ("speed::many_marks_are_drawn_like_few", many_marks_are_drawn_like_few),
    ("speed::long_use_keeps_the_heap_small", long_use_keeps_the_heap_small),
    ("speed::a_stream_of_hooks_blocks_nothing_for_long", hooks_block_nothing_for_long),
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

/// A hundred rows at first, then as many at a time as the server gives.
fn rows(from: u64) -> Value {
    let count = if from == 0 { 100 } else { 200 };
    let row = |n: u64| {
        json!({"id": format!("{n:08x}"), "at_ms": NOW_MS - n * 1_000, "us": 700, "session": format!("s{}", n % 9),
            "agent": "claude-code", "project": "", "hook": "PostToolUse", "tool": "Bash", "target": format!("make target-{n}"),
            "verdict": "pass", "kind": "command", "parts": [], "told": 0, "obs": []})
    };
    json!({ "rows": (from..from + count).map(row).collect::<Vec<_>>() })
}

fn a_long_list_stays_small(stage: &Stage) {
    stage.page.answer("feed", Reply::Endless(rows));
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
    // A hundred thousand older rows, page by page.
    stage.show("/live");
    stage.browser.tools("Performance.enable", &json!({}));
    let light = heap(stage);
    stage.browser.script(
        "window.pages = 0;
         const next = () => {
             const button = [...document.querySelectorAll('.list-foot button')].find((one) => one.textContent === 'Older' && !one.disabled);
             if (button) { button.click(); window.pages += 1; }
             if (window.pages < 500) requestAnimationFrame(next);
         };
         next();",
        &[],
    );
    // A busy machine takes its time, so every part of the way has one of its own.
    for pages in (25..=500).step_by(25) {
        stage.browser.wait(&format!("window.pages >= {pages}"));
    }
    stage.browser.wait_for("make target-100050");
    stage.browser.settled();
    let (last, heavy) = (elements(stage), heap(stage));
    say(&format!(
        "  elements after 100,000 rows: {last}, before {first} (limits 1.5x and 2,500); heap {:.1} MB, before {:.1} MB",
        heavy / 1e6,
        light / 1e6
    ));
    assert!(2 * last <= 3 * first && last <= 2_500, "{last} elements after scrolling, {first} at first");
    assert!(heavy <= 2.0 * light, "the heap grew from {light} to {heavy}");
}

/// Forty sessions of a day with this many marks in all, as loud as real ones are.
fn lanes(marks: u64) -> Value {
    const SESSIONS: u64 = 40;
    let each = marks / SESSIONS;
    let lane = |session: u64| {
        let kind = |n: u64| match n {
            n if n % 40 == 0 => 3,
            n if n % 20 == 7 => 4,
            n if n % 20 == 9 => 5,
            n => n % 3,
        };
        let from_ms = NOW_MS - 8 * 3_600_000 + session * 600_000;
        let marks: Vec<Value> =
            (0..each).map(|n| json!([n * 3_600_000 / each, kind(n), session * each + n + 1, 0])).collect();
        json!({"id": format!("many{session:04}"), "agent": "codex", "project": "", "title": format!("session {session}"),
            "from_ms": from_ms, "to_ms": from_ms + 3_600_000, "live": false, "marks": marks})
    };
    json!({"sessions": (0..SESSIONS).map(lane).collect::<Vec<_>>(), "arcs": [], "carries": [], "more": false})
}

/// The seconds that tasks of the page took while the lanes were drawn anew ten times.
fn redrawn(stage: &Stage, marks: u64) -> f64 {
    stage.page.answer("lanes", Reply::Data(lanes(marks)));
    stage.show("/");
    stage.browser.wait_for("session 39");
    stage.browser.tools("Performance.enable", &json!({}));
    let before = metric(stage, "TaskDuration");
    stage.browser.script_later(
        "const done = arguments[0];
         const button = [...document.querySelectorAll('.lane-switches .switch')].find((one) => one.textContent === 'Fold');
         let n = 0;
         const next = () => { if (n++ === 10) return done(true); button.click(); requestAnimationFrame(() => requestAnimationFrame(next)); };
         next();",
        &[],
    );
    metric(stage, "TaskDuration") - before
}

fn many_marks_are_drawn_like_few(stage: &Stage) {
    let (mut few, mut many) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..3 {
        few = few.min(redrawn(stage, 6_600));
        many = many.min(redrawn(stage, 20_000));
    }
    let ratio = many / few;
    say(&format!(
        "  20,000 marks: {:.0} ms, 6,600 {:.0} ms: {ratio:.2}x (limit 4x)",
        many * 100.0,
        few * 100.0
    ));
    assert!(few > 0.0, "something was drawn");
    assert!(ratio <= 4.0 || setting("NUDGE_SPEED") != "1", "{ratio:.2} times 6,600 marks");
    stage.assert_clean(&[]);
}

fn heap(stage: &Stage) -> f64 {
    stage.browser.tools("HeapProfiler.collectGarbage", &json!({}));
    metric(stage, "JSHeapUsedSize")
}

fn long_use_keeps_the_heap_small(stage: &Stage) {
    stage.show("/");
    stage.browser.tools("Performance.enable", &json!({}));
    let first = heap(stage);
    for round in 0..5_u64 {
        for route in [
            "/live",
            "/sessions",
            "/session/d41c9a02",
            "/search?q=coupon+ECONNREFUSED",
            "/walls",
            "/files",
            "/rules",
            "/told",
            "/hints",
            "/notes",
            "/plan",
            "/",
        ] {
            stage.browser.script("location.hash = arguments[0]", &[json!(format!("#{route}"))]);
            stage.browser.settled();
        }
        for n in 0..400_u64 {
            let id = round * 400 + n;
            stage.page.send("hook", &json!({"id": format!("heap{id:05}"), "at_ms": NOW_MS + id, "us": 700,
                "session": "d41c9a02", "agent": "codex", "project": "", "hook": "PostToolUse", "tool": "Bash",
                "target": format!("make heap-{id}"), "verdict": "pass", "kind": "command", "parts": [], "told": 0, "obs": []}));
        }
        stage.browser.wait_for(&format!("make heap-{}", round * 400 + 399));
    }
    let last = heap(stage);
    let ratio = last / first;
    say(&format!(
        "  script heap: {:.1} MB, at first {:.1} MB: {ratio:.2}x (limit 2x)",
        last / 1e6,
        first / 1e6
    ));
    assert!(ratio <= 2.0, "{ratio:.2} times the first screen");
    stage.assert_clean(&[]);
}

/// Measures the longest time in which nothing else could run, from now until it is read.
const WATCH_GAPS: &str = "
    const channel = new MessageChannel();
    let last = performance.now();
    window.longest = 0;
    channel.port1.onmessage = () => {
        const now = performance.now();
        window.longest = Math.max(window.longest, now - last);
        last = now;
        setTimeout(() => channel.port2.postMessage(0), 1);
    };
    channel.port2.postMessage(0);
";

fn hooks_block_nothing_for_long(stage: &Stage) {
    stage.show("/");
    stage.browser.script(WATCH_GAPS, &[]);
    let longest = || stage.browser.ask("window.longest").as_f64().expect("a time");
    for _ in 0..20 {
        stage.browser.script("document.querySelector('.lane-switches .switch:last-child').click(); window.dispatchEvent(new Event('resize'));", &[]);
        stage.browser.settled();
    }
    let idle = longest();
    stage.browser.script("window.longest = 0", &[]);
    // Two hundred a second, with their marks.
    for n in 0..600_u64 {
        stage.page.send("hook", &json!({"id": format!("fast{n:05}"), "at_ms": NOW_MS + n, "us": 700,
            "session": "d41c9a02", "agent": "claude-code", "project": "", "hook": "PostToolUse", "tool": "Bash",
            "target": format!("make fast-{n}"), "verdict": "pass", "kind": "command", "parts": [], "told": 0, "obs": []}));
        let lane = json!({"id": "d41c9a02", "agent": "claude-code", "title": "Retry until the database is up",
            "from_ms": NOW_MS - 7_440_000, "to_ms": NOW_MS, "live": true});
        stage.page.send("marks", &json!({"session": "d41c9a02", "lane": lane, "marks": [[7_000_000 + n * 500, 2, 10_000 + n, 0]], "arcs": [], "carries": []}));
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    stage.browser.wait_for("make fast-599");
    let ratio = longest() / idle;
    say(&format!(
        "  longest task with 200 hooks a second: {:.0} ms, of a redraw {idle:.0} ms: {ratio:.2}x (limit 5x)",
        longest()
    ));
    assert!(idle > 0.0, "something was drawn");
    assert!(ratio <= 5.0 || setting("NUDGE_SPEED") != "1", "{ratio:.2} times an idle redraw");
    stage.assert_clean(&[]);
}

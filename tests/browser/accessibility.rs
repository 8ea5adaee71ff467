//! Accessibility: axe on every page, names for every loud mark, shapes without colour, no motion where none is wanted.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::states::PAGES;
use crate::{Check, Stage, say, setting};

pub(crate) const CHECKS: [(&str, Check); 6] = [
    ("accessibility::axe_finds_nothing", axe_finds_nothing),
    ("accessibility::every_loud_mark_has_a_button_with_a_name", every_loud_mark_has_a_button),
    ("accessibility::tab_reaches_everything_and_is_never_trapped", tab_is_never_trapped),
    ("accessibility::shapes_tell_marks_apart_without_colour", shapes_tell_marks_apart),
    ("accessibility::reduced_motion_and_forced_colours", reduced_motion_and_forced_colours),
    ("accessibility::larger_text_and_wider_spacing_lose_nothing", larger_text_loses_nothing),
];

/// Where `scripts/ui-tools` puts axe.
fn axe() -> Option<String> {
    let home = setting("HOME");
    let cache = match setting("XDG_CACHE_HOME") {
        text if text.is_empty() => PathBuf::from(home).join(".cache"),
        text => PathBuf::from(text),
    };
    fs::read_to_string(cache.join("nudge-ui-tools/axe.min.js")).ok()
}

fn violations(stage: &Stage, axe: &str) -> Vec<String> {
    let run = "const done = arguments[0];
        axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']}).then((found) =>
            done(found.violations.flatMap((one) => one.nodes.map((node) => one.id + ': ' + node.target.join(' ') + ' ' + (node.any[0]?.message ?? '')))),
            (error) => done(['axe failed: ' + error]));";
    stage.browser.script(&format!("{axe}; window.axe = axe; return true;"), &[]);
    let found = stage.browser.script_later(run, &[]);
    found.as_array().expect("a list").iter().map(|one| one.as_str().unwrap_or_default().to_owned()).collect()
}

fn axe_finds_nothing(stage: &Stage) {
    let Some(axe) = axe() else {
        say("  axe: not run (scripts/ui-tools fetches it)");
        assert_ne!(setting("NUDGE_BROWSER"), "required", "axe is required");
        return;
    };
    let mut all = Vec::new();
    for (theme, width) in [("dark", 1440), ("light", 1440), ("dark", 420), ("light", 420), ("light", 760)] {
        stage.browser.prefer(&[("prefers-color-scheme", theme)]);
        stage.browser.size(width, 900);
        for (route, _) in PAGES {
            stage.show(route);
            let found = violations(stage, &axe);
            all.extend(found.into_iter().map(|one| format!("{route} {theme} {width}: {one}")));
        }
    }
    stage.browser.size(1440, 900);
    stage.show("/");
    stage.browser.script("document.querySelectorAll('.mark-button')[3].focus()", &[]);
    stage.browser.wait("document.querySelector('.popover')");
    all.extend(violations(stage, &axe).into_iter().map(|one| format!("pop-over: {one}")));
    stage.browser.press("?");
    stage.browser.wait("document.querySelector('dialog[open]')");
    all.extend(violations(stage, &axe).into_iter().map(|one| format!("dialog: {one}")));
    for (what, width, click, shown) in [
        ("menu of projects", 1440, ".menu .project", ".menu-list"),
        ("the lanes as a table", 1440, ".lane-switches .switch", ".recorder table"),
        ("more pages", 420, ".tabs button", ".tab-more"),
    ] {
        stage.browser.size(width, 900);
        stage.show("/");
        stage.browser.script("document.querySelector(arguments[0]).click()", &[json!(click)]);
        stage.browser.wait(&format!("document.querySelector('{shown}')"));
        all.extend(violations(stage, &axe).into_iter().map(|one| format!("{what}: {one}")));
        stage.browser.script("document.querySelector(arguments[0]).click()", &[json!(click)]);
    }
    assert!(all.is_empty(), "{} violations:\n{}", all.len(), all.join("\n"));
}

fn every_loud_mark_has_a_button(stage: &Stage) {
    stage.show("/");
    let lanes = crate::page::sample()["answers"]["lanes"].clone();
    let loud = |mark: &&Value| mark[1].as_u64().expect("a kind") >= 3;
    let sessions = lanes["sessions"].as_array().expect("a list");
    let marks: usize = sessions
        .iter()
        .map(|lane| lane["marks"].as_array().expect("marks").iter().filter(loud).count())
        .sum();
    let buttons = stage.browser.ask("[...document.querySelectorAll('.mark-button')].filter((one) => one.getAttribute('aria-label').length > 12).length");
    assert_eq!(buttons, json!(marks));
    assert_eq!(
        stage.browser.ask("document.querySelectorAll('.mark-button[tabindex=\"0\"]').length"),
        json!(1)
    );
    assert_eq!(
        stage.browser.ask("document.querySelector('.lanes-canvas').getAttribute('aria-hidden')"),
        json!("true")
    );
    assert_eq!(stage.browser.ask("document.querySelectorAll('main, nav, header.top').length"), json!(3));
    assert_eq!(
        stage
            .browser
            .ask("[...document.querySelectorAll('time')].every((one) => /^\\d{4}-/.test(one.dateTime))"),
        json!(true)
    );
}

fn tab_is_never_trapped(stage: &Stage) {
    for route in ["/", "/rules", "/search"] {
        stage.show(route);
        stage.browser.script("document.activeElement.blur()", &[]);
        let all = stage.browser.ask("[...document.querySelectorAll('a[href], button:not([disabled]), input, select, textarea, [tabindex=\"0\"]')].filter((one) => one.tabIndex >= 0 && one.offsetParent !== null).length");
        let all = all.as_u64().expect("a number");
        let mut reached = 0;
        for _ in 0..all + 5 {
            stage.browser.press("\u{e004}");
            let fresh = stage.browser.ask("document.activeElement !== document.body && !document.activeElement.__seen && (document.activeElement.__seen = true)");
            reached += u64::from(fresh == json!(true));
        }
        assert!(reached >= all, "{route}: Tab reached {reached} of {all}");
    }
    stage.show("/");
    stage.browser.script("document.activeElement.blur()", &[]);
    stage.browser.press("\u{e004}");
    assert_eq!(stage.browser.text("document.activeElement.className"), "skip");
    stage.browser.press("\u{e007}");
    assert_eq!(stage.browser.text("document.activeElement.id"), "main");
}

/// Cuts the legend's glyphs out of a picture in which all is grey, and returns for each pair what share of their pixels differs.
const SHAPES: &str = "
    const [picture, boxes, done] = arguments;
    const image = new Image();
    image.onerror = () => done([]);
    image.onload = () => {
        const side = 16;
        const shapes = boxes.map(([left, top]) => {
            const canvas = document.createElement('canvas');
            canvas.width = canvas.height = side;
            const context = canvas.getContext('2d');
            context.drawImage(image, left, top, side, side, 0, 0, side, side);
            const { data } = context.getImageData(0, 0, side, side);
            const light = [];
            for (let i = 0; i < data.length; i += 4) light.push(data[i]);
            // Drawn or not drawn: how light it is may not matter.
            return { drawn: light.map((one) => Math.abs(one - light[0]) > 40), grey: [...Array(side * side).keys()].every((i) => Math.abs(data[4 * i] - data[4 * i + 2]) < 12) };
        });
        const out = [];
        shapes.forEach((a, i) => shapes.slice(i + 1).forEach((b) => out.push([a.grey && b.grey, a.drawn.filter((one, k) => one !== b.drawn[k]).length / side / side])));
        done(out);
    };
    image.src = 'data:image/png;base64,' + picture;
";

/// No two kinds of marks have one shape, neither as they are described nor as somebody sees them who sees no colour.
fn shapes_tell_marks_apart(stage: &Stage) {
    stage.show("/");
    let script = "
        const names = ['prompt', 'read', 'edit', 'command', 'failed', 'fixed', 'blocked', 'told', 'commit'];
        const shapes = names.map((name) => [...document.getElementById('/glyph/' + name).querySelectorAll('path')].map((path) => path.getAttribute('d')).join());
        return [new Set(shapes).size, names.length];";
    let found = stage.browser.script(script, &[]);
    assert_eq!(found[0], found[1], "two kinds of marks have one shape");
    stage.browser.tools("Emulation.setEmulatedVisionDeficiency", &json!({"type": "achromatopsia"}));
    stage.browser.settled();
    let boxes = stage.browser.ask(
        "[...document.querySelectorAll('.legend .glyph')].map((one) => { const box = one.getBoundingClientRect(); return [Math.round(box.left) - 1, Math.round(box.top) - 1]; })",
    );
    let picture = stage.browser.picture();
    stage.browser.tools("Emulation.setEmulatedVisionDeficiency", &json!({"type": "none"}));
    assert_eq!(boxes.as_array().map(Vec::len), Some(8));
    stage.browser.open("about:blank");
    let pairs = stage.browser.script_later(SHAPES, &[json!(picture), boxes]);
    let pairs = pairs.as_array().expect("pairs").clone();
    assert_eq!(pairs.len(), 28, "every glyph is compared with every other");
    for pair in &pairs {
        assert_eq!(pair[0], json!(true), "the picture has colours");
        assert!(pair[1].as_f64().is_some_and(|share| share > 0.04), "two shapes look alike: {pairs:?}");
    }
}

/// WCAG 1.4.4 and 1.4.12: text of twice the size, and more room between letters, words and lines.
fn larger_text_loses_nothing(stage: &Stage) {
    let spacing = "const sheet = new CSSStyleSheet();
        sheet.replaceSync(arguments[0]);
        document.adoptedStyleSheets = [sheet];";
    let wide = "* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; } p { margin-bottom: 2em !important; }";
    for (width, style) in [(1440, wide), (420, wide), (1280, "html { font-size: 200% !important; }")] {
        stage.browser.size(width, 900);
        for (route, _) in PAGES {
            stage.show(route);
            stage.browser.script(spacing, &[json!(style)]);
            stage.browser.settled();
            let over = stage.browser.ask("document.documentElement.scrollWidth - innerWidth");
            assert_eq!(over, json!(0), "{route} at {width} scrolls sideways with {style}");
            let cut = stage.browser.ask(
                "[...document.querySelectorAll('button, .chip, h1, h2, th')].filter((one) => one.offsetParent && one.clientWidth > 2 && one.scrollHeight > one.clientHeight + 8 && getComputedStyle(one).overflowY === 'hidden' && getComputedStyle(one).webkitLineClamp === 'none').map((one) => one.textContent.slice(0, 40))",
            );
            assert_eq!(cut, json!([]), "{route} at {width} cuts texts with {style}");
        }
    }
}

fn reduced_motion_and_forced_colours(stage: &Stage) {
    stage.browser.prefer(&[("prefers-reduced-motion", "reduce"), ("prefers-color-scheme", "dark")]);
    stage.show("/");
    stage.browser.script("document.querySelectorAll('.mark-button')[2].focus()", &[]);
    stage.browser.wait("document.querySelector('.popover')");
    assert_eq!(stage.browser.ask("document.getAnimations().length"), json!(0));
    stage.browser.prefer(&[("forced-colors", "active")]);
    stage.show("/rules");
    stage.browser.wait_for("no-console-log");
    let drawn = "[...document.querySelectorAll('.rules-table .glyph')].every((one) => one.getBoundingClientRect().width > 8)";
    assert_eq!(stage.browser.ask(drawn), json!(true));
}

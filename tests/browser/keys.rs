//! Keys: what each does on each page, that none acts in a field, and that all of them can be switched off.

use serde_json::json;

use crate::{Check, Stage};

pub(crate) const CHECKS: [(&str, Check); 7] = [
    ("keys::a_key_leads_where_the_list_says", a_key_leads_where_the_list_says),
    ("keys::the_common_keys_act_on_every_page", common_keys_act_on_every_page),
    ("keys::rows_are_walked_and_opened", rows_are_walked_and_opened),
    ("keys::marks_are_walked_with_arrows", marks_are_walked_with_arrows),
    ("keys::no_key_acts_in_a_field", no_key_acts_in_a_field),
    ("keys::switched_off_they_are_off", switched_off_they_are_off),
    ("keys::the_view_keeps_focus_and_order", the_view_keeps_focus_and_order),
];

const ESCAPE: &str = "\u{e00c}";
const ENTER: &str = "\u{e007}";
const RIGHT: &str = "\u{e014}";
const DOWN: &str = "\u{e015}";
const TAB: &str = "\u{e004}";

fn hash(stage: &Stage) -> String {
    stage.browser.text("location.hash")
}

fn a_key_leads_where_the_list_says(stage: &Stage) {
    let table = [
        ("/", "2", "#/live"),
        ("/", "3", "#/sessions"),
        ("/walls", "1", "#/"),
        ("/", "5", "#/walls"),
        ("/", "7", "#/rules"),
        ("/", "9", "#/hints"),
        ("/walls", "/", "#/search"),
        ("/rules", "w", "#/rules?r=7d"),
        ("/rules", "m", "#/rules?r=30d"),
        ("/rules?r=30d", "d", "#/rules"),
        ("/sessions", "a", "#/sessions?agent=claude-code"),
        ("/files", "f", "#/live"),
    ];
    for (route, key, expected) in table {
        stage.show(route);
        stage.browser.press(key);
        stage.browser.wait(&format!("location.hash === '{expected}'"));
    }
    stage.show("/");
    stage.browser.press("?");
    stage.browser.wait("document.querySelector('dialog[open]')");
    stage.browser.press("2");
    assert_eq!(hash(stage), "#/", "no key acts behind the list of keys");
    stage.browser.press(ESCAPE);
    stage.browser.wait("!document.querySelector('dialog[open]')");
    stage.browser.settled();
    stage.browser.press("t");
    stage.browser.wait("document.querySelector('.recorder table')");
    stage.browser.settled();
    stage.browser.press("t");
    stage.browser.wait("document.querySelector('.lanes-canvas')");
    stage.browser.settled();
    let lanes = "document.querySelectorAll('.lane').length";
    let before = stage.browser.ask(lanes);
    stage.browser.press("z");
    stage.browser.wait(&format!("{lanes} === {before} - 1"));
    stage.browser.press("z");
    stage.browser.press("x");
    stage.browser.wait("[...document.querySelectorAll('.mark-button')].every((one) => /^(failed|blocked)/.test(one.getAttribute('aria-label')))");
    stage.browser.press("x");
    stage.browser.press("h");
    stage.browser.wait_for("Show the whole range");
    stage.browser.press(ESCAPE);
    stage.browser.wait("!document.body.innerText.includes('Show the whole range')");
    stage.browser.press("p");
    stage.browser.wait("document.activeElement.classList.contains('menu-item')");
    stage.browser.press(ESCAPE);
    stage.browser.wait("!document.querySelector('.menu-list')");
    stage.assert_clean(&[]);
}

fn common_keys_act_on_every_page(stage: &Stage) {
    for (route, _) in crate::states::PAGES {
        stage.show(route);
        stage.browser.script(
            "window.copied = []; navigator.clipboard.writeText = async (text) => { window.copied.push(text); };
             document.activeElement?.blur();",
            &[],
        );
        stage.browser.press("m");
        stage.browser.wait("new URLSearchParams(location.hash.split('?')[1]).get('r') === '30d'");
        stage.browser.settled();
        stage.browser.script("document.activeElement?.blur()", &[]);
        stage.browser.press("y");
        stage.browser.wait("window.copied.at(-1)?.startsWith('nudge ')");
        stage.browser.press("Y");
        stage.browser.wait("window.copied.at(-1) === location.href");
        stage.browser.press("?");
        stage.browser.wait("document.querySelector('dialog[open]')");
        stage.browser.press(ESCAPE);
        stage.browser.wait("!document.querySelector('dialog[open]')");
        stage.browser.script("document.activeElement?.blur()", &[]);
        stage.browser.press("p");
        stage.browser.wait("document.activeElement.classList.contains('menu-item')");
        stage.browser.press(ESCAPE);
        stage.browser.wait("!document.querySelector('.menu-list')");
        let other = if route == "/walls" { ("3", "#/sessions?r=30d") } else { ("5", "#/walls?r=30d") };
        stage.browser.script("document.activeElement?.blur()", &[]);
        stage.browser.press(other.0);
        stage.browser.wait(&format!("location.hash === '{}'", other.1));
    }
    stage.assert_clean(&[]);
}

fn rows_are_walked_and_opened(stage: &Stage) {
    for (route, opened) in [
        ("/rules", "#/rule/lock-file"),
        ("/walls", "#/wall/playwright-timeout"),
        ("/notes", "#/note/database-in-tests"),
    ] {
        stage.show(route);
        stage.browser.press("jj");
        stage.browser.wait("document.activeElement.hasAttribute('data-row')");
        stage.browser.press("k");
        stage.browser.press("j");
        stage.browser.press(ENTER);
        stage.browser.wait(&format!("location.hash === '{opened}'"));
        // A page has its keys when it is drawn.
        stage.browser.settled();
        stage.browser.press(ESCAPE);
        stage.browser.wait(&format!("location.hash === '#{route}'"));
    }
}

fn marks_are_walked_with_arrows(stage: &Stage) {
    stage.show("/");
    stage.browser.script("document.querySelector('.mark-button[tabindex=\"0\"]').focus()", &[]);
    stage.browser.wait("document.querySelector('.popover')");
    let first = stage.browser.text("document.activeElement.getAttribute('aria-label')");
    stage.browser.press(RIGHT);
    stage.browser.wait(&format!("document.activeElement.getAttribute('aria-label') !== {}", json!(first)));
    assert_eq!(stage.browser.ask("document.activeElement.classList.contains('mark-button')"), json!(true));
    let lane = "document.activeElement.closest('.lane').querySelector('.lane-label')?.innerText";
    let before = stage.browser.text(lane);
    stage.browser.press(DOWN);
    stage.browser.wait(&format!("({lane}) !== {}", json!(before)));
    stage.browser.press(ESCAPE);
    stage.browser.wait("!document.querySelector('.popover')");
    stage.browser.press(ENTER);
    stage.browser.wait("/^#\\/session\\/[0-9a-f]+\\?[ot]=\\d+$/.test(location.hash)");
    stage.browser.wait("document.querySelector('.item-aimed') || document.querySelector('.turn')");
    stage.assert_clean(&[]);
}

fn no_key_acts_in_a_field(stage: &Stage) {
    stage.show("/search");
    stage.browser.wait("document.activeElement.id === 'search'");
    stage.browser.press("2xdwm?p");
    stage.browser.wait("document.getElementById('search').value === '2xdwm?p'");
    stage.browser.wait("location.hash.startsWith('#/search?q=2xdwm')");
    stage.browser.press(ESCAPE);
    stage.browser.wait("document.getElementById('search').value === ''");
    stage.browser.press(ESCAPE);
    stage.browser.wait("document.activeElement.id !== 'search'");
    stage.browser.press("1");
    stage.browser.wait("location.hash === '#/'");
}

fn switched_off_they_are_off(stage: &Stage) {
    stage.show("/");
    stage.browser.press("?");
    stage.browser.wait("document.querySelector('dialog[open] input')");
    stage.browser.script("document.querySelector('dialog[open] input').click()", &[]);
    stage.browser.press(ESCAPE);
    stage.browser.wait("!document.querySelector('dialog[open]')");
    stage.browser.press("2");
    stage.browser.press(TAB);
    assert_eq!(hash(stage), "#/");
    stage.browser.script("localStorage.removeItem('nudge-keys')", &[]);
    stage.show("/");
    stage.browser.press("2");
    stage.browser.wait("location.hash === '#/live'");
}

/// The view layer keeps nodes by their keys: what has the focus keeps it when rows move, and no effect outlives its page.
fn the_view_keeps_focus_and_order(stage: &Stage) {
    stage.show("/live");
    stage.browser.press("j");
    stage.browser.wait("document.activeElement.hasAttribute('data-row')");
    let row = stage.browser.text("document.activeElement.dataset.row");
    let fresh = json!({"id": "9001", "at_ms": crate::page::NOW_MS, "us": 700, "session": "d41c9a02", "agent": "claude-code",
        "project": "", "hook": "PostToolUse", "tool": "Edit", "target": "src/new.ts", "verdict": "pass", "kind": "edit", "parts": [], "told": 0, "obs": []});
    stage.page.send("hook", &fresh);
    stage.browser.wait_for("src/new.ts");
    stage.browser.wait("document.querySelector('[data-row]').dataset.row === '9001'");
    assert_eq!(stage.browser.text("document.activeElement.dataset.row"), row, "the focus stayed on its row");
    stage.assert_clean(&[]);
}

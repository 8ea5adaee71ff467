//! Hostile text in every field of every answer: it is shown as text, and nothing else happens.

use serde_json::{Map, Value, json};

use crate::page::{LONE_SURROGATE, sample};
use crate::states::PAGES;
use crate::{Check, Stage};

pub(crate) const CHECKS: [(&str, Check); 3] = [
    ("hostile::every_field_of_every_page_stays_text", every_field_stays_text),
    ("hostile::a_very_long_line_breaks_no_layout", a_very_long_line),
    ("hostile::addresses_come_from_the_page_only", addresses_come_from_the_page),
];

/// Fields that choose a shape; their values are ours, never an agent's.
const SHAPES: [&str; 9] = ["kind", "status", "verdict", "type", "severity", "as", "scope", "action", "range"];

/// How many times every page is opened with other texts in its fields.
const ROUNDS: usize = 4;

/// The corpus: one JSON text a line.
pub(crate) fn corpus() -> Vec<String> {
    let lines: Vec<String> = include_str!("hostile.txt")
        .lines()
        .map(|line| serde_json::from_str(line).expect("a JSON text"))
        .collect();
    assert!(lines.len() >= 60, "the corpus has {} lines", lines.len());
    lines
}

/// Puts `plant` of each text in the place of it, fields that choose a shape apart.
fn planted(value: &Value, name: &str, plant: &mut dyn FnMut(&str) -> String) -> Value {
    match value {
        Value::String(text) if !SHAPES.contains(&name) && !text.is_empty() => Value::String(plant(text)),
        Value::Array(items) => items.iter().map(|item| planted(item, name, plant)).collect(),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(key, item)| (key.clone(), planted(item, key, plant)));
            Value::Object(fields.collect::<Map<String, Value>>())
        }
        other => other.clone(),
    }
}

/// The same texts for the same value, so that ids still meet each other.
fn number_of(text: &str) -> usize {
    text.bytes().fold(7_usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(byte)))
}

fn hostile(answers: &Value, lines: &[String], round: usize) -> Value {
    planted(answers, "", &mut |text| {
        let line = &lines[(number_of(text) + round * 17) % lines.len()];
        // A line of its own, so that texts of several lines keep theirs.
        if text.contains('\n') { format!("{line}\n{text}") } else { format!("{line} {text}") }
    })
}

/// Text of the same length and lines that no parser could take for anything.
fn harmless(answers: &Value) -> Value {
    planted(answers, "", &mut |text| text.to_owned())
}

/// The names of elements and attributes on the page, as one text each.
pub(crate) const CENSUS: &str = "
    const names = new Set();
    for (const node of document.documentElement.querySelectorAll('*')) {
        names.add(node.tagName.toLowerCase());
        for (const one of node.attributes) names.add('@' + one.name);
    }
    return [...names].sort();
";

fn census(stage: &Stage) -> Vec<String> {
    let names = stage.browser.script(CENSUS, &[]);
    names.as_array().expect("a list").iter().map(|name| name.as_str().expect("a name").to_owned()).collect()
}

fn every_field_stays_text(stage: &Stage) {
    let answers = sample()["answers"].clone();
    let lines = corpus();
    stage.page.answer_all(&harmless(&answers));
    let mut known: Vec<String> = Vec::new();
    for (route, _) in PAGES {
        stage.show(route);
        known.extend(census(stage));
    }
    // What the sample does not need, and our own pages do: states of tasks, chips, emphasis.
    known.extend(["em", "ins", "del", "@title", "@aria-busy"].map(ToOwned::to_owned));
    let mut shown = vec![0_usize; lines.len()];
    for round in 0..ROUNDS {
        stage.page.answer_all(&hostile(&answers, &lines, round));
        for (route, _) in PAGES {
            stage.show(route);
            assert_inert(stage, route, &known);
            for (index, found) in seen_texts(stage, &lines).into_iter().enumerate() {
                shown[index] += usize::from(found);
            }
        }
        stage.assert_clean(&[]);
    }
    let unseen: Vec<&String> =
        lines.iter().zip(&shown).filter(|(_, n)| **n == 0).map(|(line, _)| line).collect();
    assert!(unseen.is_empty(), "never shown as they are: {unseen:?}");
}

/// Returns for each line whether it is on the page as it is.
fn seen_texts(stage: &Stage, lines: &[String]) -> Vec<bool> {
    let wanted: Vec<String> =
        lines.iter().map(|line| line.replace([LONE_SURROGATE, '\r'], "").trim().to_owned()).collect();
    let script = "const text = document.body.textContent.replaceAll('\\r', '');
        return arguments[0].map((line) => text.includes(line));";
    let seen = stage.browser.script(script, &[json!(wanted)]);
    seen.as_array().expect("a list").iter().map(|one| one == &json!(true)).collect()
}

#[track_caller]
fn assert_inert(stage: &Stage, route: &str, known: &[String]) {
    assert_eq!(stage.browser.ask("window.pwned === undefined"), json!(true), "{route}");
    assert_eq!(stage.browser.ask("document.title"), json!("nudge"), "{route}");
    let strangers: Vec<String> = census(stage).into_iter().filter(|name| !known.contains(name)).collect();
    assert_eq!(
        strangers,
        Vec::<String>::new(),
        "elements or attributes that our code does not make, on {route}"
    );
    let outside = "[...document.querySelectorAll('#app [href]')].filter((one) => !one.getAttribute('href').startsWith('#/')).length";
    assert_eq!(stage.browser.ask(outside), json!(0), "{route}");
    let over = stage.browser.ask("document.documentElement.scrollWidth - innerWidth");
    assert_eq!(over, json!(0), "{route} scrolls sideways");
}

fn a_very_long_line(stage: &Stage) {
    let answers = sample()["answers"].clone();
    let long = "w".repeat(1_000_000);
    let mut answers = answers;
    answers["lanes"]["sessions"][0]["title"] = json!(long);
    answers["session/d41c9a02"]["turns"][0]["items"][2]["text"] = json!(long);
    answers["walls"]["rows"][0]["signature"] = json!(long);
    stage.page.answer_all(&answers);
    for route in ["/", "/session/d41c9a02", "/walls"] {
        for width in [320, 1440] {
            stage.browser.size(width, 900);
            stage.show(route);
            let over = stage.browser.ask("document.documentElement.scrollWidth - innerWidth");
            assert_eq!(over, json!(0), "{route} at {width}");
        }
    }
    stage.assert_clean(&[]);
}

fn addresses_come_from_the_page(stage: &Stage) {
    for route in [
        "/session/%3Cimg%20src=x%20onerror=window.pwned=1%3E",
        "/rule/javascript:window.pwned=1",
        "/nowhere/__proto__",
        "/search?q=%3Cscript%3Ewindow.pwned=1%3C/script%3E",
    ] {
        stage.show(route);
        assert_eq!(stage.browser.ask("window.pwned === undefined"), json!(true), "{route}");
        assert_eq!(stage.browser.trouble(), Vec::<String>::new(), "{route}");
    }
}

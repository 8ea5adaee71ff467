//! A report: the page with its data in it, opened from disk, asks nobody and cannot be broken out of.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::page::{linked, sample};
use crate::{Check, Stage, repository};

pub(crate) const CHECKS: [(&str, Check); 2] = [
    ("report::a_file_shows_its_pages_and_asks_nobody", a_file_asks_nobody),
    ("report::hostile_data_stays_in_its_element", hostile_data_stays_in_its_element),
];

/// Writes a report as the program does: one data element in which no text can end it, and a policy with a nonce.
fn write_report(folder: &TempDir, data: &Value) -> String {
    let css = fs::read_to_string(repository("assets/ui/app.css")).expect("the style");
    let data = data
        .to_string()
        .replace('<', "\\u003c")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029");
    let policy = "default-src 'none'; script-src 'nonce-test'; style-src 'nonce-test'; img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
    let html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>nudge</title>\n<style nonce=\"test\">{css}</style>\n<div id=\"app\"></div>\n<script type=\"application/json\" id=\"data\">{data}</script>\n<script type=\"module\" nonce=\"test\">{}</script>\n</html>\n",
        linked()
    );
    let file = folder.path().join("week.html");
    fs::write(&file, html).expect("a report");
    format!("file://{}", file.display())
}

fn a_file_asks_nobody(stage: &Stage) {
    let folder = TempDir::new().expect("a folder");
    let address = write_report(&folder, &sample());
    let browser = &stage.browser;
    browser.requests();
    for (route, text) in [
        ("/", "stopped 4 calls"),
        ("/session/d41c9a02", "Told at session start"),
        ("/walls", "connect ECONNREFUSED"),
        ("/search?q=coupon", "Cart totals wrong"),
        ("/rules", "Trying a text needs the server"),
        ("/live", "as it was when this report was made"),
        ("/plan", "Measure one million rows"),
    ] {
        browser.open_anew(&format!("{address}#{route}"));
        browser.wait_for(text);
        browser.wait_for("Report");
    }
    assert_eq!(browser.trouble(), Vec::<String>::new());
    let elsewhere: Vec<String> = browser
        .requests()
        .into_iter()
        .filter(|url| !url.starts_with("file:") && !url.starts_with("about:"))
        .collect();
    assert_eq!(elsewhere, Vec::<String>::new());
    browser.console_errors();
}

fn hostile_data_stays_in_its_element(stage: &Stage) {
    let folder = TempDir::new().expect("a folder");
    let mut data = sample();
    let lines: Vec<String> = include_str!("hostile.txt")
        .lines()
        .map(|line| serde_json::from_str(line).expect("a JSON text"))
        .collect();
    data["answers"]["lanes"]["sessions"][0]["title"] = json!(lines.join(" "));
    data["answers"]["sessions"]["rows"][0]["title"] = json!(lines.join("\n"));
    let address = write_report(&folder, &data);
    let browser = &stage.browser;
    for route in ["/", "/sessions"] {
        browser.open_anew(&format!("{address}#{route}"));
        browser.wait_for("Report");
        browser.wait("document.querySelectorAll('script').length === 2");
        assert_eq!(browser.ask("window.pwned === undefined"), json!(true));
        assert_eq!(browser.ask("document.title"), json!("nudge"));
        assert_eq!(browser.trouble(), Vec::<String>::new());
    }
    browser.requests();
    browser.console_errors();
}

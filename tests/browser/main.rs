//! The page in a real Chromium: the way in, the policy, hostile text, every page in every state, keys, and its look.
//!
//! One browser serves the whole run. Without Chromium and its driver the run is skipped and says so;
//! `NUDGE_BROWSER=required` makes that a failure, and `NUDGE_BROWSER=off` leaves the run out.
//! Words on the command line choose checks by name.

mod accessibility;
mod driver;
mod hostile;
mod keys;
mod live;
mod look;
mod page;
#[path = "../it/payload.rs"]
#[expect(dead_code, reason = "the tests of the program need more of it")]
mod payload;
mod program;
mod report;
#[path = "../it/sandbox.rs"]
#[expect(dead_code, reason = "the tests of the program need more of it")]
mod sandbox;
#[path = "../it/servers.rs"]
#[expect(dead_code, reason = "the tests of the program need more of it")]
mod servers;
mod speed;
mod states;
mod way_in;

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;

use driver::Browser;
use page::Page;

/// What a check works with.
pub(crate) struct Stage {
    pub(crate) browser: Browser,
    /// The page with answers that the check chooses.
    pub(crate) page: Page,
}

type Check = fn(&Stage);

fn checks() -> Vec<(&'static str, Check)> {
    let mut all = Vec::new();
    all.extend(states::CHECKS);
    all.extend(hostile::CHECKS);
    all.extend(keys::CHECKS);
    all.extend(live::CHECKS);
    all.extend(accessibility::CHECKS);
    all.extend(report::CHECKS);
    all.extend(look::CHECKS);
    all.extend(way_in::CHECKS);
    all.extend(program::CHECKS);
    all.extend(speed::CHECKS);
    all
}

#[expect(clippy::disallowed_methods, reason = "the crate's own way is not seen from here")]
pub(crate) fn setting(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

pub(crate) fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

pub(crate) fn repository(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let filters: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
    if words.iter().any(|word| word == "--list" || word == "--ignored") {
        return ExitCode::SUCCESS;
    }
    let wanted = setting("NUDGE_BROWSER");
    if wanted == "off" {
        say("browser: left out (NUDGE_BROWSER=off)");
        return ExitCode::SUCCESS;
    }
    if let Some(reason) = driver::missing() {
        say(&format!("browser: not run, {reason} (Debian: apt-get install chromium chromium-driver)"));
        return if wanted == "required" { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    }
    let stage =
        Stage { browser: Browser::start(&repository("tests/browser/fonts.conf")), page: Page::start() };
    let mut failed = Vec::new();
    let mut passed = 0;
    for (name, check) in checks() {
        if !filters.is_empty() && !filters.iter().any(|filter| name.contains(filter.as_str())) {
            continue;
        }
        begin(&stage);
        let ended = catch_unwind(AssertUnwindSafe(|| check(&stage)));
        say(&format!("check {name} ... {}", if ended.is_ok() { "ok" } else { "FAILED" }));
        match ended {
            Ok(()) => passed += 1,
            Err(_) => failed.push(name),
        }
    }
    say(&format!("browser: {passed} passed, {} failed", failed.len()));
    if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Puts the stage back to where every check begins.
fn begin(stage: &Stage) {
    let tidy = catch_unwind(AssertUnwindSafe(|| {
        stage.browser.one_tab();
        stage.browser.offline(false);
        stage.browser.open("about:blank");
        stage.browser.size(1440, 900);
        stage.browser.prefer(&[("prefers-color-scheme", "dark")]);
        stage.browser.console_errors();
        stage.browser.requests();
    }));
    if tidy.is_err() {
        say("browser: it does not answer any more");
    }
    stage.page.answer_all(&page::sample()["answers"]);
    stage.page.asked();
}

impl Stage {
    /// Opens a page of the viewer and waits until it is drawn.
    #[track_caller]
    pub(crate) fn show(&self, route: &str) {
        self.browser.open_anew(&self.page.link(route));
        self.browser.settled();
    }

    /// No policy was broken, nothing failed, nobody else was asked; console lines with one of these words are expected.
    #[track_caller]
    pub(crate) fn assert_clean(&self, expected: &[&str]) {
        assert_eq!(self.browser.trouble(), Vec::<String>::new());
        let unexpected = |line: &String| !expected.iter().any(|word| line.contains(word));
        let errors: Vec<String> = self.browser.console_errors().into_iter().filter(unexpected).collect();
        assert_eq!(errors, Vec::<String>::new());
        let elsewhere = |url: &String| !url.starts_with("http://127.0.0.1:") && !url.starts_with("about:");
        let strangers: Vec<String> = self.browser.requests().into_iter().filter(elsewhere).collect();
        assert_eq!(strangers, Vec::<String>::new());
    }
}

//! `nudge ui`: opens the viewer.

use std::process::ExitCode;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::here;
use super::memory;
use super::output::{CYAN, DIM, Failure, Out, counted, say};
use super::serve;
use super::status::no_server;
use crate::api::status::{ClosedPagesWire, UiTicketWire};
use crate::ops::hints::NoServer;
use crate::ops::hints::reach;
use crate::ops::pages::{self, browser};
use crate::ops::project;

/// Open the viewer: what your agents did, in your browser
///
/// The page is served on this machine only. It shows what your agents did in all projects, where nudge stepped in, and
/// what keeps failing. The link
/// works once, for a minute; a page that was opened with it stays open for a week after its last use. If no server is
/// running, this command is one, until Ctrl-C. Over SSH, forward the port: `ssh -L 8765:127.0.0.1:8765`.
#[derive(clap::Args)]
pub(crate) struct UiArgs {
    /// Page to open: `sessions`, `session ID`, `search WORDS`, `walls`, `wall KEY`, `files`, `rules`, `rule NAME`, `told`, `hints`, `notes`, `note NAME`, `plan`, `health` or `live` [default: the overview]
    #[arg(value_name = "PAGE", conflicts_with = "close")]
    page: Vec<String>,

    /// Print the link, and open no browser
    #[arg(long, conflicts_with = "close")]
    no_open: bool,

    /// Let the page pin, enable, disable and forget, for an hour
    #[arg(long, conflicts_with = "close")]
    edit: bool,

    /// Close all pages that are open
    #[arg(long)]
    close: bool,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

const HELLO: Duration = Duration::from_secs(3);
const TICKET_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a server that was just started has to answer.
const START_TIMEOUT: Duration = Duration::from_secs(15);
const START_INTERVAL: Duration = Duration::from_millis(20);

/// Pages with an address of their own, and whether a name follows.
const PAGES: [(&str, bool); 13] = [
    ("sessions", false),
    ("session", true),
    ("search", true),
    ("walls", false),
    ("wall", true),
    ("files", false),
    ("rules", false),
    ("rule", true),
    ("told", false),
    ("hints", false),
    ("notes", false),
    ("note", true),
    ("plan", false),
];
const OTHER_PAGES: [&str; 2] = ["health", "live"];

pub(crate) fn run(args: &UiArgs, port: Option<u16>, out: &mut Out) -> Result<ExitCode, Failure> {
    if args.close {
        return close(args, port, out);
    }
    let address = with_project(&address(&known_session(&args.page)?)?, project_here().as_deref());
    if !pages::are_enabled() {
        return Err(Failure::new("the viewer is disabled by `ui.enabled` in your settings")
            .hint("`nudge settings` names the file"));
    }
    match reach::primary(port, HELLO) {
        Ok(mut client) => {
            let ticket = ask(args, |params| client.call("nudge.ui_ticket", params, TICKET_TIMEOUT))?;
            show(args, &ticket, &address, out)?;
            Ok(ExitCode::SUCCESS)
        }
        // A port that belongs to somebody else is passed over, as `nudge serve` does.
        Err(
            NoServer::NotRunning { .. }
            | NoServer::Stranger { .. }
            | NoServer::OtherUser { .. }
            | NoServer::OtherFolder { .. },
        ) => serve_page(args, port, address),
        Err(none) => Err(no_server(&none)),
    }
}

/// Completes the id of a session, which must be one that the memory has; other pages stay as they are.
fn known_session(page: &[String]) -> Result<Vec<String>, Failure> {
    let [name, id] = page else { return Ok(page.to_vec()) };
    if name != "session" {
        return Ok(page.to_vec());
    }
    let Some(memory) = memory::open()? else { return Ok(page.to_vec()) };
    Ok(vec![name.clone(), memory.session(id)?.0])
}

/// Serves until Ctrl-C, and shows the link as soon as the server answers.
fn serve_page(args: &UiArgs, port: Option<u16>, address: String) -> Result<ExitCode, Failure> {
    let shown = UiArgs { page: Vec::new(), ..*args };
    std::thread::spawn(move || {
        let tries = START_TIMEOUT.as_millis() / START_INTERVAL.as_millis();
        for _ in 0..tries {
            if let Ok(mut client) = reach::written_down(HELLO) {
                let asked = ask(&shown, |params| client.call("nudge.ui_ticket", params, TICKET_TIMEOUT));
                let done = asked.and_then(|ticket| {
                    let mut out = Out::new();
                    show(&shown, &ticket, &address, &mut out)?;
                    if !shown.json {
                        out.line(format_args!("{DIM}Ctrl-C ends it{DIM:#}"))?;
                    }
                    Ok(())
                });
                if let Err(failure) = done {
                    let _code = failure.report();
                }
                return;
            }
            std::thread::sleep(START_INTERVAL);
        }
        say("nudge: the server does not answer; `nudge doctor` may know why");
    });
    serve::run_for_page(port)
}

/// Asks for a ticket.
fn ask(
    args: &UiArgs,
    call: impl FnOnce(&Map<String, Value>) -> Result<Value, crate::ops::hints::CallError>,
) -> Result<UiTicketWire, Failure> {
    let mut params = Map::new();
    params.insert("scope".to_owned(), json!(if args.edit { "edit" } else { "read" }));
    let ticket = call(&params).map_err(|error| {
        let text = error.to_string();
        let failure = Failure::new(text.clone());
        match text.contains("unknown method") {
            true => {
                failure.hint("the running server is older than this program: `nudge stop`, then try again")
            }
            false => failure,
        }
    })?;
    UiTicketWire::deserialize(ticket)
        .map_err(|error| Failure::new(format!("the server's answer cannot be read: {error}")))
}

fn show(args: &UiArgs, ticket: &UiTicketWire, address: &str, out: &mut Out) -> Result<(), Failure> {
    let url = format!("{}{address}", ticket.url);
    if args.json {
        out.json(&UiTicketWire { url: url.clone(), ..ticket.clone() })?;
    } else {
        out.line(format_args!("viewer  {CYAN}{url}{CYAN:#}  {DIM}(works once, for a minute){DIM:#}"))?;
        if args.edit {
            out.line("this page may pin, enable, disable and forget, for an hour")?;
        }
    }
    if !args.no_open && !args.json && out.is_terminal() && !browser::open_page(&url) {
        out.line("no browser was found to open it: open the link yourself")?;
    }
    Ok(())
}

fn close(args: &UiArgs, port: Option<u16>, out: &mut Out) -> Result<ExitCode, Failure> {
    let closed = match reach::primary(port, HELLO) {
        Err(none) if reach::is_absent(&none, port) => ClosedPagesWire { closed: 0 },
        Err(none) => return Err(no_server(&none)),
        Ok(mut client) => {
            let answer = client.call("nudge.ui_close", &Map::new(), TICKET_TIMEOUT);
            let answer = answer.map_err(|error| Failure::new(error.to_string()))?;
            ClosedPagesWire::deserialize(answer)
                .map_err(|error| Failure::new(format!("the server's answer cannot be read: {error}")))?
        }
    };
    if args.json {
        out.json(&closed)?;
    } else {
        out.line(format_args!("closed {}", counted(closed.closed, "page")))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the address of a page behind the ticket.
fn address(page: &[String]) -> Result<String, Failure> {
    let Some((name, words)) = page.split_first() else { return Ok(String::new()) };
    let words = words.join(" ");
    if OTHER_PAGES.contains(&name.as_str()) && words.is_empty() {
        return Ok(format!("/{name}"));
    }
    let known = PAGES.iter().find(|(known, _)| known == name);
    match known {
        Some((name, false)) if words.is_empty() => Ok(format!("/{name}")),
        Some(("search", true)) if !words.is_empty() => Ok(format!("/search?q={}", encoded(&words))),
        Some((name, true)) if !words.is_empty() => Ok(format!("/{name}/{}", encoded(&words))),
        Some((name, true)) => Err(Failure::new(format!("`{name}` needs a name behind it")).usage()),
        _ => {
            let known: Vec<&str> = PAGES.iter().map(|(name, _)| *name).chain(OTHER_PAGES).collect();
            let failure = Failure::new(format!("the viewer has no page `{}`", page.join(" "))).usage();
            Err(failure.hint(format!("known are {}", known.join(", "))))
        }
    }
}

/// Returns the root of the project that the command is run in.
fn project_here() -> Option<String> {
    project::of_folder(&here().ok()?)?.root
}

/// Lets the page begin with a project; all others are one click away.
fn with_project(address: &str, root: Option<&str>) -> String {
    let Some(root) = root else { return address.to_owned() };
    let path = if address.is_empty() { "/" } else { address };
    let separator = if path.contains('?') { '&' } else { '?' };
    format!("{path}{separator}p={}", encoded(root))
}

/// Writes a text for an address, every byte that is not plain as `%XX`.
fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{address, with_project};

    #[test]
    fn pages_have_addresses() {
        let check = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            address(&words).ok()
        };
        assert_eq!(check(&[]).as_deref(), Some(""));
        assert_eq!(check(&["walls"]).as_deref(), Some("/walls"));
        assert_eq!(check(&["session", "09eff2b4"]).as_deref(), Some("/session/09eff2b4"));
        assert_eq!(
            check(&["search", "two", "words & more"]).as_deref(),
            Some("/search?q=two%20words%20%26%20more")
        );
        assert_eq!(check(&["session"]), None);
        assert_eq!(check(&["walls", "x"]), None);
        assert_eq!(check(&["settings"]), None);
    }

    #[test]
    fn a_page_begins_with_the_project_of_the_folder() {
        assert_eq!(with_project("", None), "");
        assert_eq!(with_project("", Some("/src/a b")), "/?p=%2Fsrc%2Fa%20b");
        assert_eq!(with_project("/search?q=x", Some("/src")), "/search?q=x&p=%2Fsrc");
    }
}

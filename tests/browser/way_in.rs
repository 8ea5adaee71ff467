//! The way in, with the program itself: links that work once, two halves, and pages of other ports that get nothing.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use serde_json::json;

use crate::page::policy;
use crate::payload;
use crate::sandbox::Sandbox;
use crate::servers::Server;
use crate::{Check, Stage};

pub(crate) const CHECKS: [(&str, Check); 4] = [
    ("way_in::a_link_opens_the_page_once", a_link_opens_the_page_once),
    ("way_in::the_program_sends_the_policy_of_these_checks", the_program_sends_the_policy),
    ("way_in::a_page_on_another_port_gets_nothing", another_port_gets_nothing),
    ("way_in::a_name_that_leads_here_gets_nothing", a_name_that_leads_here),
];

/// A program with a little memory and a server.
fn program() -> (Sandbox, Server, u16) {
    let sandbox = Sandbox::new();
    sandbox.hook("claude-code", payload::prompt("Find the planted prompt"));
    sandbox.hook("claude-code", payload::bash("cargo test").after());
    let server = Server::start(&sandbox, &[]);
    let port = crate::servers::port(&sandbox);
    (sandbox, server, port)
}

fn link(sandbox: &Sandbox, page: &str) -> String {
    let ran = match page {
        "" => sandbox.run(["ui", "--no-open", "--json"]),
        page => sandbox.run(["ui", "--no-open", "--json", page]),
    };
    ran.json()["url"].as_str().expect("a link").to_owned()
}

fn a_link_opens_the_page_once(stage: &Stage) {
    let (sandbox, server, port) = program();
    let browser = &stage.browser;
    let first = link(&sandbox, "");
    browser.open_anew(&first);
    browser.wait_for("Overview");
    browser.wait("localStorage.getItem('nudge-key')");
    assert!(!browser.address().contains("in="), "{}", browser.address());
    assert_eq!(browser.ask("document.cookie"), json!(""), "no script sees the cookie");
    let cookies = browser.cookies();
    let own: Vec<_> = cookies.iter().filter(|one| one["name"] == json!(format!("nudge_ui_{port}"))).collect();
    assert_eq!(own.len(), 1, "{cookies:?}");
    assert_eq!(own[0]["httpOnly"], json!(true));
    assert_eq!(own[0]["sameSite"], json!("Strict"));
    assert_eq!(own[0]["path"], json!("/ui/api"));
    // A reload, a second tab and a deep link go on with both halves.
    browser.open_anew(&format!("http://127.0.0.1:{port}/ui/#/live"));
    browser.wait_for("cargo test");
    let tab = browser.new_tab();
    browser.open(&format!("http://127.0.0.1:{port}/ui/#/live"));
    browser.wait_for("cargo test");
    browser.switch(&tab);
    browser.one_tab();
    // Without the key the same link leads nowhere.
    browser.script("localStorage.clear()", &[]);
    browser.open_anew(&first);
    browser.wait_for("This page is closed");
    let deep = link(&sandbox, "live");
    browser.open_anew(&deep);
    browser.wait_for("cargo test");
    assert!(browser.address().contains("/ui/#/live?p="), "{}", browser.address());
    stage.assert_clean(&["Failed to load resource"]);
    drop(server);
}

fn the_program_sends_the_policy(_stage: &Stage) {
    let (_sandbox, server, port) = program();
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the server listens");
    let request = format!("GET /ui/ HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let lower = answer.to_ascii_lowercase();
    let sent = format!("content-security-policy: {}", policy(port)).to_ascii_lowercase();
    assert!(lower.contains(&sent), "{answer}");
    assert!(!lower.contains("access-control-"), "{answer}");
    drop(server);
}

/// Serves one page on a port of its own.
fn stranger(html: String) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut reader = BufReader::new(&stream);
            let mut line = String::new();
            while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
                line.clear();
            }
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                html.len()
            );
            let _ = (&stream).write_all(head.as_bytes()).and_then(|()| (&stream).write_all(html.as_bytes()));
        }
    });
    port
}

fn another_port_gets_nothing(stage: &Stage) {
    let (sandbox, server, port) = program();
    let browser = &stage.browser;
    // A page that may change things has the most to lose.
    let edit = sandbox.run(["ui", "--no-open", "--json", "--edit"]).json();
    browser.open_anew(edit["url"].as_str().expect("a link"));
    browser.wait_for("May change things");
    let html = ATTACK.replace("PORT", &port.to_string());
    let other = stranger(html);
    browser.open(&format!("http://127.0.0.1:{other}/"));
    browser.wait("window.results && Object.keys(results).length === 13");
    let results = browser.ask("results");
    for (way, got) in results.as_object().expect("an object") {
        assert_eq!(got, &json!("nothing"), "by {way}: {results}");
    }
    browser.one_tab();
    // No action came through: the row that they all meant to pin is as it was.
    let row = sandbox.run(["show", "1", "--json"]).json();
    assert!(!row.to_string().contains("\"pinned\":true"), "{row}");
    // The page itself is as open as before: no form of the stranger ended it.
    browser.console_errors();
    browser.open_anew(&format!("http://127.0.0.1:{port}/ui/#/live"));
    browser.wait_for("cargo test");
    drop(server);
}

/// Every way that a page on another port of this machine has; each must end with nothing.
const ATTACK: &str = r#"<!doctype html><title>stranger</title><body><script>
const base = 'http://127.0.0.1:PORT/ui/';
const results = window.results = {};
const tell = (way, got) => { results[way] = got; };
const body = async (way, work) => { try { const answer = await work(); const text = await answer.text(); tell(way, text ? 'data' : 'nothing'); } catch { tell(way, 'nothing'); } };
body('fetch', () => fetch(base + 'api/meta', { credentials: 'include' }));
body('fetch with a header', () => fetch(base + 'api/meta', { credentials: 'include', headers: { 'X-Nudge-Key': 'guess' } }));
body('fetch without cors', () => fetch(base + 'api/meta', { credentials: 'include', mode: 'no-cors' }));
body('stream', () => fetch(base + 'api/stream', { credentials: 'include' }));
const pin = JSON.stringify({ action: 'pin', request_id: 'stranger', ids: [1] });
body('action', () => fetch(base + 'api/act', { method: 'POST', credentials: 'include', mode: 'no-cors', body: pin }));
body('action with a header', () => fetch(base + 'api/act', { method: 'POST', credentials: 'include', headers: { 'Content-Type': 'application/json', 'X-Nudge-Key': 'guess' }, body: pin }));
const source = new EventSource(base + 'api/stream', { withCredentials: true });
source.onmessage = source.onopen = () => tell('event source', 'data');
source.addEventListener('hello', () => tell('event source', 'data'));
source.onerror = () => { source.close(); tell('event source', results['event source'] || 'nothing'); };
body('post', () => fetch(base + 'api/leave', { method: 'POST', credentials: 'include', mode: 'no-cors', body: '{}' }));
const image = new Image();
image.onload = () => tell('image', 'data');
image.onerror = () => tell('image', 'nothing');
image.src = base + 'icon.svg';
const script = document.createElement('script');
script.onload = () => tell('script', 'data');
script.onerror = () => tell('script', 'nothing');
script.src = base + 'app.js';
document.body.append(script);
const frame = document.createElement('iframe');
frame.name = 'inner';
frame.src = base;
frame.onload = () => {
  let got = 'nothing';
  try { if (frame.contentDocument && frame.contentDocument.querySelector('#app')) got = 'data'; } catch { got = 'nothing'; }
  if (!results.frame) {
    tell('frame', got);
    send('api/leave', '{}');
    send('api/act', pin);
    tell('forms', 'nothing');
  }
};
document.body.append(frame);
// A form can send text that is JSON; what is left over becomes part of a text.
function send(path, body) {
  const form = document.createElement('form');
  form.method = 'post';
  form.enctype = 'text/plain';
  form.action = base + path;
  form.target = 'inner';
  const field = document.createElement('input');
  field.name = body.slice(0, -1) + ',"rest":"';
  field.value = '"}';
  form.append(field);
  document.body.append(form);
  form.submit();
}
// A window that it opens is another page; it can neither read it nor be heard by it.
const opened = (window.__open || window.open).call(window, base, 'other');
setTimeout(() => {
  let got = 'nothing';
  try { if (opened && opened.document && opened.document.querySelector('#app')) got = 'data'; } catch { got = 'nothing'; }
  try { opened?.postMessage({ type: 'leave' }, '*'); } catch { /* It is gone, or another page. */ }
  tell('window', got);
}, 1500);
</script>"#;

fn a_name_that_leads_here(stage: &Stage) {
    let (_sandbox, server, port) = program();
    stage.browser.open(&format!("http://rebound.test:{port}/ui/"));
    assert_eq!(stage.browser.ask("document.querySelector('#app') === null"), json!(true));
    stage.browser.requests();
    stage.browser.console_errors();
    drop(server);
}

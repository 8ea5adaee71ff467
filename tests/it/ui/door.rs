//! The way in: tickets, halves, and everything that is refused.

use serde_json::json;

use super::page::{Page, post, send, ticket};
use crate::memory::scene::play;
use crate::payload::{event, prompt};
use crate::sandbox::Sandbox;
use crate::servers::{Server, port, rpc, wait_until};

#[test]
fn a_link_opens_one_page() {
    let sandbox = Sandbox::new();
    let _server = Server::start(&sandbox, &[]);
    let port = port(&sandbox);
    let ticket = ticket(&sandbox, "read");
    let entered = post(port, "enter", "", &json!({ "ticket": ticket }));
    assert_eq!(entered.status, 200);
    let cookie = entered.header("set-cookie").expect("a cookie");
    assert!(cookie.starts_with(&format!("nudge_ui_{port}=")), "{cookie}");
    assert!(cookie.ends_with("; HttpOnly; SameSite=Strict; Path=/ui/api; Max-Age=604800"), "{cookie}");
    assert_eq!(post(port, "enter", "", &json!({ "ticket": ticket })).status, 401);
    assert_eq!(rpc(&sandbox, "nudge.status", &json!({}))["result"]["clients"]["pages"], 1);
    let page = Page::open(&sandbox, "read");
    assert_eq!(page.data("meta")["scope"], "read");
    assert_eq!(post(port, "leave", &page.halves(), &json!({})).status, 200);
    assert_eq!(page.get("meta").status, 401);
}

#[test]
fn a_request_needs_both_halves_and_the_same_words_refuse_all_others() {
    let sandbox = Sandbox::new();
    let _server = Server::start(&sandbox, &[]);
    let page = Page::open(&sandbox, "read");
    let other = Page::open(&sandbox, "read");
    let refused = page.get_with("meta", "");
    assert_eq!(refused.status, 401);
    for halves in [
        format!("Cookie: {}\r\n", page.cookie),
        format!("X-Nudge-Key: {}\r\n", page.key),
        format!("Cookie: {}\r\nX-Nudge-Key: {}\r\n", page.cookie, other.key),
        format!("Cookie: {}\r\nX-Nudge-Key: \r\n", page.cookie),
        format!("Cookie: nudge_ui_{}=0\r\nX-Nudge-Key: 0\r\n", page.port),
    ] {
        let reply = page.get_with("meta", &halves);
        assert_eq!((reply.status, &reply.body), (401, &refused.body), "{halves}");
    }
}

#[test]
fn requests_of_other_pages_are_refused() {
    let sandbox = Sandbox::new();
    let _server = Server::start(&sandbox, &[]);
    let page = Page::open(&sandbox, "read");
    let (port, halves) = (page.port, page.halves());
    let own = format!("Origin: http://127.0.0.1:{port}\r\n");
    for (verb, path, headers, expected) in [
        ("GET", "/ui/api/meta", "Sec-Fetch-Site: same-origin\r\n".to_owned(), 200),
        ("GET", "/ui/api/meta", own.clone(), 200),
        ("GET", "/ui/api/meta", "Sec-Fetch-Site: same-site\r\n".to_owned(), 403),
        ("GET", "/ui/api/meta", "Sec-Fetch-Site: cross-site\r\n".to_owned(), 403),
        ("GET", "/ui/api/meta", "Sec-Fetch-Site: none\r\n".to_owned(), 403),
        ("GET", "/ui/api/meta", format!("Origin: http://127.0.0.1:{}\r\n", port + 1), 403),
        ("GET", "/ui/api/meta", "Origin: null\r\n".to_owned(), 403),
        ("GET", "/ui/", String::new(), 200),
        ("GET", "/ui/", "Sec-Fetch-Site: none\r\n".to_owned(), 200),
        ("GET", "/ui/", "Sec-Fetch-Site: same-site\r\nSec-Fetch-Mode: no-cors\r\n".to_owned(), 403),
        (
            "GET",
            "/ui/",
            "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n"
                .to_owned(),
            200,
        ),
        (
            "GET",
            "/ui/",
            "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe\r\n".to_owned(),
            403,
        ),
        ("GET", "/ui/app.js", "Sec-Fetch-Site: same-site\r\nSec-Fetch-Dest: script\r\n".to_owned(), 403),
        ("GET", "/ui/view.js", String::new(), 404),
        ("GET", "/ui/../rpc", String::new(), 404),
        ("POST", "/ui/", own.clone() + "Content-Type: application/json\r\n", 405),
        ("DELETE", "/ui/api/meta", own.clone(), 400),
        ("POST", "/ui/api/meta", own.clone() + "Content-Type: application/json\r\n", 400),
        ("POST", "/ui/api/leave", "Content-Type: application/json\r\n".to_owned(), 403),
        ("POST", "/ui/api/leave", own.clone() + "Content-Type: text/plain\r\n", 403),
        ("GET", "/ui/api/nothing", own.clone(), 404),
        // Outside, the viewer's own page is a browser like any other.
        ("GET", "/health", own.clone(), 403),
        ("POST", "/rpc", own.clone() + "Content-Type: application/json\r\n", 403),
        ("POST", "/mcp", own.clone() + "Content-Type: application/json\r\n", 403),
        ("POST", "/", "Sec-Fetch-Site: same-origin\r\nContent-Type: application/json\r\n".to_owned(), 403),
    ] {
        let reply = send(
            port,
            &format!(
                "{verb} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 2\r\nConnection: close\r\n{halves}{headers}\r\n{{}}"
            ),
        );
        assert_eq!(reply.status, expected, "{verb} {path} {headers}: {}", reply.body);
        assert!(!reply.head.to_lowercase().contains("access-control"), "{verb} {path}");
        if path.starts_with("/ui/") {
            assert!(reply.header("content-security-policy").is_some(), "{verb} {path}");
        }
    }
}

#[test]
fn there_is_one_origin() {
    let sandbox = Sandbox::new();
    let _server = Server::start(&sandbox, &[]);
    let port = port(&sandbox);
    for (host, path, expected) in [
        (format!("localhost:{port}"), "/ui/?a=b", 308),
        (format!("[::1]:{port}"), "/ui/?a=b", 308),
        (format!("evil.example:{port}"), "/ui/?a=b", 403),
        ("127.0.0.1".to_owned(), "/ui/?a=b", 403),
        (format!("127.0.0.1:{}", port + 1), "/ui/?a=b", 403),
    ] {
        let reply = send(port, &format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"));
        assert_eq!(reply.status, expected, "{host}");
        let location = reply.header("location").map(str::to_owned);
        let wanted = (expected == 308).then(|| format!("http://127.0.0.1:{port}{path}"));
        assert_eq!(location, wanted, "{host}");
    }
}

#[test]
fn the_page_may_ask_nobody_else() {
    let sandbox = Sandbox::new();
    let _server = Server::start(&sandbox, &[]);
    let port = port(&sandbox);
    let reply =
        send(port, &format!("GET /ui/ HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"));
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src http://127.0.0.1:{port}/ui/api/; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    );
    assert_eq!(reply.header("content-security-policy"), Some(policy.as_str()));
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("x-frame-options", "DENY"),
    ] {
        assert_eq!(reply.header(name), Some(value), "{name}");
    }
    assert!(
        reply.header("permissions-policy").is_some_and(|value| value.starts_with("clipboard-write=(self), "))
    );
    assert!(reply.body.contains("<div id=\"app\"></div>"));
}

#[test]
fn pages_survive_a_hand_over_and_end_with_the_servers() {
    let sandbox = Sandbox::new();
    let mut first = Server::start(&sandbox, &[]);
    let page = Page::open(&sandbox, "read");
    let second = Server::begin(&sandbox, &[]);
    let pid = first.child.id();
    wait_until("the second server is a member", || {
        rpc(&sandbox, "nudge.status", &json!({}))["result"]["clients"]["proxies"] == 1
    });
    crate::ui::page::terminate(pid);
    drop(first.child.wait());
    wait_until("the second server leads", || crate::servers::address(&sandbox)["pid"] == second.child.id());
    assert_eq!(page.get("meta").status, 200, "the page is still open");
    assert!(sandbox.run(["stop"]).code == Some(0));
    drop(second);
    let _third = Server::start(&sandbox, &[]);
    let reopened = Page { port: port(&sandbox), ..page };
    assert_eq!(reopened.get("meta").status, 401, "it ended with the last server");
}

#[test]
fn the_command_closes_pages_and_the_setting_forbids_them() {
    let sandbox = Sandbox::new();
    let _server = Server::start(&sandbox, &[]);
    let page = Page::open(&sandbox, "edit");
    assert_eq!(page.data("meta")["scope"], "edit");
    assert!(sandbox.run(["status"]).stdout.contains("1 open page, 1 of them may change things"));
    assert_eq!(sandbox.run(["ui", "--close"]).stdout, "closed 1 page\n");
    assert_eq!(page.get("meta").status, 401);
    let link = sandbox.run(["ui", "--no-open", "note", "a b"]).stdout;
    assert!(
        link.contains("/ui/#in=")
            && link.contains("/note/a%20b?p=%2F")
            && link.contains("project  (works once"),
        "{link}"
    );
    sandbox.put_user_settings("[ui]\nenabled = false\n");
    let refused = sandbox.run(["ui", "--no-open"]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("disabled by `ui.enabled`"), "{}", refused.stderr);
    let answer = rpc(&sandbox, "nudge.ui_ticket", &json!({}));
    assert_eq!(answer["error"]["message"], "the viewer is disabled by `ui.enabled` in your settings");
    sandbox.put_user_settings("");
    sandbox.put(".nudge/config.toml", "[ui]\nenabled = false\n");
    assert_eq!(sandbox.run(["ui", "--no-open"]).code, Some(0), "a project cannot forbid it");
}

#[test]
fn everything_that_a_first_visit_loads_is_small() {
    const MAX_GZIP_BYTES: usize = 120 * 1024;
    let sandbox = Sandbox::new();
    let _server = Server::start(&sandbox, &[]);
    let port = port(&sandbox);
    let mut total = 0;
    for path in ["/ui/", "/ui/app.css", "/ui/app.js", "/ui/icon.svg"] {
        let reply = send(
            port,
            &format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"),
        );
        assert_eq!(reply.status, 200, "{path}");
        let Some(packed) = gzipped(reply.body.as_bytes()) else { return };
        total += packed;
    }
    assert!(total <= MAX_GZIP_BYTES, "{total} bytes");
    assert!(total > 10_000, "{total} bytes are no page");
}

/// Returns the size of a text after `gzip -9`; `None` where that program is missing.
fn gzipped(text: &[u8]) -> Option<usize> {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let packing =
        Command::new("gzip").args(["-9", "-c"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut packing = packing.ok()?;
    let mut input = packing.stdin.take()?;
    let text = text.to_vec();
    let writing = std::thread::spawn(move || input.write_all(&text));
    let packed = packing.wait_with_output().ok()?;
    writing.join().ok()?.ok()?;
    Some(packed.stdout.len())
}

#[test]
#[cfg(unix)]
fn where_the_kernel_names_no_owner_the_browser_gets_a_private_file() {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    let sandbox = Sandbox::new().env("NUDGE_UI_PRIVATE_FILE", "1");
    let (script, argument, copy) =
        (sandbox.beside("browser"), sandbox.beside("argument"), sandbox.beside("copy.html"));
    let text = format!(
        "#!/bin/sh\ncp \"$1\" {0}.part && echo \"$1\" > {1} && mv {0}.part {0}\n",
        copy.display(),
        argument.display()
    );
    fs::write(&script, text).expect("a program");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("a program");
    let sandbox = sandbox.env("BROWSER", script.to_str().expect("UTF-8"));
    let _server = Server::start(&sandbox, &[]);
    let mut person = crate::person::Terminal::run(&sandbox, &["ui"]);
    wait_until("the browser was opened", || copy.exists());
    assert!(person.child.wait().expect("it ends").success());
    let opened = fs::read_to_string(&argument).expect("an argument");
    assert!(opened.trim().ends_with("server.page.html") && !opened.contains("in="), "{opened}");
    let file = std::path::Path::new(opened.trim());
    assert_eq!(fs::metadata(file).expect("a file").permissions().mode() & 0o777, 0o600);
    let html = fs::read_to_string(&copy).expect("a page");
    let ticket = html.split("/ui/#in=").nth(1).expect("a link");
    let ticket: String = ticket.chars().take_while(char::is_ascii_alphanumeric).collect();
    assert_eq!(post(port(&sandbox), "enter", "", &json!({ "ticket": ticket })).status, 200);
    wait_until("the file is deleted once its link was used", || !file.exists());
}

#[test]
fn a_session_that_nobody_knows_opens_no_page() {
    let sandbox = Sandbox::new();
    play(&sandbox, vec![event("SessionStart").with("source", "startup"), prompt("a first prompt")]);
    let _server = Server::start(&sandbox, &[]);
    let link = sandbox.run(["ui", "--no-open", "session", "session-"]).stdout;
    assert!(link.contains("/session/session-1?p="), "the id is completed: {link}");
    let unknown = sandbox.run(["ui", "--no-open", "session", "zzz"]);
    assert_eq!((unknown.code, unknown.stdout.as_str()), (Some(1), ""));
    assert!(unknown.stderr.contains("no session in the memory matches `zzz`"), "{}", unknown.stderr);
}

#[cfg(unix)]
#[test]
fn beside_a_server_of_another_runtime_folder_the_command_is_a_server() {
    use std::io::{BufRead, BufReader};
    use std::os::unix::fs::PermissionsExt;
    use std::process::Stdio;

    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    let (theirs, flag) = (port(&sandbox), port(&sandbox).to_string());
    let other = sandbox.beside("home/other");
    std::fs::create_dir_all(&other).expect("a folder");
    std::fs::set_permissions(&other, std::fs::Permissions::from_mode(0o700)).expect("a private folder");
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_nudge"));
    command.args(["-p", &flag, "ui", "--no-open", "--json"]).env("NUDGE_RUNTIME_DIR", &other);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("nudge starts");
    let lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    let link = lines.map_while(Result::ok).find(|line| line.contains("/ui/#in="));
    super::page::terminate(child.id());
    child.wait().expect("it ends");
    let link = link.expect("a link");
    assert!(!link.contains(&format!(":{theirs}/")), "{link}");
    drop(server);
}

//! What runners write before each line of the programs that they run.

use super::{message_behind_place, split_at_colon};

/// Takes away what runners write before each line: `[lint:go] `, `web:test: `, `#12 0.3 `, `npm ERR! `, `db-1  | `.
pub(in crate::observations) fn without_prefix(line: &str) -> &str {
    let mut rest = line.trim();
    for _ in 0..3 {
        let shorter = strip_once(rest);
        if shorter.len() == rest.len() {
            break;
        }
        rest = shorter;
    }
    rest
}

fn strip_once(line: &str) -> &str {
    let line = line.trim_start();
    for mark in ["npm ERR! ", "npm error ", "remote: ", "ERROR: ", "stderr: ", "E   ", "> ", "- ", "* "] {
        if let Some(rest) = line.strip_prefix(mark) {
            // The mark itself says that this is an error.
            return if rest.trim().is_empty() { line } else { rest.trim_start() };
        }
    }
    if let Some(message) = framed(line).or_else(|| goal_message(line)) {
        return message;
    }
    // `e: file:///home/x/Cart.kt:12:9 Unresolved reference`, by which Kotlin names a place.
    if let Some(place) = line.strip_prefix("e: ") {
        return place.strip_prefix("file://").unwrap_or(place);
    }
    // `time="…" level=fatal msg="…"`, as many programs in Go log.
    if line.starts_with("time=")
        && let Some((_, message)) = line.split_once(" msg=\"")
    {
        return message.trim_end_matches('"');
    }
    // `[lint] `, `[lint:go] `, but not a status such as `[FAILED]` or `[ERROR]`.
    if let Some((name, rest)) = line.strip_prefix('[').and_then(|line| line.split_once("] ")) {
        let is_name =
            name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, ':' | '-' | '_' | '/' | '.' | '@'));
        if is_name && name.chars().any(|c| c.is_ascii_lowercase() || c.is_ascii_digit()) {
            return rest;
        }
    }
    // `packages/api test: ` (pnpm -r), ` NX   ` (nx)
    if let Some(rest) = line.strip_prefix("NX   ") {
        return rest.trim_start();
    }
    let at_colon = split_at_colon(line);
    if let Some((name, rest)) = at_colon
        && name.split_once(' ').is_some_and(|(folder, task)| {
            folder.contains('/')
                && !task.is_empty()
                && task.chars().all(|c| c.is_ascii_lowercase() || matches!(c, ':' | '-'))
        })
    {
        return rest;
    }
    // `vet: a.go:7:7: …`
    if let Some((name, rest)) = at_colon
        && name.chars().all(|c| c.is_ascii_lowercase())
        && message_behind_place(rest).is_some()
    {
        return rest;
    }
    // `web:test: `, `@scope/web:build: ` (turbo), `web test: ` is too much like a message.
    if let Some((name, rest)) = at_colon
        && name.split(':').count() == 2
        && !name.contains(' ')
        && name.chars().all(|c| c.is_ascii_lowercase() || matches!(c, ':' | '-' | '@' | '/'))
    {
        return rest;
    }
    // `db-1  | ` (docker compose), `#12 0.345 ` (docker build).
    if memchr::memchr(b'|', line.as_bytes()).is_some()
        && let Some((name, rest)) = line.split_once(" | ")
        && !name.trim_end().contains(' ')
        && name.trim_end().ends_with(|c: char| c.is_ascii_digit())
        && name.contains('-')
    {
        return rest;
    }
    // `==12345== Invalid write of size 4`, by which valgrind names a process.
    if let Some((number, rest)) = line.strip_prefix("==").and_then(|line| line.split_once("== "))
        && number.bytes().all(|byte| byte.is_ascii_digit())
    {
        return rest.trim_start();
    }
    of_docker_step(line).unwrap_or(line)
}

/// Returns what `#12 0.345 ` and `#12 ERROR: ` are written before by `docker build`.
pub(super) fn of_docker_step(line: &str) -> Option<&str> {
    let (number, rest) = line.strip_prefix('#')?.split_once(' ')?;
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    if rest.starts_with("ERROR: ") {
        return Some(rest);
    }
    let (time, said) = rest.split_once(' ')?;
    (time.contains('.') && time.parse::<f64>().is_ok()).then_some(said)
}

/// Returns what is in a frame: `│ Error: Unsupported argument` (Terraform), `│ No such command 'x'.   │` (Typer).
fn framed(line: &str) -> Option<&str> {
    let text = line.strip_prefix('│')?.trim().trim_end_matches('│').trim_end();
    text.contains(char::is_alphabetic).then_some(text)
}

/// Returns why a goal of Maven failed: `[ERROR] Failed to execute goal G (id) on project P: MESSAGE -> [Help 1]`.
fn goal_message(line: &str) -> Option<&str> {
    let goal = line.strip_prefix("[ERROR] Failed to execute goal ")?;
    let (_, message) = goal.split_once(" on project ")?.1.split_once(": ")?;
    Some(message.split(" -> [Help").next().unwrap_or(message))
}

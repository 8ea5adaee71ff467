//! The doors: what reaches outside has one home each.

use super::source::Source;
use super::{assert_complains, assert_content, assert_tidy};

/// A text with the only places where it may be; a place that ends in `/` is a folder.
const DOORS: [(&str, &[&str]); 21] = [
    ("rusqlite", &["src/store/"]),
    ("tokio", &["src/server/", "src/team/"]),
    ("tokio_postgres", &["src/team/"]),
    ("postgres_protocol", &["src/team/"]),
    ("rustls", &["src/team/"]),
    ("tokio_rustls", &["src/team/"]),
    ("rmcp", &["src/server/"]),
    ("clap", &["src/cli/"]),
    ("std::env", &["src/config/env.rs", "src/cli/mod.rs"]),
    ("SystemTime::now", &["src/system/clock.rs"]),
    ("Instant::now", &["src/system/clock.rs"]),
    ("process::exit", &["src/main.rs"]),
    ("Command::new", &["src/system/programs.rs", "src/nexus/git.rs", "src/ops/demo.rs"]),
    ("process::abort", &["src/main.rs"]),
    ("println!", &["src/cli/output.rs"]),
    ("print!", &["src/cli/output.rs"]),
    ("eprintln!", &["src/cli/output.rs"]),
    ("eprint!", &["src/cli/output.rs"]),
    ("io::stdout", &["src/cli/output.rs"]),
    ("io::stdin", &["src/cli/", "src/server/"]),
    ("TcpStream", &["src/peers/", "src/server/"]),
];

#[test]
fn every_door_has_one_home() {
    assert_tidy(doors);
}

#[test]
fn doors_are_held() {
    let check = |path: &str, text: &str, complaint: &str| assert_complains(doors, path, text, complaint);
    check("src/ops/a.rs", "use rusqlite::Connection;", "src/ops/a.rs:1: `rusqlite` belongs to src/store/");
    check("src/cli/a.rs", "#[tokio::main]", "src/cli/a.rs:1: `tokio` belongs to src/server/, src/team/");
    check("src/ops/a.rs", "#[derive(clap::Args)]", "src/ops/a.rs:1: `clap` belongs to src/cli/");
    check(
        "src/rules/a.rs",
        "let home = std::env::var(\"HOME\");",
        "src/rules/a.rs:1: `std::env` belongs to src/config/env.rs, src/cli/mod.rs",
    );
    check(
        "src/ops/a.rs",
        "use std::{env, fs};",
        "src/ops/a.rs:1: `std::env` belongs to src/config/env.rs, src/cli/mod.rs",
    );
    check("src/cli/mod.rs", "std::env::var_os(\"A\")", "src/cli/mod.rs:1: only `args_os` is read here");
    check(
        "src/ops/a.rs",
        "let at = SystemTime::now();",
        "src/ops/a.rs:1: `SystemTime::now` belongs to src/system/clock.rs",
    );
    check(
        "src/ops/a.rs",
        "time::Instant::now()",
        "src/ops/a.rs:1: `Instant::now` belongs to src/system/clock.rs",
    );
    check("src/cli/a.rs", "std::process::exit(1)", "src/cli/a.rs:1: `process::exit` belongs to src/main.rs");
    check(
        "src/ops/a.rs",
        "std::process::Command::new(\"sh\")",
        "src/ops/a.rs:1: `Command::new` belongs to src/system/programs.rs, src/nexus/git.rs, src/ops/demo.rs",
    );
    check("src/cli/a.rs", "println!()", "src/cli/a.rs:1: `println!` belongs to src/cli/output.rs");
    check("src/cli/a.rs", "eprintln!()", "src/cli/a.rs:1: `eprintln!` belongs to src/cli/output.rs");
    check("src/cli/a.rs", "io::stdout().lock()", "src/cli/a.rs:1: `io::stdout` belongs to src/cli/output.rs");
    check(
        "src/config/a.rs",
        "use std::net::TcpStream;",
        "src/config/a.rs:1: `TcpStream` belongs to src/peers/, src/server/",
    );
    assert_content(doors, "src/store/a.rs", "use rusqlite::Connection;");
    assert_content(doors, "src/cli/mod.rs", "parse(std::env::args_os())");
    assert_content(
        doors,
        "src/ops/a.rs",
        "// A println!() here would be a verdict.\nlet clapped = env!(\"A\");",
    );
    assert_content(doors, "tests/it/a.rs", "println!()");
    assert_content(doors, "src/store/open/tests.rs", "std::env::current_exe()");
}

#[test]
fn unix_is_asked_only_where_there_is_unix() {
    assert_tidy(unix_only);
}

#[test]
fn unix_is_held() {
    let free = "use std::os::unix::fs::MetadataExt;";
    assert_complains(unix_only, "src/config/a.rs", free, "src/config/a.rs:1: outside of `cfg(unix)`");
    assert_complains(
        unix_only,
        "tests/it/a.rs",
        "#[cfg(unix)]\nfn f() {\n    g();\n}\n\nfn h() {\n    std::os::unix::fs::symlink(a, b);\n}",
        "tests/it/a.rs:7: outside of `cfg(unix)`",
    );
    assert_content(unix_only, "src/config/a.rs", "#[cfg(unix)]\nuse std::os::unix::fs::MetadataExt;");
    assert_content(
        unix_only,
        "src/config/a.rs",
        "fn f() {\n    #[cfg(unix)]\n    let x = {\n        use std::os::unix::fs::MetadataExt;\n    };\n}",
    );
    assert_content(unix_only, "tests/it/a.rs", "#![cfg(unix)]\n\nuse std::os::unix::fs::symlink;");
    assert_content(
        unix_only,
        "tests/it/a.rs",
        "#[test]\n#[cfg(unix)]\nfn f() {\n    std::os::unix::fs::symlink(a, b);\n}",
    );
}

fn doors(files: &[Source]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| file.path.starts_with("src/") && !is_test(&file.path)) {
        for (line, text) in file.code() {
            let text = spelled_out(text);
            for (door, homes) in DOORS {
                let at_home = homes
                    .iter()
                    .any(|home| file.path == *home || (home.ends_with('/') && file.path.starts_with(home)));
                if opens(&text, door) && !at_home {
                    complaints.push(format!(
                        "{}:{line}: `{door}` belongs to {}",
                        file.path,
                        homes.join(", ")
                    ));
                }
            }
            if file.path == "src/cli/mod.rs"
                && opens(&text, "std::env")
                && !text.contains("std::env::args_os")
            {
                complaints.push(format!("{}:{line}: only `args_os` is read here", file.path));
            }
        }
    }
    complaints
}

/// Tests may start processes and look around; clippy still asks them why.
fn is_test(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.contains("/tests/")
}

/// `use std::{env, fs}` names the environment too.
fn spelled_out(text: &str) -> String {
    match text.split_once("std::{") {
        Some((_, group)) => {
            group.trim_end_matches("};").split(',').map(|name| format!("std::{};", name.trim())).collect()
        }
        None => text.to_owned(),
    }
}

/// Returns whether the text has the name as a whole word.
fn opens(text: &str, door: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(door).any(|(at, _)| {
        let after = text[at + door.len()..].chars().next();
        !text[..at].ends_with(word) && (door.ends_with('!') || !after.is_some_and(word))
    })
}

fn unix_only(files: &[Source]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| file.path.starts_with("src/") || file.path.starts_with("tests/")) {
        if file.text.lines().any(|line| line == "#![cfg(unix)]") {
            continue;
        }
        let code: Vec<(usize, &str)> = file.code().collect();
        for (index, (line, text)) in code.iter().enumerate() {
            let quoted = text.find("os::unix").is_some_and(|at| text[..at].matches('"').count() % 2 == 1);
            if text.contains("os::unix") && !quoted && !is_below_cfg(&code[..=index]) {
                complaints.push(format!("{}:{line}: outside of `cfg(unix)`", file.path));
            }
        }
    }
    complaints
}

/// Returns whether the last of these lines belongs to an item under `#[cfg(unix)]`.
fn is_below_cfg(code: &[(usize, &str)]) -> bool {
    let indent = |text: &str| text.len() - text.trim_start().len();
    let is_attribute = |text: &str| text.trim_start().starts_with("#[");
    code.iter().enumerate().any(|(index, (_, text))| {
        let rest = &code[index + 1..];
        let is_cfg = text.trim() == "#[cfg(unix)]";
        // The item continues until a line is indented no more than the attribute, apart from its own first line.
        let mut own = rest.iter().skip_while(|(_, text)| is_attribute(text)).skip(1);
        is_cfg && !rest.is_empty() && own.all(|(_, line)| indent(line) > indent(text))
    })
}

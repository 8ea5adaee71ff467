//! How commands print: colour where it is wanted, and silence when nobody reads.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use expect_test::expect;

use crate::sandbox::{BLOCK_TODO, Sandbox};

const ESCAPE: char = '\u{1b}';

fn coloured(sandbox: &Sandbox, args: [&str; 3]) -> bool {
    sandbox.run(args).stdout.contains(ESCAPE)
}

#[test]
fn a_pipe_gets_no_colour_unless_it_is_wanted() {
    let plain = Sandbox::new().rule("a.yaml", BLOCK_TODO);
    assert!(!plain.run(["rules"]).stdout.contains(ESCAPE));
    assert!(coloured(&plain, ["--color", "always", "rules"]));
    assert!(coloured(&plain, ["rules", "--color", "always"]));
    assert!(!coloured(&plain, ["--color", "never", "rules"]));
}

#[test]
fn the_environment_may_want_or_refuse_colour() {
    let sandbox = |name: &str| Sandbox::new().rule("a.yaml", BLOCK_TODO).env(name, "1");
    assert!(!sandbox("NO_COLOR").run(["rules"]).stdout.contains(ESCAPE));
    assert!(sandbox("CLICOLOR_FORCE").run(["rules"]).stdout.contains(ESCAPE));
    assert!(!coloured(&sandbox("CLICOLOR_FORCE"), ["--color", "never", "rules"]));
    // An option on the command line decides.
    assert!(coloured(&sandbox("NO_COLOR"), ["--color", "always", "rules"]));
}

#[test]
fn json_and_the_hook_are_never_coloured() {
    let sandbox = Sandbox::new().rule("a.yaml", BLOCK_TODO).env("CLICOLOR_FORCE", "1");
    assert!(!sandbox.run(["rules", "--json"]).stdout.contains(ESCAPE));
    let event = sandbox.place(crate::payload::write("a.rs", "TODO")).to_string();
    let ran = sandbox.run_with(["hook", "--verbose"], event.as_bytes());
    ran.reply(expect![["deny: Do it now (lines 1)."]]);
    assert!(!ran.stdout.contains(ESCAPE));
}

#[test]
fn a_reader_that_has_seen_enough_is_not_a_failure() {
    let many: String = (0..20_000)
        .map(|index| {
            format!("  - {{ name: r{index}, on: {{ hook: Stop }}, action: continue, message: m }}\n")
        })
        .collect();
    let chunks: Vec<&str> = many.split_inclusive('\n').collect();
    let mut sandbox = Sandbox::new();
    for (index, chunk) in chunks.chunks(5_000).enumerate() {
        sandbox = sandbox.rule(&format!("{index}.yaml"), &format!("version: 1\nrules:\n{}", chunk.concat()));
    }
    for args in [&["rules"][..], &["rules", "--json"], &["validate"], &["test", "--message", "x"]] {
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_nudge"));
        command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let mut first = String::new();
        let mut reader = BufReader::new(child.stdout.take().expect("stdout is piped"));
        reader.read_line(&mut first).expect("a first line");
        drop(reader);
        let ran = sandbox.ran(&child.wait_with_output().expect("the program ends"));
        ran.code(0).stderr(expect![[""]]);
        assert!(!first.is_empty());
    }
}

#[test]
fn help_may_be_read_in_part() {
    let mut command = Sandbox::new().command(env!("CARGO_BIN_EXE_nudge"));
    command.current_dir("/").arg("--help").stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
}

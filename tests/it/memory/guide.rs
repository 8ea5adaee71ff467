//! The guide to the memory is true: every command in it is run, and prints what is printed there.

use std::fs;
use std::path::Path;

use crate::memory::scene::{play, story, timeless};
use crate::sandbox::Sandbox;

#[test]
fn every_command_prints_what_the_guide_says() {
    let sandbox = Sandbox::new().file(".nudge/config.toml", "[project]\nname = 'shop'");
    play(&sandbox, story());
    assert_prints("docs/guide/memory.md", &sandbox);
}

/// Runs the commands of a page, one after the other, and compares what they print.
pub(crate) fn assert_prints(page: &str, sandbox: &Sandbox) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
    let page = fs::read_to_string(&path).expect("the guide");
    let mut found = String::new();
    let mut rest = page.as_str();
    while let Some((before, block)) = rest.split_once("```console\n") {
        let (block, after) = block.split_once("```\n").expect("a block has an end");
        let played: Vec<String> = commands(block).map(|command| played(sandbox, command)).collect();
        found.push_str(&format!("{before}```console\n{}```\n", played.join("\n")));
        rest = after;
    }
    found.push_str(rest);
    expect_test::expect_file![path].assert_eq(&found);
}

fn commands(block: &str) -> impl Iterator<Item = &str> {
    block.lines().filter_map(|line| line.strip_prefix("$ "))
}

/// Runs a command as a person would, and returns it with all that is printed.
fn played(sandbox: &Sandbox, line: &str) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_nudge")).parent().expect("a folder").display();
    let mut shell = sandbox.command("sh");
    let script = format!("PATH='{program}':$PATH; {{ {line}; }} 2>&1");
    let output = shell.args(["-c", &script]).output().expect("a shell");
    let ran = timeless(sandbox.ran(&output));
    // A page may show an error, but not a command that does not exist.
    assert!(!ran.stdout.contains("Usage: nudge"), "{line}: {}", ran.stdout);
    // The page is of one size on every machine, and its folder of one name.
    format!("$ {line}\n{}", shortened(&ran.stdout))
}

fn shortened(text: &str) -> String {
    let count = regex::Regex::new(r"Told \(\d+ of").expect("a pattern");
    count.replace(text, "Told (546 of").replace("$BASE/project", "~/shop")
}

//! The guide to hints is true: every command in it is run against one server, and prints what is printed there.

use std::fs;
use std::path::Path;

use crate::hints::scene::{Scene, timeless};

const PAGE: &str = "docs/guide/hints.md";

#[test]
fn every_command_prints_what_the_guide_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
    let page = fs::read_to_string(&path).expect("the guide");
    let scene = Scene::new();
    fs::create_dir_all(scene.sandbox.path("http-proxy/src")).expect("a folder");
    scene.sandbox.put(".git/HEAD", "ref: refs/heads/dev\n");
    let mut found = String::new();
    let mut rest = page.as_str();
    while let Some((before, block)) = rest.split_once("```console\n") {
        let (block, after) = block.split_once("```\n").expect("a block has an end");
        let played: Vec<String> = commands(block).iter().map(|command| played(&scene, command)).collect();
        found.push_str(&format!("{before}```console\n{}```\n", played.join("\n")));
        rest = after;
    }
    found.push_str(rest);
    expect_test::expect_file![path].assert_eq(&found);
}

/// Returns the commands of a block; a backslash at the end of a line continues a command.
fn commands(block: &str) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in block.lines() {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (Some(command), _) => commands.push(command.to_owned()),
            (None, Some(command)) if goes_on => command.push_str(&format!("\n{line}")),
            _ => {}
        }
        goes_on = line.ends_with('\\');
    }
    commands
}

/// Runs a command as a person would, in the folder of the component, and returns it with all that is printed.
fn played(scene: &Scene, line: &str) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_nudge")).parent().expect("a folder").display();
    let mut shell = scene.sandbox.command("sh");
    let script = format!("PATH='{program}':$PATH; {{ {line}; }} 2>&1");
    let output = shell.current_dir(scene.sandbox.path("http-proxy")).args(["-c", &script]).output();
    let ran = timeless(scene.sandbox.ran(&output.expect("a shell")));
    format!("$ {line}\n{}", ran.stdout)
}

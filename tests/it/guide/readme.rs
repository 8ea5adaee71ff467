//! The README is true: every line of its code blocks is run, in order, as a newcomer would.
//!
//! Lines that build the program for release take minutes, so usually the program of the tests replaces what they
//! build; `NUDGE_SLOW=1 cargo test --test it readme` runs them as they are, and `cargo install --git` too.

#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::memory::scene::files;
use crate::sandbox::{Ran, Sandbox, toolchain};

#[test]
fn every_line_does_what_it_says() {
    let newcomer = Newcomer::new();
    let mut said = Vec::new();
    for line in lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let ran = match words.as_slice() {
            // This is what runs us.
            ["cargo", "test", ..] => continue,
            ["cargo", ..] if is_slow() => newcomer.build(&line),
            ["cargo", "run", "--release", "--", args @ ..] => {
                newcomer.run(&format!("nudge {}", args.join(" ")))
            }
            ["cargo", "install", "--locked", "--profile", "dist", "--path", "."] => newcomer.install(),
            ["nudge", ..] => newcomer.run(&line),
            _ => panic!("nobody runs this line of the README: {line}"),
        };
        assert_eq!(ran.code, Some(0), "$ {line}\n{}{}", ran.stdout, ran.stderr);
        said.push(format!("{line}\n{}{}", ran.stdout, ran.stderr));
    }
    let said = said.join("\n");
    for words in [
        "Connect your agents: nudge setup",
        "Claude Code is connected for you; a test event was answered",
        "made   .nudge.yaml",
    ] {
        assert!(said.contains(words), "nothing says `{words}`:\n{said}");
    }
}

#[test]
fn it_can_be_installed_from_its_repository() {
    if !is_slow() {
        return;
    }
    let newcomer = Newcomer::new();
    let ran = newcomer
        .build(&format!("cargo install --locked --profile dist --git file://{} nudge", root().display()));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(newcomer.run("nudge --version").stdout, format!("nudge {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn every_link_of_every_page_leads_somewhere() {
    let mut pages = vec![root().join("plugin/README.md")];
    pages.extend(["docs", "harness-content"].iter().flat_map(|folder| files(&root().join(folder))));
    pages.extend(["README.md", "ARCHITECTURE.md", "AGENTS.md", "CHANGELOG.md"].map(|name| root().join(name)));
    let mut dead = Vec::new();
    for page in pages.iter().filter(|page| page.extension().is_some_and(|ending| ending == "md")) {
        let text = fs::read_to_string(page).expect("a page");
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let (path, _) = link.split_once('#').unwrap_or((link, ""));
            let target = page.parent().expect("a folder").join(path);
            if !link.contains("://") && !path.is_empty() && !target.exists() {
                dead.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert_eq!(dead, Vec::<String>::new());
}

/// A user with a clone and an agent, who has not installed nudge yet.
struct Newcomer {
    sandbox: Sandbox,
}

impl Newcomer {
    fn new() -> Newcomer {
        let sandbox = Sandbox::new();
        let bin = sandbox.beside("home/bin");
        for folder in [&bin, &sandbox.beside("home/.claude")] {
            fs::create_dir(folder).expect("a folder of the home");
        }
        let path = format!("{}:/usr/bin:/bin", bin.display());
        fs::write(sandbox.beside("home/.profile"), format!("PATH={path}\n")).expect("a profile");
        Newcomer { sandbox }
    }

    /// Runs a line in the project; where nothing was built, the program of the tests is there.
    fn run(&self, line: &str) -> Ran {
        let built = Path::new(env!("CARGO_BIN_EXE_nudge"));
        let installed = self.program();
        let program = if installed.exists() { &installed } else { built };
        let folder = program.parent().expect("a folder").display();
        let mut command = self.sandbox.command("sh");
        command.args(["-c", line]).env("PATH", format!("{folder}:/usr/bin:/bin"));
        self.ran(&mut command)
    }

    /// Runs a line of cargo in the clone; what it installs comes to the home of the newcomer.
    fn build(&self, line: &str) -> Ran {
        let mut command = toolchain(self.sandbox.command("sh"));
        command.args(["-c", line]).current_dir(root());
        command.env("CARGO_INSTALL_ROOT", self.sandbox.beside("home"));
        command.env("CARGO_TARGET_DIR", root().join("target"));
        self.ran(&mut command)
    }

    /// Stands in for an installation.
    fn install(&self) -> Ran {
        let mut command = self.sandbox.command("cp");
        command.arg(env!("CARGO_BIN_EXE_nudge")).arg(self.program());
        self.ran(&mut command)
    }

    /// Returns where an installation puts the program.
    fn program(&self) -> PathBuf {
        self.sandbox.beside("home/bin/nudge")
    }

    fn ran(&self, command: &mut Command) -> Ran {
        self.sandbox.ran(&command.output().expect("a program to start"))
    }
}

/// Returns the lines of all code blocks for a shell.
fn lines() -> Vec<String> {
    let page = fs::read_to_string(root().join("README.md")).expect("the README");
    let blocks = page.split("```").skip(1).step_by(2);
    let lines: Vec<String> = blocks
        .map(|block| block.strip_prefix("sh\n").expect("a block for a shell"))
        .flat_map(|block| block.lines().map(str::to_owned))
        .collect();
    assert!(lines.len() > 3, "{lines:?}");
    lines
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[expect(clippy::disallowed_methods, reason = "who runs the tests says how long they may take")]
fn is_slow() -> bool {
    std::env::var_os("NUDGE_SLOW").is_some()
}

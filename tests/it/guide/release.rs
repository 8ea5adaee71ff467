//! What a release hands out is complete, and its sums are right. The program in it is the one of the tests: building the
//! real one takes minutes, and `scripts/release` without arguments does.

#![cfg(unix)]

use std::fs;
use std::path::Path;

use expect_test::expect;

use crate::sandbox::{Sandbox, toolchain};

#[test]
fn the_archive_has_program_manual_completions_and_licences() {
    let sandbox = Sandbox::new();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/release");
    let mut command = toolchain(sandbox.command("bash"));
    command.arg(script).args(["--binary", env!("CARGO_BIN_EXE_nudge"), "--out"]).arg(sandbox.path("out"));
    let output = command.output().expect("bash");
    let ran = sandbox.ran(&output);
    ran.code(0).stderr(expect![[""]]);
    let archive =
        ran.stdout.trim().strip_prefix("$BASE/project/out/").expect("the archive is named").to_owned();
    assert!(archive.starts_with(&format!("nudge-{}-", env!("CARGO_PKG_VERSION"))), "{archive}");

    let check = "sha256sum -c --quiet SHA256SUMS 2>&1 || shasum -a 256 -c SHA256SUMS; tar xzf *.tar.gz && mv nudge-*/ nudge";
    let output = sandbox.command("sh").current_dir(sandbox.path("out")).args(["-c", check]).output();
    sandbox.ran(&output.expect("a shell")).code(0).stdout(expect![[""]]).stderr(expect![[""]]);

    let mut names: Vec<String> = Vec::new();
    for folder in ["", "completions"] {
        let entries = fs::read_dir(sandbox.path("out/nudge").join(folder)).expect("a folder of the archive");
        names.extend(
            entries.map(|entry| format!("{folder}/{}", entry.expect("an entry").file_name().display())),
        );
    }
    names.sort();
    expect![[r#"
        /CHANGELOG.md
        /DEPENDENCIES
        /LICENSE
        /LICENSE-APACHE
        /LICENSE-MIT
        /README.md
        /completions
        /man
        /nudge
        completions/_nudge
        completions/_nudge.ps1
        completions/nudge.bash
        completions/nudge.elv
        completions/nudge.fish"#]]
    .assert_eq(&names.join("\n"));
    let built_from = fs::read_to_string(sandbox.path("out/nudge/DEPENDENCIES")).expect("a list");
    assert!(
        built_from.contains("\nserde_json v1.") && built_from.contains(" MIT OR Apache-2.0\n"),
        "{built_from}"
    );
    assert!(!built_from.contains(env!("CARGO_MANIFEST_DIR")), "{built_from}");
    let pages = fs::read_dir(sandbox.path("out/nudge/man/man1")).expect("the manual").count();
    assert_eq!(pages, pages_of(&sandbox));
    let unpacked = sandbox.path("out/nudge/nudge");
    let version =
        sandbox.command(unpacked.to_str().expect("UTF-8")).arg("--version").output().expect("it runs");
    assert_eq!(sandbox.ran(&version).stdout, format!("nudge {}\n", env!("CARGO_PKG_VERSION")));
}

/// Returns how many pages the manual has.
fn pages_of(sandbox: &Sandbox) -> usize {
    sandbox.run(["man", "--out", "man1"]).code(0);
    fs::read_dir(sandbox.path("man1")).expect("the manual").count()
}

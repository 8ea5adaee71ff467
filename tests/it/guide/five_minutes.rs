//! The five-minute guide is true: every command in it is run, in one project, and prints what is printed there.

#![cfg(unix)]

use crate::hints::scene::Scene;
use crate::memory::guide::assert_prints;
use crate::sandbox::Sandbox;

#[test]
fn every_command_prints_what_the_guide_says() {
    // Setup looks for the program on the PATH of a login shell.
    let folder = std::path::Path::new(env!("CARGO_BIN_EXE_nudge")).parent().expect("a folder").display();
    let sandbox = Sandbox::new().env("PATH", &format!("{folder}:/usr/bin:/bin"));
    let scene = Scene::with(sandbox, &[]);
    assert_prints("docs/guide/five-minutes.md", &scene.sandbox);
}

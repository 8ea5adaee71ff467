//! How the program is linked on Linux: a hook is a new process for every event, so its start counts.
//!
//! `docs/decisions/0010-how-it-is-linked.md` has the figures. `cargo install` reads no `.cargo/config.toml` of a
//! repository when it installs from git, so this is the one place that reaches every user. Whatever is missing here
//! (another compiler, no static C library), the program is linked as Cargo does it.

#![expect(clippy::disallowed_methods, reason = "Cargo asks a build script in its environment")]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The libraries of the system that Rust's standard library names; `gcc_s` unwinds the stack.
const LIBRARIES: [&str; 6] = ["c", "m", "dl", "pthread", "rt", "util"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=RUSTC_LINKER");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    let is_gnu = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    // Debug builds stay as Cargo links them, and who asks for `crt-static` has asked for all of it.
    if !is_gnu || is("PROFILE", "debug") || features.split(',').any(|feature| feature == "crt-static") {
        return;
    }
    // Without this, the loader fills in 34,000 addresses at every start.
    println!("cargo::rustc-link-arg-bins=-no-pie");
    if let Some(folder) = is_dist().then(static_libraries).flatten() {
        println!("cargo::rustc-link-search=native={}", folder.display());
        println!("cargo::rustc-link-arg-bins=-static");
    }
}

/// The folder of the output is `target/PROFILE/build/nudge-…/out`; Cargo has no variable for the profile's name.
fn is_dist() -> bool {
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    out.ancestors().nth(3).and_then(Path::file_name).is_some_and(|name| name == "dist")
}

/// Makes a folder that has only static libraries. The linker looks here first, and so finds no shared one.
fn static_libraries() -> Option<PathBuf> {
    let compiler = env::var_os("RUSTC_LINKER").unwrap_or_else(|| "cc".into());
    let find = |name: &str| {
        let found = Command::new(&compiler).arg(format!("-print-file-name={name}")).output().ok()?;
        let path = PathBuf::from(String::from_utf8(found.stdout).ok()?.trim());
        path.is_absolute().then_some(path)
    };
    let folder = PathBuf::from(env::var_os("OUT_DIR")?).join("static");
    fs::create_dir_all(&folder).ok()?;
    for library in LIBRARIES {
        let name = format!("lib{library}.a");
        let script = format!("INPUT ( {} )\n", find(&name)?.display());
        fs::write(folder.join(name), script).ok()?;
    }
    let script = format!("GROUP ( {} {} )\n", find("libgcc.a")?.display(), find("libgcc_eh.a")?.display());
    fs::write(folder.join("libgcc_s.a"), script).ok()?;
    Some(folder)
}

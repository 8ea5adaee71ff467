//! Which files the viewer's page has, and how the program is linked on Linux: a hook is a new process for every event,
//! so its start counts.
//!
//! `docs/decisions/0010-how-it-is-linked.md` has the figures. `cargo install` reads no `.cargo/config.toml` of a
//! repository when it installs from git, so this is the one place that reaches every user. Whatever is missing here
//! (another compiler, no static C library), the program is linked as Cargo does it.

#![expect(clippy::disallowed_methods, reason = "Cargo asks a build script in its environment")]

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// The libraries of the system that Rust's standard library names; `gcc_s` unwinds the stack.
const LIBRARIES: [&str; 6] = ["c", "m", "dl", "pthread", "rt", "util"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    list_assets();
    println!("cargo::rerun-if-env-changed=RUSTC_LINKER");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    let is_gnu = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    // Debug builds stay as Cargo links them, and `crt-static` asks for everything that is done here.
    if !is_gnu || is("PROFILE", "debug") || features.split(',').any(|feature| feature == "crt-static") {
        return;
    }
    // Without this, the loader fills in 34,000 addresses at every start.
    println!("cargo::rustc-link-arg-bins=-no-pie");
    if let Some(folder) = is_for_users().then(static_libraries).flatten() {
        println!("cargo::rustc-link-search=native={}", folder.display());
        println!("cargo::rustc-link-arg-bins=-static");
    }
}

/// Writes the table of the page's files, so that a new module of the page needs no change here.
fn list_assets() {
    println!("cargo::rerun-if-changed=assets/ui");
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("assets/ui");
    let (mut folders, mut files) = (vec![root.clone()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    let rows = files.iter().filter_map(|path| {
        let name = path.strip_prefix(&root).ok()?.to_str()?.replace('\\', "/");
        Some(format!("    ({name:?}, include_str!({:?})),\n", path.to_str()?))
    });
    let table = format!("&[\n{}]\n", rows.collect::<String>());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("ui_assets.rs");
    fs::write(out, table).expect("the folder of the build can be written");
}

/// Returns whether users will run the program: the profile is `dist`, or Cargo has fetched the sources itself, as
/// `cargo install --git` does.
///
/// Cargo has no variable for the name of the profile; the folder of the output is `target/PROFILE/build/nudge-…/out`.
fn is_for_users() -> bool {
    let folder = |name: &str| PathBuf::from(env::var_os(name).unwrap_or_default());
    let is_dist = folder("OUT_DIR").ancestors().nth(3).is_some_and(|profile| profile.ends_with("dist"));
    let sources = folder("CARGO_MANIFEST_DIR");
    is_dist
        || sources.ancestors().any(|path| path.ends_with("git/checkouts") || path.ends_with("registry/src"))
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

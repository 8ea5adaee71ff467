//! What gets into the program: crates of crates.io with a checksum, under licences that `deny.toml` allows.
//!
//! Known vulnerabilities are not looked up here: their list is on the network, and `.ci/run` says whether it was read.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use toml::{Table, Value};

const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// How many crates the feature `team` may add on one system; it began with 42.
const MAX_CRATES_OF_TEAM: usize = 45;

fn table(file: &str) -> Table {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    fs::read_to_string(path).expect("a file").parse().expect("TOML")
}

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().expect("a list").iter().map(|text| text.as_str().expect("a text")).collect()
}

#[test]
fn every_crate_is_of_crates_io_and_has_a_checksum() {
    let (lock, deny) = (table("Cargo.lock"), table("deny.toml"));
    let banned: BTreeSet<&str> = deny["bans"]["deny"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|entry| entry["crate"].as_str().expect("a name"))
        .collect();
    let packages = lock["package"].as_array().expect("packages");
    for package in packages {
        let name = package["name"].as_str().expect("a name");
        assert!(!banned.contains(name), "`{name}` is banned in deny.toml");
        if name != env!("CARGO_PKG_NAME") {
            let field = |field: &str| package.get(field).and_then(Value::as_str);
            assert_eq!(field("source"), Some(REGISTRY), "`{name}`");
            assert!(field("checksum").is_some_and(|sum| sum.len() == 64), "`{name}` has no checksum");
        }
    }
    assert!(packages.len() > 100, "{}", packages.len());
}

#[test]
#[expect(clippy::print_stdout, reason = "what is skipped is said")]
fn every_licence_is_allowed() {
    let deny = table("deny.toml");
    let allowed: BTreeSet<&str> = texts(&deny["licenses"]["allow"]).into_iter().collect();
    let exceptions: BTreeMap<&str, Vec<&str>> = deny["licenses"]["exceptions"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|entry| (entry["crate"].as_str().expect("a name"), texts(&entry["allow"])))
        .collect();
    let output = Command::new(env!("CARGO"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["tree", "--locked", "--offline", "--edges", "normal,build", "--prefix", "none"])
        .args(["--format", "{p}|{l}"])
        .output()
        .expect("cargo runs");
    if !output.status.success() {
        println!("skipped: {}", String::from_utf8_lossy(&output.stderr));
        return;
    }
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let crates: BTreeSet<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    let refused: Vec<&&str> = crates
        .iter()
        .filter(|line| {
            let (package, licence) = line.split_once('|').expect("a licence");
            let licence = licence.trim_end_matches(" (*)");
            let name = package.split(' ').next().unwrap_or_default();
            let own = exceptions.get(name).cloned().unwrap_or_default();
            !is_allowed(licence, &|one| allowed.contains(one) || own.contains(&one))
        })
        .collect();
    assert!(refused.is_empty(), "not allowed in deny.toml: {refused:#?}");
    assert!(crates.len() > 100, "{}", crates.len());
}

/// Returns the names of the crates that are compiled into the program for this system, or says why they are unknown.
fn compiled(features: &[&str]) -> Result<BTreeSet<String>, String> {
    let output = Command::new(env!("CARGO"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["tree", "--locked", "--offline", "--edges", "normal,build", "--prefix", "none"])
        .args(["--format", "{p}"])
        .args(features)
        .output()
        .expect("cargo runs");
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    Ok(text
        .lines()
        .map(|line| line.trim_end_matches(" (*)").to_owned())
        .filter(|line| !line.is_empty())
        .collect())
}

#[test]
#[expect(clippy::print_stdout, reason = "what is skipped is said")]
fn the_program_without_a_team_has_neither_tls_nor_postgresql() {
    let (with, without) = match (compiled(&[]), compiled(&["--no-default-features"])) {
        (Ok(with), Ok(without)) => (with, without),
        (Err(why), _) | (_, Err(why)) => return println!("skipped: {why}"),
    };
    let names = |crates: &BTreeSet<String>| -> BTreeSet<String> {
        crates.iter().map(|line| line.split(' ').next().unwrap_or_default().to_owned()).collect()
    };
    let network = ["postgres-protocol", "postgres-types", "ring", "rustls", "tokio-postgres", "tokio-rustls"];
    for name in network {
        assert!(names(&with).contains(name), "{name}: the check can fail");
        assert!(!names(&without).contains(name), "`{name}` is compiled without the feature `team`");
    }
    let added: Vec<&String> = with.difference(&without).collect();
    assert!(added.len() <= MAX_CRATES_OF_TEAM, "{} crates: {added:#?}", added.len());
}

/// Judges an expression of SPDX without nesting beyond `(A OR B) AND C`; `/` is how old crates write `OR`.
fn is_allowed(licence: &str, is_listed: &dyn Fn(&str) -> bool) -> bool {
    let licence = licence.replace('/', " OR ");
    let trimmed = |text: &str| text.trim().trim_matches(['(', ')']).trim().to_owned();
    let all: Vec<&str> = licence.split(" AND ").collect();
    all.iter().all(|part| part.split(" OR ").any(|one| is_listed(&trimmed(one))))
}

#[test]
fn licences_are_judged_by_their_parts() {
    let is_listed = |one: &str| ["MIT", "Apache-2.0 WITH LLVM-exception", "Unicode-3.0"].contains(&one);
    for (licence, expected) in [
        ("MIT", true),
        ("GPL-3.0", false),
        ("GPL-3.0 OR MIT", true),
        ("GPL-3.0/MIT", true),
        ("(MIT OR GPL-3.0) AND Unicode-3.0", true),
        ("MIT AND GPL-3.0", false),
        ("Apache-2.0 WITH LLVM-exception OR GPL-3.0", true),
        ("", false),
    ] {
        assert_eq!(is_allowed(licence, &is_listed), expected, "{licence}");
    }
}

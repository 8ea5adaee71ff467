//! What a release hands out, as far as it can be tried without publishing: archives in a folder, the install script, the
//! npm wrapper, the formula and the workflows.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::sandbox::{Sandbox, toolchain};

/// A program that answers as much as `scripts/release` asks it.
const STAND_IN: &str = "\
#!/bin/sh
case \"$1\" in
--version) echo \"nudge $VERSION\" ;;
man) mkdir -p \"$3\" && echo page >\"$3/nudge.1\" ;;
exit) exit \"$2\" ;;
*) echo \"$@\" ;;
esac
";

const VERSION: &str = env!("CARGO_PKG_VERSION");
const ADDRESS: &str = "https://example.org/releases/v0";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn done(mut command: Command) -> Output {
    let output = command.output().expect("the program starts");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

fn has(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Makes the archive of this machine, and what is published with it.
#[cfg(unix)]
fn released(sandbox: &Sandbox) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let program = sandbox.path("nudge");
    fs::write(&program, STAND_IN.replace("$VERSION", VERSION)).expect("the sandbox can be written");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("the sandbox can be written");
    let archives = sandbox.beside("archives");
    let mut release = toolchain(sandbox.command("bash"));
    release.arg(root().join("scripts/release")).arg("--binary").arg(&program).arg("--out").arg(&archives);
    done(release);
    let mut package = sandbox.command("bash");
    package.arg(root().join("scripts/package")).arg(&archives).arg(ADDRESS);
    done(package);
    archives
}

fn install(sandbox: &Sandbox, script: &Path, archives: &Path) -> Output {
    let mut command = sandbox.command("sh");
    command.arg(script).env("NUDGE_ARCHIVES", archives).env("NUDGE_INSTALL_DIR", sandbox.beside("bin"));
    command.output().expect("sh runs")
}

fn archive(archives: &Path) -> PathBuf {
    let mut paths = fs::read_dir(archives).into_iter().flatten().flatten().map(|entry| entry.path());
    paths.find(|path| path.to_string_lossy().ends_with(".tar.gz")).expect("an archive")
}

#[test]
fn the_install_script_installs_what_it_has_verified() {
    let sandbox = Sandbox::new();
    let archives = released(&sandbox);
    let script = root().join("scripts/install.sh");
    let ran = install(&sandbox, &script, &archives);
    let folder = sandbox.beside("bin");
    let said = String::from_utf8_lossy(&ran.stdout);
    assert_eq!(
        said,
        format!(
            "installed nudge {VERSION} in {0}\nnext: add {0} to your PATH, then run `nudge setup`\n",
            folder.display()
        ),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing but the program is left");
    // Again, over the old one, with the script of the release.
    assert!(install(&sandbox, &archives.join("install.sh"), &archives).status.success());
    assert!(fs::read_to_string(archives.join("install.sh")).unwrap().contains(ADDRESS));

    fs::remove_file(folder.join("nudge")).unwrap();
    let path = archive(&archives);
    let mut bytes = fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&path, bytes).unwrap();
    let refused = install(&sandbox, &script, &archives);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && said.contains("is wrong\nhint: nothing was installed"), "{said}");
    assert!(!folder.join("nudge").exists());

    fs::write(archives.join("SHA256SUMS"), "").unwrap();
    let none = install(&sandbox, &script, &archives);
    assert!(String::from_utf8_lossy(&none.stderr).starts_with("error: there is no archive for "));
    let nowhere = install(&sandbox, &script, Path::new("somewhere"));
    assert!(
        String::from_utf8_lossy(&nowhere.stderr).contains("set it to an absolute folder or an https address")
    );
}

#[test]
fn the_npm_wrapper_fetches_verifies_and_starts_the_program() {
    if !has("node") || !has("npm") {
        return;
    }
    let sandbox = Sandbox::new();
    let archives = released(&sandbox);
    let package = archives.join("npm");
    let wrapper = |args: &[&str]| {
        let mut command = sandbox.command("node");
        command.arg(package.join("bin/nudge.js")).args(args).env("NUDGE_ARCHIVES", &archives);
        command.output().expect("node runs")
    };
    assert_eq!(String::from_utf8_lossy(&wrapper(&["a", "b c"]).stdout), "a b c\n");
    assert_eq!(wrapper(&["exit", "3"]).status.code(), Some(3));
    let cache = sandbox.beside("home/cache/nudge-npm").join(VERSION);
    assert_eq!(fs::read_dir(&cache).unwrap().count(), 1);
    // With other bytes than the package knows, nothing is started.
    fs::remove_dir_all(&cache).unwrap();
    let path = archive(&archives);
    fs::write(&path, "other").unwrap();
    let refused = wrapper(&["a"]);
    assert_eq!((refused.status.code(), refused.stdout.len()), (Some(1), 0));
    assert!(!cache.join("nudge").exists());
    let mut pack = sandbox.command("npm");
    pack.args(["pack", "--dry-run", "--json"]).current_dir(&package);
    let packed: serde_json::Value = serde_json::from_slice(&done(pack).stdout).unwrap();
    let mut names: Vec<&str> =
        packed[0]["files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["README.md", "archives.json", "bin/nudge.js", "package.json"]);
    assert_eq!(packed[0]["version"], VERSION);
}

#[test]
fn the_formula_has_the_checksums_of_all_its_targets() {
    let sandbox = Sandbox::new();
    let archives = sandbox.beside("archives");
    fs::create_dir(&archives).unwrap();
    let template = fs::read_to_string(root().join("packaging/homebrew/nudge.rb")).unwrap();
    let targets = template.split("@SHA256:").skip(1).map(|rest| rest.split('@').next().unwrap());
    let sums: String = targets
        .clone()
        .enumerate()
        .map(|(index, target)| format!("{index:064x}  nudge-{VERSION}-{target}.tar.gz\n"))
        .collect();
    fs::write(archives.join("SHA256SUMS"), &sums).unwrap();
    let package = || {
        let mut package = sandbox.command("bash");
        package.arg(root().join("scripts/package")).arg(&archives).arg(ADDRESS);
        done(package);
    };
    package();
    let formula = fs::read_to_string(archives.join("nudge.rb")).unwrap();
    assert!(!formula.contains('@') && formula.contains(&format!("{:064x}", 3)), "{formula}");
    assert_eq!(formula.matches(ADDRESS).count(), 4 + 1, "four archives and the home page");
    if has("ruby") {
        let mut check = Command::new("ruby");
        check.arg("-c").arg(archives.join("nudge.rb"));
        done(check);
    }
    // Without one of them there is no formula.
    fs::write(archives.join("SHA256SUMS"), sums.lines().next().unwrap()).unwrap();
    package();
    assert!(!archives.join("nudge.rb").exists());
}

#[test]
fn binstall_finds_the_archives_under_their_names() {
    let manifest: toml::Table = fs::read_to_string(root().join("Cargo.toml")).unwrap().parse().unwrap();
    let binstall = &manifest["package"]["metadata"]["binstall"];
    let fill = |key: &str| {
        let values = [
            ("{ repo }", "R"),
            ("{ name }", "nudge"),
            ("{ version }", "1.2.3"),
            ("{ target }", "T"),
            ("{ archive-suffix }", ".tar.gz"),
            ("{ bin }", "nudge"),
            ("{ binary-ext }", ""),
        ];
        let text = binstall[key].as_str().unwrap().to_owned();
        values.iter().fold(text, |text, (name, value)| text.replace(name, value))
    };
    assert_eq!(fill("pkg-url"), "R/releases/download/v1.2.3/nudge-1.2.3-T.tar.gz");
    assert_eq!(fill("bin-dir"), "nudge-1.2.3-T/nudge");
    assert_eq!(fill("pkg-fmt"), "tgz");
}

#[test]
fn workflows_are_yaml_and_run_scripts_that_exist() {
    let mut scripts = 0;
    for name in ["ci.yml", "release.yml"] {
        let text = fs::read_to_string(root().join(".github/workflows").join(name)).unwrap();
        for event in saphyr_parser::Parser::new_from_str(&text) {
            event.unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        let words =
            text.split_whitespace().filter(|word| word.starts_with("scripts/") || word.starts_with(".ci/"));
        for word in words {
            assert!(root().join(word).exists(), "{name} runs {word}");
            scripts += 1;
        }
    }
    assert!(scripts >= 3, "{scripts}");
}

#[test]
fn the_scripts_have_no_warnings() {
    if !has("shellcheck") {
        return;
    }
    let mut check = Command::new("shellcheck");
    check.current_dir(root()).args([
        "--severity=warning",
        "scripts/install.sh",
        "scripts/package",
        "scripts/release",
    ]);
    done(check);
}

//! What `build.rs` asks of the linker, for each way to build: it is compiled and run as Cargo does it.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use expect_test::{Expect, expect};

use crate::sandbox::{Sandbox, toolchain};

/// A build script, and a compiler that has static libraries or none.
struct Build {
    sandbox: Sandbox,
    script: PathBuf,
}

impl Build {
    fn new() -> Build {
        let sandbox = Sandbox::new();
        let script = sandbox.beside("build-script");
        let mut rustc = toolchain(sandbox.command("rustc"));
        rustc.args(["--edition", "2024", "-o"]).arg(&script);
        let ran = rustc.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("build.rs")).output().expect("rustc");
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        Build { sandbox, script }
    }

    /// Writes a compiler that prints what it finds for `-print-file-name=NAME`.
    fn compiler(&self, found: &str) -> PathBuf {
        let compiler = self.sandbox.beside("cc");
        fs::write(&compiler, format!("#!/bin/sh\nname=${{1#*=}}\necho {found}\n")).expect("a script");
        fs::set_permissions(&compiler, fs::Permissions::from_mode(0o755)).expect("a permission");
        compiler
    }

    /// Runs the script for a profile, and compares the arguments for the linker.
    fn check(&self, profile: &str, sources: &str, compiler: &Path, expected: &Expect) {
        let out = self.sandbox.beside(&format!("target/{profile}/build/nudge-1/out"));
        fs::create_dir_all(&out).expect("a folder");
        let mut command = self.sandbox.command(self.script.to_str().expect("UTF-8"));
        command.envs([("CARGO_CFG_TARGET_OS", "linux"), ("CARGO_CFG_TARGET_ENV", "gnu")]);
        command.env("PROFILE", if profile == "debug" { "debug" } else { "release" });
        command.env("OUT_DIR", &out).env("CARGO_MANIFEST_DIR", sources).env("RUSTC_LINKER", compiler);
        let ran = command.output().expect("the build script");
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        let said = String::from_utf8(ran.stdout).expect("UTF-8").replace(out.to_str().expect("UTF-8"), "OUT");
        let asked: Vec<&str> = said.lines().filter(|line| line.contains("rustc-link")).collect();
        expected.assert_eq(&asked.join("\n"));
    }
}

#[test]
fn what_users_install_is_static_and_a_contributors_build_is_not() {
    let build = Build::new();
    let compiler = build.compiler("/usr/lib/$name");
    let clone = "/home/me/nudge";
    build.check("debug", clone, &compiler, &expect![""]);
    build.check("release", clone, &compiler, &expect!["cargo::rustc-link-arg-bins=-no-pie"]);
    let is_static = expect![[r#"
        cargo::rustc-link-arg-bins=-no-pie
        cargo::rustc-link-search=native=OUT/static
        cargo::rustc-link-arg-bins=-static"#]];
    build.check("dist", clone, &compiler, &is_static);
    build.check("release", "/home/me/.cargo/git/checkouts/nudge-0f/1a2b3c", &compiler, &is_static);
    build.check("release", "/home/me/.cargo/registry/src/index/nudge-0.1.0", &compiler, &is_static);
}

#[test]
fn without_a_static_c_library_the_shared_one_is_used() {
    let build = Build::new();
    // This is how a compiler answers that it does not find the file.
    let compiler = build.compiler("$name");
    let shared = expect!["cargo::rustc-link-arg-bins=-no-pie"];
    build.check("dist", "/home/me/nudge", &compiler, &shared);
    build.check("dist", "/home/me/nudge", Path::new("/no/such/compiler"), &shared);
}

//! Odd things in `.nudge/`: none of them hangs, breaks or hides the rules beside it.

use std::fs;

use expect_test::expect;

use crate::payload::{bash, write};
use crate::sandbox::{BLOCK_TODO, Ran, Sandbox, rules};

/// Sends a write that the good rule blocks; its reply shows that the rule is on.
fn hook(sandbox: &Sandbox) -> Ran {
    let ran = sandbox.hook("claude-code", write("a.rs", "TODO"));
    assert!(ran.blocks(), "the good rule is off: {}", ran.stdout);
    ran
}

#[test]
fn five_hundred_nested_files_are_read() {
    let mut sandbox = Sandbox::new();
    for index in 0..500 {
        let rule = format!(
            "{{ name: r{index}, on: {{ hook: PreToolUse }}, match: {{ content: 'number {index}$' }}, action: continue, message: r{index} }}"
        );
        let path = format!("{}/{}/r{index:03}.yaml", index % 7, index % 11);
        sandbox = sandbox.rule(&path, &rules(&[&rule]));
    }
    sandbox
        .hook("claude-code", bash("number 499"))
        .reply(expect![["context: r499"]])
        .problem(expect![["nothing"]]);
    sandbox.hook("claude-code", bash("number 0")).reply(expect![["context: r0"]]);
}

#[test]
fn more_than_a_thousand_files_are_cut_and_reported() {
    let mut sandbox = Sandbox::new().rule("0.yaml", BLOCK_TODO);
    for index in 0..1_005 {
        sandbox = sandbox.rule(&format!("r{index:04}.yaml"), "");
    }
    hook(&sandbox).problem(expect![".nudge: 6 rule files beyond the first 1000 are not read"]);
}

#[test]
fn folders_deeper_than_sixteen_are_cut_and_reported() {
    let deep = "d/".repeat(17);
    let sandbox = Sandbox::new().rule("a.yaml", BLOCK_TODO).rule(&format!("{deep}a.yaml"), BLOCK_TODO);
    hook(&sandbox).problem(expect![
        ".nudge/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d: rule files more than 16 folders deep are not read"
    ]);
    let fits = Sandbox::new().rule(&format!("{}a.yaml", "d/".repeat(16)), BLOCK_TODO);
    hook(&fits).problem(expect![["nothing"]]);
}

#[test]
fn a_folder_may_end_like_a_file() {
    let sandbox = Sandbox::new().rule("dir.yaml/a.yaml", BLOCK_TODO).rule("empty.yaml/.keep", "");
    hook(&sandbox).problem(expect![["nothing"]]);
}

#[test]
fn a_folder_in_place_of_the_project_file_is_reported() {
    let sandbox = Sandbox::new().rule("a.yaml", BLOCK_TODO).file(".nudge.yaml/x", "");
    hook(&sandbox).problem(expect![".nudge.yaml: cannot be read: not a regular file"]);
}

#[test]
fn a_file_in_place_of_the_folder_is_not_a_rule_file() {
    let sandbox = Sandbox::new().file(".nudge", "not a folder").file(".nudge.yaml", BLOCK_TODO);
    hook(&sandbox).problem(expect![["nothing"]]);
}

#[test]
fn a_file_that_is_not_utf_8_is_reported_with_its_line() {
    let sandbox = Sandbox::new()
        .rule("a.yaml", BLOCK_TODO)
        .file(".nudge/b.yaml", b"version: 1\nrules:\n  - name: \xff\n");
    hook(&sandbox).problem(expect![".nudge/b.yaml:3: the file is not UTF-8"]);
}

#[test]
fn a_file_that_is_too_large_is_reported() {
    let large = format!("{BLOCK_TODO}#{}\n", "x".repeat(1 << 20));
    let sandbox = Sandbox::new().rule("a.yaml", BLOCK_TODO).rule("b.yaml", &large);
    hook(&sandbox)
        .reply(expect!["deny: Do it now (lines 1)."])
        .problem(expect![".nudge/b.yaml: 1024 KB is too much for a rule file"]);
}

/// Where exactly the budget ends is up to the reader.
#[track_caller]
fn assert_defused(ran: &Ran) {
    assert!(ran.stdout.contains("too many values in this file"), "{}", ran.stdout);
}

#[test]
fn a_yaml_bomb_does_not_go_off() {
    let mut bomb = String::from("version: 1\nrules: []\nx-0: &x0 [a, a, a, a, a, a, a, a, a]\n");
    for level in 1..20 {
        let item = format!("*x{}", level - 1);
        bomb.push_str(&format!("x-{level}: &x{level} [{}]\n", [item.as_str(); 9].join(", ")));
    }
    let sandbox = Sandbox::new().rule("a.yaml", BLOCK_TODO).rule("b.yaml", &bomb);
    assert_defused(&hook(&sandbox));
}

#[test]
fn a_yaml_bomb_of_long_texts_does_not_go_off() {
    let text = "x".repeat(100 << 10);
    let bomb = format!("version: 1\nrules: []\nx-a: &a {text}\nx-b: [{}]\n", ["*a"; 8_000].join(", "));
    let sandbox = Sandbox::new().rule("a.yaml", BLOCK_TODO).rule("b.yaml", &bomb);
    assert_defused(&hook(&sandbox));
}

#[test]
fn endless_nesting_is_reported() {
    let deep = format!("version: 1\nrules: {}", "[".repeat(100_000));
    let sandbox = Sandbox::new().rule("a.yaml", BLOCK_TODO).rule("b.yaml", &deep);
    hook(&sandbox).problem(expect![".nudge/b.yaml:2:263: not valid YAML: recursion limit exceeded"]);
}

#[test]
#[cfg(unix)]
fn links_in_a_circle_are_walked_once() {
    use std::os::unix::fs::symlink;
    let sandbox = Sandbox::new().rule("a.yaml", BLOCK_TODO).rule("sub/b.yaml", "");
    symlink(sandbox.path(".nudge"), sandbox.path(".nudge/sub/up")).expect("a link");
    symlink("..", sandbox.path(".nudge/parent")).expect("a link");
    symlink("itself", sandbox.path(".nudge/itself")).expect("a link");
    hook(&sandbox).reply(expect![["deny: Do it now (lines 1)."]]).problem(expect![["nothing"]]);
}

#[test]
#[cfg(unix)]
fn a_linked_rule_file_is_followed() {
    use std::os::unix::fs::symlink;
    let sandbox = Sandbox::new().rule("empty.yaml", "");
    let shared = sandbox.path("shared.yaml");
    fs::write(&shared, BLOCK_TODO).expect("a file");
    symlink(&shared, sandbox.path(".nudge/linked.yaml")).expect("a link");
    hook(&sandbox).problem(expect![["nothing"]]);
    // What it leads to may change.
    fs::write(&shared, BLOCK_TODO.replace("Do it now", "Changed")).expect("a file");
    hook(&sandbox).reply(expect![["deny: Changed (lines 1)."]]);
}

#[test]
#[cfg(unix)]
fn a_linked_folder_of_rules_is_followed() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("shared")).expect("a folder");
    fs::write(sandbox.path("shared/a.yaml"), BLOCK_TODO).expect("a file");
    std::os::unix::fs::symlink("shared", sandbox.path(".nudge")).expect("a link");
    hook(&sandbox).problem(expect![["nothing"]]);
}

#[test]
#[cfg(unix)]
fn a_broken_link_is_reported() {
    let sandbox = Sandbox::new().rule("a.yaml", BLOCK_TODO);
    std::os::unix::fs::symlink("/nowhere/at/all.yaml", sandbox.path(".nudge/b.yaml")).expect("a link");
    std::os::unix::fs::symlink("/nowhere/at/all.yaml", sandbox.path(".nudge.yaml")).expect("a link");
    hook(&sandbox).problem(expect![".nudge.yaml: cannot be read: No such file or directory (os error 2); .nudge/b.yaml: cannot be read: No such file or directory (os error 2)"]);
}

#[test]
#[cfg(unix)]
fn a_pipe_is_not_waited_for() {
    let sandbox = Sandbox::new().rule("a.yaml", BLOCK_TODO);
    let pipe = sandbox.path(".nudge/x.yaml");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs");
    assert!(made.success());
    hook(&sandbox).problem(expect![".nudge/x.yaml: cannot be read: not a regular file"]);
    let validated = sandbox.run(["validate"]);
    validated.code(1);
    assert!(
        validated.stdout.contains(".nudge/x.yaml: error: cannot be read: not a regular file"),
        "{}",
        validated.stdout
    );
    sandbox.run(["validate", ".nudge/x.yaml"]).code(1).stderr(expect![[r#"
        error: `.nudge/x.yaml` cannot be read: not a regular file
        hint: run `nudge validate` without a file to check all rules of this project
    "#]]);
}

#[test]
#[cfg(unix)]
fn a_file_that_cannot_be_read_is_reported() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox =
        Sandbox::new().rule("a.yaml", BLOCK_TODO).rule("b.yaml", BLOCK_TODO).rule("sub/c.yaml", BLOCK_TODO);
    let locked = [sandbox.path(".nudge/b.yaml"), sandbox.path(".nudge/sub")];
    let set = |mode: u32| {
        for path in &locked {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permissions");
        }
    };
    set(0o000);
    // Root reads everything.
    if fs::read(&locked[0]).is_err() {
        hook(&sandbox).reply(expect![["deny: Do it now (lines 1)."]]).problem(expect![[
            ".nudge/sub: this folder cannot be read; .nudge/b.yaml: cannot be read: Permission denied (os error 13)"
        ]]);
    }
    set(0o755);
}

#[test]
#[cfg(target_os = "linux")]
fn a_file_that_fails_while_it_is_read_is_reported() {
    let sandbox = Sandbox::new().rule("a.yaml", BLOCK_TODO);
    // The memory of a process is a regular file whose first byte cannot be read.
    let path = sandbox.user_rules_path();
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    #[cfg(unix)]
    std::os::unix::fs::symlink("/proc/self/mem", path).expect("a link");
    hook(&sandbox).problem(expect![
        "$BASE/home/config/nudge/rules.yaml: cannot be read: Input/output error (os error 5)"
    ]);
}

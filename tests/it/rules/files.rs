//! Which files a rule is for: globs, paths outside of the project, links.

use expect_test::expect;
use serde_json::json;

use crate::payload::{bash, edit, edit_notebook, multi_edit, tool, write};
use crate::sandbox::{Sandbox, rules};

/// Says for which of the files a rule with this `file` fires.
#[track_caller]
fn check(glob: &str, fires: &[&str], quiet: &[&str]) {
    let rule =
        format!("{{ name: a, on: {{ hook: PreToolUse, file: {glob} }}, action: continue, message: fired }}");
    let sandbox = Sandbox::new().rule("a.yaml", &rules(&[&rule]));
    for (paths, reply) in [(fires, expect![["context: fired"]]), (quiet, expect![["nothing"]])] {
        for path in paths {
            sandbox.hook("claude-code", write(path, "")).problem(expect![["nothing"]]).reply(&reply);
        }
    }
}

#[test]
fn a_star_stays_in_its_folder() {
    check("'src/*.ts'", &["src/a.ts"], &["src/x/a.ts", "a.ts", "src/a.tsx", "lib/src/a.ts"]);
}

#[test]
fn two_stars_cross_folders() {
    check("'**/*.rs'", &["a.rs", "src/a.rs", "src/x/y/a.rs"], &["a.rsx", "rs"]);
    check("'src/**/*.ts'", &["src/a.ts", "src/x/y/a.ts"], &["a.ts", "lib/src/a.ts"]);
    check("'src/**'", &["src/a.ts", "src/x/y"], &["srcs/a.ts"]);
}

#[test]
fn braces_and_classes_are_choices() {
    check("'**/*.{ts,tsx}'", &["a.ts", "x/a.tsx"], &["a.js", "a.ts,tsx"]);
    check("'[ab]?.md'", &["a1.md", "b2.md"], &["c1.md", "a.md", "x/a1.md"]);
}

#[test]
fn a_negation_is_everything_else() {
    check("'!**/test/**'", &["a.ts", "src/a.ts", "src/tests/a.ts"], &["test/a.ts", "src/test/x/a.ts"]);
}

#[test]
fn in_a_list_the_last_match_wins() {
    check(
        "['**/*.ts', '!**/*.test.ts', 'src/keep.test.ts']",
        &["a.ts", "src/keep.test.ts"],
        &["a.test.ts", "src/a.test.ts", "a.js"],
    );
    check("['!**/*.md', 'docs/**']", &["a.ts", "docs/a.md"], &["a.md"]);
}

#[test]
fn a_name_may_start_with_an_exclamation_mark() {
    check(r"'\!important.md'", &["!important.md"], &["important.md", "a.md"]);
}

#[test]
fn a_leading_dot_slash_means_the_project() {
    check("./src/a.rs", &["src/a.rs"], &["x/src/a.rs"]);
}

#[test]
fn dots_in_a_path_are_resolved() {
    check("'src/*.rs'", &["lib/../src/a.rs", "./src/./a.rs"], &["src/../lib/a.rs", "src/x/../../a.rs"]);
}

#[test]
fn outside_of_the_project_only_floating_globs_hold() {
    check("'src/*.rs'", &["src/a.rs"], &["../elsewhere/src/a.rs", "/src/a.rs"]);
    check("'**/*.rs'", &["../elsewhere/src/a.rs", "/tmp/a.rs"], &["/tmp/a.py"]);
    check("'/etc/**'", &["/etc/hosts"], &["etc/hosts"]);
}

#[test]
fn a_tool_without_a_file_is_about_none() {
    let sandbox = Sandbox::new().rule(
        "a.yaml",
        &rules(&[
            "{ name: a, on: { hook: PreToolUse, file: '**' }, action: continue, message: all }",
            "{ name: b, on: { hook: PreToolUse, file: '!**/test/**' }, action: continue, message: others }",
        ]),
    );
    let without = [
        bash("ls"),
        tool("Write", json!({ "content": "x" })),
        tool("Edit", json!({ "old_string": "x", "new_string": "y" })),
        tool("NotebookEdit", json!({ "new_source": "x" })),
        tool("Write", json!({})),
        tool("Grep", json!({ "pattern": "x" })),
    ];
    for payload in without {
        sandbox.hook("claude-code", payload).reply(expect![["nothing"]]);
    }
    sandbox.hook("claude-code", tool("Read", json!({ "file_path": "a.rs" }))).reply(expect![[r#"
        context: all

        ---

        others"#]]);
}

#[test]
fn every_tool_with_a_path_is_about_its_file() {
    let sandbox = Sandbox::new().rule(
        "a.yaml",
        &rules(&["{ name: a, on: { hook: PreToolUse, file: 'x.*' }, action: continue, message: '{{ tool_name }}' }"]),
    );
    sandbox.hook("claude-code", write("x.rs", "")).reply(expect![["context: Write"]]);
    sandbox.hook("claude-code", edit("x.rs", "a", "b")).reply(expect![["context: Edit"]]);
    sandbox.hook("claude-code", multi_edit("x.rs", &[("a", "b")])).reply(expect![["context: MultiEdit"]]);
    sandbox.hook("claude-code", edit_notebook("x.ipynb", "a")).reply(expect![["context: NotebookEdit"]]);
    sandbox
        .hook("claude-code", tool("Read", json!({ "file_path": "x.rs" })))
        .reply(expect![["context: Read"]]);
}

#[test]
fn the_home_folder_may_be_written_short() {
    let sandbox = Sandbox::new().rule(
        "a.yaml",
        &rules(&["{ name: a, on: { hook: PreToolUse, file: '**/home/.ssh/**' }, action: interrupt, message: Keys. }"]),
    );
    sandbox.hook("claude-code", write("~/.ssh/config", "")).reply(expect![["deny: Keys."]]);
}

#[test]
#[cfg(unix)]
fn a_link_cannot_carry_a_write_past_a_rule() {
    let sandbox = Sandbox::new()
        .rule(
            "a.yaml",
            &rules(&["{ name: a, on: { hook: PreToolUse, file: 'secrets/**' }, action: interrupt, message: Hands off. }"]),
        )
        .file("secrets/key", "k")
        .file("src/a", "");
    std::os::unix::fs::symlink(sandbox.path("secrets"), sandbox.path("src/innocent")).expect("a link");
    std::os::unix::fs::symlink(sandbox.path("secrets/key"), sandbox.path("src/file")).expect("a link");
    sandbox.hook("claude-code", write("secrets/key", "")).reply(expect![["deny: Hands off."]]);
    sandbox.hook("claude-code", write("src/innocent/key", "")).reply(expect![["deny: Hands off."]]);
    sandbox.hook("claude-code", write("src/innocent/new/one", "")).reply(expect![["deny: Hands off."]]);
    sandbox.hook("claude-code", write("src/file", "")).reply(expect![["deny: Hands off."]]);
    sandbox.hook("claude-code", write("src/a", "")).reply(expect![["nothing"]]);
}

#[test]
#[cfg(unix)]
fn a_link_to_a_file_that_is_not_there_yet_is_followed() {
    let rule =
        "{ name: a, on: { hook: PreToolUse, file: 'secrets/**' }, action: interrupt, message: Hands off. }";
    let sandbox = Sandbox::new().rule("a.yaml", &rules(&[rule])).file("src/a", "").file("secrets/key", "");
    let link = |to: &str, from: &str| {
        std::os::unix::fs::symlink(to, sandbox.path(from)).expect("a link");
    };
    link("secrets/new", "dangling");
    link("../dangling", "src/chain");
    link("secrets/deep/er", "folder");
    link("loop", "loop");
    for path in ["dangling", "src/chain", "folder/new"] {
        sandbox.hook("claude-code", write(path, "")).reply(expect![["deny: Hands off."]]);
    }
    sandbox.hook("claude-code", write("loop", "")).reply(expect![["nothing"]]);
    sandbox.hook("claude-code", write("loop/secrets/x", "")).reply(expect![["nothing"]]);
}

#[test]
#[cfg(unix)]
fn a_link_out_of_the_project_is_still_where_it_is_written() {
    let sandbox = Sandbox::new().rule(
        "a.yaml",
        &rules(&["{ name: a, on: { hook: PreToolUse, file: 'out/**' }, action: continue, message: fired }"]),
    );
    std::os::unix::fs::symlink(sandbox.beside("elsewhere"), sandbox.path("out")).expect("a link");
    sandbox.hook("claude-code", write("out/a", "")).reply(expect![["context: fired"]]);
}

#[test]
#[cfg(unix)]
fn a_project_behind_a_link_is_the_same_project() {
    let sandbox = Sandbox::new().rule(
        "a.yaml",
        &rules(&[
            "{ name: a, on: { hook: PreToolUse, file: 'src/*.rs' }, action: continue, message: fired }",
        ]),
    );
    std::os::unix::fs::symlink(sandbox.path(""), sandbox.beside("link")).expect("a link");
    let link = sandbox.beside("link");
    let link = link.to_str().expect("UTF-8");
    sandbox.hook("claude-code", write("src/a.rs", "").cwd(link)).reply(expect![["context: fired"]]);
    let through = write(&format!("{link}/src/a.rs"), "");
    sandbox.hook("claude-code", through).reply(expect![["context: fired"]]);
}

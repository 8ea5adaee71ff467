//! Where rules come from, and in what order: the user's own, `.nudge.yaml`, and `.nudge/`.

use expect_test::expect;

use crate::payload::bash;
use crate::sandbox::{Sandbox, rules};

fn says(name: &str) -> String {
    rules(&[&format!("{{ name: {name}, on: {{ hook: PreToolUse }}, action: continue, message: {name} }}")])
}

#[test]
fn all_sources_are_added_up_in_order() {
    Sandbox::new()
        .rule("b.yaml", &says("nudge-b"))
        .rule("a/z.yaml", &says("nudge-a-z"))
        .rule("a/a.yml", &says("nudge-a-a"))
        .rule("a.yaml", &says("nudge-a"))
        .rule("notes.md", "no rules at all: [")
        .rule("c.yaml.bak", "no rules at all: [")
        .file(".nudge.yaml", says("project"))
        .user_rules(&says("user"))
        .hook("claude-code", bash("ls"))
        .reply(expect![[r#"
            context: user

            ---

            project

            ---

            nudge-a-a

            ---

            nudge-a-z

            ---

            nudge-a

            ---

            nudge-b"#]])
        .problem(expect![["nothing"]]);
}

#[test]
fn rules_of_one_file_keep_their_order() {
    let rule = |name: &str| {
        format!("{{ name: {name}, on: {{ hook: PreToolUse }}, action: continue, message: {name} }}")
    };
    Sandbox::new()
        .rule("a.yaml", &rules(&[&rule("z"), &rule("a"), &rule("m")]))
        .hook("claude-code", bash("ls"))
        .reply(expect![[r#"
            context: z

            ---

            a

            ---

            m"#]]);
}

#[test]
fn the_short_ending_is_as_good() {
    Sandbox::new()
        .file(".nudge.yml", says("yml"))
        .hook("claude-code", bash("ls"))
        .reply(expect![["context: yml"]]);
}

#[test]
fn the_same_name_twice_fires_twice_and_is_reported() {
    let sandbox = Sandbox::new().rule("a.yaml", &says("twin")).rule("b.yaml", &says("twin"));
    sandbox
        .hook("claude-code", bash("ls"))
        .reply(expect![[r#"
        context: twin

        ---

        twin"#]])
        .problem(expect![
            ".nudge/b.yaml:3:5: rule `twin`: the name is used twice, first at .nudge/a.yaml:3:5"
        ]);
    sandbox
        .hook("claude-code", bash("ls"))
        .reply(expect![[r#"
        context: twin

        ---

        twin"#]])
        .problem(expect![["nothing"]]);
}

#[test]
fn rules_of_the_user_apply_outside_of_any_project() {
    let sandbox = Sandbox::new().user_rules(&says("user"));
    let elsewhere = sandbox.beside("elsewhere");
    sandbox
        .hook("claude-code", bash("ls").cwd(elsewhere.to_str().expect("UTF-8")))
        .reply(expect![["context: user"]]);
}

#[test]
fn empty_files_have_no_rules_and_nothing_is_wrong() {
    Sandbox::new()
        .rule("empty.yaml", "")
        .rule("blank.yaml", "\n\n")
        .rule("comment.yaml", "# later\n")
        .rule("null.yaml", "~\n")
        .rule("none.yaml", "version: 1\nrules: []\n")
        .rule("bare.yaml", "version: 1\nrules:\n")
        .rule("z.yaml", &says("last"))
        .hook("claude-code", bash("ls"))
        .reply(expect![["context: last"]])
        .problem(expect![["nothing"]]);
}

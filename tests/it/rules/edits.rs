//! What an edit adds: a rule on `content` checks the resulting file, and fires only for what the edit added.

use expect_test::expect;
use serde_json::json;

use crate::payload::{edit, edit_all, edit_notebook, multi_edit, tool, write};
use crate::sandbox::{Sandbox, rules};

fn sandbox() -> Sandbox {
    Sandbox::new()
        .rule(
            "a.yaml",
            &rules(&["{ name: a, on: { hook: PreToolUse }, match: { content: 'unwrap\\(\\)' }, action: interrupt, message: 'Lines {{ lines }}.' }"]),
        )
        .file("a.rs", "fn a() {\n    old.unwrap();\n    b();\n    c();\n    c();\n}\n")
}

#[test]
fn an_edit_is_seen_in_its_file() {
    sandbox().hook("claude-code", edit("a.rs", "b();", "b.unwrap();")).reply(expect![["deny: Lines 3."]]);
}

#[test]
fn what_was_there_before_is_not_the_edits_fault() {
    sandbox().hook("claude-code", edit("a.rs", "b();", "b2();")).reply(expect![["nothing"]]);
}

#[test]
fn surroundings_that_an_edit_quotes_are_not_its_fault() {
    let quoting = edit("a.rs", "old.unwrap();\n    b();", "old.unwrap();\n    b2();");
    sandbox().hook("claude-code", quoting).reply(expect![["nothing"]]);
}

#[test]
fn a_match_may_span_old_and_new_text() {
    sandbox().hook("claude-code", edit("a.rs", "b();", "b.unwrap(")).reply(expect![["nothing"]]);
    let sandbox = sandbox().file("b.rs", "x.unw();\n");
    sandbox.hook("claude-code", edit("b.rs", "unw", "unwrap")).reply(expect![["deny: Lines 1."]]);
}

#[test]
fn taking_text_out_may_bring_a_match_together() {
    let sandbox = sandbox().file("b.rs", "x.unwrap_or()\n");
    sandbox.hook("claude-code", edit("b.rs", "_or", "")).reply(expect![["deny: Lines 1."]]);
}

#[test]
fn replace_all_is_seen_everywhere() {
    sandbox()
        .hook("claude-code", edit_all("a.rs", "c();", "c.unwrap();"))
        .reply(expect![["deny: Lines 4, 5."]]);
    sandbox().hook("claude-code", edit("a.rs", "c();", "c.unwrap();")).reply(expect![["deny: Lines 4."]]);
}

#[test]
fn edits_of_one_call_build_on_each_other() {
    let chained =
        multi_edit("a.rs", &[("b();", "d();"), ("d();", "d.unwrap();"), ("fn a() {", "\nfn a() {")]);
    sandbox().hook("claude-code", chained).reply(expect![["deny: Lines 4."]]);
    let undone = multi_edit("a.rs", &[("b();", "b.unwrap();"), ("b.unwrap();", "b();")]);
    sandbox().hook("claude-code", undone).reply(expect![["nothing"]]);
}

#[test]
fn an_edit_that_does_not_fit_is_judged_by_its_new_text() {
    sandbox().hook("claude-code", edit("a.rs", "absent", "x.unwrap()")).reply(expect![["deny: Lines 1."]]);
    sandbox()
        .hook("claude-code", edit("new.rs", "absent", "\nx.unwrap()"))
        .reply(expect![["deny: Lines 2."]]);
    sandbox().hook("claude-code", edit("new.rs", "", "x.unwrap()")).reply(expect![["deny: Lines 1."]]);
}

#[test]
fn a_file_that_is_not_text_is_judged_by_the_new_text() {
    let sandbox = sandbox().file("b.bin", b"\xff\xfe x");
    sandbox.hook("claude-code", edit("b.bin", "x", "x.unwrap()")).reply(expect![["deny: Lines 1."]]);
}

#[test]
fn a_relative_path_is_read_from_the_agents_folder() {
    let sandbox = sandbox().file("src/b.rs", "one\ntwo\n");
    let mut payload = sandbox.place(edit("x", "two", "two.unwrap()").cwd("src"));
    payload["tool_input"]["file_path"] = "b.rs".into();
    sandbox.hook_bytes("claude-code", payload.to_string().as_bytes()).reply(expect![["deny: Lines 2."]]);
}

#[test]
fn new_and_old_strings_are_those_of_the_edit() {
    let sandbox = Sandbox::new()
        .rule(
            "a.yaml",
            &rules(&[
                "{ name: n, on: { hook: PreToolUse }, match: { new_string: ^any$ }, action: continue, message: 'new {{ lines }} {{ matched }}' }",
                "{ name: o, on: { hook: PreToolUse }, match: { old_string: string }, action: continue, message: old }",
            ]),
        )
        .file("a.ts", "x: any\n");
    sandbox.hook("claude-code", edit("a.ts", "string", "any")).reply(expect![[r#"
        context: new 1 any

        ---

        old"#]]);
    sandbox
        .hook("claude-code", multi_edit("a.ts", &[("x", "y"), ("z", "v\nany")]))
        .reply(expect!["context: new 2 any"]);
    sandbox
        .hook("claude-code", multi_edit("a.ts", &[("x", "y"), ("a string", "y")]))
        .reply(expect!["context: old"]);
    sandbox.hook("claude-code", write("a.ts", "any")).reply(expect![["nothing"]]);
    sandbox.hook("claude-code", edit_notebook("a.ipynb", "any")).reply(expect!["context: new 1 any"]);
}

#[test]
fn a_notebook_cell_is_judged_by_its_source() {
    let sandbox = sandbox();
    sandbox.hook("claude-code", edit_notebook("n.ipynb", "a\nx.unwrap()")).reply(expect![["deny: Lines 2."]]);
    let deleted = json!({ "notebook_path": "n.ipynb", "cell_id": "c", "edit_mode": "delete", "new_source": "x.unwrap()" });
    sandbox.hook("claude-code", tool("NotebookEdit", deleted)).reply(expect![["nothing"]]);
}

#[test]
fn after_an_edit_the_file_is_the_result() {
    let sandbox = Sandbox::new()
        .rule(
            "a.yaml",
            &rules(&["{ name: a, on: { hook: PostToolUse }, match: { content: 'unwrap\\(\\)' }, action: interrupt, message: 'Lines {{ lines }}.' }"]),
        )
        .file("a.rs", "old.unwrap();\nb();\nnew.unwrap();\n");
    let happened = edit("a.rs", "new();", "new.unwrap();").after();
    sandbox.hook("claude-code", happened.clone()).reply(expect![["block: Lines 3."]]);
    // Where the agent says what was there before, that is what counts.
    let with_original =
        happened.with("tool_response", json!({ "originalFile": "a\nb\nc\nold.unwrap();\nnew();\n" }));
    sandbox.hook("claude-code", with_original).reply(expect![["block: Lines 5."]]);
    sandbox.hook("claude-code", edit("a.rs", "x", "b();").after()).reply(expect![["nothing"]]);
}

#[test]
fn windows_line_ends_are_lines() {
    let sandbox = Sandbox::new()
        .rule(
            "a.yaml",
            &rules(&["{ name: a, on: { hook: PreToolUse }, match: { content: 'foo$' }, action: continue, message: 'Lines {{ lines }}: {{ matched }}.' }"]),
        )
        .file("a.txt", "one\r\ntwo\r\n");
    sandbox
        .hook("claude-code", write("b.txt", "bar\r\nfoo\r\nbar\r\n"))
        .reply(expect![["context: Lines 2: foo."]]);
    sandbox.hook("claude-code", edit("a.txt", "two", "foo")).reply(expect![["context: Lines 2: foo."]]);
}

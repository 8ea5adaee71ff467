//! Tests of this module.

use super::*;

fn write(path: &str, content: &str) -> ToolAction {
    ToolAction::Write { path: path.into(), content: content.into() }
}

fn edit(path: &str, hunks: &[(&str, &str)]) -> ToolAction {
    let hunk = |(old, new): &(&str, &str)| Replacement { old: (*old).into(), new: (*new).into(), all: false };
    ToolAction::Edit { path: path.into(), replacements: hunks.iter().map(hunk).collect(), before: None }
}

fn delete(path: &str) -> ToolAction {
    ToolAction::Delete { path: path.into() }
}

#[track_caller]
fn check(lines: &[&str], expect: &[ToolAction]) {
    let text = format!("*** Begin Patch\n{}\n*** End Patch\n", lines.join("\n"));
    assert_eq!(read_patch(&text), expect);
    let windows = text.replace('\n', "\r\n");
    assert_eq!(read_patch(&windows), expect, "with carriage returns");
}

#[test]
fn every_file_has_its_change() {
    check(&["*** Add File: a.txt", "+one", "+", "+two"], &[write("a.txt", "one\n\ntwo\n")]);
    check(
        &["*** Update File: a.txt", "@@", " one", "-two", "+2", "", "@@ fn x() {", "+three"],
        &[edit("a.txt", &[("one\ntwo\n\n", "one\n2\n\n"), ("", "three\n")])],
    );
    check(&["*** Delete File: a.txt"], &[delete("a.txt")]);
    check(
        &["*** Add File: a b.txt", "+x", "*** Delete File: c", "*** Update File: d", "-y", "+z"],
        &[write("a b.txt", "x\n"), delete("c"), edit("d", &[("y\n", "z\n")])],
    );
}

#[test]
fn a_moved_file_is_a_change_of_both() {
    let hunks = [("x\n", "y\n")];
    check(
        &["*** Update File: a", "*** Move to: b", "@@", "-x", "+y", "*** End of File"],
        &[edit("a", &hunks), edit("b", &hunks)],
    );
    check(&["*** Update File: a", "*** Move to: b"], &[edit("a", &[]), edit("b", &[])]);
}

#[test]
fn other_text_changes_nothing_and_a_truncated_patch_counts() {
    for text in ["", "hello", "*** Add File: a\n+x", "*** Begin Patch\n*** End Patch", "*** Begin Patch\n+x"]
    {
        assert_eq!(read_patch(text), [], "{text}");
    }
    let wrapped = "<<'EOF'\n *** Begin Patch \n*** Add File: a\n+x\n*** End Patch\nEOF\n*** Add File: b\n+y";
    assert_eq!(read_patch(wrapped), [write("a", "x\n")]);
    assert_eq!(read_patch("*** Begin Patch\n*** Add File: a\n+x\n? y\n+z"), [write("a", "x\nz\n")]);
    assert_eq!(read_patch("*** Begin Patch\n*** Update File:\n-é"), [edit("", &[("é\n", "")])]);
}

#[test]
fn a_diff_has_the_changes_of_its_files() {
    let diff = "diff --git a/a.txt b/a.txt\nindex 1..2 100644\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n\
        diff --git a/b.txt b/b.txt\nnew file mode 100644\n--- /dev/null\n+++ b/b.txt\n@@ -0,0 +1 @@\n+x\n\
        diff --git a/c.txt b/c.txt\ndeleted file mode 100644\n--- a/c.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
    let expect = [edit("a.txt", &[("one\ntwo\n", "one\n2\n")]), write("b.txt", "x\n"), delete("c.txt")];
    assert_eq!(read_diff(diff), expect);
    let plain = "--- a.txt\t2026-01-01\n+++ a.txt\t2026-01-02\n@@ -1 +1 @@\n-x\n+y\n";
    assert_eq!(read_diff(plain), [edit("a.txt", &[("x\n", "y\n")])]);
    for text in ["", "hello", "--- a", "+++ b", "- x\n+ y", "@@"] {
        assert_eq!(read_diff(text), [], "{text}");
    }
}

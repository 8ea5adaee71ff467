//! Tests of this module.

use proptest::prelude::*;

use super::*;

#[track_caller]
fn check(source: &str, accepted: &[&str], refused: &[&str]) {
    let filter = ToolFilter::new(source).unwrap();
    let accepts = |tools: &[&str]| tools.iter().map(|tool| filter.accepts(tool)).collect::<Vec<_>>();
    assert_eq!(accepts(accepted), vec![true; accepted.len()], "{source} on {accepted:?}");
    assert_eq!(accepts(refused), vec![false; refused.len()], "{source} on {refused:?}");
}

#[test]
fn a_name_matches_the_whole_name() {
    check("Write", &["Write"], &["TodoWrite", "Writer", "write", "Write\n", ""]);
    check("Edit", &["Edit"], &["MultiEdit", "NotebookEdit", "Edit2"]);
    check("^Write$", &["Write"], &["TodoWrite", "Writer"]);
    check("^Write", &["Write"], &["Writer"]);
    check("\\bEdit", &["Edit"], &["MultiEdit"]);
}

#[test]
fn alternatives_are_bound_as_a_whole() {
    check("Write|Edit", &["Write", "Edit"], &["TodoWrite", "MultiEdit", "WriteX", "XEdit", "Write|Edit"]);
    check("Edit|EditFile", &["Edit", "EditFile"], &["EditF"]);
    check("EditFile|Edit", &["Edit", "EditFile"], &["EditF"]);
    check("(Multi)?Edit|Write", &["Edit", "MultiEdit", "Write"], &["NotebookEdit"]);
    check("(?:Multi|Notebook|)Edit", &["Edit", "MultiEdit", "NotebookEdit"], &["XEdit"]);
    check("^Write|Edit$", &["Write", "Edit"], &["WriteX", "MultiEdit"]);
}

#[test]
fn patterns_match_whole_names_too() {
    check("Bash.*", &["Bash", "BashOutput"], &["MyBash", "bash"]);
    check(".*", &["Write", "mcp__x__y", ""], &[]);
    check("mcp__.*", &["mcp__memory__recall"], &["mcp_", "xmcp__a"]);
    check("mcp__.*__write", &["mcp__a__write"], &["mcp__a__write2"]);
    check(".*Edit", &["Edit", "MultiEdit"], &["EditX"]);
    check("(?i)write", &["Write", "WRITE", "write"], &["TodoWrite"]);
    check("(?i)notebookedit", &["NotebookEdit"], &["Notebook"]);
    check("[A-Z]\\w+", &["Write"], &["write"]);
    check("[a&&b]", &[], &["a", "b", ""]);
}

#[test]
fn another_agents_tool_name_accepts_the_usual_tool() {
    check("write_file", &["write_file", "Write"], &["Edit", "write", "Bash"]);
    check("apply_patch", &["apply_patch", "Write", "Edit"], &["NotebookEdit"]);
    check("run_shell_command|replace", &["Bash", "Edit"], &["Write"]);
    check("Task", &["Task", "Agent"], &["TaskCreate"]);
    // A pattern is taken literally.
    check("write_.*", &["write_file"], &["Write"]);
}

#[test]
fn names_that_are_nearly_right_are_corrected() {
    let check = |source: &str, expect: Option<&str>| {
        assert_eq!(correction(source).map(|(_, correction)| correction).as_deref(), expect, "{source}");
    };
    for right in
        ["Write", "write_file", "apply_patch", "run_shell_command|replace", "my_tool", "Shell", "mcp__a"]
    {
        check(right, None);
    }
    check("WriteFile", Some("write_file"));
    check("apply-patch|Write", Some("apply_patch|Write"));
    check("multi_edit", Some("MultiEdit"));
    check("write", None);
    check("RunShellCommand, read-file", Some("run_shell_command|read_file"));
}

#[test]
fn an_invalid_regex_says_why() {
    let check = |source: &str, expect: &str| {
        assert_eq!(ToolFilter::new(source), Err(expect.to_owned()), "{source}");
    };
    check("Write(", "unclosed group at character 6");
    check("*", "repetition operator missing expression at character 1");
    check(
        "(?!Write).*",
        "look-around, including look-ahead and look-behind, is not supported at character 1",
    );
    check("\\w{1,500}\\s\\w{1,500}", "it needs more than 10 MB");
}

#[test]
fn the_first_name_comes_from_a_list_of_names() {
    let check = |source: &str, expect: Option<&str>| {
        assert_eq!(ToolFilter::new(source).unwrap().first_name(), expect, "{source}");
    };
    check("Task|Write", Some("Task"));
    check("mcp__.*", None);
}

proptest! {
    #[test]
    fn every_shape_agrees_with_the_anchored_regex(
        source in proptest::collection::vec(prop_oneof![
            Just("a"), Just("b"), Just("Edit"), Just("|"), Just(".*"), Just("?"), Just("(a|b)"), Just("[ab]"),
            Just("^"), Just("$"), Just("\\b"), Just("(?i)"), Just("+"), Just("é"),
        ], 1..5).prop_map(|parts| parts.concat()),
        tool in "(a|b|A|Edit|é|x){0,3}",
    ) {
        let reference = regex::Regex::new(&format!("^(?:{source})$")).ok().map(|regex| regex.is_match(&tool));
        let filter = ToolFilter::new(&source).ok().map(|filter| filter.accepts(&tool));
        prop_assert_eq!(filter, reference, "{} on {}", source, tool);
    }
}

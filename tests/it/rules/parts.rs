//! `in: code | comments | strings`: words in comments and strings are not code.

use crate::payload::{bash, edit, write};
use crate::sandbox::{Sandbox, rules};

fn rule(file: &str, content: &str, part: &str) -> String {
    format!(
        "{{ name: a, on: {{ hook: PreToolUse, file: '{file}' }}, match: {{ content: '{content}', in: {part} }}, action: interrupt, message: '{{{{ lines }}}} {{{{ matched }}}}' }}"
    )
}

fn blocks(sandbox: &Sandbox, path: &str, text: &str) -> bool {
    sandbox.hook("claude-code", write(path, text)).blocks()
}

/// Checks texts in which a rule about code fires, and texts in which it is quiet.
#[track_caller]
fn check(rule: &str, path: &str, fires: &[&str], quiet: &[&str]) {
    let sandbox = Sandbox::new().file(".nudge.yaml", rules(&[rule]));
    for text in fires {
        assert!(blocks(&sandbox, path, text), "quiet on {text}");
    }
    for text in quiet {
        assert!(!blocks(&sandbox, path, text), "fires on {text}");
    }
}

#[test]
fn the_type_any_is_a_word_of_comments_and_texts_too() {
    check(
        &rule("**/*.ts", r":\s*any\b", "code"),
        "src/a.ts",
        &["let a: any = 1", "f(`${g(x as unknown, (y: any) => y)}`)", "/* a */ let b: any"],
        &[
            "// accepts: any of them",
            "/* b: any */",
            "const s = 'type: any'",
            "const s = `a: any`",
            "<p>Note: 'any'</p> // c: any",
        ],
    );
}

#[test]
fn unwrap_in_a_comment_or_a_text_is_no_call() {
    check(
        &rule("**/*.rs", r"\.unwrap\(\)", "code"),
        "src/a.rs",
        &["x.unwrap()", "let c = '\"'; x.unwrap(); let d = '\"';", "fn f<'a>(x: &'a X) { x.unwrap() }"],
        &[
            "// never .unwrap() here",
            "/// a.unwrap()",
            "/* /* x */ y.unwrap() */",
            r##"let s = r#"a".unwrap()"#;"##,
            "\"x.unwrap()\"",
        ],
    );
}

#[test]
fn console_log_and_eval_in_words() {
    check(
        &rule("**/*.{js,jsx}", r"console\.log", "code"),
        "src/a.jsx",
        &["console.log(1)", "x = /'/; console.log(2) // '"],
        &["// console.log(1)", "doc = \"use console.log\"", "x = /console.log/", "{/* console.log */}"],
    );
    check(
        &rule("**/*.py", r"\beval\(", "code"),
        "src/a.py",
        &["eval(x)", "f'{eval(x)}'", "'''a''' + eval(y)"],
        &["# eval(x)", "\"\"\"Never eval(x).\n\"\"\"", "msg = 'no eval(x)'", "s = r'\\'; eval('"],
    );
}

#[test]
fn comments_and_strings_can_be_meant() {
    check(
        &rule("**/*.go", "TODO", "comments"),
        "a.go",
        &["// TODO x", "x := 1 /* TODO */"],
        &["var TODO = 1", "s := \"TODO\"", "s := `// TODO`"],
    );
    check(
        &rule("**/*.java", "(?i)password", "strings"),
        "A.java",
        &["s = \"password=1\";", "t = \"\"\"\npassword\n\"\"\";"],
        &["String password;", "// the \"password\""],
    );
}

#[test]
fn lines_are_those_of_the_file_and_an_edit_is_read_in_its_file() {
    let sandbox = Sandbox::new()
        .file(".nudge.yaml", rules(&[&rule("**/*.rs", "todo", "code")]))
        .file("a.rs", "/*\nold\n*/\nlet a = 1;\n");
    // The new text alone does not say that it is in a comment; the file does.
    assert!(!sandbox.hook("claude-code", edit("a.rs", "old", "todo")).blocks());
    let ran = sandbox.hook("claude-code", edit("a.rs", "let a = 1;", "// x\n\"todo\"; todo!()"));
    assert!(ran.stdout.contains("5 todo"), "{}", ran.stdout);
    // Without the file the new text is read from its own start.
    assert!(sandbox.hook("claude-code", edit("gone.rs", "old", "todo")).blocks());
    assert!(!sandbox.hook("claude-code", bash("cat > b.rs <<'EOF'\n// todo\nEOF")).blocks());
    assert!(sandbox.hook("claude-code", bash("cat > b.rs <<'EOF'\ntodo\nEOF")).blocks());
}

#[test]
fn a_file_of_an_unknown_language_is_searched_whole() {
    let sandbox = Sandbox::new().file(".nudge.yaml", rules(&[&rule("**/*.xyz", "todo", "code")]));
    assert!(blocks(&sandbox, "a.xyz", "// todo"));
    let validated = sandbox.run(["validate", "--json"]);
    assert!(
        validated.code(0).stdout.contains("the language of files such as `example.xyz` is not known"),
        "{}",
        validated.stdout
    );
    let tested =
        sandbox.run(["test", "--rule", "a", "--tool", "Write", "--file", "a.xyz", "--content", "// todo"]);
    assert!(
        tested.stderr.contains("the language of `a.xyz` is not known, so `in` means all of its text"),
        "{}",
        tested.stderr
    );
    let wrong = rules(&[
        "{ name: a, on: { hook: PreToolUse }, match: { new_string: x, in: code }, action: continue, message: m }",
    ]);
    let ran = Sandbox::new().file(".nudge.yaml", wrong).run(["validate"]);
    assert!(ran.code(1).stdout.contains("`in` says where `content` is searched"), "{}", ran.stdout);
}

#[test]
fn a_check_reads_the_languages_too() {
    let sandbox = Sandbox::new()
        .file(".nudge.yaml", rules(&[&rule("**/*.rs", "todo", "code")]))
        .file("a.rs", "// todo\n")
        .file("b.rs", "\ntodo\n");
    let ran = sandbox.run(["check"]);
    assert!(ran.code(1).stdout.contains("b.rs:2:") && !ran.stdout.contains("a.rs"), "{}", ran.stdout);
}

//! What shell commands write, and what they only seem to write.

use proptest::prelude::*;

use super::{Dialect, ShellRun, follow};
use crate::model::ToolAction;
use crate::shell::Unread;

fn changes(command: &str) -> ShellRun {
    follow(command, Dialect::Posix)
}

#[test]
fn redirections_of_known_text() {
    check("echo x > a.ts", &[("a.ts", Some("x\n"))]);
    check("echo \"x\" >> a.ts", &[("a.ts", Some("x\n"))]);
    check("echo x >| a.ts", &[("a.ts", Some("x\n"))]);
    check("echo x &> a.ts", &[("a.ts", Some("x\n"))]);
    check("echo x &>>a.ts", &[("a.ts", Some("x\n"))]);
    check("echo x >& a.ts", &[("a.ts", Some("x\n"))]);
    check("echo x 1> a.ts", &[("a.ts", Some("x\n"))]);
    check("echo x>a.ts", &[("a.ts", Some("x\n"))]);
    check("echo x2>a.ts", &[("a.ts", Some("x2\n"))]);
    check("> a.ts echo x", &[("a.ts", Some("x\n"))]);
    check("echo x 2>&1 >a.ts", &[("a.ts", Some("x\n"))]);
    check("echo x >a.ts 2>&1", &[("a.ts", Some("x\n"))]);
    check("echo x >a.ts 2>error.log", &[("a.ts", Some("x\n"))]);
    check("x=1 y='a b' echo z > a", &[("a", Some("z\n"))]);
    check("> a", &[("a", Some(""))]);
    check(": > a", &[("a", Some(""))]);
    check("echo x > a > b", &[("a", Some("x\n")), ("b", Some("x\n"))]);
}

#[test]
fn variables_that_the_command_sets_are_filled_in() {
    check("F=src/a.ts; cat > \"$F\" <<EOF\nx\nEOF", &[("src/a.ts", Some("x\n"))]);
    check("F='a b' && echo x > ${F}.ts", &[("a b.ts", Some("x\n"))]);
    check("D=src N=a; echo x > $D/$N.ts", &[("src/a.ts", Some("x\n"))]);
    check("export D=src\necho x | tee $D/a", &[("src/a", Some("x\n"))]);
    check("D=src; cd $D; echo x > a", &[("src/a", Some("x\n"))]);
    check("F=$(pwd)/a; echo x > $F", &[]);
    check("F=a; F=$(b); echo x > $F", &[]);
    check("F=a; F+=b; echo x > $F", &[("ab", Some("x\n"))]);
    check("echo x | tee {a,b}", &[("a", Some("x\n")), ("b", Some("x\n"))]);
    check("F=a; echo x > $F$G", &[]);
    check("F=a; echo x > $F*", &[]);
    check("F=a; echo x > '$F'", &[("$F", Some("x\n"))]);
}

#[test]
fn the_folder_of_the_shell_is_known() {
    check("echo x > $PWD/a.ts", &[("a.ts", Some("x\n"))]);
    check("echo x > \"${PWD}/a.ts\"", &[("a.ts", Some("x\n"))]);
    check("cd src && echo x > $PWD/a.ts", &[("src/a.ts", Some("x\n"))]);
    check("echo x > ${PWD%/*}/a.ts", &[]);
}

#[test]
fn programs_that_change_files() {
    check("sed -i 's/a/b/' a.ts b.ts", &[("a.ts", None), ("b.ts", None)]);
    check("sed -i '' 's/a/b/' a.ts", &[("a.ts", None)]);
    check("sed -i.bak -e 's/a/b/' -e 's/c/d/' a.ts", &[("a.ts", None)]);
    check("sed -n 's/a/b/p' a.ts", &[]);
    check("perl -pi -e 's/a/b/' a.ts", &[("a.ts", None)]);
    check("perl -i -pe 's/a/b/' a.ts", &[("a.ts", None)]);
    check("perl -e 'print 1' a.ts", &[]);
    check("cp -r a b", &[("b", None)]);
    check("mv a b lib/", &[("lib/a", None), ("lib/b", None)]);
    check("mv src/a .", &[("./a", None)]);
    check("touch -d yesterday a b", &[("a", None), ("b", None)]);
    check("truncate -s 0 a", &[("a", None)]);
    check("patch a.ts < fix.diff", &[("a.ts", None)]);
    check("cp a; mv; touch", &[]);
    check("F=a.ts; sed -i s/a/b/ $F", &[("a.ts", None)]);
}

#[test]
fn redirections_of_unknown_text() {
    check("make > out.log", &[("out.log", None)]);
    check("make 2>&1 > out.log", &[("out.log", None)]);
    check("make 2>&1 | tee out.log", &[("out.log", None)]);
    check("sed 's/a/b/' < in > out", &[("out", None)]);
    check("cat header.ts > a.ts", &[("a.ts", None)]);
    check("cat > a.ts", &[("a.ts", None)]);
    check("cat > a.ts < b.ts", &[("a.ts", None)]);
    check("exec > log", &[("log", None)]);
    check("[ 1 > 0 ]", &[("0", None)]);
}

#[test]
fn text_that_only_looks_like_a_written_file() {
    check("make 2> error.log", &[]);
    check("make 2>&1", &[]);
    check("echo x >&2", &[]);
    check("echo x >&-", &[]);
    check("echo x > /dev/null", &[]);
    check("echo x | tee /dev/stderr", &[]);
    check("make > >(grep error)", &[]);
    check("diff <(echo a) <(echo b)", &[]);
    check("echo '>' x", &[]);
    check("echo \\> x", &[]);
    check("git commit -m \"a > b\"", &[]);
    check("[[ a > b && c < d ]] || (( a>b ))", &[]);
    check("if [[ $x =~ ^(a|b)$ ]]; then ls; fi", &[]);
    check("for ((i=0; i>9; i++)); do ls; done", &[]);
    check("echo $((a>b)) ${x:->y}", &[]);
    check("x=(a > b)", &[]);
    check("ls # > a", &[]);
    check("ls a#b # it's > c", &[]);
    check("cat <<EOF\nx > y\nEOF", &[]);
    check("", &[]);
    check(">", &[]);
    check("> ''", &[]);
}

#[test]
fn here_documents() {
    check("cat > a.ts <<'EOF'\nx > $y\nEOF\n", &[("a.ts", Some("x > $y\n"))]);
    check("cat <<EOF > a.ts\nx\nEOF\n", &[("a.ts", Some("x\n"))]);
    check("cat <<\"E F\" >> a.ts\nx\nE F", &[("a.ts", Some("x\n"))]);
    check("cat <<\\EOF >a\n\\$x\nEOF", &[("a", Some("\\$x\n"))]);
    check("cat <<EOF >a\n\\$x \\\\ \\n \\\ny \"q\" it's\nEOF", &[("a", Some("$x \\ \\n y \"q\" it's\n"))]);
    check("cat <<-EOF >a\n\t\tx\n\t y\n\tEOF\necho z >b", &[("a", Some("x\n y\n")), ("b", Some("z\n"))]);
    check("cat <<EOF >a\n\tx\n EOF\nEOF", &[("a", Some("\tx\n EOF\n"))]);
    check("cat <<A >a; cat <<B >b\nx\nA\ny\nB\n", &[("a", Some("x\n")), ("b", Some("y\n"))]);
    check("cat <<A <<B >a\nx\nA\ny\nB\n", &[("a", Some("y\n"))]);
    check("cat <<A 3<<B >a\nx\nA\ny\nB\n", &[("a", Some("x\n"))]);
    check(
        "cat <<EOF >a && echo y >b\nx\nEOF\necho z >c",
        &[("a", Some("x\n")), ("b", Some("y\n")), ("c", Some("z\n"))],
    );
    check(
        "cat > a <<EOF\r\nx\r\ny\r\nEOF\r\necho z > b\r\n",
        &[("a", Some("x\r\ny\r\n")), ("b", Some("z\n"))],
    );
    check("cat <<EOF >a\nx\ny", &[("a", Some("x\ny"))]);
    check("cat <<EOF >a", &[("a", Some(""))]);
    check("cat <<'' >a\nx\n\necho y >b", &[("a", Some("x\n")), ("b", Some("y\n"))]);
    check("cat <<< 'x y' > a", &[("a", Some("x y\n"))]);
    check("<<EOF > a\nx\nEOF", &[("a", Some("x\n"))]);
}

#[test]
fn receivers() {
    check("printf '%s\\n' x | tee -a a.ts", &[("a.ts", Some("x\n"))]);
    check("tee a.ts <<EOF\nx\nEOF", &[("a.ts", Some("x\n"))]);
    check("tee -a -- a b <<< x >/dev/null", &[("a", Some("x\n")), ("b", Some("x\n"))]);
    check("echo x | tee a | tee b > c", &[("a", Some("x\n")), ("b", Some("x\n")), ("c", Some("x\n"))]);
    check("echo x |\n  # on the next line\n  tee a", &[("a", Some("x\n"))]);
    check("echo x |& cat - > a", &[("a", Some("x\n"))]);
    check("cat <<EOF | sudo -u root tee a >/dev/null\nx\nEOF", &[("a", Some("x\n"))]);
    check("echo x | grep y | tee a", &[("a", None)]);
    check("echo x | env A=1 timeout 5 /usr/bin/tee a", &[("a", Some("x\n"))]);
    check("echo x | (cat > a)", &[("a", Some("x\n"))]);
    check("echo x | (cd d && cat > a; cat > b)", &[("d/a", Some("x\n")), ("d/b", None)]);
    check("echo x | sponge a", &[("a", Some("x\n"))]);
    check("echo x | cp /dev/stdin a", &[("a", Some("x\n"))]);
    check("install -m 644 /dev/stdin a <<< x", &[("a", Some("x\n"))]);
    check("echo x | dd of=a bs=1", &[("a", Some("x\n"))]);
    check("echo x | dd if=b of=a", &[("a", None)]);
    check("cp b a", &[("a", None)]);
}

#[test]
fn printed_text() {
    check("echo a  'b  c' > f", &[("f", Some("a b  c\n"))]);
    check("echo -n a > f", &[("f", Some("a"))]);
    check("echo -ne 'a\\tb\\n' > f", &[("f", Some("a\tb\n"))]);
    check("echo 'a\\nb' > f", &[("f", Some("a\\nb\n"))]);
    check("echo -x > f", &[("f", Some("-x\n"))]);
    check("echo \"$x is \\$y\" > f", &[("f", Some("$x is $y\n"))]);
    check("printf 'a\\n%%\\n' > f", &[("f", Some("a\n%\n"))]);
    check("printf '%s=%d\\n' a 1 b 2 > f", &[("f", Some("a=1\nb=2\n"))]);
    check("printf -- '- %-5s|\\n' a > f", &[("f", Some("- a|\n"))]);
    check("printf '%s %b' 'a\\n' 'b\\n' > f", &[("f", Some("a\\n b\n"))]);
    check("printf '%s' > f", &[("f", Some(""))]);
    check("printf > f", &[("f", None)]);
    check("printf -v x a > f", &[("f", Some(""))]);
    check("{ echo a; (printf b); } > f", &[("f", Some("a\nb"))]);
    check("{ echo a; echo b >&2; cat <<< c; } | tee f", &[("f", Some("a\nc\n"))]);
    check("{ echo a; make; } > f", &[("f", None)]);
    check("for x in 1 2; do echo $x; done > f", &[("f", None)]);
    check("for f in a b; do echo x > $f; done", &[("a", Some("x\n")), ("b", Some("x\n"))]);
}

#[test]
fn quoted_paths() {
    check("> 'a b'", &[("a b", Some(""))]);
    check("> \"a \\\"b\\\" \\c\"", &[("a \"b\" \\c", Some(""))]);
    check("> a\\ b", &[("a b", Some(""))]);
    check("> $'a\\tb\\'c'", &[("a\tb'c", Some(""))]);
    check("> a'b'\"c\"", &[("abc", Some(""))]);
    check("> a\\\nb", &[("ab", Some(""))]);
    check("> ü/\\ö", &[("ü/ö", Some(""))]);
    check("> 'unclosed", &[("unclosed", Some(""))]);
    check("> \"unclosed", &[("unclosed", Some(""))]);
    check("> '*'", &[("*", Some(""))]);
}

#[test]
fn paths_with_expansions() {
    check("> ~/x", &[("~/x", Some(""))]);
    check("> \"$HOME/x\"", &[("$HOME/x", Some(""))]);
    check("> ${HOME}/x", &[("${HOME}/x", Some(""))]);
    check("> app/[id]/page.tsx", &[("app/[id]/page.tsx", Some(""))]);
    for unknown in ["$X", "a/$X", "$HOMES/x", "$HOME/$X", "${X}", "$(pwd)/a", "`pwd`/a", "*.ts", "a?"] {
        check(&format!("> {unknown}"), &[]);
        check(&format!("echo x | tee {unknown} b"), &[("b", Some("x\n"))]);
    }
}

#[test]
fn every_command_of_a_list() {
    check(
        "a; echo b >b; c && echo d >d || echo e >e & echo f >f\necho g >g",
        &[("b", Some("b\n")), ("d", Some("d\n")), ("e", Some("e\n")), ("f", Some("f\n")), ("g", Some("g\n"))],
    );
    check(
        "if a; then echo b >b; elif c; then echo d >d; else echo e >e; fi",
        &[("b", Some("b\n")), ("d", Some("d\n")), ("e", Some("e\n"))],
    );
    check("while ! a; do echo b >b; done", &[("b", Some("b\n"))]);
    check("while read x; do echo b >b; done < in > out", &[("b", Some("b\n")), ("out", None)]);
    check(
        "(case $x in a|b) echo c >c;; (d) echo e >e;; esac; echo f >f) >g",
        &[("c", Some("c\n")), ("e", Some("e\n")), ("f", Some("f\n")), ("g", None)],
    );
    check("f() { echo a >a; }; function g { echo b >b; }", &[("a", Some("a\n")), ("b", Some("b\n"))]);
    check("((echo a >a); echo b >b)", &[("a", Some("a\n")), ("b", Some("b\n"))]);
    check("echo a >a \\\n  && echo b >b", &[("a", Some("a\n")), ("b", Some("b\n"))]);
}

#[test]
fn substitutions() {
    check("git commit -m \"$(cat <<'EOF'\nit's (a > b\nEOF\n)\" && echo x > a", &[("a", Some("x\n"))]);
    check("x=$(cat <<EOF\n)\nEOF) && echo x > a", &[("a", Some("x\n"))]);
    check("x=$(echo \")\" ')' \\) $(echo \")\") # )\n) ; echo x > a", &[("a", Some("x\n"))]);
    check("x=\"${y:-it's}\"; echo x > a", &[("a", Some("x\n"))]);
    check("x=${y:-'}'}; z=$((1 << 2)); echo x > a", &[("a", Some("x\n"))]);
    check("x=$(make 2>&1 | tee log)", &[("log", None)]);
    check("x=`echo y > a`", &[("a", Some("y\n"))]);
    check("echo x > >(tee a)", &[("a", None)]);
    check("echo \"$(date)\" > a", &[("a", Some("$(date)\n"))]);
}

#[test]
fn scripts_in_arguments() {
    check("bash -c 'echo x > a'", &[("a", Some("x\n"))]);
    check("sh -ec \"cd d; echo \\\"x\\\" > a\"; echo y > b", &[("d/a", Some("x\n")), ("b", Some("y\n"))]);
    check("sudo bash -euo pipefail -c 'echo x' > a", &[("a", Some("x\n"))]);
    check("sudo sh -c 'cat > a' << 'EOF'\nx\nEOF", &[("a", Some("x\n"))]);
    check("eval echo x '>' a", &[("a", Some("x\n"))]);
    check("bash <<'EOF'\ncat > a <<E\nx\nE\nEOF", &[("a", Some("x\n"))]);
    check("bash script.sh -c 'echo x > a'", &[]);
    check("bash <<A\nbash <<B\nbash <<C\necho x > a", &[("a", Some("x\n"))]);
    let deep: String = (0..40).map(|level| format!("bash <<E{level}\n")).collect();
    check(&(deep + "echo x > a"), &[]);
}

#[test]
fn changes_of_directory() {
    check("cd dir && > a", &[("dir/a", Some(""))]);
    check("cd dir/ && cd 'sub dir'; > a", &[("dir/sub dir/a", Some(""))]);
    check("cd dir && cd /abs && > a && > /b", &[("/abs/a", Some("")), ("/b", Some(""))]);
    check("cd / && > a", &[("/a", Some(""))]);
    check("cd && > a", &[("~/a", Some(""))]);
    check(
        "cd dir && > ~/a && > \"$HOME/b\" && > C:/c",
        &[("~/a", Some("")), ("$HOME/b", Some("")), ("C:/c", Some(""))],
    );
    check("(cd dir && > a) && > b", &[("dir/a", Some("")), ("b", Some(""))]);
    check("{ cd dir; > a; } > b; > c", &[("dir/a", Some("")), ("b", Some("")), ("dir/c", Some(""))]);
    check("cd dir | > a; cd dir & > b", &[("a", Some("")), ("b", Some(""))]);
    check("cd \"$X\" && > a", &[("a", Some(""))]);
    check("cd dir; cd - && > a", &[("a", Some(""))]);
    check("pushd dir; > a; popd; > b", &[("dir/a", Some("")), ("b", Some(""))]);
    check("cd -P -- dir && tee a <<< x", &[("dir/a", Some("x\n"))]);
}

#[test]
fn malformed_commands_cost_only_themselves() {
    check(") > a", &[("a", None)]);
    check("} > a; echo x > b", &[("a", None), ("b", Some("x\n"))]);
    check("done; fi; esac; ;; | > a", &[("a", Some(""))]);
    check("( ( { > a", &[("a", Some(""))]);
    check("echo > a $(", &[("a", Some("\n"))]);
    check("echo > a ${x", &[("a", Some("${x\n"))]);
    check("echo > a \\", &[("a", Some("\\\n"))]);
    check("> a <<", &[("a", Some(""))]);
}

/// One text for many files must not become many copies, nor many values for a format many formats.
#[test]
fn a_command_cannot_multiply() {
    let text = "x".repeat(100_000);
    let files = "f ".repeat(1000);
    let found = changes(&format!("tee {files} <<E\n{text}\nE")).writes;
    assert_eq!(found.len(), 1000);
    assert!(found.iter().filter(|write| write.content.is_some()).count() < 20);
    check(&format!("printf '{text}%s' {files} > a"), &[("a", None)]);
    check(&format!("cd {text}; > a"), &[("a", Some(""))]);
    check(&format!("> {text}"), &[]);
}

/// These need not be fast, but must end: a quadratic algorithm would not end in any reasonable time.
#[test]
fn hostile_commands_end() {
    for piece in ["<<", "(", "'", "\"", ">"] {
        changes(&piece.repeat((2 << 20) / piece.len()));
    }
    const PIECES: [&str; 25] = [
        "<<", "<<a ", "<<a\n", "(", "((", "((a) ", "$(", "$((", "${", "{ ", "'", "\"", "`", "\\", ">",
        "$(<<a\n", "\"$(", "x=(", "[[ ", "case ", "cd a;", "(echo a;", "a|", "eval ", "sh -c \"",
    ];
    for piece in PIECES.into_iter().chain(["echo a|tee a|", "printf %s a b|bash;", "printf x%s "]) {
        let opened = piece.repeat((1 << 17) / piece.len());
        let closed = ")> a ".repeat((1 << 17) / 5);
        changes(&(opened + &closed));
    }
}

#[test]
fn a_text_of_any_length_is_read_up_to_a_bound() {
    let length = 4 << 20;
    for filler in ["a;", "echo hello world\n", "cat <<E\nx $(a)\nE\n", "'x' ", "{ a; } | b\n"] {
        let filler = filler.repeat(length / filler.len());
        for text in [format!("git push --force; {filler}"), format!("{filler}\ngit push --force")] {
            let run = follow(&text, Dialect::Posix);
            let words: usize = run.raw.iter().map(Vec::len).sum();
            assert_eq!(run.unread, Some(Unread::TooLong), "{}", &text[..20]);
            assert!(run.commands.len() <= super::MAX_COMMANDS && words <= 2 * super::MAX_RAW_WORDS);
            let is_there = |words: &Vec<String>| words.join(" ").starts_with("git push --force");
            assert!(run.raw.iter().any(is_there), "{}", &text[..20]);
        }
    }
    let steps = crate::shell::parse::parse(&"a;".repeat(length), 0).tree.steps.len();
    assert!(steps <= crate::shell::parse::MAX_STEPS, "{steps}");
}

proptest! {
    #[test]
    fn no_text_panics(command in any::<String>()) {
        changes(&command);
    }

    /// Built from pieces of the syntax, this reaches deeper than arbitrary text.
    #[test]
    fn no_syntax_panics(pieces in prop::collection::vec(prop::sample::select(&SYNTAX[..]), 0..60)) {
        changes(&pieces.concat());
    }
}

const SYNTAX: [&str; 58] = [
    "<<", "<<-", "<<<", "E", "'E'", "\n", "\r\n", "E\n", "\t", " ", "(", ")", "((", "))", "$(", "$((", "${",
    "}", "{ ", "'", "\"", "`", "$'", "\\", ">", ">>", ">&", "&>", "2>", "&", "&&", "|", ";", "#", "[[ ",
    "]]", "case ", " in ", "esac", "if ", "done", "cd ", "echo ", "printf ", "%", "tee ", "bash -c ",
    "eval ", "dd of=", "é", "$", "$HOME", "~", "=", "*", "-", "a", "function",
];

#[track_caller]
fn check(command: &str, expected: &[(&str, Option<&str>)]) {
    let found = changes(command).writes;
    let found: Vec<_> = found.iter().map(|write| (write.path.as_str(), write.content.as_deref())).collect();
    assert_eq!(found, expected, "{command}");
}

#[test]
fn what_is_added_at_the_end_of_a_file_is_known() {
    let check = |command: &str, expected: &[(&str, bool)]| {
        let found = changes(command).writes;
        let found: Vec<_> = found.iter().map(|write| (write.path.as_str(), write.appends)).collect();
        assert_eq!(found, expected, "{command}");
    };
    check("echo x > a; echo y >> b", &[("a", false), ("b", true)]);
    check("cat <<E >> a\nx\nE", &[("a", true)]);
    check("echo x | tee -a a | tee b", &[("a", true), ("b", false)]);
    check("sed -i s/a/b/ c; echo x &> d", &[("c", false), ("d", false)]);
}

#[test]
fn a_patch_in_a_command_changes_its_files() {
    let check = |command: &str, expected: &[ToolAction]| {
        assert_eq!(changes(command).patched, expected, "{command}");
    };
    let write = |path: &str| ToolAction::Write { path: path.into(), content: "x\n".into() };
    let patch = "*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch";
    check(&format!("apply_patch <<'EOF'\n{patch}\nEOF"), &[write("a.txt")]);
    check(&format!("cd sub && apply_patch <<EOF\n{patch}\nEOF\necho done"), &[write("sub/a.txt")]);
    check(&format!("apply_patch '{patch}'"), &[write("a.txt")]);
    check(&format!("bash -lc \"apply_patch <<'EOF'\n{patch}\nEOF\n\""), &[write("a.txt")]);
    check(&format!("cat <<'EOF' | apply_patch\n{patch}\nEOF"), &[write("a.txt")]);
    let delete = ToolAction::Delete { path: "sub/b".into() };
    check("cd sub; apply_patch <<'E'\n*** Begin Patch\n*** Delete File: b\n*** End Patch\nE", &[delete]);
    check("echo apply_patch", &[]);
    check("apply_patch < patch.txt", &[]);
    check(&format!("cat <<'EOF'\n{patch}\nEOF"), &[]);
}

#[test]
fn a_diff_that_a_command_applies_changes_its_files() {
    let diff = "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1 +1 @@\n-x\n+y\n";
    let changed = |line: &str| -> Vec<String> {
        let run = follow(line, Dialect::Posix);
        run.patched.iter().filter_map(|change| change.path().map(str::to_owned)).collect()
    };
    assert_eq!(changed(&format!("git apply <<'EOF'\n{diff}EOF")), ["src/a.rs"]);
    assert_eq!(changed(&format!("cd sub && patch -p1 <<'EOF'\n{diff}EOF")), ["sub/src/a.rs"]);
    assert_eq!(changed(&format!("cat <<'EOF' | git am\n{diff}EOF")), ["src/a.rs"]);
    assert_eq!(changed(&format!("git apply --check <<'EOF'\n{diff}EOF")), [] as [&str; 0]);
    assert_eq!(changed("git apply fix.patch"), [] as [&str; 0]);
}

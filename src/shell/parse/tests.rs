//! The parser agrees with Bash: about what is complete, and about the words that a program gets.

use std::process::{Command, Stdio};

use proptest::prelude::*;

use super::parse;
use crate::shell::tree::Unread;
use crate::shell::{Dialect, follow};

/// Runs Bash with this script; `None`, with a line that says so, where there is no Bash.
fn bash(arguments: &[&str]) -> Option<std::process::Output> {
    let output = Command::new("bash").args(arguments).env("LC_ALL", "C.UTF-8").stdin(Stdio::null()).output();
    if output.is_err() {
        use std::io::Write;
        drop(writeln!(std::io::stderr(), "there is no bash here, so nothing is compared with it"));
    }
    output.ok()
}

fn is_accepted(script: &str) -> Option<bool> {
    bash(&["-n", "-c", script]).map(|output| output.status.success())
}

#[test]
fn bash_and_the_parser_agree_about_what_is_complete() {
    let complete = [
        "a",
        "a; b",
        "a && b || c",
        "a | b |& c",
        "( a; b )",
        "{ a; b; }",
        "if a; then b; elif c; then d; else e; fi",
        "for x in 1 2; do a; done",
        "for ((i=0;i<3;i++)); do a; done",
        "while a; do b; done",
        "until a; do b; done",
        "case $x in a|b) c;; (d) e;& *) f;; esac",
        "f() { a; }",
        "function g { a; }",
        "function h() ( a )",
        "[[ a < b && ( c || d ) ]]",
        "(( a > b ))",
        "echo $((1 + (2)))",
        "echo $(a $(b))",
        "echo `a \\`b\\``",
        "diff <(a) >(b)",
        "cat <<E\nx\nE",
        "cat <<-'E' | b\n\tx\n\tE",
        "cat <<<x",
        "a > b 2>&1 < c >> d",
        "a &> b",
        "x=1 y=(1 2) z+=3",
        "echo 'it''s' \"a $(b \"c\") d\" $'e\\'f' $\"g\"",
        "a \\\n b",
        "! a",
        "time a",
        "a & b &",
        "a # ' comment",
        "echo ${x:-\"a b\"} ${y/a/'b'}",
        "select x in a; do b; done",
        "$(case x in x) a;; esac)",
        "a=$(cat <<'E'\nit's\nE\n)",
        "((a)); (( (a) ))",
        "((a); b)",
        "echo {a,b} {1..3}",
        "coproc a",
        "if ! a; then b; fi",
        "",
        "\n\n",
        "# only",
        "a |\n b",
        "a &&\n\n b",
        "for x; do a; done",
        "while a; do b; done < c > d",
        "echo a#b",
        "[ a ]",
        "{ a; } > b",
        "x=; a",
    ];
    for script in complete {
        assert_eq!(parse(script, 0).unread, None, "{script:?}");
        assert_ne!(is_accepted(script), Some(false), "{script:?}");
    }
    let incomplete = [
        "echo 'a",
        "echo \"a",
        "echo $(a",
        "echo `a",
        "( a",
        "{ a;",
        "if a; then b",
        "if a",
        "while a; do b",
        "for x in a; do b",
        "case x in a) b;;",
        "a |",
        "echo $'a",
        "echo ${a",
        "f() {",
        "echo \"$(a\"",
        "[[ a",
        "$(( 1",
    ];
    for script in incomplete {
        assert_eq!(parse(script, 0).unread, Some(Unread::Unfinished), "{script:?}");
        assert_ne!(is_accepted(script), Some(true), "{script:?}");
    }
    for script in [")", "a )", "fi", "then a", "a ;; b", "| a", "&& a", "a (b)"] {
        assert!(parse(script, 0).unread.is_some(), "{script:?}");
        assert_ne!(is_accepted(script), Some(true), "{script:?}");
    }
}

/// A word and how it may be written.
fn word() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-z0-9_./+:@%-]{1,6}",
        "[a-z0-9 $*?\"`;&|<>(){}#!-]{0,6}".prop_map(|text| format!("'{text}'")),
        "[a-z0-9 *?';&|<>(){},#-]{0,6}".prop_map(|text| format!("\"{text}\"")),
        "[ $*?\"'`;&|<>(){},#a-z-]".prop_map(|text| format!("\\{text}")),
        "([a-z ]|\\\\n|\\\\t|\\\\x4[1-9]|\\\\'|\\\\\\\\|\\\\u00e4|\\\\101){0,4}"
            .prop_map(|text| format!("$'{text}'")),
        prop::collection::vec("[a-c]{0,2}", 2..4).prop_map(|choices| format!("{{{}}}", choices.join(","))),
        Just("{1..3}".to_owned()),
        Just("${unset_here:-d}".to_owned()),
        Just("\\\n".to_owned()),
    ];
    prop::collection::vec(piece, 1..4).prop_map(|pieces| pieces.concat())
}

fn script() -> impl Strategy<Value = String> {
    let simple = prop::collection::vec(word(), 1..4).prop_map(|words| format!("a {}", words.join(" ")));
    simple.prop_recursive(4, 24, 3, |inner| {
        let two = (inner.clone(), inner.clone());
        prop_oneof![
            (two.clone(), prop::sample::select(vec![" && ", " || ", " | ", "; ", "\n", " & "]))
                .prop_map(|((one, two), joint)| format!("{one}{joint}{two}")),
            inner.clone().prop_map(|body| format!("( {body} )")),
            inner.clone().prop_map(|body| format!("{{ {body}\n}}")),
            two.clone().prop_map(|(one, two)| format!("if {one}\nthen {two}\nfi")),
            inner.clone().prop_map(|body| format!("for x in a 'b c'; do {body}\ndone")),
            two.clone().prop_map(|(one, two)| format!("while {one}\ndo {two}\ndone")),
            two.clone().prop_map(|(one, two)| format!("case x in a|'b') {one}\n;; *) {two}\nesac")),
            inner.clone().prop_map(|body| format!("a \"$({body}\n)\"")),
            inner.clone().prop_map(|body| format!("f() {{ {body}\n}}")),
            (inner, "[a-z '\"()]{0,8}").prop_map(|(body, text)| format!("cat <<'E'\n{text}\nE\n{body}")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_bash_accepts_is_read(script in script()) {
        if is_accepted(&script) == Some(true) {
            prop_assert_eq!(parse(&script, 0).unread, None, "{:?}", script);
        }
    }

    #[test]
    fn words_are_those_that_bash_gives_to_a_program(words in prop::collection::vec(word(), 1..24)) {
        let line = format!("printf '%s\\0' {}", words.join(" "));
        if let Some(output) = bash(&["-f", "-c", &line]).filter(|output| output.status.success()) {
            let expected: Vec<String> =
                String::from_utf8_lossy(&output.stdout).split_terminator('\0').map(str::to_owned).collect();
            let run = follow(&line, Dialect::Posix);
            let mine: Vec<String> = run.commands[0].words[2..].iter().map(|word| word.text.clone()).collect();
            // Without words, the format is printed once.
            let expected = if mine.is_empty() { Vec::new() } else { expected };
            prop_assert_eq!(mine, expected, "{}", line);
        }
    }
}

/// Whatever the text, the work is bounded: twice the text takes no more than a few times the commands.
#[test]
fn nesting_and_repetition_are_bounded() {
    for piece in [
        "(",
        "$(",
        "`",
        "((",
        "$((",
        "${",
        "{",
        "{a,",
        "'",
        "\"",
        "<<E\n",
        "if ",
        "case x in ",
        "! ",
        "a|",
        "eval ",
        "sudo ",
        "sh -c '",
        "$'",
        "xargs ",
    ] {
        for length in [1_000, 60_000] {
            let text = piece.repeat(length / piece.len());
            for dialect in [Dialect::Posix, Dialect::PowerShell, Dialect::Cmd] {
                assert!(follow(&text, dialect).commands.len() <= 2_000);
            }
        }
    }
}

#[test]
fn quotes_with_escapes_are_read_inside_double_parentheses_and_braces() {
    for script in ["a \"$(( a $'\\'' )\n)\"", "echo $(( $'\\'' ))", "echo ${x:-$'\\''}", "(( a = $'\\'' ))"] {
        assert_eq!(parse(script, 0).unread, None, "{script}");
    }
}

/// Pieces that shells give a meaning, put together at random.
#[rustfmt::skip]
const PIECES: [&str; 62] = [
    " ", " ", " ", "\n", ";", "&", "&&", "||", "|", "|&", "(", ")", "{ ", " }", "((", "))", "[[ ", " ]]", "$(", "$((", "${", "}", "`", "'", "\"", "$'",
    "\\", "\\\n", "<", ">", ">>", "<<E\n", "\nE\n", "<<<", "<(", ">&2", "2>", "#", "!", "=", "a=b ", "if ", " then ", " fi", "for x in ", "; do ", " done",
    "case x in ", "a) ", ";;", " esac", "while ", "f() ", "git push --force", "rm -rf /", "echo ", "sudo ", "bash -c ", "xargs ", "é", "*", "~",
];

/// A small generator of numbers, so that a run can be repeated by its seed.
struct LineDice(u64);

impl LineDice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides as u64).unwrap_or(0)
    }

    fn line(&mut self, most: usize) -> String {
        (0..1 + self.roll(most)).map(|_| PIECES[self.roll(PIECES.len())]).collect()
    }
}

/// Reads random lines in every dialect, and asks everything of them that rules ask.
fn read_random_lines(seed: u64, count: usize) {
    let mut dice = LineDice(seed);
    let pattern = crate::shell::CommandPattern::new("git push --force").expect("a pattern");
    let patterns = crate::shell::CommandPatterns { patterns: vec![pattern] };
    for _ in 0..count {
        let line = dice.line(40);
        for dialect in [Dialect::Posix, Dialect::PowerShell, Dialect::Cmd] {
            let run = follow(&line, dialect);
            assert!(run.commands.len() <= 2_000, "{line:?}");
            drop(patterns.find(&run));
            drop(crate::shell::touches(&run));
        }
        drop(crate::shell::CommandPattern::new(&line));
    }
}

#[test]
fn random_lines_are_read_without_a_panic() {
    read_random_lines(0x5eed, 3_000);
}

#[test]
#[ignore = "takes minutes; a new seed is another run"]
fn very_many_random_lines_are_read_without_a_panic() {
    for seed in 1..=8 {
        read_random_lines(seed, 100_000);
    }
}

/// Returns how many random lines Bash and we agree about: whether something in them never ends.
#[expect(clippy::print_stdout, reason = "what differs is for people")]
fn agree_about_ends(seed: u64, count: usize) -> Option<(usize, usize)> {
    let mut dice = LineDice(seed);
    let (mut agreed, mut asked) = (0, 0);
    for _ in 0..count {
        let line = dice.line(10);
        let output = bash(&["-n", "-c", &line])?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let never_ends = said.contains("unexpected EOF") || said.contains("unexpected end of file");
        // A line that Bash refuses for another reason may end or not: it stopped before.
        if !output.status.success() && !never_ends {
            continue;
        }
        asked += 1;
        let mine = parse(&line, 0).unread;
        if never_ends == mine.is_some() {
            agreed += 1;
        } else {
            println!("{line:?}: bash {never_ends}, mine {mine:?}");
        }
    }
    Some((agreed, asked))
}

#[test]
fn bash_and_we_agree_about_what_never_ends() {
    if let Some((agreed, asked)) = agree_about_ends(0xb454, 300) {
        assert!(agreed * 100 >= asked * 95, "{agreed} of {asked}");
    }
}

#[test]
#[ignore = "takes minutes"]
#[expect(clippy::print_stdout, reason = "the figure is for people")]
fn bash_and_we_agree_about_very_many_lines() {
    if let Some((agreed, asked)) = agree_about_ends(7, 20_000) {
        println!("{agreed} of {asked} lines");
        assert!(agreed * 100 >= asked * 95, "{agreed} of {asked}");
    }
}

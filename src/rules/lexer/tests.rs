//! What is code, what is a comment and what is a string, in each language.

use super::*;
use crate::rules::language::{LANGUAGES, language_of};

/// Shows a text with comments as `c` and strings as `s`.
fn shown(file: &str, text: &str) -> String {
    let language = language_of(file).unwrap();
    let [code, comments, strings] = CodePart::ALL.map(|part| only(text, language, part));
    let bytes = code.bytes().zip(comments.bytes()).zip(strings.bytes()).zip(text.bytes());
    let one = |(((code, comment), string), byte): (((u8, u8), u8), u8)| match byte {
        b'\n' => '\n',
        _ if comment != b' ' => 'c',
        _ if string != b' ' => 's',
        _ if code == byte => char::from(byte),
        _ => '?',
    };
    bytes.map(one).collect()
}

#[track_caller]
fn check(file: &str, cases: &[(&str, &str)]) {
    for (text, expect) in cases {
        assert_eq!(shown(file, text), *expect, "{file}: {text}");
    }
}

#[test]
fn rust() {
    check(
        "a.rs",
        &[
            ("a // x\nb", "a cc c\nb"),
            ("a /* b /* c */ d */ e", "a cc c cc c cc c cc e"),
            (r#"f("a\"b") + 'x'"#, "f(ssssss) + sss"),
            (r##"r#"a"b"# x"##, "ssssssss x"),
            ("br\"a\\\" x", "ssssss x"),
            ("fn f<'a>(x: &'a str) { '\\'' }", "fn f<'a>(x: &'a str) { ssss }"),
            ("'\u{e9}' 'static '\\u{1f600}'", "ssss 'static sssssssssss"),
            ("\"a\nb\" c", "ss\nss c"),
            ("var\"x\"", "varsss"),
        ],
    );
}

#[test]
fn go_java_kotlin_swift_and_c() {
    check("a.go", &[("a := `x\ny` + \"z\" // c", "a := ss\nss + sss cc c"), ("'\\n'", "ssss")]);
    check("A.java", &[("x = \"\"\"\n a\"b\n\"\"\"; 'c'", "x = sss\n sss\nsss; sss")]);
    check(
        "a.kt",
        &[
            ("\"a ${f(\"b\")} c\"", "ss ssf(sss)s ss"),
            ("/* a /* b */ c */ d", "cc c cc c cc c cc d"),
            ("\"\"\"a\\\"\"\" b", "ssssssss b"),
        ],
    );
    check(
        "a.swift",
        &[
            ("\"a \\(f(x)) b\" c", "ss ssf(x)s ss c"),
            ("#\"a\"b \\#(x)\"# y", "sssss sssxsss y"),
            ("\"\"\"\na\n\"\"\"", "sss\ns\nsss"),
        ],
    );
    check(
        "a.cpp",
        &[
            ("int n = 1'000'000; // x", "int n = 1'000'000; cc c"),
            ("R\"x(a)\"b)x\" c", "sssssssssss c"),
            ("char c = '\"'; /* a /* b */ d", "char c = sss; cc c cc c cc d"),
            ("#include \"a.h\"", "#include sssss"),
        ],
    );
    check(
        "a.cs",
        &[
            ("@\"a\\\" + \"\"", "sssss + ss"),
            ("$\"a {x} {{b}}\" c", "sss sxs ssssss c"),
            ("@\"a\"\"b\" c", "sssssss c"),
            ("\"\"\"a\"b\"\"\" c", "sssssssss c"),
        ],
    );
}

#[test]
fn javascript() {
    check(
        "a.tsx",
        &[
            ("x = 'a' + \"b\" // c", "x = sss + sss cc c"),
            ("`a ${f(`b`)} c` d", "ss ssf(sss)s ss d"),
            ("`${{a: 1}}` b", "sss{a: 1}ss b"),
            ("x = /a'b[/]/g.test(y)", "x = sssssssss.test(y)"),
            ("return /'/", "return sss"),
            ("a / b / c", "a / b / c"),
            ("x => /'/", "x => sss"),
            ("<p>Don't {/* c */} http://x.y</p> // z", "<p>Don't {cc c cc} http://x.y</p> cc c"),
            ("<A b=\"c\" d={e} /> // f", "<A b=sss d={e} /> cc c"),
            ("'open\nx // y", "sssss\nx cc c"),
            ("a = b ? 'c' : \"d\"", "a = b ? sss : sss"),
        ],
    );
}

#[test]
fn python() {
    check(
        "a.py",
        &[
            ("x = 'a' # b", "x = sss c c"),
            ("\"\"\"doc\n# no\n\"\"\"\ny", "ssssss\ns ss\nsss\ny"),
            ("f\"a {x['k']} {{b}}\" c", "fss sx[sss]s ssssss c"),
            ("\"{x}\" r'\\'' b''", "sssss rssss bss"),
            ("rf'{x}'", "rfssxss"),
        ],
    );
}

#[test]
fn ruby_php_and_shell() {
    check(
        "a.rb",
        &[
            ("x = \"a #{b(\"c\")} d\" # e", "x = ss ssb(sss)s ss c c"),
            ("puts <<~EOS\n  a # b\n  EOS\nc", "puts ssssss\n  s s s\n  sss\nc"),
            ("list << item", "list << item"),
            ("%w[a b] + c", "ssss ss + c"),
            ("=begin\na\n=end\nb", "cccccc\nc\ncccc\nb"),
            ("x if y =~ /a#b/", "x if y =~ sssss"),
        ],
    );
    check(
        "a.php",
        &[
            ("$x = 'a' . \"b {$c} d\"; # e", "$x = sss . ss s$cs ss; c c"),
            ("<p>Don't</p><?php f('a'); // b\n?> it's", "<p>Don't</p><?php f(sss); cc c\n?> it's"),
            ("$a = <<<EOT\nx 'y\nEOT;\n$b", "$a = ssssss\ns ss\nssss\n$b"),
            ("#[Attribute]\n// c", "#[Attribute]\ncc c"),
        ],
    );
    check(
        "a.sh",
        &[
            ("echo \"a $(b 'c') d\" # e", "echo ss ssb ssss ss c c"),
            ("cat <<'EOF' > f\n# a\nEOF\nb", "cat sssssss > f\ns s\nsss\nb"),
            ("echo a#b ${#x} $'c\\'d'", "echo a#b ${#x} sssssss"),
            ("cat <<< word\nb", "cat <<< word\nb"),
            ("x=$((1<<2))\nb", "x=$((1<<2))\nb"),
        ],
    );
}

#[test]
fn data_and_pages() {
    check(
        "a.yaml",
        &[("a: \"b\" # c", "a: sss c c"), ("a: don't x#y", "a: don't x#y"), ("'it''s' b", "sssssss b")],
    );
    check("a.toml", &[("a = '''b'\nc''' # d", "a = sssss\nssss c c")]);
    check("a.sql", &[("select 'it''s' -- x\nfrom t", "select sssssss cc c\nfrom t")]);
    check("a.scss", &[("a { b: url(http://x); } // c", "a { b: url(http://x); } cc c")]);
    check("a.html", &[("<a b=\"c\">don't \"x\"</a><!-- d -->", "<a b=sss>don't \"x\"</a>cccc c ccc")]);
    check("a.ex", &[("\"a #{b} c\" # d", "ss ssbs ss c c")]);
    check("a.lua", &[("a = [[b]] --[[ c\nd ]] e", "a = sssss cccc c\nc cc e")]);
}

#[test]
fn files_are_known_by_their_ending() {
    let name = |path: &str| language_of(path).map(|language| language.endings[0]);
    assert_eq!(name("src/a.rs"), Some("rs"));
    assert_eq!(name("C:\\x\\A.TSX"), Some("js"));
    assert_eq!(name(".rs"), None);
    assert_eq!(name("Makefile"), None);
    assert_eq!(name("a.rs/b"), None);
    let mut endings: Vec<&str> = LANGUAGES.iter().flat_map(|one| one.endings.iter().copied()).collect();
    let count = endings.len();
    endings.sort_unstable();
    endings.dedup();
    assert_eq!(endings.len(), count, "an ending has one language");
}

#[test]
fn every_text_keeps_its_length_and_its_lines() {
    // Everything that begins or ends something in some language, and a few letters.
    let pieces = proptest::sample::select(vec![
        "\"",
        "'",
        "`",
        "\"\"\"",
        "'''",
        "//",
        "/*",
        "*/",
        "#",
        "#[",
        "${",
        "#{",
        "{$",
        "\\(",
        "\\",
        "{",
        "}",
        "{{",
        "(",
        ")",
        "<<EOF",
        "<<~EOS",
        "<<<EOT",
        "EOF",
        "EOS",
        "EOT",
        "\n",
        "\r\n",
        " ",
        "r#",
        "R\"x(",
        ")x\"",
        "@",
        "$",
        "%w[",
        "]",
        "/",
        "f",
        "a",
        "1",
        "=",
        "<?php",
        "?>",
        "<!--",
        "-->",
        "--",
        "=begin",
        "\u{e9}",
        "\u{1f600}",
        "\u{2028}",
    ]);
    let texts = proptest::collection::vec(pieces, 0..40);
    proptest::proptest!(|(texts in texts)| {
        let text = texts.concat();
        for language in LANGUAGES {
            let parts = CodePart::ALL.map(|part| only(&text, language, part));
            for (at, byte) in text.bytes().enumerate() {
                let kept = parts.iter().filter(|part| part.as_bytes()[at] == byte).count();
                let blank = byte.is_ascii_whitespace();
                // Every byte is in exactly one part, and white space in all of them.
                assert!(kept == if blank { 3 } else { 1 }, "{}: {at} of {text:?}", language.endings[0]);
            }
            assert!(parts.iter().all(|part| part.len() == text.len()));
        }
    });
}

#[test]
fn a_long_text_takes_one_pass() {
    // Quadratic work on this would never end.
    let nested = "/*".repeat(20_000) + &"\"${".repeat(20_000) + &"<<A\n".repeat(20_000);
    for language in LANGUAGES {
        assert_eq!(only(&nested, language, CodePart::Code).len(), nested.len());
    }
}

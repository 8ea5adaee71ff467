//! The languages whose comments and strings are known, by file name, with what their lexers need.
//!
//! The twelve that are written most (Stack Overflow's survey and GitHub's Octoverse agree on them) and what is cheap
//! beside them. A language is a row; what a row cannot say is in `Quirk`.

use Quirk as Q;
use StringEscape::{Backslash, Doubled, None as Plain};

/// How a language writes comments and strings.
#[derive(Debug)]
pub(crate) struct Language {
    /// Endings of file names, without the dot, in lower case.
    pub(super) endings: &'static [&'static str],
    /// Starts of comments that end with the line.
    pub(super) line_comments: &'static [&'static str],
    /// Comments with a start and an end.
    pub(super) block_comments: &'static [(&'static str, &'static str)],
    /// Whether block comments contain others.
    pub(super) nested: bool,
    /// The longest opening comes first.
    pub(super) strings: &'static [StringForm],
    pub(super) quirks: &'static [Quirk],
}

/// One way to write a string.
#[derive(Debug, Clone, Copy)]
pub(super) struct StringForm {
    pub(super) open: &'static str,
    pub(super) close: &'static str,
    pub(super) escape: StringEscape,
    /// Whether it may go over several lines; else it ends with its line, closed or not.
    pub(super) lines: bool,
    /// What begins code inside the string; it ends with the bracket that fits.
    pub(super) code: &'static str,
}

/// How the closing quote is written inside a string.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum StringEscape {
    None,
    Backslash,
    /// The quote twice.
    Doubled,
}

/// What needs code of its own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Quirk {
    /// `'a` is a lifetime and `'a'` a character.
    Lifetimes,
    /// `r#"…"#`: as many `#` behind it as before it.
    RustRaw,
    /// `#"…"#`, with code in `\#(…)`.
    SwiftRaw,
    /// `R"x(…)x"`.
    CppRaw,
    /// A quote after a digit separates digits: `1'000`.
    DigitQuotes,
    /// A quote directly after a word is an apostrophe, unless the word is a keyword.
    Apostrophes,
    /// `/…/` is a pattern where an operand is expected.
    RegexLiterals,
    /// `f"{x}"`: code in braces only if the prefix says so, and `{{` is a brace.
    PythonPrefixes,
    /// `$"{x}"` has code, `@"…"` doubles its quotes, and `"""` closes with as many quotes as it opened with.
    CsharpStrings,
    /// `<<EOF` … `EOF`.
    ShellHeredocs,
    /// `<<~EOS` … `EOS`, and `%w[…]`.
    RubyHeredocs,
    /// `<<<EOT` … `EOT`.
    PhpHeredocs,
    /// What is outside of `<?php … ?>` is a page.
    PhpPages,
    /// `#` begins a comment only at the start of a word.
    SpacedHash,
    /// `#[` begins no comment.
    Attributes,
    /// A comment must be the first of its line: `=begin`.
    LineStart,
    /// A string follows `=`.
    AfterEquals,
    /// `://` begins no comment: it is an address in the text of a page.
    Addresses,
}

const fn form(open: &'static str, close: &'static str, escape: StringEscape) -> StringForm {
    StringForm { open, close, escape, lines: false, code: "" }
}

const fn long(open: &'static str, close: &'static str, escape: StringEscape) -> StringForm {
    StringForm { open, close, escape, lines: true, code: "" }
}

const fn with_code(form: StringForm, code: &'static str) -> StringForm {
    StringForm { code, ..form }
}

const C_LINE: &[&str] = &["//"];
const C_BLOCK: &[(&str, &str)] = &[("/*", "*/")];
const HASH: &[&str] = &["#"];
const DOUBLE: StringForm = form("\"", "\"", Backslash);
const SINGLE: StringForm = form("'", "'", Backslash);
const TRIPLE: StringForm = long("\"\"\"", "\"\"\"", Backslash);

pub(super) const LANGUAGES: &[Language] = &[
    // Rust
    Language {
        endings: &["rs"],
        line_comments: C_LINE,
        block_comments: C_BLOCK,
        nested: true,
        strings: &[long("\"", "\"", Backslash)],
        quirks: &[Q::Lifetimes, Q::RustRaw],
    },
    // Go
    Language {
        endings: &["go"],
        line_comments: C_LINE,
        block_comments: C_BLOCK,
        nested: false,
        strings: &[DOUBLE, SINGLE, long("`", "`", Plain)],
        quirks: &[],
    },
    // JavaScript and TypeScript
    Language {
        endings: &["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts"],
        line_comments: C_LINE,
        block_comments: C_BLOCK,
        nested: false,
        strings: &[DOUBLE, SINGLE, with_code(long("`", "`", Backslash), "${")],
        quirks: &[Q::RegexLiterals, Q::Apostrophes, Q::Addresses],
    },
    // Python
    Language {
        endings: &["py", "pyi", "pyw"],
        line_comments: HASH,
        block_comments: &[],
        nested: false,
        strings: &[TRIPLE, long("'''", "'''", Backslash), DOUBLE, SINGLE],
        quirks: &[Q::PythonPrefixes],
    },
    // Java
    Language {
        endings: &["java"],
        line_comments: C_LINE,
        block_comments: C_BLOCK,
        nested: false,
        strings: &[TRIPLE, DOUBLE, SINGLE],
        quirks: &[],
    },
    // Kotlin
    Language {
        endings: &["kt", "kts"],
        line_comments: C_LINE,
        block_comments: C_BLOCK,
        nested: true,
        strings: &[with_code(long("\"\"\"", "\"\"\"", Plain), "${"), with_code(DOUBLE, "${"), SINGLE],
        quirks: &[],
    },
    // C and C++
    Language {
        endings: &["c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "m", "mm", "ino", "cu"],
        line_comments: C_LINE,
        block_comments: C_BLOCK,
        nested: false,
        strings: &[DOUBLE, SINGLE],
        quirks: &[Q::CppRaw, Q::DigitQuotes],
    },
    // C#
    Language {
        endings: &["cs", "csx"],
        line_comments: C_LINE,
        block_comments: C_BLOCK,
        nested: false,
        strings: &[SINGLE],
        quirks: &[Q::CsharpStrings],
    },
    // Ruby
    Language {
        endings: &["rb", "rake", "gemspec", "ru"],
        line_comments: HASH,
        block_comments: &[("=begin", "=end")],
        nested: false,
        strings: &[
            with_code(long("\"", "\"", Backslash), "#{"),
            long("'", "'", Backslash),
            with_code(long("`", "`", Backslash), "#{"),
        ],
        quirks: &[Q::RubyHeredocs, Q::RegexLiterals, Q::LineStart],
    },
    // PHP
    Language {
        endings: &["php", "phtml"],
        line_comments: &["//", "#"],
        block_comments: C_BLOCK,
        nested: false,
        strings: &[
            with_code(long("\"", "\"", Backslash), "{$"),
            long("'", "'", Backslash),
            long("`", "`", Backslash),
        ],
        quirks: &[Q::PhpHeredocs, Q::PhpPages, Q::Attributes],
    },
    // Swift
    Language {
        endings: &["swift"],
        line_comments: C_LINE,
        block_comments: C_BLOCK,
        nested: true,
        strings: &[with_code(TRIPLE, "\\("), with_code(DOUBLE, "\\(")],
        quirks: &[Q::SwiftRaw],
    },
    // shell
    Language {
        endings: &["sh", "bash", "zsh", "ksh", "bats"],
        line_comments: HASH,
        block_comments: &[],
        nested: false,
        strings: &[
            long("$'", "'", Backslash),
            with_code(long("\"", "\"", Backslash), "$("),
            long("'", "'", Plain),
        ],
        quirks: &[Q::ShellHeredocs, Q::SpacedHash],
    },
    // YAML
    Language {
        endings: &["yaml", "yml"],
        line_comments: HASH,
        block_comments: &[],
        nested: false,
        strings: &[long("\"", "\"", Backslash), long("'", "'", Doubled)],
        quirks: &[Q::SpacedHash, Q::Apostrophes],
    },
    // TOML
    Language {
        endings: &["toml"],
        line_comments: HASH,
        block_comments: &[],
        nested: false,
        strings: &[TRIPLE, long("'''", "'''", Plain), DOUBLE, form("'", "'", Plain)],
        quirks: &[],
    },
    // SQL
    Language {
        endings: &["sql", "psql", "ddl"],
        line_comments: &["--"],
        block_comments: C_BLOCK,
        nested: false,
        strings: &[long("'", "'", Doubled), long("\"", "\"", Doubled)],
        quirks: &[],
    },
    // CSS
    Language {
        endings: &["css"],
        line_comments: &[],
        block_comments: C_BLOCK,
        nested: false,
        strings: &[DOUBLE, SINGLE],
        quirks: &[],
    },
    // SCSS and Less
    Language {
        endings: &["scss", "less"],
        line_comments: C_LINE,
        block_comments: C_BLOCK,
        nested: false,
        strings: &[DOUBLE, SINGLE],
        quirks: &[Q::Addresses],
    },
    // HTML and XML
    Language {
        endings: &["html", "htm", "xml", "svg"],
        line_comments: &[],
        block_comments: &[("<!--", "-->")],
        nested: false,
        strings: &[long("\"", "\"", Plain), long("'", "'", Plain)],
        quirks: &[Q::AfterEquals],
    },
    // Elixir
    Language {
        endings: &["ex", "exs"],
        line_comments: HASH,
        block_comments: &[],
        nested: false,
        strings: &[
            with_code(TRIPLE, "#{"),
            with_code(long("\"", "\"", Backslash), "#{"),
            with_code(SINGLE, "#{"),
        ],
        quirks: &[],
    },
    // Scala and Dart
    Language {
        endings: &["scala", "sc", "dart"],
        line_comments: C_LINE,
        block_comments: C_BLOCK,
        nested: true,
        strings: &[with_code(TRIPLE, "${"), with_code(DOUBLE, "${"), SINGLE],
        quirks: &[],
    },
    // Lua
    Language {
        endings: &["lua"],
        line_comments: &["--"],
        block_comments: &[("--[[", "]]")],
        nested: false,
        strings: &[long("[[", "]]", Plain), DOUBLE, SINGLE],
        quirks: &[],
    },
];

/// Returns the language of a file, by its name.
pub(crate) fn language_of(path: &str) -> Option<&'static Language> {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let ending = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty())?.1.to_ascii_lowercase();
    LANGUAGES.iter().find(|language| language.endings.contains(&ending.as_str()))
}

/// Returns the language of commands.
pub(super) fn shell() -> Option<&'static Language> {
    language_of("a.sh")
}

impl Language {
    pub(super) fn has(&self, quirk: Quirk) -> bool {
        self.quirks.contains(&quirk)
    }
}

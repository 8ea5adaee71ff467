//! Which lines of a change carry its meaning: definitions and conditions rather than imports, comments and braces.
//!
//! This looks at single lines with the eyes of a reader, not of a compiler: a wrong guess costs a worse gist, nothing
//! more. The word lists come from the grammars of the languages, and each is written down once below.

/// How much a line says about a change, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Meaning {
    /// Blank, a brace, a fence.
    Nothing,
    Comment,
    Import,
    /// A statement, an item of a list, a line of prose.
    Plain,
    /// What is tested, returned or raised.
    Condition,
    /// A signature, a type, a heading, a key with its value.
    Definition,
}

/// The family of languages that a file belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LanguageFamily {
    /// Languages with braces: Rust, Go, JavaScript, Java, C#, C, PHP and others.
    Braces,
    Python,
    /// Ruby and Elixir: `def … end`.
    Ends,
    Shell,
    Sql,
    Markdown,
    /// JSON and its relatives.
    Json,
    /// `key = value` and `key: value` with `#` comments: TOML, INI, YAML, `.env`.
    Keys,
    /// HTML, XML and templates.
    Tags,
    /// Everything else.
    Prose,
}

/// Returns the family of a file, by its name.
pub(super) fn family(path: &str) -> LanguageFamily {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path).to_ascii_lowercase();
    let end = name.rsplit_once('.').map_or(name.as_str(), |(_, end)| end);
    match end {
        "rs" | "go" | "ts" | "tsx" | "mts" | "cts" | "js" | "jsx" | "mjs" | "cjs" | "java" | "kt" | "kts"
        | "cs" | "c" | "h" | "cc" | "cpp" | "cxx" | "hpp" | "hh" | "m" | "mm" | "swift" | "php" | "scala"
        | "dart" | "groovy" | "gradle" | "proto" | "css" | "scss" | "less" | "zig" | "sol" => {
            LanguageFamily::Braces
        }
        "py" | "pyi" | "pyx" => LanguageFamily::Python,
        "rb" | "rake" | "gemspec" | "ex" | "exs" | "lua" | "jl" | "cr" => LanguageFamily::Ends,
        "sh" | "bash" | "zsh" | "fish" | "ps1" | "dockerfile" | "makefile" | "mk" | "justfile" => {
            LanguageFamily::Shell
        }
        "sql" | "psql" | "ddl" => LanguageFamily::Sql,
        "md" | "mdx" | "markdown" | "rst" | "adoc" => LanguageFamily::Markdown,
        "json" | "json5" | "jsonc" | "webmanifest" => LanguageFamily::Json,
        "toml" | "ini" | "cfg" | "conf" | "env" | "properties" | "yaml" | "yml" | "tf" | "hcl" => {
            LanguageFamily::Keys
        }
        "html" | "htm" | "xml" | "vue" | "svelte" | "heex" | "erb" | "svg" | "xaml" | "csproj" => {
            LanguageFamily::Tags
        }
        _ => LanguageFamily::Prose,
    }
}

/// Words before a definition that say nothing about what is defined.
#[rustfmt::skip]
const MODIFIERS: [&str; 27] = [
    "pub", "pub(crate)", "pub(super)", "async", "unsafe", "extern", "export", "default", "public", "private",
    "protected", "internal", "static", "final", "abstract", "override", "virtual", "sealed", "readonly",
    "partial", "inline", "constexpr", "declare", "open", "suspend", "data", "local",
];

/// Words that a definition begins with.
#[rustfmt::skip]
const DEFINES: [&str; 41] = [
    "fn", "struct", "enum", "trait", "impl", "type", "macro_rules!", "union", "func", "fun", "function",
    "function*", "class", "interface", "record", "object", "namespace", "module", "typedef", "template", "def", "defp",
    "defmodule", "defmacro", "defstruct", "defimpl", "defprotocol", "protocol", "extension", "message",
    "service", "rpc", "contract", "describe", "it", "test", "context", "#define", "const", "val", "property",
];

/// Words that a condition or the end of a function begins with.
#[rustfmt::skip]
const DECIDES: [&str; 30] = [
    "if", "else", "elif", "elsif", "elseif", "unless", "while", "for", "foreach", "match", "switch", "case",
    "when", "cond", "guard", "return", "throw", "throws", "raise", "rescue", "except", "catch", "assert",
    "assert_eq!", "assert!", "expect", "ensure!", "bail!", "with", "try",
];

/// Words that an import begins with, in languages with braces and in Ruby and Elixir.
#[rustfmt::skip]
const IMPORTS: [&str; 16] = [
    "use", "import", "package", "#include", "#pragma", "#import", "using", "require", "require_relative",
    "require_once", "include", "include_once", "alias", "from", "mod", "@import",
];

/// Statements of SQL that change or ask something.
const STATEMENTS: [&str; 12] = [
    "create", "alter", "drop", "insert", "update", "delete", "select", "grant", "revoke", "truncate", "with",
    "merge",
];

/// Returns what a line says, in a file of this family.
pub(super) fn meaning(line: &str, family: LanguageFamily) -> Meaning {
    let line = line.trim();
    // A line without a letter or a digit is punctuation.
    if !line.contains(char::is_alphanumeric) {
        return Meaning::Nothing;
    }
    if is_comment(line, family) {
        return Meaning::Comment;
    }
    match family {
        LanguageFamily::Markdown => of_markdown(line),
        LanguageFamily::Json => of_json(line),
        LanguageFamily::Keys => of_keys(line),
        LanguageFamily::Sql => of_sql(line),
        LanguageFamily::Shell => of_shell(line),
        LanguageFamily::Tags | LanguageFamily::Prose => Meaning::Plain,
        LanguageFamily::Braces | LanguageFamily::Python | LanguageFamily::Ends => of_code(line, family),
    }
}

fn is_comment(line: &str, family: LanguageFamily) -> bool {
    match family {
        LanguageFamily::Braces => {
            line.starts_with("//")
                || line.starts_with("/*")
                || line.starts_with("* ")
                || line.starts_with("*/")
                || line.starts_with("# ")
                // An attribute or an annotation says something only together with what follows.
                || line.starts_with("#[")
                || line.starts_with("#!")
                || line.starts_with('@') && !line.contains(' ')
        }
        LanguageFamily::Python | LanguageFamily::Ends | LanguageFamily::Shell | LanguageFamily::Keys => {
            line.starts_with('#')
                || line.starts_with("--")
                || line.starts_with("\"\"\"")
                || line.starts_with("@moduledoc")
        }
        LanguageFamily::Sql => line.starts_with("--") || line.starts_with("/*"),
        LanguageFamily::Tags => line.starts_with("<!--"),
        LanguageFamily::Markdown => line.starts_with("<!--") || line.starts_with("```"),
        LanguageFamily::Json => line.starts_with("//"),
        LanguageFamily::Prose => false,
    }
}

fn of_code(line: &str, family: LanguageFamily) -> Meaning {
    // A line may be long, and only its first words say what it is.
    let mut words = line.split_whitespace();
    let first = words.clone().next().unwrap_or_default();
    if is_import(line, first, family) {
        return Meaning::Import;
    }
    let begin = words.find(|word| !MODIFIERS.contains(word)).unwrap_or_default();
    let has_modifier = begin != first;
    let keyword = begin.split(['(', ':', '<']).next().unwrap_or(begin);
    // `const` and `val` define something of the module only with a name in front of a type or a modifier before them.
    let is_value = matches!(keyword, "const" | "val");
    if DEFINES.contains(&keyword) && (!is_value || is_named_value(line, has_modifier)) {
        return Meaning::Definition;
    }
    if DECIDES.contains(&keyword) || line.starts_with("} else") || line.starts_with("?.") {
        return Meaning::Condition;
    }
    if family == LanguageFamily::Braces && is_method(line, has_modifier) {
        return Meaning::Definition;
    }
    // What only closes or names a part of a list.
    if is_one_word(line) && line.ends_with(',') || line == "end" || line.starts_with("})") {
        return Meaning::Nothing;
    }
    Meaning::Plain
}

fn is_one_word(line: &str) -> bool {
    line.split_whitespace().nth(1).is_none()
}

fn is_import(line: &str, first: &str, family: LanguageFamily) -> bool {
    let word = first.trim_end_matches(';');
    let is_word = IMPORTS.contains(&word);
    let reexport = line.starts_with("export ") && line.contains(" from ") || line.starts_with("pub use ");
    let required = line.contains("require(") && !line.contains("){") && line.contains('=');
    // `from` alone begins a Python import; `with` of C# and `mod name { … }` of Rust begin a block.
    let is_block = matches!(word, "mod" | "using" | "use") && line.ends_with('{') && !line.contains("::");
    let is_using_value = word == "using" && (line.contains('=') || line.contains('('));
    // One line of a Go import block, or of a list of imported names.
    let is_quoted = family == LanguageFamily::Braces
        && line.trim_end_matches([',', ';']).ends_with('"')
        && line.split_whitespace().nth(2).is_none()
        && line.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_' || c == ' ').starts_with('"')
        && !line.contains(['(', '=', ':']);
    (is_word && !is_block && !is_using_value) || reexport || required || is_quoted
}

/// Returns whether a value is defined for others to use: it is exported, in capitals, or a function.
fn is_named_value(line: &str, has_modifier: bool) -> bool {
    let name = line.split(|c: char| !c.is_alphanumeric() && c != '_').find(|word| {
        !word.is_empty()
            && !["const", "val", "pub", "export", "crate", "super", "private", "static"].contains(word)
    });
    let is_capital = name.is_some_and(|name| {
        name.len() > 1 && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
    });
    has_modifier || is_capital || line.contains("=>")
}

/// Returns whether a line is a method or a function without a word for it: `public int Sum(int a) {`, `render() {`.
fn is_method(line: &str, has_modifier: bool) -> bool {
    let Some((before, after)) = line.split_once('(') else { return false };
    let opens = line.ends_with('{') || line.ends_with(") =>") || line.ends_with(");") && has_modifier;
    let is_call = before.contains(['=', '.', '"', '\'', '{']) || before.trim().is_empty();
    let names = before.split_whitespace().take(6).count();
    (opens || has_modifier && after.contains(')')) && !is_call && (1..=5).contains(&names)
}

fn of_shell(line: &str) -> Meaning {
    let first = line.split_whitespace().next().unwrap_or_default();
    let is_function = line.contains("() {") || line.ends_with("()") || first == "function";
    // A target of a makefile, or an instruction of a Dockerfile.
    let is_target = line.contains(':') && !line.contains([' ', '=', '$']) || line.ends_with(':');
    if is_function || is_target {
        return Meaning::Definition;
    }
    match first {
        "source" | "." | "set" | "fi" | "done" | "esac" | "then" | "do" => Meaning::Import,
        first if DECIDES.contains(&first) || matches!(first, "until" | "exit" | "[[") => Meaning::Condition,
        _ => Meaning::Plain,
    }
}

fn of_sql(line: &str) -> Meaning {
    let first = line.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
    if STATEMENTS.contains(&first.as_str()) {
        return Meaning::Definition;
    }
    if ["where", "having", "on", "join", "case", "when", "check"].contains(&first.as_str()) {
        return Meaning::Condition;
    }
    Meaning::Plain
}

fn of_markdown(line: &str) -> Meaning {
    let is_heading = line.starts_with('#') && line.trim_start_matches('#').starts_with(' ');
    if is_heading { Meaning::Definition } else { Meaning::Plain }
}

/// A key with a value says what changed; a key that opens a map or a list says only where.
fn of_json(line: &str) -> Meaning {
    let value = line.split_once("\": ").map(|(_, value)| value.trim());
    match value {
        Some(value) if !value.ends_with(['{', '[']) => Meaning::Definition,
        _ => Meaning::Plain,
    }
}

fn of_keys(line: &str) -> Meaning {
    if line == "---" || line.starts_with('[') && line.ends_with(']') {
        return Meaning::Plain;
    }
    let (equals, colon) = (line.split_once('='), line.split_once(':'));
    let value = equals.or(colon).map(|(_, value)| value.trim());
    if value.is_some_and(|value| !value.is_empty()) { Meaning::Definition } else { Meaning::Plain }
}

/// Returns the lines of a change that say most: up to `max` definitions, or else statements; of comments and imports one.
pub(super) fn telling<'t>(changed: &[&'t str], family: LanguageFamily, max: usize) -> Vec<&'t str> {
    let meanings: Vec<Meaning> = changed.iter().map(|line| meaning(line, family)).collect();
    let best = meanings.iter().max();
    let max = if best > Some(&Meaning::Import) { max } else { 1 };
    let lines = changed.iter().zip(&meanings).filter(|(_, meaning)| Some(*meaning) == best);
    lines.map(|(line, _)| *line).take(max).collect()
}

/// Returns the old line that a new line most likely replaces: the one with the longest common beginning and end.
pub(super) fn counterpart<'t>(new: &str, old: &[&'t str]) -> Option<&'t str> {
    let common = |line: &str| {
        let start = new.bytes().zip(line.bytes()).take_while(|(one, two)| one == two).count();
        let end = new.bytes().rev().zip(line.bytes().rev()).take_while(|(one, two)| one == two).count();
        (start + end).min(line.len().min(new.len()))
    };
    let best = old.iter().copied().max_by_key(|line| common(line))?;
    // A third in common is a changed line; less is another line.
    (common(best) * 3 >= new.len().min(best.len())).then_some(best)
}

/// Returns the names that a text defines, each once.
pub(super) fn defined_names<'t>(
    lines: impl Iterator<Item = &'t str>,
    family: LanguageFamily,
    max: usize,
) -> Vec<&'t str> {
    let mut names: Vec<&str> = Vec::new();
    if !matches!(family, LanguageFamily::Braces | LanguageFamily::Python | LanguageFamily::Ends) {
        return names;
    }
    for line in lines.filter(|line| meaning(line, family) == Meaning::Definition) {
        if let Some(name) = name_of(line.trim()).filter(|name| !names.contains(name)) {
            names.push(name);
        }
        if names.len() == max {
            break;
        }
    }
    names
}

/// Returns the name that a definition defines.
fn name_of(line: &str) -> Option<&str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    // Of `func (s *Store) Open(` and `impl Store for File`, what is defined follows the word and its brackets.
    let line = match line.strip_prefix("func (") {
        Some(rest) => rest.split_once(')')?.1,
        None => line,
    };
    let words = line.split(|c: char| !is_part(c)).filter(|word| !word.is_empty());
    let mut after =
        words.skip_while(|word| !DEFINES.contains(word)).skip_while(|word| DEFINES.contains(word));
    if let Some(name) = after.next() {
        return Some(name);
    }
    // `public int Sum(int a) {`: the last word before the bracket.
    let before = line.split('(').next().unwrap_or(line);
    before.split(|c: char| !is_part(c)).rfind(|word| !word.is_empty() && !MODIFIERS.contains(word))
}

#[cfg(test)]
mod tests;

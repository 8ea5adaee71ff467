//! The syntax tree of a command line: lists of pipelines of commands, down to the pieces of their words.

use std::cell::OnceCell;
use std::rc::Rc;

/// Commands that run one after the other.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct ShellTree {
    pub(super) steps: Vec<ShellStep>,
}

/// One pipeline of a list.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ShellStep {
    /// What connects it with the step before it.
    pub(super) joint: Connector,
    /// The commands of the pipeline, usually one.
    pub(super) commands: Vec<ShellNode>,
    /// It ends with `&`.
    pub(super) is_background: bool,
}

/// What stands between two commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Connector {
    /// `;`, a line break, `&`, or the beginning.
    #[default]
    Then,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `|` or `|&`: it reads what the command before it prints.
    Pipe,
}

/// A command, simple or compound, with its redirections.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ShellNode {
    pub(super) kind: ShellNodeKind,
    pub(super) redirections: Vec<Redirection>,
    /// The beginning of its text, as it is written.
    pub(super) written: String,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum ShellNodeKind {
    Simple {
        assignments: Vec<TreeWord>,
        words: Vec<TreeWord>,
    },
    Group {
        body: ShellTree,
        is_subshell: bool,
    },
    /// `if`, `while`, `until`, `case`: all its lists, in their order.
    Branches {
        /// What it looks at, such as the word of a `case`.
        words: Vec<TreeWord>,
        lists: Vec<ShellTree>,
    },
    /// `for` and `select`.
    Loop {
        variable: String,
        words: Vec<TreeWord>,
        body: ShellTree,
    },
    Function {
        name: String,
        body: Box<ShellNode>,
    },
    /// `[[ … ]]` and `(( … ))`, which run nothing but the substitutions in them.
    Test {
        words: Vec<TreeWord>,
    },
}

/// A word as it is written.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct TreeWord {
    pub(super) pieces: Vec<WordPiece>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum WordPiece {
    Text {
        text: String,
        is_quoted: bool,
    },
    /// `$NAME`, `${NAME}` or `${NAME:-text}`.
    Variable {
        name: String,
        default: Option<String>,
        written: String,
        is_quoted: bool,
    },
    /// `$(…)` or backticks.
    Output {
        script: ShellTree,
        written: String,
        is_quoted: bool,
    },
    /// `<(…)` or `>(…)`.
    Process {
        script: ShellTree,
        written: String,
        is_input: bool,
    },
    /// An expansion whose value is not known here; it may run commands itself.
    Unknown {
        written: String,
        scripts: Vec<ShellTree>,
        is_quoted: bool,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Redirection {
    pub(super) kind: RedirectionKind,
    /// The number before it, if there is one.
    pub(super) descriptor: Option<u32>,
    pub(super) target: TreeWord,
    /// The text of a here-document, which follows later than the command.
    pub(super) document: Option<Rc<OnceCell<TreeWord>>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RedirectionKind {
    /// `<`
    Input,
    /// `<>`
    Both,
    /// `>` and `>|`
    Output,
    /// `>>`
    Append,
    /// `&>`
    AllOutput,
    /// `&>>`
    AllAppend,
    /// `<&`
    CopyInput,
    /// `>&`
    CopyOutput,
    /// `<<` and `<<-`
    Document,
    /// `<<<`
    Text,
}

/// Why a text was not read as a shell reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unread {
    /// A quotation mark, a parenthesis, a keyword or a here-document that never ends.
    Unfinished,
    /// Something that no shell accepts.
    Malformed,
    TooLong,
    TooDeep,
}

impl Unread {
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Unread::Unfinished => "something in it never ends",
            Unread::Malformed => "a shell would not accept it",
            Unread::TooLong => "it is too long",
            Unread::TooDeep => "it nests too deep",
        }
    }
}

impl TreeWord {
    /// Returns the text of a word without quotes and expansions; `None` if it has any.
    pub(super) fn bare(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [WordPiece::Text { text, is_quoted: false }] => Some(text),
            _ => None,
        }
    }

    pub(super) fn literal(text: &str) -> TreeWord {
        TreeWord { pieces: vec![WordPiece::Text { text: text.to_owned(), is_quoted: true }] }
    }

    pub(super) fn push_text(&mut self, added: &str, quoted: bool) {
        if let Some(WordPiece::Text { text, is_quoted }) = self.pieces.last_mut()
            && *is_quoted == quoted
        {
            text.push_str(added);
        } else {
            self.pieces.push(WordPiece::Text { text: added.to_owned(), is_quoted: quoted });
        }
    }
}

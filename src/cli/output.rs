//! The one door to stdout and stderr: data on the one, words on the other.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};

use super::window;
use crate::api::list::{ErrorBodyWire, ErrorWire};
use crate::context;
pub(crate) use crate::model::counted;
use crate::model::{Problem, Severity};

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const RED: Style = AnsiColor::Red.on_default().bold();
pub(crate) const YELLOW: Style = AnsiColor::Yellow.on_default().bold();
pub(crate) const GREEN: Style = AnsiColor::Green.on_default().bold();
pub(crate) const CYAN: Style = AnsiColor::Cyan.on_default();

/// Exit code of a command that may succeed later, as `sysexits.h` has it.
const TRY_AGAIN: u8 = 75;

/// Where a command prints what it was asked for.
pub(crate) struct Out {
    stream: anstream::AutoStream<io::Stdout>,
    /// The reader may close the pipe: the work continues.
    goes_on: bool,
    /// What kept it from printing since.
    unprinted: Option<io::Error>,
    /// The columns of the terminal, if it is one.
    width: Option<usize>,
    /// Whether an answer was printed as JSON.
    has_answered: bool,
}

/// Something that ends a command.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    hint: Option<String>,
    /// The command line is wrong, rather than what it asks for.
    is_usage: bool,
    /// Something was away: nothing is lost, and the same command may succeed later.
    is_temporary: bool,
    /// Nobody reads on: there is nothing to say and nobody to say it to.
    silent: bool,
    /// The error of the hint server, exactly as agents get it.
    rpc: Option<Box<serde_json::Value>>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum ColorArg {
    Auto,
    Always,
    Never,
}

impl ColorArg {
    /// `auto` leaves it to the terminal, `NO_COLOR` and `CLICOLOR_FORCE`.
    pub(crate) fn apply(self) {
        match self {
            ColorArg::Auto => {}
            ColorArg::Always => anstream::ColorChoice::Always.write_global(),
            ColorArg::Never => anstream::ColorChoice::Never.write_global(),
        }
    }
}

impl Out {
    pub(crate) fn new() -> Out {
        let width =
            io::stdout().is_terminal().then(|| window::width(terminal_size::terminal_size_of(io::stdout())));
        let stream = anstream::AutoStream::auto(io::stdout());
        Out { stream, goes_on: false, unprinted: None, width, has_answered: false }
    }

    /// Lets the command go on when nothing can be printed any more, so that it does not stop halfway.
    pub(crate) fn go_on(&mut self) {
        self.goes_on = true;
    }

    /// Says at the end whether everything could be printed.
    pub(crate) fn finish(&mut self) -> Result<(), Failure> {
        self.unprinted.take().map_or(Ok(()), |error| Err(error.into()))
    }

    pub(crate) fn line(&mut self, line: impl Display) -> Result<(), Failure> {
        let line = line.to_string();
        self.print(&without_tricks(&line))
    }

    /// Prints a line of a list; on a terminal it is cut at the window's width.
    pub(crate) fn row(&mut self, line: impl Display) -> Result<(), Failure> {
        let line = without_tricks(&line.to_string());
        match self.width {
            Some(width) => self.print(&window::cut(&line, width)),
            None => self.print(&line),
        }
    }

    /// Returns how many columns a line may have; `None` if nothing limits it.
    pub(crate) fn width(&self) -> Option<usize> {
        self.width
    }

    fn print(&mut self, line: &str) -> Result<(), Failure> {
        match writeln!(self.stream, "{line}") {
            Err(error) if self.goes_on => {
                self.unprinted.get_or_insert(error);
                Ok(())
            }
            printed => Ok(printed?),
        }
    }

    pub(crate) fn json(&mut self, value: &impl serde::Serialize) -> Result<(), Failure> {
        self.has_answered = true;
        // A program reads this, and wants the texts as they are.
        self.print(&serde_json::to_string_pretty(value).unwrap_or_default())
    }

    /// Prints why a command failed, unless an answer was printed already.
    pub(crate) fn failed(&mut self, failure: &Failure) {
        if failure.silent || self.has_answered {
            return;
        }
        // If this cannot be printed, stderr still says it.
        drop(self.json(&failure.to_error()));
    }

    /// Notes that a part of the answer was printed, so that no error follows it.
    pub(crate) fn mark_answered(&mut self) {
        self.has_answered = true;
    }

    /// Says whether a person reads along; else it is a program, which gets what it asks for as it is.
    pub(crate) fn is_terminal(&self) -> bool {
        io::stdout().is_terminal()
    }

    /// Returns where data goes that is written as it comes.
    pub(crate) fn raw(&mut self) -> &mut impl Write {
        &mut self.stream
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.stream.write_all(bytes)?;
        // A last line without its end would wait, and nobody hears whether it can be written.
        Ok(self.stream.flush()?)
    }
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Failure {
        Failure {
            message: message.into(),
            hint: None,
            is_usage: false,
            is_temporary: false,
            silent: false,
            rpc: None,
        }
    }

    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Failure {
        self.hint = Some(hint.into());
        self
    }

    /// Says on which line of the input it happened.
    #[must_use]
    pub(crate) fn on_line(mut self, line: usize) -> Failure {
        self.message = format!("line {line}: {}", self.message);
        self
    }

    /// Adds a hint, where there is one.
    #[must_use]
    pub(crate) fn hint_if(self, hint: Option<impl Into<String>>) -> Failure {
        match hint {
            Some(hint) => self.hint(hint),
            None => self,
        }
    }

    /// Adds the server's own error, for programs.
    #[must_use]
    pub(crate) fn of_server(mut self, error: serde_json::Value) -> Failure {
        self.rpc = Some(Box::new(error));
        self
    }

    /// Returns the failure for a program.
    pub(crate) fn to_error(&self) -> ErrorWire<'_> {
        ErrorWire {
            error: match &self.rpc {
                Some(error) => ErrorBodyWire::Rpc(error),
                None => ErrorBodyWire::Failure { message: &self.message, hint: self.hint.as_deref() },
            },
        }
    }

    /// Says that the command line is to blame.
    #[must_use]
    pub(crate) fn usage(self) -> Failure {
        Failure { is_usage: true, ..self }
    }

    /// Says that trying again later is enough.
    #[must_use]
    #[cfg(feature = "team")]
    pub(crate) fn temporary(self) -> Failure {
        Failure { is_temporary: true, ..self }
    }

    /// Says what went wrong and what to do, and returns the exit code.
    pub(crate) fn report(self) -> ExitCode {
        if self.silent {
            return ExitCode::SUCCESS;
        }
        say(format_args!("{RED}error:{RED:#} {}", self.message));
        if let Some(hint) = &self.hint {
            say(format_args!("{CYAN}hint:{CYAN:#} {hint}"));
        }
        match self {
            Failure { is_usage: true, .. } => ExitCode::from(2),
            Failure { is_temporary: true, .. } => ExitCode::from(TRY_AGAIN),
            _ => ExitCode::FAILURE,
        }
    }
}

/// A problem that ends a command.
impl From<Problem> for Failure {
    fn from(problem: Problem) -> Failure {
        Failure::new(problem.message).hint_if(problem.hint)
    }
}

/// A reader that went away (`nudge rules | head -1`) is no failure of ours.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        let silent = error.kind() == io::ErrorKind::BrokenPipe;
        Failure { silent, ..Failure::new(format!("cannot print: {error}")) }
    }
}

/// Prints a line of words to stderr.
pub(crate) fn say(line: impl Display) {
    let line = line.to_string();
    drop(writeln!(anstream::AutoStream::auto(io::stderr()), "{}", without_tricks(&line)));
}

/// Shows what is hidden in a line, and every escape sequence but those that only colour: these are ours.
fn without_tricks(line: &str) -> String {
    let mut parts = line.split('\u{1b}');
    let mut shown = context::visible(parts.next().unwrap_or_default()).into_owned();
    for part in parts {
        let codes = part
            .strip_prefix('[')
            .map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';'));
        if codes.is_some_and(|rest| rest.starts_with('m')) {
            shown.push('\u{1b}');
        } else {
            shown.push_str("\\u{1b}");
        }
        shown.push_str(&context::visible(part));
    }
    shown
}

/// Asks a person; who is not there to answer has to say so beforehand.
pub(crate) fn confirm(question: &str) -> Result<bool, Failure> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(Failure::new("there is no terminal to ask on").hint("add `--yes` if you mean it"));
    }
    let mut stderr = anstream::AutoStream::auto(io::stderr());
    write!(stderr, "{BOLD}{question}{BOLD:#} [y/N] ")?;
    stderr.flush()?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// Asks a person for a word; `None` if nobody is there to answer or the input ends, and an empty word for none.
pub(crate) fn ask(question: &str) -> Result<Option<String>, Failure> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Ok(None);
    }
    let mut stderr = anstream::AutoStream::auto(io::stderr());
    write!(stderr, "{BOLD}{}{BOLD:#} ", without_tricks(question))?;
    stderr.flush()?;
    let mut answer = String::new();
    let read = io::stdin().read_line(&mut answer)?;
    Ok((read > 0).then(|| answer.trim().to_lowercase()))
}

/// Prints what clap has to say: help to stdout, mistakes to stderr.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    drop(error.print());
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Returns stdout for a program that reads lines as they come.
pub(crate) fn lines() -> io::BufWriter<io::Stdout> {
    io::BufWriter::with_capacity(1 << 16, io::stdout())
}

/// Writes what a program reads, as the reply of a hook: these bytes and nothing else.
pub(crate) fn reply(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()
}

/// Shows a problem for a person: place, what is wrong, the line itself, and what to do.
pub(crate) fn show_problem(out: &mut Out, problem: &Problem, source: Option<&str>) -> Result<(), Failure> {
    problem_lines(problem, source).iter().try_for_each(|line| out.line(line))
}

/// Says the same beside the data, for what does not change the result.
pub(crate) fn say_problem(problem: &Problem, source: Option<&str>) {
    problem_lines(problem, source).iter().for_each(say);
}

fn problem_lines(problem: &Problem, source: Option<&str>) -> Vec<String> {
    let (style, word) = match problem.severity {
        Severity::Error => (RED, "error"),
        Severity::Warning => (YELLOW, "warning"),
        Severity::Note => (CYAN, "note"),
    };
    let place = problem
        .place
        .as_ref()
        .map(|place| format!("{BOLD}{}{BOLD:#}: ", in_line(&place.to_string())))
        .unwrap_or_default();
    let rule = problem.rule.as_ref().map(|rule| format!("rule `{}`: ", in_line(rule))).unwrap_or_default();
    // What is wrong in a repository's file is said in words of that file.
    let message = context::visible(&problem.message);
    let mut lines = vec![format!("{place}{style}{word}:{style:#} {rule}{message}")];
    let line = problem.place.as_ref().and_then(|place| source?.lines().nth(place.line.checked_sub(1)?));
    if let (Some(line), Some(place)) = (line, &problem.place) {
        let shown: String = context::visible(line).chars().take(100).collect();
        lines.push(format!("  {DIM}{:>4} |{DIM:#} {shown}", place.line));
        if (1..=100).contains(&place.column) {
            let blank = " ".repeat(place.column - 1);
            lines.push(format!("  {DIM}     |{DIM:#} {blank}{style}^{style:#}"));
        }
    }
    lines.extend(problem.hint.as_ref().map(|hint| format!("  {CYAN}hint:{CYAN:#} {hint}")));
    lines
}

/// Returns a name for a line of text: what steers a terminal is shown, not obeyed.
pub(crate) fn in_line(name: &str) -> String {
    context::visible(name).replace('\n', "\\n").replace('\t', "\\t")
}

/// Returns a text in which everything that steers a terminal is shown, not obeyed.
pub(crate) fn visible(text: &str) -> String {
    context::visible(text).into_owned()
}

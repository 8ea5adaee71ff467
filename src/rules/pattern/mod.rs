//! A regex of a rule, with a plan for running it efficiently.
//!
//! Most patterns run on the `regex` crate, which is linear. Of the patterns that it does not support (look-around,
//! back-references), a run of look-aheads becomes a conjunction of plain regexes, and only the rest goes to
//! `fancy-regex`, which backtracks, with a limit on its input. For a pattern that only counts characters, characters
//! are counted. Every plan has a gate: texts of which at least one must be present, or nothing can match.

mod conjunction;
mod count;
mod gate;
mod haystack;

use std::ops::Range;
use std::rc::Rc;

use regex_syntax::hir::Hir;
use serde::{Deserialize, Serialize};

use conjunction::Conjunction;
use count::Count;
pub(crate) use gate::{Gate, contains};
pub(crate) use haystack::Haystack;

use super::compiled::compiled;

/// A regex with its options and its plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Pattern {
    source: String,
    options: PatternOptions,
    gate: Gate,
    plan: MatchPlan,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PatternOptions {
    pub(crate) case_sensitive: bool,
    /// `^` and `$` match at line ends.
    pub(crate) multiline: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum MatchPlan {
    /// The pattern is a list of texts; the first that matches wins.
    Literals(Vec<String>),
    Regex,
    Conjunction(Conjunction),
    Count(Count),
    Backtrack,
}

/// Where a pattern matched.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Hits {
    /// The non-empty matches, in order; empty if the pattern matched only between characters.
    pub(crate) spans: Vec<Range<usize>>,
    /// There are more matches than `spans` contains.
    pub(crate) more: bool,
}

/// Why a pattern could not be evaluated.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Unevaluated(pub(crate) String);

/// On which texts a pattern can be evaluated, and why not on the others.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PatternSupport {
    AnyText,
    AsciiOnly(String),
    Nothing(String),
}

/// Why a pattern is not valid.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PatternError(pub(crate) String);

/// More matches than this add nothing.
const MAX_HITS: usize = 50;
/// Maximum number of consecutive empty matches before the search stops.
const MAX_EMPTY: usize = 1_000;
/// Maximum size of one compiled regex, in bytes.
const MAX_SIZE: usize = 4 << 20;
/// Maximum length of a text for patterns that backtrack, in bytes.
const MAX_BACKTRACK_TEXT: usize = 64 << 10;
/// Maximum number of instructions of a pattern that backtracks.
const MAX_BACKTRACK_SIZE: usize = 100_000;
/// Maximum number of steps of one backtracking search.
const MAX_BACKTRACK_STEPS: usize = 1_000_000;

impl Pattern {
    pub(crate) fn new(source: &str, options: PatternOptions) -> Result<Pattern, PatternError> {
        let (gate, plan) = plan(source, options)?;
        Ok(Pattern { source: source.to_owned(), options, gate, plan })
    }

    /// Returns the pattern as it is written in the rule.
    pub(crate) fn source(&self) -> &str {
        &self.source
    }

    pub(crate) fn gate(&self) -> &Gate {
        &self.gate
    }

    /// Returns whether the search may take long, whatever the size of the text.
    pub(crate) fn backtracks(&self) -> bool {
        matches!(self.plan, MatchPlan::Backtrack)
    }

    /// Searches the text; with `within`, only matches that touch one of these spans count.
    ///
    /// The caller has already checked the gate.
    pub(crate) fn search(
        &self,
        haystack: &Haystack<'_>,
        within: Option<&[Range<usize>]>,
    ) -> Result<Option<Hits>, Unevaluated> {
        let text = haystack.text;
        match &self.plan {
            MatchPlan::Literals(literals) => Ok(find_literals(literals, text, within)),
            MatchPlan::Regex => {
                let regex = compile(&self.source, self.options, haystack)?;
                Ok(collect(regex.find_iter(text.as_bytes()).map(|found| found.range()), within))
            }
            MatchPlan::Conjunction(conjunction) => conjunction.search(self.options, haystack, within),
            MatchPlan::Count(count) => Ok(collect(count.matches(haystack), within)),
            MatchPlan::Backtrack => self.backtrack(haystack, within),
        }
    }

    /// Compiles the pattern as a search would, so that one that is too large is detected before an agent runs into it.
    pub(crate) fn reach(&self) -> PatternSupport {
        match (self.compiles_for("\u{e9}"), self.compiles_for("e")) {
            (Ok(()), _) => PatternSupport::AnyText,
            (Err(Unevaluated(why)), Ok(())) => PatternSupport::AsciiOnly(why),
            (Err(_), Err(Unevaluated(why))) => PatternSupport::Nothing(why),
        }
    }

    fn compiles_for(&self, text: &str) -> Result<(), Unevaluated> {
        let haystack = Haystack::new(text);
        match &self.plan {
            MatchPlan::Regex => compile(&self.source, self.options, &haystack).map(drop),
            MatchPlan::Conjunction(conjunction) => conjunction.compiles_for(self.options, &haystack),
            MatchPlan::Literals(_) | MatchPlan::Count(_) | MatchPlan::Backtrack => Ok(()),
        }
    }

    fn backtrack(
        &self,
        haystack: &Haystack<'_>,
        within: Option<&[Range<usize>]>,
    ) -> Result<Option<Hits>, Unevaluated> {
        if haystack.text.len() > MAX_BACKTRACK_TEXT {
            let limit = MAX_BACKTRACK_TEXT >> 10;
            return Err(Unevaluated(format!(
                "look-around and back-references are limited to texts of {limit} KB"
            )));
        }
        let name = || format!("fancy {:?} {} {}", self.options, haystack.crlf, self.source);
        let regex = compiled(name, || compile_fancy(&self.source, self.options, haystack.crlf))
            .map_err(|PatternError(error)| Unevaluated(error))?;
        let mut failed = None;
        let matches = regex.find_iter(haystack.text).map_while(|found| match found {
            Ok(found) => Some(found.range()),
            Err(error) => {
                failed = Some(Unevaluated(format!("the search was stopped: {error}")));
                None
            }
        });
        let hits = collect(matches, within);
        // Matches that were found before the search stopped still count.
        match (hits, failed) {
            (None, Some(failed)) => Err(failed),
            (hits, _) => Ok(hits),
        }
    }
}

fn plan(source: &str, options: PatternOptions) -> Result<(Gate, MatchPlan), PatternError> {
    match parse(source, options) {
        Ok(hir) => Ok(plan_plain(&hir, source, options)),
        Err(error) if needs_backtracking(&error) => {
            if let Some(conjunction) = Conjunction::parse(source, options) {
                return Ok((conjunction.gate(options), MatchPlan::Conjunction(conjunction)));
            }
            compile_fancy(source, options, false)?;
            Ok((Gate::default(), MatchPlan::Backtrack))
        }
        Err(error) => Err(PatternError(syntax_message(&error))),
    }
}

fn plan_plain(hir: &Hir, source: &str, options: PatternOptions) -> (Gate, MatchPlan) {
    let gate = Gate::of(source, hir, options);
    if let Some(count) = Count::recognise(hir) {
        return (gate, MatchPlan::Count(count));
    }
    if let Some(literals) = gate::exact_literals(hir).filter(|_| options.case_sensitive) {
        return (gate, MatchPlan::Literals(literals));
    }
    (gate, MatchPlan::Regex)
}

fn parse(source: &str, options: PatternOptions) -> Result<Hir, Box<regex_syntax::Error>> {
    regex_syntax::ParserBuilder::new()
        .case_insensitive(!options.case_sensitive)
        .multi_line(options.multiline)
        .build()
        .parse(source)
        .map_err(Box::new)
}

fn needs_backtracking(error: &regex_syntax::Error) -> bool {
    use regex_syntax::ast::ErrorKind::{EscapeUnrecognized, UnsupportedBackreference, UnsupportedLookAround};
    // Escapes such as `\K`, `\G` and `\h` are also known only to `fancy-regex`.
    matches!(error, regex_syntax::Error::Parse(error)
        if matches!(error.kind(), UnsupportedBackreference | UnsupportedLookAround | EscapeUnrecognized))
}

/// Returns the parser's message without the quoted pattern.
pub(crate) fn syntax_message(error: &regex_syntax::Error) -> String {
    match error {
        regex_syntax::Error::Parse(error) => {
            format!("{} at character {}", error.kind(), error.span().start.column)
        }
        regex_syntax::Error::Translate(error) => {
            format!("{} at character {}", error.kind(), error.span().start.column)
        }
        other => other.to_string(),
    }
}

/// Compiles for this text: an ASCII text needs no Unicode tables, and they are most of the cost.
///
/// On ASCII text both forms match the same; a pattern that requires Unicode is compiled with it.
fn compile(
    source: &str,
    options: PatternOptions,
    haystack: &Haystack<'_>,
) -> Result<Rc<regex::bytes::Regex>, Unevaluated> {
    let name = || format!("{options:?} {} {} {source}", haystack.crlf, haystack.ascii);
    compiled(name, || compile_new(source, options, haystack))
}

fn compile_new(
    source: &str,
    options: PatternOptions,
    haystack: &Haystack<'_>,
) -> Result<regex::bytes::Regex, Unevaluated> {
    let build = |unicode| {
        regex::bytes::RegexBuilder::new(source)
            .case_insensitive(!options.case_sensitive)
            .multi_line(options.multiline)
            .crlf(haystack.crlf)
            .unicode(unicode)
            .size_limit(MAX_SIZE)
            .build()
    };
    let regex = if haystack.ascii { build(false).or_else(|_| build(true)) } else { build(true) };
    regex.map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => Unevaluated(too_large()),
        error => Unevaluated(error.to_string()),
    })
}

fn too_large() -> String {
    format!("the pattern needs more than {} MB when compiled", MAX_SIZE >> 20)
}

fn compile_fancy(
    source: &str,
    options: PatternOptions,
    crlf: bool,
) -> Result<fancy_regex::Regex, PatternError> {
    fancy_regex::RegexBuilder::new(source)
        .case_insensitive(!options.case_sensitive)
        .multi_line(options.multiline)
        .crlf(crlf)
        .backtrack_limit(MAX_BACKTRACK_STEPS)
        .delegate_size_limit(MAX_SIZE)
        .max_prog_size(MAX_BACKTRACK_SIZE)
        .build()
        .map_err(|error| PatternError(backtracking_message(&error, source)))
}

/// Returns the message of `fancy-regex` in the same form as the others.
fn backtracking_message(error: &fancy_regex::Error, source: &str) -> String {
    let fancy_regex::Error::CompileError(error) = error else {
        let fancy_regex::Error::ParseError(at, error) = error else { return error.to_string() };
        let column = source.get(..*at).unwrap_or(source).chars().count() + 1;
        return format!("{} at character {column}", error.to_string().to_lowercase());
    };
    match &**error {
        fancy_regex::CompileError::PatternTooComplex => "the pattern is too complex".to_owned(),
        fancy_regex::CompileError::InnerError(error) => match error.syntax_error() {
            // The position is relative to a part of the pattern, and would mislead.
            Some(error) => {
                let message = syntax_message(error);
                message
                    .rsplit_once(" at character ")
                    .map_or(message.clone(), |(message, _)| message.to_owned())
            }
            None => too_large(),
        },
        error => error.to_string().to_lowercase(),
    }
}

fn find_literals(literals: &[String], text: &str, within: Option<&[Range<usize>]>) -> Option<Hits> {
    if let [literal] = literals {
        let found = memchr::memmem::find_iter(text.as_bytes(), literal);
        return collect(found.map(|start| start..start + literal.len()), within);
    }
    let automaton = aho_corasick::AhoCorasick::builder()
        .match_kind(aho_corasick::MatchKind::LeftmostFirst)
        .build(literals)
        .ok()?;
    collect(automaton.find_iter(text).map(|found| found.range()), within)
}

/// Collects the matches that count, and stops when more would add nothing.
fn collect(matches: impl Iterator<Item = Range<usize>>, within: Option<&[Range<usize>]>) -> Option<Hits> {
    let (mut fired, mut hits) = (false, Hits::default());
    let mut empty = 0;
    for found in matches.filter(|found| within.is_none_or(|spans| touches(spans, found))) {
        fired = true;
        empty = if found.is_empty() { empty + 1 } else { 0 };
        hits.more = empty == 0 && hits.spans.len() == MAX_HITS;
        if hits.more || empty == MAX_EMPTY {
            break;
        }
        if empty == 0 {
            hits.spans.push(found);
        }
    }
    fired.then_some(hits)
}

/// Returns whether a match shares a character with a span, or spans a position where something was deleted.
///
/// The spans are sorted and disjoint, as `edits` makes them.
fn touches(spans: &[Range<usize>], found: &Range<usize>) -> bool {
    let next = spans.partition_point(|span| {
        if found.is_empty() { span.end < found.start } else { span.end <= found.start }
    });
    spans
        .get(next)
        .is_some_and(|span| if found.is_empty() { span.start <= found.start } else { span.start < found.end })
}

#[cfg(test)]
mod tests;

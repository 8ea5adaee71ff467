//! Evaluates runs of look-aheads, like `(?=.*a)(?=.*b)(?!.*c)`, the RFC's way to say "and", as a conjunction of plain
//! regexes.
//!
//! The meaning is exact: the pattern matches at a position from which each `(?=.*X)` finds its X and no `(?!.*X)` does,
//! in the same line, or with `(?s)` in the whole text. Backtracking needs quadratic time for that; here each X is
//! searched once from left to right.

use std::ops::Range;
use std::rc::Rc;

use regex::bytes::Regex;
use regex_syntax::ast::{Ast, RepetitionKind};
use serde::{Deserialize, Serialize};

use super::gate::{AnyOf, Gate};
use super::{Haystack, Hits, MAX_HITS, PatternOptions, Unevaluated, compile, touches};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Conjunction {
    anchor: Anchor,
    /// `(?s)`: a look-ahead reaches to the end of the text, not of the line.
    whole_text: bool,
    terms: Vec<Term>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
enum Anchor {
    Anywhere,
    LineStart,
    TextStart,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Term {
    negated: bool,
    source: String,
}

impl Conjunction {
    /// Parses `[flags][^](?=.*X)…[.*][$]`; returns `None` if the pattern is anything else.
    pub(super) fn parse(source: &str, options: PatternOptions) -> Option<Conjunction> {
        let mut rest = source;
        let (mut flags, mut dot_all, mut multiline) = ("", false, options.multiline);
        if let Some((names, after)) = rest.strip_prefix("(?").and_then(|text| text.split_once(')'))
            && !names.is_empty()
            && names.chars().all(|c| matches!(c, 's' | 'i' | 'm'))
        {
            flags = &source[..source.len() - after.len()];
            dot_all = names.contains('s');
            multiline |= names.contains('m');
            rest = after;
        }
        let mut anchor = Anchor::Anywhere;
        if let Some(after) = rest.strip_prefix("\\A") {
            (anchor, rest) = (Anchor::TextStart, after);
        } else if let Some(after) = rest.strip_prefix('^') {
            (anchor, rest) = (if multiline { Anchor::LineStart } else { Anchor::TextStart }, after);
        }
        let (mut terms, mut reaches) = (Vec::new(), Vec::new());
        while let Some((negated, body, after)) = split_look_ahead(rest) {
            let (wanted, whole_text) = strip_dot_star(body, dot_all)?;
            let source = format!("{flags}{wanted}");
            super::parse(&source, options).ok()?;
            terms.push(Term { negated, source });
            reaches.push(whole_text);
            rest = after;
        }
        let whole_text = *reaches.first()?;
        // Only something that matches everywhere may follow the look-aheads.
        let is_trivial = matches!(rest, "" | ".*") || (rest == ".*$" && (multiline || dot_all));
        let is_uniform = reaches.iter().all(|reach| *reach == whole_text);
        (is_trivial && is_uniform).then_some(Conjunction { anchor, whole_text, terms })
    }

    /// Returns the gate: the gates of all wanted X together.
    pub(super) fn gate(&self, options: PatternOptions) -> Gate {
        let wanted = self.terms.iter().filter(|term| !term.negated);
        let gates = wanted.filter_map(|term| {
            let hir = super::parse(&term.source, options).ok()?;
            Some(Gate::of(&term.source, &hir, options).all)
        });
        Gate { all: gates.flatten().collect::<Vec<AnyOf>>() }
    }

    /// Compiles every X, to detect one that is too large.
    pub(super) fn compiles_for(
        &self,
        options: PatternOptions,
        text: &Haystack<'_>,
    ) -> Result<(), Unevaluated> {
        self.terms.iter().try_for_each(|term| compile(&term.source, options, text).map(drop))
    }

    pub(super) fn search(
        &self,
        options: PatternOptions,
        haystack: &Haystack<'_>,
        within: Option<&[Range<usize>]>,
    ) -> Result<Option<Hits>, Unevaluated> {
        let text = haystack.text;
        let finders = |negated| {
            let terms = self.terms.iter().filter(move |term| term.negated == negated);
            let finders = terms.map(|term| Ok(Finder::new(compile(&term.source, options, haystack)?, text)));
            finders.collect::<Result<Vec<_>, Unevaluated>>()
        };
        let mut wanted = finders(false)?;
        let mut unwanted = finders(true)?;
        let regions: Box<dyn Iterator<Item = Range<usize>>> = match (self.whole_text, self.anchor) {
            (true, _) => Box::new(std::iter::once(0..text.len())),
            (false, Anchor::TextStart) => Box::new(haystack.lines().take(1)),
            (false, _) => Box::new(haystack.lines()),
        };
        let (mut fired, mut hits) = (false, Hits::default());
        for region in regions {
            let Some(found) = self.match_region(&region, haystack, &mut wanted, &mut unwanted) else {
                continue;
            };
            // An edit causes the match if it touches a wanted X, or the region where an unwanted one is missing.
            let introduced = within.is_none_or(|spans| {
                found.iter().any(|span| touches(spans, span))
                    || (!unwanted.is_empty() && touches(spans, &region))
            });
            if introduced {
                fired = true;
                hits.more = hits.spans.len() == MAX_HITS;
                if hits.more {
                    break;
                }
                hits.spans.extend(found.into_iter().find(|span| !span.is_empty()));
            }
        }
        Ok(fired.then_some(hits))
    }

    /// Returns the positions of the wanted texts, if the whole pattern matches from some position in the region.
    fn match_region(
        &self,
        region: &Range<usize>,
        haystack: &Haystack<'_>,
        wanted: &mut [Finder<'_>],
        unwanted: &mut [Finder<'_>],
    ) -> Option<Vec<Range<usize>>> {
        // The earliest position is the weakest condition for wanted texts; each unwanted text moves it to the right.
        let mut from = region.start;
        for finder in unwanted {
            match (self.anchor, self.whole_text) {
                (Anchor::TextStart, _) | (Anchor::LineStart, false) => {
                    if finder.first(region.start).is_some_and(|found| found.start <= region.end) {
                        return None;
                    }
                }
                _ => from = from.max(finder.after_last(region)),
            }
        }
        if self.anchor == Anchor::LineStart && from > region.start {
            from = haystack.lines().map(|line| line.start).find(|start| *start >= from)?;
        }
        if from > region.end {
            return None;
        }
        wanted.iter_mut().map(|finder| finder.first(from).filter(|found| found.start <= region.end)).collect()
    }
}

/// One X with its next match, so that a text is scanned once and not once per line.
struct Finder<'t> {
    regex: Rc<Regex>,
    text: &'t str,
    cached: Option<(usize, Option<Range<usize>>)>,
}

impl<'t> Finder<'t> {
    fn new(regex: Rc<Regex>, text: &'t str) -> Finder<'t> {
        Finder { regex, text, cached: None }
    }

    /// Returns the first match that starts at `from` or later.
    fn first(&mut self, from: usize) -> Option<Range<usize>> {
        let is_cached = matches!(&self.cached, Some((searched, found)) if *searched <= from
            && found.as_ref().is_none_or(|found| found.start >= from));
        if !is_cached {
            let found = self.regex.find_at(self.text.as_bytes(), from).map(|found| found.range());
            self.cached = Some((from, found));
        }
        self.cached.as_ref().and_then(|(_, found)| found.clone())
    }

    /// Returns the first position in the region with no match of this X at it or after it.
    ///
    /// Going from match to match would be quadratic for long matches, so the last one is found by bisection.
    fn after_last(&mut self, region: &Range<usize>) -> usize {
        let in_region = |found: &Range<usize>| found.start <= region.end;
        let Some(found) = self.first(region.start).filter(in_region) else { return region.start };
        let (mut after, mut free) = (self.next_position(found.start), region.end + 1);
        while after < free {
            let middle = self.text.floor_char_boundary(after + (free - after) / 2).max(after);
            match self.first(middle).filter(in_region) {
                Some(found) => after = self.next_position(found.start),
                None => free = middle,
            }
        }
        after
    }

    /// Returns the next position, which may be past the end of the text.
    fn next_position(&self, at: usize) -> usize {
        if at < self.text.len() { self.text.ceil_char_boundary(at + 1) } else { at + 1 }
    }
}

/// Splits one look-ahead off the front: whether it is negated, its body, and the rest.
fn split_look_ahead(source: &str) -> Option<(bool, &str, &str)> {
    let (negated, body) = match (source.strip_prefix("(?="), source.strip_prefix("(?!")) {
        (Some(body), _) => (false, body),
        (_, Some(body)) => (true, body),
        _ => return None,
    };
    let (mut depth, mut in_class, mut bytes) = (1, 0, body.bytes().enumerate());
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            b'[' => in_class += 1,
            b']' if in_class > 0 => in_class -= 1,
            b'(' if in_class == 0 => depth += 1,
            b')' if in_class == 0 => {
                depth -= 1;
                if depth == 0 {
                    return Some((negated, &body[..at], &body[at + 1..]));
                }
            }
            _ => {}
        }
    }
    None
}

/// Removes the `.*` from a look-ahead's body; returns the rest, and whether the `.*` matches line ends.
fn strip_dot_star(body: &str, dot_all: bool) -> Option<(&str, bool)> {
    if let Some(rest) = body.strip_prefix("[\\s\\S]*") {
        let rest = rest.strip_prefix('?').unwrap_or(rest);
        // `[\s\S]*a|b` is a choice of two, not a search for `a|b`.
        let ast = regex_syntax::ast::parse::Parser::new().parse(rest).ok()?;
        return (!matches!(ast, Ast::Alternation(_))).then_some((rest, true));
    }
    let ast = regex_syntax::ast::parse::Parser::new().parse(body).ok()?;
    let first = match &ast {
        Ast::Concat(concat) => concat.asts.first()?,
        single => single,
    };
    let Ast::Repetition(repetition) = first else { return None };
    let star = matches!(repetition.op.kind, RepetitionKind::ZeroOrMore);
    (star && matches!(*repetition.ast, Ast::Dot(_))).then(|| (&body[repetition.span.end.offset..], dot_all))
}

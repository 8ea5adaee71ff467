//! Jinja, with minijinja: conditions, loops and filters, without anything that lets a text grow in memory.
//!
//! Fuel bounds the steps and the writer bounds what is printed; what is left to forbid is what makes one long text of two
//! within a step, or catches output in a variable: `~`, `+`, `*`, `set`, `filter` and recursive loops.

use std::collections::HashSet;

use minijinja::machinery::{Token, tokenize};
use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, Error, ErrorKind, UndefinedBehavior, filters, tests};

use super::{Bounded, DEEPEST, MOST, Trouble, Variables, depth};

/// So many steps may a template take.
const FUEL: u64 = 20_000;

/// So many words and signs may stand in one tag: the engine descends with each of them.
const MOST_IN_TAG: usize = 200;

/// What may stand behind `{%`.
const STATEMENTS: [&str; 8] = ["if", "elif", "else", "endif", "for", "endfor", "raw", "endraw"];

pub(super) fn render(body: &str, variables: &Variables) -> Result<String, Trouble> {
    look_through(body)?;
    let environment = environment();
    let template = environment.template_from_str(body).map_err(|error| trouble(&error))?;
    let mut bounded = Bounded::default();
    template.render_captured_to(variables, &mut bounded).map_err(|error| trouble(&error))?;
    bounded.into_text()
}

/// Returns every name that the body mentions and does not bind itself.
pub(super) fn names(body: &str) -> HashSet<String> {
    let environment = environment();
    let template = environment.template_from_str(body);
    template.map(|template| template.undeclared_variables(false)).unwrap_or_default()
}

fn environment() -> Environment<'static> {
    let mut environment = Environment::empty();
    environment.set_fuel(Some(FUEL));
    environment.set_recursion_limit(DEEPEST);
    environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.add_filter("default", filters::default);
    environment.add_filter("d", filters::default);
    environment.add_filter("upper", filters::upper);
    environment.add_filter("lower", filters::lower);
    environment.add_filter("trim", filters::trim);
    environment.add_filter("length", filters::length);
    environment.add_filter("first", filters::first);
    environment.add_filter("last", filters::last);
    environment.add_filter("split", filters::split);
    environment.add_filter("replace", replace);
    environment.add_test("defined", tests::is_defined);
    environment.add_test("undefined", tests::is_undefined);
    environment.add_test("startingwith", tests::is_startingwith);
    environment.add_test("endingwith", tests::is_endingwith);
    environment
}

/// Refuses what could make a text grow without being printed.
fn look_through(body: &str) -> Result<(), Trouble> {
    if depth(body) > DEEPEST {
        return Err(Trouble::too_deep());
    }
    let (mut starts, mut open, mut in_tag) = (false, 0_usize, 0_usize);
    for token in tokenize(body, false, SyntaxConfig::default()) {
        let (token, _) = token.map_err(|error| trouble(&error))?;
        let refused = match &token {
            Token::Ident(word) if starts && !STATEMENTS.contains(word) => Some(format!("`{{% {word} %}}`")),
            Token::Ident("recursive") => Some("`recursive`".to_owned()),
            Token::Tilde => Some("`~`".to_owned()),
            Token::Plus => Some("`+`".to_owned()),
            Token::Mul | Token::Pow => Some("`*`".to_owned()),
            _ => None,
        };
        if let Some(refused) = refused {
            return Err(Trouble::Broken(format!("{refused} is not offered here")));
        }
        match &token {
            // An `elif` is an `if` inside of the `else`.
            Token::Ident("if" | "elif" | "for") if starts => open += 1,
            Token::Ident("endif" | "endfor") if starts => open = open.saturating_sub(1),
            Token::BlockStart | Token::VariableStart => in_tag = 0,
            _ => in_tag += 1,
        }
        if open > 4 * DEEPEST || in_tag > MOST_IN_TAG {
            return Err(Trouble::too_deep());
        }
        starts = matches!(token, Token::BlockStart);
    }
    Ok(())
}

/// The usual `replace`, within bounds: it is the one filter that makes more of a text.
fn replace(text: &str, from: &str, to: &str) -> Result<String, Error> {
    let growth = text.matches(from).count().saturating_mul(to.len());
    if text.len().saturating_add(growth) > MOST {
        return Err(Error::new(ErrorKind::InvalidOperation, "`replace` makes the text too long"));
    }
    Ok(text.replace(from, to))
}

fn trouble(error: &Error) -> Trouble {
    match error.kind() {
        ErrorKind::UndefinedError => Trouble::Undefined(None),
        ErrorKind::OutOfFuel => Trouble::Broken(format!("it takes more than {FUEL} steps")),
        ErrorKind::WriteFailure => Trouble::too_long(),
        kind => {
            let line = error.line().map(|line| format!(" (line {line})")).unwrap_or_default();
            Trouble::Broken(format!(
                "{}{line}",
                error.detail().map_or_else(|| kind.to_string(), str::to_owned)
            ))
        }
    }
}

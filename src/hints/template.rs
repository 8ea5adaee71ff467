//! Fills in a template hint: its body with the caller's variables, and its own defaults for the others.
//!
//! Results are commands and paths, so nothing is escaped for HTML. All variables are texts. A variable that is printed has
//! to be there; one that is only asked for (`if`, a section) may be missing. A template may come from anywhere: it reaches
//! no file and no other template, and what it costs is bounded, in time, in depth and in length.

mod handlebars;
mod interpolate;
mod jinja;
mod mustache;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::{self, Write};

use crate::model::TemplateFormat;

/// The longest text that a template may become, and the most that its variables may hold together.
pub(crate) const MOST: usize = 256 << 10;
/// A template with more names than this is none that a person wrote.
const MOST_NAMES: usize = 100;
/// So deep may blocks and brackets be nested.
const DEEPEST: usize = 50;

/// The variables of a template, by name.
pub(crate) type Variables = BTreeMap<String, String>;

/// Why a template gave nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RenderError {
    Missing {
        /// Names that were neither given nor have a default.
        missing: Vec<String>,
        /// Names with a default: the caller may leave these out.
        defaults: Vec<String>,
        /// Names that were given and that the body does not mention: they may be misspelled.
        unused: Vec<String>,
    },
    /// The body is wrong, or asks for too much.
    Broken(String),
}

/// What went wrong in an engine.
enum Trouble {
    /// A variable that is not there was printed; some engines say which.
    Undefined(Option<String>),
    Broken(String),
}

/// Returns the body with all variables filled in.
pub(crate) fn render(
    format: TemplateFormat,
    body: &str,
    defaults: &Variables,
    given: &Variables,
) -> Result<String, RenderError> {
    let mut variables = defaults.clone();
    variables.extend(given.clone());
    if variables.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>() > MOST {
        return Err(RenderError::Broken(format!("the variables hold more than {} KiB", MOST >> 10)));
    }
    match attempt(format, body, &variables) {
        Ok(text) => Ok(text),
        Err(Trouble::Broken(why)) => Err(RenderError::Broken(why)),
        Err(Trouble::Undefined(first)) => Err(RenderError::Missing {
            missing: missing(format, body, &variables, first)?,
            defaults: defaults.keys().cloned().collect(),
            unused: given.keys().filter(|name| !body.contains(name.as_str())).cloned().collect(),
        }),
    }
}

fn attempt(format: TemplateFormat, body: &str, variables: &Variables) -> Result<String, Trouble> {
    match format {
        TemplateFormat::Mustache => mustache::render(body, variables),
        TemplateFormat::Handlebars => handlebars::render(body, variables),
        TemplateFormat::Jinja => jinja::render(body, variables),
        TemplateFormat::Interpolate => interpolate::render(body, variables),
    }
}

/// Returns every name that the template cannot do without.
///
/// An engine stops at the first, so each is filled in for a trial, until the template is content; then those stay that
/// it misses although all others are there.
fn missing(
    format: TemplateFormat,
    body: &str,
    variables: &Variables,
    first: Option<String>,
) -> Result<Vec<String>, RenderError> {
    let mut names: BTreeSet<String> = match format {
        TemplateFormat::Jinja => {
            jinja::names(body).into_iter().filter(|name| !variables.contains_key(name)).collect()
        }
        _ => first.into_iter().collect(),
    };
    let tried = |left_out: Option<&str>, names: &BTreeSet<String>| {
        let mut trial = variables.clone();
        let filled = names.iter().filter(|name| Some(name.as_str()) != left_out);
        trial.extend(filled.map(|name| (name.clone(), "…".to_owned())));
        attempt(format, body, &trial)
    };
    while names.len() < MOST_NAMES
        && let Err(Trouble::Undefined(Some(name))) = tried(None, &names)
        && names.insert(name)
    {}
    let needed = |name: &&String| matches!(tried(Some(name), &names), Err(Trouble::Undefined(_)));
    let needed: Vec<String> = names.iter().take(MOST_NAMES).filter(needed).cloned().collect();
    match (needed.is_empty(), tried(None, &names)) {
        (false, _) => Ok(needed),
        // Any one of them would do.
        (true, Ok(_)) if !names.is_empty() => Ok(names.into_iter().collect()),
        _ => Err(RenderError::Broken("it prints something that no variable can give it".to_owned())),
    }
}

/// Where an engine writes, as long as there is room.
#[derive(Default)]
struct Bounded(Vec<u8>);

impl Bounded {
    fn into_text(self) -> Result<String, Trouble> {
        String::from_utf8(self.0).map_err(|_| Trouble::Broken("it becomes no text".to_owned()))
    }
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MOST {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Says how deep brackets of any kind are nested; text between them counts too, which never matters in practice.
fn depth(body: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for c in body.chars() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

impl Trouble {
    fn too_long() -> Trouble {
        Trouble::Broken(format!("it becomes longer than {} KiB", MOST >> 10))
    }

    fn too_deep() -> Trouble {
        Trouble::Broken(format!("it is nested deeper than {DEEPEST} levels"))
    }
}

impl fmt::Display for RenderError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list =
            |names: &[String]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        match self {
            RenderError::Missing { missing, defaults, unused } => {
                write!(out, "the template needs {}", list(missing))?;
                if !unused.is_empty() {
                    write!(out, "; it has no {}", list(unused))?;
                }
                if !defaults.is_empty() {
                    write!(out, "; there are defaults for {}", list(defaults))?;
                }
                Ok(())
            }
            RenderError::Broken(why) => write!(out, "the template cannot be filled in: {why}"),
        }
    }
}

#[cfg(test)]
mod tests;

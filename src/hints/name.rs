//! The names of components and keys.

use crate::model::HintFlaw;

/// Reads the name of a component or key; blanks around it are not part of it.
pub(crate) fn name<'a>(what: &str, name: &'a str) -> Result<&'a str, HintFlaw> {
    let name = name.trim();
    if name.is_empty() {
        return Err(HintFlaw::invalid(format!("`{what}` must not be empty")));
    }
    if name.len() > MOST {
        return Err(HintFlaw::invalid(format!("`{what}` must be at most {MOST} bytes long")));
    }
    if name.chars().any(char::is_control) {
        return Err(HintFlaw::invalid(format!("`{what}` must not hold control characters")));
    }
    Ok(name)
}

const MOST: usize = 256;

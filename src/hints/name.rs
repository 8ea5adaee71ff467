//! The names of components and keys.

use crate::model::HintFlaw;

/// Parses the name of a component or key, without surrounding whitespace.
pub(crate) fn name<'a>(what: &str, name: &'a str) -> Result<&'a str, HintFlaw> {
    let name = name.trim();
    if name.is_empty() {
        return Err(HintFlaw::invalid(format!("`{what}` must not be empty")));
    }
    if name.len() > MAX_LENGTH {
        return Err(HintFlaw::invalid(format!("`{what}` must be at most {MAX_LENGTH} bytes long")));
    }
    if name.chars().any(char::is_control) {
        return Err(HintFlaw::invalid(format!("`{what}` must not contain control characters")));
    }
    Ok(name)
}

const MAX_LENGTH: usize = 256;

//! Joins the parts of an answer, and signs those that nobody else has signed.

use crate::context;
use crate::model::ContextPart;

/// Joins the parts, the most important first. What rules say is signed already; the others have one signature together.
pub(crate) fn join(parts: Vec<(ContextPart, String)>) -> Option<String> {
    let unsigned = parts.iter().filter(|(part, text)| !part.is_signed() && !text.is_empty());
    let mut names: Vec<&str> = unsigned.map(|(part, _)| part.signature()).collect();
    names.dedup();
    let text = context::compose(parts.into_iter().map(|(_, text)| text))?;
    if names.is_empty() {
        return Some(text);
    }
    Some(context::signed(&text, &context::signature(&names.join(", "), None)))
}

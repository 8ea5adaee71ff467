//! Fills in the template that a hint is, with what the asker gives for its variables.

use std::collections::BTreeMap;

use crate::hints::{RenderError, render};
use crate::model::{Hint, HintFlaw, HintValue, TypedValue};

/// Returns the text that the template becomes; what is missing for it is named.
pub(super) fn rendered(hint: &Hint, given: &BTreeMap<String, String>) -> Result<String, HintFlaw> {
    let HintValue::Typed(TypedValue::Template { format, body, defaults }) = &hint.value else {
        return Err(HintFlaw::invalid("`render` is for templates, and this hint is none"));
    };
    render(*format, body, defaults, given).map_err(|error| {
        let flaw = HintFlaw::invalid(error.to_string());
        match error {
            RenderError::Missing { missing, .. } => flaw.with("missing", missing),
            RenderError::Broken(_) => flaw,
        }
    })
}

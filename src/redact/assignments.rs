//! Values behind telling names: environment files, JSON, YAML, TOML, code, queries, options of commands.

use super::joint::{Place, joint};
use super::names::{Family, Name};
use super::scan::{Scan, is_quote};
use super::value::{self, Form};
use super::worth::Claim;

/// A rejected value longer than this is not searched for names again, so that every byte is judged once.
const LONG: usize = 4096;

pub(super) fn detect(scan: &mut Scan<'_>, word: usize, word_end: usize, family: Family) {
    if word < scan.names_until {
        return;
    }
    let text = scan.text;
    let Some(name) = Name::around(text, word, word_end, family) else { return };
    let Some(joint) = joint(text, &name) else { return };
    let Some(mut value) = value::read(text, joint.value, joint.until) else { return };
    if value.form == Form::Bare
        && let Some(nested) = value::nested(text, joint.value)
    {
        value = nested;
    }
    let end = value.span.end;
    let is_last = match joint.place {
        Place::Header => text.get(end).is_none_or(|byte| is_quote(*byte)),
        _ => value::is_last(text, end),
    };
    let claim = Claim {
        name: &name,
        place: joint.place,
        form: value.form,
        is_last,
        value: &text[value.span.clone()],
    };
    if claim.is_secret() {
        scan.names_until = value.span.end;
        scan.push(name.kind(), value.span);
    } else if value.span.len() > LONG {
        scan.names_until = value.span.end;
    }
}

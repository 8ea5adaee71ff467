//! Values behind telling names: environment files, JSON, YAML, TOML, code, queries, options of commands.

use super::bridges::{self, Bridged};
use super::joint::{Joint, Place, joint};
use super::names::{Family, Name};
use super::pairs;
use super::scan::{Scan, is_quote, run_within, starts_word};
use super::value::{self, Form, Value};
use super::worth::Claim;

/// A rejected value longer than this is not searched for names again, so that every byte is judged once.
const LONG: usize = 4096;

pub(super) fn detect(scan: &mut Scan<'_>, word: usize, word_end: usize, family: Family) {
    if word < scan.names_until {
        return;
    }
    let text = scan.text;
    let Some(name) = Name::around(text, word, word_end, family) else { return };
    // A folder is not the name of a value.
    if text.get(name.end) == Some(&b'/') {
        return;
    }
    scan.meet(word);
    let joint = joint(text, &name);
    let is_joined = joint.as_ref().is_some_and(|joint| !matches!(joint.place, Place::List | Place::Loose));
    if !is_joined && pairs::apart(text, &name).is_some_and(|value| judge_apart(scan, &name, value)) {
        return;
    }
    if joint.is_some_and(|joint| judge_joined(scan, &name, &joint)) {
        return;
    }
    if let Some(Bridged { value, place }) = bridges::bridged(text, &name)
        && !has_known_shape(&text[value.span.clone()])
    {
        let secret = &text[value.span.clone()];
        let claim = Claim { name: &name, place, form: value.form, is_last: true, value: secret };
        if claim.is_secret() && (bridges::is_random(secret) || name.family == Family::Password) {
            scan.names_until = value.span.end;
            scan.push(name.kind(), value.span);
        }
    }
}

/// `PW=…`: as short a name as that is one only in capitals and as a whole word.
pub(super) fn short_name(scan: &mut Scan<'_>, at: usize, after: usize) {
    let text = scan.text;
    let name = Name { text: &text[at..after - 1], start: at, end: after - 1, family: Family::Password };
    if at >= scan.names_until
        && starts_word(text, at)
        && run_within(text, after, 4, |byte| byte.is_ascii_graphic()) == after + 4
        && let Some(joint) = joint(text, &name)
    {
        judge_joined(scan, &name, &joint);
    }
}

/// A placeholder or a sentence is no value.
fn has_known_shape(value: &[u8]) -> bool {
    value.contains(&b' ') || value.is_empty()
}

/// Takes the value behind a sign, if it is a secret, and says whether it was.
fn judge_joined(scan: &mut Scan<'_>, name: &Name<'_>, joint: &Joint) -> bool {
    let text = scan.text;
    let below = value::block(text, joint.value).or_else(|| pairs::inside(text, joint.value));
    if below.is_some_and(|value| judge_apart(scan, name, value)) {
        return true;
    }
    let Some(mut value) = value::read(text, joint.value, joint.until) else { return false };
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
    let claim =
        Claim { name, place: joint.place, form: value.form, is_last, value: &text[value.span.clone()] };
    let is_secret = claim.is_secret();
    if is_secret || value.span.len() > LONG {
        scan.names_until = value.span.end;
    }
    if is_secret {
        scan.push(name.kind(), value.span);
    }
    is_secret
}

/// Takes a value that stands apart from its name, if it is a secret: a sentence is not.
fn judge_apart(scan: &mut Scan<'_>, name: &Name<'_>, value: Value) -> bool {
    let text = &scan.text[value.span.clone()];
    let first = text.split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii();
    let is_sentence = first.contains(&b' ') && !first.iter().any(u8::is_ascii_digit);
    let claim = Claim { name, place: Place::Key, form: value.form, is_last: true, value: first };
    let is_secret = !is_sentence && claim.is_secret();
    if is_secret {
        scan.push(name.kind(), value.span);
    }
    is_secret
}

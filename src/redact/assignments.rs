//! Values after names such as `DB_PASSWORD`: environment files, JSON, YAML, TOML, code, queries, options of commands.

use super::bridges::{self, Bridged};
use super::environment;
use super::joint::{Joint, ValuePlace, joint};
use super::names::Name;
use super::pairs;
use super::scan::{SecretScan, is_quote, run_within, starts_word};
use super::trigger::Family;
use super::value::{self, Form, FoundValue, Until};
use super::worth::{SecretCandidate, is_strong};

/// A rejected value longer than this is not searched for names again, so that every byte is judged once.
const MAX_REJECTED: usize = 4096;

pub(super) fn detect(scan: &mut SecretScan<'_>, word: usize, word_end: usize, family: Family) {
    if word < scan.names_until {
        return;
    }
    let text = scan.text;
    let Some(name) = Name::around(text, word, word_end, family) else { return };
    scan.note_line_part(word);
    let mut joint = joint(text, &name);
    if name.is_upper() && scan.is_environment(name.start) {
        let is_plain = |joint: &Joint| {
            !matches!(joint.place, ValuePlace::List | ValuePlace::Loose)
                && text.get(joint.value) != Some(&b'\n')
        };
        let found = joint.take().filter(is_plain).or_else(|| environment::joint(text, &name));
        joint = found.map(|joint| Joint { place: ValuePlace::Variable, ..joint });
    }
    let is_joined =
        joint.as_ref().is_some_and(|joint| !matches!(joint.place, ValuePlace::List | ValuePlace::Loose));
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
        let candidate =
            SecretCandidate { name: &name, place, form: value.form, is_last: true, value: secret };
        if candidate.is_secret() && (bridges::is_random(secret) || name.family == Family::Password) {
            scan.names_until = value.span.end;
            scan.push(name.kind(), value.span);
        }
    }
}

/// `PW=…`: a name this short counts only in capitals and as a whole word.
pub(super) fn short_name(scan: &mut SecretScan<'_>, at: usize, after: usize) {
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

/// An empty text or a sentence is not a value.
fn has_known_shape(value: &[u8]) -> bool {
    value.contains(&b' ') || value.is_empty()
}

/// Records the value after a sign if it is a secret, and returns whether it is.
fn judge_joined(scan: &mut SecretScan<'_>, name: &Name<'_>, joint: &Joint) -> bool {
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
        ValuePlace::Header => text.get(end).is_none_or(|byte| is_quote(*byte)),
        _ => value::is_last(text, end),
    };
    let candidate = SecretCandidate {
        name,
        place: joint.place,
        form: value.form,
        is_last,
        value: &text[value.span.clone()],
    };
    let is_secret = candidate.is_secret()
        || (joint.until == Until::Tag && is_sealed(candidate.value) && name.family != Family::Key);
    if is_secret || value.span.len() > MAX_REJECTED {
        scan.names_until = value.span.end;
    }
    if is_secret {
        scan.push(name.kind(), value.span);
    }
    is_secret
}

/// `<secret>{id …}</secret>`: Jenkins puts its secrets in braces, with words before them.
fn is_sealed(value: &[u8]) -> bool {
    let inner = value.strip_prefix(b"{").and_then(|rest| rest.strip_suffix(b"}"));
    let last = inner.and_then(|inner| inner.rsplit(|byte| *byte == b' ').next());
    last.is_some_and(|word| word.len() >= 16 && (is_strong(word) || bridges::is_random(word)))
}

/// Records a value that is apart from its name if it is a secret; a sentence is not.
fn judge_apart(scan: &mut SecretScan<'_>, name: &Name<'_>, value: FoundValue) -> bool {
    let text = &scan.text[value.span.clone()];
    let first = text.split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii();
    let is_sentence = first.contains(&b' ') && !first.iter().any(u8::is_ascii_digit);
    let candidate =
        SecretCandidate { name, place: ValuePlace::Key, form: value.form, is_last: true, value: first };
    let is_secret = !is_sentence && candidate.is_secret();
    if is_secret {
        scan.push(name.kind(), value.span);
    }
    is_secret
}

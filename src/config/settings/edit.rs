//! Changes one setting in the text of a settings file; comments, order and form of everything else stay.
//!
//! Text in, text out. A change is right only if the new text, parsed, has that change and no other one.

#[cfg(test)]
mod tests;

use std::ops::Range;

use toml::de::{DeTable, DeValue};
use toml::{Table, Value};

/// Why a settings text cannot be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SettingsTextError {
    Malformed {
        line: usize,
        why: String,
    },
    /// It is written in a form that is not changed, such as a table in one line.
    Form,
}

/// Sets `key` of a section; `literal` is the value as TOML.
pub(crate) fn with_value(
    text: &str,
    section: &str,
    key: &str,
    literal: &str,
) -> Result<String, SettingsTextError> {
    let mut wanted = parse(text)?;
    let value = parse(&format!("value = {literal}"))?.remove("value").ok_or(SettingsTextError::Form)?;
    let table = wanted.entry(section).or_insert_with(|| Value::Table(Table::new()));
    table.as_table_mut().ok_or(SettingsTextError::Form)?.insert(key.to_owned(), value);
    let places = Places::of(text, section, key)?;
    let end = line_end(text);
    let candidates = match places.key {
        Some(place) => vec![format!("{}{literal}{}", &text[..place.value.start], &text[place.value.end..])],
        None => {
            let line = format!("{key} = {literal}");
            let after = places.last.iter().chain(&places.head);
            let mut candidates: Vec<String> = after
                .map(|place| with_line(text, place, &format!("{}{line}", indent(text, place))))
                .collect();
            // A section that has no header is written with its name in every line.
            let dotted = places.last.iter().map(|place| with_line(text, place, &format!("{section}.{line}")));
            candidates.extend(dotted);
            let gap = match text {
                _ if text.trim().is_empty() => "",
                _ if text.ends_with('\n') => end,
                _ => "\n\n",
            };
            candidates.push(format!("{text}{gap}[{section}]{end}{line}{end}"));
            candidates
        }
    };
    let is_wanted = |text: &String| parse(text).is_ok_and(|all| all == wanted);
    candidates.into_iter().find(is_wanted).ok_or(SettingsTextError::Form)
}

/// Removes `key` of a section with its line; `None` if it is not there.
pub(crate) fn without_value(
    text: &str,
    section: &str,
    key: &str,
) -> Result<Option<String>, SettingsTextError> {
    let mut wanted = parse(text)?;
    let Some(place) = Places::of(text, section, key)?.key else { return Ok(None) };
    let from = text[..place.key.start].rfind('\n').map_or(0, |at| at + 1);
    let to = end_of_line(text, place.value.end);
    let rest = format!("{}{}", &text[..from], &text[to..]);
    let table = wanted.get_mut(section).and_then(Value::as_table_mut).ok_or(SettingsTextError::Form)?;
    table.remove(key);
    let is_empty = table.is_empty();
    let found = parse(&rest)?;
    // The last line of a section without a header is all that there was of it.
    if is_empty && !found.contains_key(section) {
        wanted.remove(section);
    }
    (found == wanted).then_some(Some(rest)).ok_or(SettingsTextError::Form)
}

/// Where a setting is in a text, or could be.
struct Places {
    key: Option<EntryPlace>,
    /// The last entry of the section.
    last: Option<EntryPlace>,
    /// The header of a section without entries.
    head: Option<EntryPlace>,
}

struct EntryPlace {
    key: Range<usize>,
    value: Range<usize>,
}

impl Places {
    fn of(text: &str, section: &str, key: &str) -> Result<Places, SettingsTextError> {
        let all = DeTable::parse(text).map_err(|error| malformed(text, &error))?;
        let mut places = Places { key: None, last: None, head: None };
        let Some((name, table)) = all.get_ref().iter().find(|(name, _)| name.get_ref() == section) else {
            return Ok(places);
        };
        let DeValue::Table(entries) = table.get_ref() else { return Err(SettingsTextError::Form) };
        let place = |(key, value): (&toml::Spanned<_>, &toml::Spanned<_>)| EntryPlace {
            key: key.span(),
            value: value.span(),
        };
        places.key = entries.iter().find(|(name, _)| name.get_ref() == key).map(place);
        places.last = entries.iter().map(place).max_by_key(|place| place.value.end);
        places.head = Some(EntryPlace { key: name.span(), value: name.span() });
        Ok(places)
    }
}

/// Adds a line below the one in which a place ends.
fn with_line(text: &str, place: &EntryPlace, line: &str) -> String {
    let at = end_of_line(text, place.value.end);
    let end = line_end(text);
    let gap = if text[..at].ends_with('\n') { "" } else { end };
    format!("{}{gap}{line}{end}{}", &text[..at], &text[at..])
}

fn indent<'t>(text: &'t str, place: &EntryPlace) -> &'t str {
    let line = text[..place.key.start].rsplit('\n').next().unwrap_or_default();
    if line.trim().is_empty() { line } else { "" }
}

/// Returns where the line ends that has this position, behind its line break.
fn end_of_line(text: &str, position: usize) -> usize {
    text[position..].find('\n').map_or(text.len(), |at| position + at + 1)
}

fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

fn parse(text: &str) -> Result<Table, SettingsTextError> {
    text.parse().map_err(|error| malformed(text, &error))
}

fn malformed(text: &str, error: &toml::de::Error) -> SettingsTextError {
    let start = error.span().map(|span| span.start.min(text.len()));
    let line = start.map_or(0, |start| text[..start].matches('\n').count() + 1);
    SettingsTextError::Malformed { line, why: error.message().to_owned() }
}

//! Observations as rows that a person reads: number, age, type, and the telling part of the text.

use anstyle::Style;

use super::output::{BOLD, CYAN, DIM, Failure, GREEN, Out, RED, YELLOW, in_line};
use crate::context::{is_hidden_at, without_controls};
use crate::model::{ColleagueHit, Excerpt, Observation, ObservationType, SearchHit, Timestamp, shortened};
use crate::ops::times;

/// Maximum number of characters of a text in a row.
const MAX_CHARS: usize = 110;
/// Number of characters shown before the first match, if a text is too long.
const LEAD: usize = 30;

/// One line of a list.
pub(crate) struct Row {
    /// The number as it is typed.
    number: String,
    at: Timestamp,
    obs_type: ObservationType,
    project: String,
    pinned: bool,
    /// The one that others are shown around.
    marked: bool,
    /// How many equal observations it stands for; it is the last of them.
    times: usize,
    text: String,
}

impl Row {
    pub(crate) fn of_observation(observation: &Observation) -> Row {
        Row {
            number: observation.id.0.to_string(),
            at: observation.timestamp,
            obs_type: observation.obs_type,
            project: observation.project.as_deref().map_or("-".to_owned(), in_line),
            pinned: observation.pinned,
            marked: false,
            times: 1,
            text: one_line(told(&observation.content, observation.file_path.as_deref()), MAX_CHARS),
        }
    }

    pub(crate) fn of_hit(hit: &SearchHit) -> Row {
        let text = match &hit.excerpt {
            Some(excerpt) if !excerpt.marks.is_empty() => {
                highlighted(&told_excerpt(excerpt, hit.file_path.as_deref()))
            }
            _ => one_line(told(&hit.content_preview, hit.file_path.as_deref()), MAX_CHARS),
        };
        Row {
            number: hit.id.0.to_string(),
            at: hit.timestamp,
            obs_type: hit.obs_type,
            project: hit.project.as_deref().map_or("-".to_owned(), in_line),
            pinned: hit.pinned,
            marked: false,
            times: hit.times,
            text,
        }
    }

    /// Returns the row of a colleague, which has another number and a name.
    pub(crate) fn of_colleague(found: &ColleagueHit) -> Row {
        let row = Row::of_hit(&found.hit);
        let number = if found.hit.id.0 > 0 { format!("@{}", found.hit.id.0) } else { "@".to_owned() };
        let name = in_line(&found.author.name);
        Row { number, text: format!("{CYAN}@{name}{CYAN:#} {}", row.text), ..row }
    }

    #[must_use]
    pub(crate) fn marked(self) -> Row {
        Row { marked: true, ..self }
    }
}

/// Prints rows in columns; the project has one where several are shown.
pub(crate) fn print(rows: &[Row], with_project: bool, out: &mut Out) -> Result<(), Failure> {
    let now = times::now();
    let widest = |width: fn(&Row) -> usize| rows.iter().map(width).max().unwrap_or(0);
    let ids = widest(|row| row.number.len());
    let types = widest(|row| row.obs_type.name().len());
    let projects = widest(|row| row.project.chars().count());
    let any_marked = rows.iter().any(|row| row.marked);
    for row in rows {
        let mark = match (any_marked, row.marked) {
            (false, _) => "",
            (true, false) => "  ",
            (true, true) => "▶ ",
        };
        let (id, age, kind) = (&row.number, ago(row.at, now), row.obs_type.name());
        let style = style(row.obs_type);
        let project =
            if with_project { format!("{CYAN}{:projects$}{CYAN:#}  ", row.project) } else { String::new() };
        let pin = if row.pinned { format!("{YELLOW}[pinned]{YELLOW:#} ") } else { String::new() };
        let times = if row.times > 1 { format!("{DIM}×{}{DIM:#} ", row.times) } else { String::new() };
        out.row(format_args!(
            "{mark}{BOLD}{id:>ids$}{BOLD:#}  {DIM}{age:>8}{DIM:#}  {style}{kind:types$}{style:#}  {project}{pin}{times}{}",
            row.text
        ))?;
    }
    Ok(())
}

pub(crate) fn style(kind: ObservationType) -> Style {
    match kind {
        ObservationType::CommandError => RED,
        ObservationType::FileEdit | ObservationType::FileWrite => GREEN,
        ObservationType::UserPrompt => CYAN,
        ObservationType::FileRead | ObservationType::Search => DIM,
        _ => Style::new(),
    }
}

/// Says how long something took.
pub(crate) fn duration(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{:.1} s", ms as f64 / 1_000.0),
        60_000..3_600_000 => format!("{} m {} s", ms / 60_000, ms % 60_000 / 1_000),
        _ => format!("{} h {} m", ms / 3_600_000, ms % 3_600_000 / 60_000),
    }
}

/// Says how long ago a moment was.
pub(crate) fn ago(at: Timestamp, now: Timestamp) -> String {
    match now.since(at) {
        0..60 => "just now".to_owned(),
        seconds @ 60..3_600 => format!("{}m ago", seconds / 60),
        seconds @ 3_600..172_800 => format!("{}h ago", seconds / 3_600),
        seconds @ 172_800..5_184_000 => format!("{}d ago", seconds / 86_400),
        seconds @ 5_184_000..63_072_000 => format!("{}mo ago", seconds / 2_592_000),
        seconds => format!("{}y ago", seconds / 31_536_000),
    }
}

/// Returns the text with its path as it is known in the project, instead of as the agent wrote it.
pub(crate) fn told<'t>(content: &'t str, path: Option<&'t str>) -> &'t str {
    let Some(path) = path else { return content };
    if content.is_empty() {
        return path;
    }
    let first = content.lines().next().unwrap_or_default();
    match first.find(path) {
        Some(at) if first.starts_with('/') && first[..at].ends_with('/') && !first[..at].contains(' ') => {
            &content[at..]
        }
        _ => content,
    }
}

/// Makes one line of a text; what could move the cursor is left out.
pub(crate) fn one_line(text: &str, most: usize) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let clean: String = without_controls(&lines.join(" ⏎ ")).replace('\t', " ");
    shortened(&clean, most).into_owned()
}

/// Keeps the lines of a text, without what could move the cursor.
pub(crate) fn plain(text: &str) -> String {
    without_controls(text).into_owned()
}

/// Does to an excerpt what `told` does to a text.
fn told_excerpt(excerpt: &Excerpt, path: Option<&str>) -> Excerpt {
    let text = told(&excerpt.text, path);
    let cut = excerpt.text.len() - text.len();
    let marks = excerpt.marks.iter().filter(|mark| mark.start >= cut);
    Excerpt { text: text.to_owned(), marks: marks.map(|mark| mark.start - cut..mark.end - cut).collect() }
}

/// Shows where a text matches, in a window around the first match.
fn highlighted(excerpt: &Excerpt) -> String {
    let first = excerpt.marks.first().map_or(0, |mark| excerpt.text[..mark.start].chars().count());
    let long = excerpt.text.chars().count() > MAX_CHARS;
    let skipped = if long && first > MAX_CHARS - LEAD { first - LEAD } else { 0 };
    let characters: Vec<char> = excerpt.text.chars().collect();
    let mut shown = String::from(if skipped > 0 { "…" } else { "" });
    for (position, (at, c)) in excerpt.text.char_indices().enumerate().skip(skipped) {
        let (opens, closes) = (|mark: &std::ops::Range<usize>| mark.start == at, at + c.len_utf8());
        if excerpt.marks.iter().any(opens) {
            shown.push_str(&YELLOW.to_string());
        }
        match c {
            '\n' => shown.push_str(" ⏎ "),
            _ if is_hidden_at(&characters, position) => shown.push(' '),
            c => shown.push(c),
        }
        if excerpt.marks.iter().any(|mark| mark.end == closes) {
            shown.push_str(&format!("{YELLOW:#}"));
        }
        let within = excerpt.marks.iter().any(|mark| mark.contains(&closes) && mark.start < closes);
        if position - skipped + 1 >= MAX_CHARS && !within && closes < excerpt.text.len() {
            shown.push('…');
            break;
        }
    }
    shown
}

#[cfg(test)]
mod tests;

//! Search over everything that is remembered, and what the project has written down.

use std::collections::BTreeMap;
use std::path::Path;

use super::request::{QuestionError, ViewError, ViewRequest};
use super::shown::Shown;
use super::{QueryStop, ViewAnswer, whole};
use crate::api::view::{ElsewhereView, HitView, LookedForView, SearchView};
use crate::model::{Filter, ObservationType, Order, Search, SearchHit, Timestamp};
use crate::ops::nexus::search::{self as written, WrittenSource};
use crate::store::{LookedFor, Reader, explain_query};
use crate::system::clock;

const USUAL_HITS: usize = 50;

/// `search`.
pub(super) fn answer(request: &ViewRequest, stop: &QueryStop) -> Result<ViewAnswer, ViewError> {
    let took = clock::stopwatch();
    let text = request.text("q").unwrap_or_default().to_owned();
    let (range, limit) = (request.range()?, request.limit(USUAL_HITS)?);
    let offset = usize::try_from(request.number("offset")?.unwrap_or(0)).unwrap_or(0);
    let shown = Shown::new();
    let (looked_for, left_out) = explain_query(&text);
    let mut view = SearchView {
        looked_for: looked_for.iter().map(|one| looked(one, &shown)).collect(),
        left_out: left_out.iter().map(|word| shown.name(word)).collect(),
        ..SearchView::default()
    };
    if let Some(reader) = stop.memory()? {
        reader.ask(|reader| -> Result<(), QuestionError> {
            let project = request.wanted_project(reader)?;
            let question = Search {
                text: text.clone(),
                filter: Filter {
                    project,
                    types: types(&request.texts("kinds")),
                    harness: request.texts("agent").first().map(|agent| (*agent).to_owned()),
                    since: Some(Timestamp(range.from_ms.div_euclid(1_000))).filter(|since| since.0 > 0),
                    until: Some(Timestamp(range.to_ms.div_euclid(1_000).saturating_add(1)))
                        .filter(|until| until.0 < clock::timestamp().0),
                    ..Filter::default()
                },
                order: Order::Blended,
                limit: limit + 1,
                offset,
                excerpts: true,
            };
            fill(
                &mut view,
                reader,
                &question,
                &SearchContext { shown: &shown, looked_for: &looked_for, file: request.text("file") },
            )
        })?;
    }
    if let Some(root) = request.text("project").filter(|_| offset == 0 && !text.is_empty()) {
        view.hits.extend(written::find(Path::new(root), &text).into_iter().map(|one| HitView {
            kind: match one.source {
                WrittenSource::Note => "note",
                WrittenSource::Rule => "rule",
                WrittenSource::Plan => "plan",
                WrittenSource::Tasks => "task",
                WrittenSource::History => "history",
            },
            id: None,
            subject: shown.row(&one.file_path),
            excerpt: shown.row(&one.content_preview),
            marks: Vec::new(),
            n: 1,
            sessions: 0,
            agent: None,
            session: None,
            file: None,
            at_ms: None,
            score: 0.0,
            why: Vec::new(),
        }));
    }
    view.took_us = u64::try_from(took().as_micros()).unwrap_or(u64::MAX);
    whole(&view)
}

struct SearchContext<'s> {
    shown: &'s Shown,
    looked_for: &'s [LookedFor],
    /// Only hits with this file.
    file: Option<&'s str>,
}

fn fill(
    view: &mut SearchView,
    reader: &Reader,
    question: &Search,
    context: &SearchContext<'_>,
) -> Result<(), QuestionError> {
    let limit = question.limit - 1;
    let page = reader.search_page(question, clock::timestamp())?;
    view.ranked_since_ms = page.ranked_since.map(|since| since.0 * 1_000);
    let mut hits = page.hits;
    if let Some(file) = context.file {
        hits.retain(|hit| hit.file_path.as_deref() == Some(file));
    }
    if hits.len() > limit {
        hits.truncate(limit);
        view.next_offset = Some(question.offset + limit);
    }
    let mut kinds: BTreeMap<&'static str, usize> = BTreeMap::new();
    for found in &hits {
        *kinds.entry(kind(found)).or_default() += found.times;
        view.hits.push(hit(found, reader.has_helped(found.id)?, context));
    }
    view.kinds = kinds.into_iter().collect();
    view.groups = hits.len();
    view.total = hits.iter().map(|hit| hit.times).sum();
    if hits.is_empty() && view.looked_for.len() > 1 {
        for (one, shown) in context.looked_for.iter().zip(&mut view.looked_for) {
            let alone = Search { text: one.word.clone(), offset: 0, ..question.clone() };
            shown.hits = Some(reader.search_page(&alone, clock::timestamp())?.hits.len());
        }
    }
    if let Some(project) = question.filter.project.as_ref().filter(|_| view.next_offset.is_none()) {
        let counts = reader.matches_elsewhere(question, project)?;
        let name = |(project, n): (String, usize)| ElsewhereView { project: context.shown.name(&project), n };
        view.elsewhere = counts.into_iter().map(name).collect();
    }
    Ok(())
}

fn hit(found: &SearchHit, has_helped: bool, context: &SearchContext<'_>) -> HitView {
    let excerpt = found.excerpt.as_ref();
    let raw = excerpt.map_or(found.content_preview.as_str(), |excerpt| excerpt.text.as_str());
    // Line ends become spaces, so that positions stay as they are.
    let line = raw.replace(['\n', '\r', '\t'], " ");
    let text = context.shown.line(&line);
    let marks = match excerpt {
        // Where something was redacted or made visible, the positions mean nothing.
        Some(excerpt) if line.starts_with(&text) => excerpt
            .marks
            .iter()
            .filter(|mark| mark.end <= text.len())
            .map(|mark| (utf16(&text[..mark.start]), utf16(&text[..mark.end])))
            .collect(),
        _ => Vec::new(),
    };
    let lower = format!("{} {}", line, found.file_path.as_deref().unwrap_or_default()).to_lowercase();
    let words: Vec<String> = context.looked_for.iter().map(|one| one.word.to_lowercase()).collect();
    let in_file = found.file_path.as_ref().map(|path| path.to_lowercase());
    let mut why = Vec::new();
    if words.len() > 1 && words.iter().all(|word| lower.contains(word.trim_end_matches('*'))) {
        why.push("all_words");
    }
    let pairs = words.windows(2).map(|pair| format!("{} {}", pair[0], pair[1]));
    if words.len() > 1 && pairs.into_iter().all(|pair| lower.contains(&pair)) {
        why.push("sequence");
    }
    if in_file.is_some_and(|path| words.iter().any(|word| path.contains(word.trim_end_matches('*')))) {
        why.push("in_file");
    }
    if has_helped {
        why.push("known_fix");
    }
    if found.pinned {
        why.push("pinned");
    }
    HitView {
        kind: kind(found),
        id: Some(found.id.0),
        subject: context.shown.row(found.file_path.as_deref().unwrap_or_default()),
        excerpt: text,
        marks,
        n: found.times,
        sessions: found.sessions,
        agent: found.facts.harness.as_deref().map(|agent| context.shown.name(agent)),
        session: Some(context.shown.name(&found.session_id.0)),
        file: found.file_path.as_deref().map(|path| context.shown.name(path)),
        at_ms: Some(found.timestamp.0 * 1_000),
        score: found.score,
        why,
    }
}

fn utf16(text: &str) -> usize {
    text.encode_utf16().count()
}

fn looked(one: &LookedFor, shown: &Shown) -> LookedForView {
    LookedForView { word: shown.name(&one.word), r#as: one.form, hits: None }
}

fn kind(hit: &SearchHit) -> &'static str {
    match (hit.obs_type, hit.facts.kind.as_deref()) {
        (ObservationType::FileRead | ObservationType::Search, _) => "read",
        (ObservationType::FileEdit | ObservationType::FileWrite, _) => "edit",
        (ObservationType::CommandError, Some("rule")) => "blocked",
        (ObservationType::CommandError, Some("tool")) => "read",
        (ObservationType::CommandError, _) => "failed",
        (ObservationType::Command, Some("git_commit")) => "commit",
        (ObservationType::Command | ObservationType::McpCall, _) => "command",
        (ObservationType::UserPrompt, _) => "prompt",
        (ObservationType::Outcome | ObservationType::Summary, _) => "outcome",
        _ => "other",
    }
}

/// Returns the types that have the marks of these names.
fn types(kinds: &[&str]) -> Vec<ObservationType> {
    let of_kind = |kind: &&str| match *kind {
        "read" => vec![ObservationType::FileRead, ObservationType::Search],
        "edit" => vec![ObservationType::FileEdit, ObservationType::FileWrite],
        "failed" | "blocked" => vec![ObservationType::CommandError],
        "command" => vec![ObservationType::Command, ObservationType::McpCall],
        "commit" | "fixed" => vec![ObservationType::Command],
        "prompt" => vec![ObservationType::UserPrompt],
        "outcome" => vec![ObservationType::Outcome, ObservationType::Summary],
        "other" => vec![ObservationType::SessionStart, ObservationType::SessionEnd],
        _ => Vec::new(),
    };
    kinds.iter().flat_map(of_kind).collect()
}

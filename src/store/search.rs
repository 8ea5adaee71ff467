//! Searching: finds a bounded set of candidates for a question and ranks them.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};

use rusqlite::types::Value;
use rusqlite::{OptionalExtension, params_from_iter};

use super::query::{self, Query, join};
use super::rank::{self, MAX_CANDIDATES, SearchCandidate, SearchPlan};
use super::{Reader, Result, row};
use crate::model::{
    Excerpt, Filter, ObservationType, Order, Project, Search, SearchHit, SearchPage, Timestamp,
};

/// With this many candidates that match well, later groups are not searched.
const ENOUGH_CANDIDATES: usize = 50;

/// A span of time with fewer rows than this is searched row by row.
const MAX_ROW_SCAN: usize = 20_000;

/// In a span of fewer rows than this, the matches of all projects are walked to rank those of one: that takes less than
/// to count all rows of a project, which BM25 does for a tag.
const MAX_SPAN: i64 = 50_000;

/// Matches that are counted by project.
const MAX_COUNTED: usize = 1_000;

/// The length of a preview in characters, as the seed has it, and how many of them stand before the match.
const PREVIEW: usize = 120;
const PREVIEW_BEFORE: usize = 30;

/// Mark the beginning and the end of a match in an excerpt; no text contains these characters.
const MARKS: [char; 2] = ['\u{2}', '\u{3}'];

/// The order in which the index has its rows.
const NEWEST_FIRST: &str = "ORDER BY observations_fts.rowid DESC";

/// Which matches are ranked, if there are many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CandidateChoice {
    Newest,
    Best,
}

impl Reader {
    /// Returns the hits of a search, the best first.
    pub(crate) fn search(&self, search: &Search, now: Timestamp) -> Result<Vec<SearchHit>> {
        self.search_page(search, now).map(|page| page.hits)
    }

    /// Returns the hits of a search, the best first, and how far back it looked.
    ///
    /// An expression as written is ranked over all rows. Plain words may match nearly every row, so common ones are ranked
    /// over the newest rows that have them.
    pub(crate) fn search_page(&self, search: &Search, now: Timestamp) -> Result<SearchPage> {
        let query = query::parse_query(&search.text)?;
        let Some(scope) = self.scope(&search.filter)? else { return Ok(SearchPage::default()) };
        let choice =
            if matches!(query, Query::Written(_)) { CandidateChoice::Best } else { CandidateChoice::Newest };
        let (plan, question) = match query {
            Query::Nothing => return Ok(SearchPage::default()),
            Query::Written(expression) => {
                (SearchPlan { groups: vec![vec![expression.clone()]], every: expression }, Vec::new())
            }
            Query::Plain(words) => {
                let hits =
                    words.iter().map(|word| self.count(&scope, &word.any)).collect::<Result<Vec<_>>>()?;
                (rank::plan(&words, &hits), query::significant_words(&search.text))
            }
        };
        let enough = (search.offset + search.limit).max(ENOUGH_CANDIDATES);
        let mut candidates = Vec::new();
        let mut expressions = Vec::new();
        let mut oldest = None;
        for group in &plan.groups {
            if candidates.len() >= enough {
                break;
            }
            for expression in group {
                let found = self.candidates(&scope, expression, (search.order, choice))?;
                if found.len() == MAX_CANDIDATES && choice == CandidateChoice::Newest {
                    oldest = found.last().map(|last| last.id).max(oldest);
                }
                candidates.extend(found);
                expressions.push(expression.clone());
            }
        }
        let all_words = match &expressions[..] {
            // Every candidate has all words.
            [expression] if *expression == plan.every => HashSet::new(),
            _ => self.newest(&scope, &plan.every)?.into_iter().collect(),
        };
        let sequence = |id| self.in_sequence(&question, id).unwrap_or(0.0);
        let ranked = rank::ranked(candidates, &all_words, sequence, search.order, now);
        let ranked = self.weighed(&ranked)?;
        let page = ranked.into_iter().skip(search.offset).take(search.limit);
        let shown = join(&expressions, " OR ");
        let hit = |found: WeighedCandidate| {
            let hit = self.hit(found.candidate, &shown, search.excerpts).transpose()?;
            let (times, sessions) = (found.times, found.sessions.len().max(1));
            Some(hit.map(|hit| SearchHit { times, sessions, ..hit }))
        };
        let hits = page.filter_map(hit).collect::<Result<_>>()?;
        let ranked_since = oldest.map(|id| self.time_of(id)).transpose()?.flatten();
        Ok(SearchPage { hits, ranked_since, is_widened: false })
    }

    fn time_of(&self, id: i64) -> Result<Option<Timestamp>> {
        let mut statement =
            self.connection.prepare_cached("SELECT timestamp FROM observations WHERE id = ?1")?;
        Ok(statement.query_row([id], |row| row.get(0).map(Timestamp)).optional()?)
    }

    /// Weighs the best rows by what they are, and counts equal ones once: the newest, with how often it happened.
    fn weighed(&self, ranked: &[SearchCandidate]) -> Result<Vec<WeighedCandidate>> {
        let sql =
            "SELECT obs_type, CASE obs_type WHEN 'file_read' THEN file_path ELSE substr(content, 1, 400) END,
                 metadata ->> '$.kind', project_id, session_id FROM observations WHERE id = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut best: Vec<WeighedCandidate> = Vec::new();
        let mut known: HashMap<(ObservationType, Option<i64>, String), usize> = HashMap::new();
        let (first, rest) = ranked.split_at(ranked.len().min(rank::MAX_WEIGHED));
        for candidate in first {
            let read = |row: &rusqlite::Row<'_>| {
                Ok((
                    row::obs_type(row, 0)?,
                    row::optional_text(row, 1)?,
                    row::optional_text(row, 2)?,
                    row.get(3)?,
                    row::text(row, 4)?,
                ))
            };
            let found = statement.query_row([candidate.id], read).optional()?;
            let Some((obs_type, text, kind, project, session)) = found else { continue };
            match known.entry((obs_type, project, text.unwrap_or_default())) {
                Entry::Occupied(known) => {
                    let same = &mut best[*known.get()];
                    same.times += 1;
                    same.sessions.insert(session);
                }
                Entry::Vacant(new) => {
                    new.insert(best.len());
                    let score = candidate.score * rank::weight(obs_type, kind.as_deref());
                    best.push(WeighedCandidate {
                        candidate: SearchCandidate { score, ..*candidate },
                        times: 1,
                        sessions: HashSet::from([session]),
                    });
                }
            }
        }
        best.sort_by(|one, two| {
            let (one, two) = (one.candidate, two.candidate);
            two.score.total_cmp(&one.score).then(two.id.cmp(&one.id))
        });
        let alone = |candidate: &SearchCandidate| WeighedCandidate {
            candidate: *candidate,
            times: 1,
            sessions: HashSet::new(),
        };
        best.extend(rest.iter().map(alone));
        Ok(best)
    }

    /// Counts the newest rows with all words of a search in other projects, by their names.
    pub(crate) fn matches_elsewhere(
        &self,
        search: &Search,
        here: &Project,
    ) -> Result<BTreeMap<String, usize>> {
        let Some(expression) = query::parse_query(&search.text)?.every() else { return Ok(BTreeMap::new()) };
        let everywhere = Filter { project: None, ..search.filter.clone() };
        let Some(scope) = self.scope(&everywhere)? else { return Ok(BTreeMap::new()) };
        let (sql, params) = scope.select("observations.project_id AS folder", &expression, true, MAX_COUNTED);
        let here: Vec<String> = self.project_ids(here)?.iter().map(i64::to_string).collect();
        let sql = format!(
            "SELECT coalesce(project_identities.title, projects.name), sum(n)
             FROM (SELECT folder, count(*) AS n FROM ({sql}) GROUP BY 1) JOIN projects ON projects.id = folder
                 LEFT JOIN project_identities ON project_identities.id = folder
             WHERE folder NOT IN ({}) GROUP BY 1",
            here.join(", ")
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows =
            statement.query_map(params_from_iter(params), |row| Ok((row::text(row, 0)?, row.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns how much of a question a row has in sequence.
    fn in_sequence(&self, question: &[String], id: i64) -> Result<f64> {
        if question.len() < 2 {
            return Ok(0.0);
        }
        let sql = "SELECT content || ' ' || coalesce(file_path, '') FROM observations WHERE id = ?1";
        let text = self.connection.prepare_cached(sql)?.query_row([id], |row| row::text(row, 0))?;
        Ok(rank::in_sequence(question, &query::significant_words(&text)))
    }

    /// Returns the newest or the best matches with their scores.
    fn candidates(
        &self,
        scope: &SearchScope,
        expression: &str,
        (order, choice): (Order, CandidateChoice),
    ) -> Result<Vec<SearchCandidate>> {
        if choice == CandidateChoice::Newest && !scope.tags.is_empty() {
            let ids = self.newest(scope, expression)?;
            let (Some(newest), Some(oldest)) = (ids.first(), ids.last()) else { return Ok(Vec::new()) };
            if newest - oldest < MAX_SPAN {
                return self.scored(&SearchScope::of_rows(&ids), expression, (order, choice));
            }
        }
        self.scored(scope, expression, (order, choice))
    }

    fn scored(
        &self,
        scope: &SearchScope,
        expression: &str,
        (order, choice): (Order, CandidateChoice),
    ) -> Result<Vec<SearchCandidate>> {
        let timestamp = if order == Order::Blended { "timestamp" } else { "0" };
        let columns =
            format!("observations_fts.rowid, bm25(observations_fts, 1.0, 1.0, 0.6, 0.0), {timestamp}");
        let (mut sql, params) = scope.select(&columns, expression, order == Order::Blended, MAX_CANDIDATES);
        if choice == CandidateChoice::Best {
            sql = sql.replace(NEWEST_FIRST, "ORDER BY 2, observations_fts.rowid DESC");
        }
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = statement.query_map(params_from_iter(params), |row| {
            let score: f64 = row.get(1)?;
            Ok(SearchCandidate { id: row.get(0)?, score: -score, timestamp: Timestamp(row.get(2)?) })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns the newest rows that match, the newest first.
    fn newest(&self, scope: &SearchScope, expression: &str) -> Result<Vec<i64>> {
        let (sql, params) = scope.select("observations_fts.rowid", expression, false, MAX_CANDIDATES);
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = statement.query_map(params_from_iter(params), |row| row.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Counts the rows that match, up to one more than ranking can afford.
    fn count(&self, scope: &SearchScope, expression: &str) -> Result<usize> {
        let (sql, params) = scope.select("1", expression, false, MAX_CANDIDATES + 1);
        let mut statement = self.connection.prepare_cached(&format!("SELECT count(*) FROM ({sql})"))?;
        Ok(statement.query_row(params_from_iter(params), |row| row.get(0))?)
    }

    /// Reads what is shown of a hit; it may have been deleted in the meantime.
    fn hit(&self, candidate: SearchCandidate, expression: &str, marked: bool) -> Result<Option<SearchHit>> {
        let sql = format!("SELECT {} FROM observed WHERE id = ?1", row::HIT_COLUMNS);
        let hit = self.connection.prepare_cached(&sql)?.query_row([candidate.id], row::hit).optional()?;
        let Some(mut hit) = hit else { return Ok(None) };
        hit.score = candidate.score;
        let excerpt = self.excerpt(candidate.id, expression)?;
        // The beginning of a long text seldom has the words that were asked for.
        if let Some(excerpt) = excerpt.as_ref().filter(|excerpt| !excerpt.marks.is_empty()) {
            let text = self.text_of(candidate.id)?;
            hit.content_preview = preview_around(&text, excerpt, &hit.content_preview);
        }
        hit.excerpt = excerpt.filter(|_| marked);
        Ok(Some(hit))
    }

    /// Returns the part of a row that matches best, with the matches marked.
    fn excerpt(&self, id: i64, expression: &str) -> Result<Option<Excerpt>> {
        let [open, close] = MARKS;
        let sql = format!(
            "SELECT snippet(observations_fts, 0, '{open}', '{close}', '…', 24) FROM observations_fts
             WHERE observations_fts MATCH ?1 AND rowid = ?2"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let marked =
            statement.query_row((in_text_columns(expression), id), |row| row::text(row, 0)).optional()?;
        Ok(marked.as_deref().map(parse_excerpt))
    }

    fn text_of(&self, id: i64) -> Result<String> {
        let sql = "SELECT content FROM observations WHERE id = ?1";
        Ok(self.connection.prepare_cached(sql)?.query_row([id], |row| row::text(row, 0))?)
    }

    /// Returns what narrows a search, or `None` if no row can match.
    fn scope(&self, filter: &Filter) -> Result<Option<SearchScope>> {
        let mut scope = SearchScope::default();
        if let Some(project) = &filter.project {
            let ids = self.project_ids(project)?;
            if ids.is_empty() {
                return Ok(None);
            }
            scope.add_tags(ids.iter().map(|id| format!("\"p{id}\"")));
        }
        if !filter.types.is_empty() {
            scope.add_tags(filter.types.iter().map(|kind| format!("\"t{}\"", kind.name())));
        }
        if let Some(session) = &filter.session {
            // A session's rows are close together, so their range avoids scanning all others.
            let sql = "SELECT min(id), max(id) FROM observations WHERE session_id = ?1";
            let range: (Option<i64>, Option<i64>) = self
                .connection
                .prepare_cached(sql)?
                .query_row([&session.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let (Some(first), Some(last)) = range else { return Ok(None) };
            scope.within(first, last);
            scope.add("session_id = ?", Value::Text(session.0.clone()));
            scope.joins = true;
        }
        if let Some(harness) = &filter.harness {
            scope.add("harness = ?", Value::Text(harness.clone()));
            scope.joins = true;
        }
        for (condition, time) in [("timestamp >= ?", filter.since), ("timestamp < ?", filter.until)] {
            let Some(time) = time else { continue };
            scope.add(condition, Value::Integer(time.0));
            scope.joins = true;
            let sql = format!(
                "SELECT count(*), min(id), max(id) FROM (SELECT id FROM observations WHERE {condition} LIMIT {MAX_ROW_SCAN})"
            );
            let (count, first, last): (usize, Option<i64>, Option<i64>) = self
                .connection
                .prepare_cached(&sql)?
                .query_row([time.0], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
            let (Some(first), Some(last)) = (first, last) else { return Ok(None) };
            if count < MAX_ROW_SCAN {
                scope.within(first, last);
            }
        }
        Ok(Some(scope))
    }
}

/// A candidate with how many equal rows it stands for, and their sessions.
struct WeighedCandidate {
    candidate: SearchCandidate,
    times: usize,
    sessions: HashSet<String>,
}

/// What narrows a search: tags in the index where they exist, conditions on the table for the rest.
#[derive(Debug, Default)]
struct SearchScope {
    /// Groups of tags, written as in the migration; a row must have one tag of each group.
    tags: Vec<String>,
    conditions: Vec<(&'static str, Value)>,
    joins: bool,
}

impl SearchScope {
    /// Only these rows, the newest first. The words alone decide the score, so no tag is needed.
    fn of_rows(ids: &[i64]) -> SearchScope {
        let mut scope = SearchScope::default();
        if let (Some(newest), Some(oldest)) = (ids.first(), ids.last()) {
            scope.within(*oldest, *newest);
        }
        let all: Vec<String> = ids.iter().map(i64::to_string).collect();
        let all = Value::Text(format!("[{}]", all.join(",")));
        // The sign keeps SQLite from starting the index again for each of them.
        scope.add("+observations_fts.rowid IN (SELECT value FROM json_each(?))", all);
        scope
    }

    fn add(&mut self, condition: &'static str, value: Value) {
        self.conditions.push((condition, value));
    }

    fn within(&mut self, first: i64, last: i64) {
        self.add("observations_fts.rowid >= ?", Value::Integer(first));
        self.add("observations_fts.rowid <= ?", Value::Integer(last));
    }

    fn add_tags(&mut self, tags: impl Iterator<Item = String>) {
        self.tags.push(format!("({})", tags.collect::<Vec<_>>().join(" OR ")));
    }

    /// Builds the statement that selects these columns of the newest matches.
    fn select(&self, columns: &str, expression: &str, joins: bool, limit: usize) -> (String, Vec<Value>) {
        let mut matched = in_text_columns(expression);
        if !self.tags.is_empty() {
            matched = format!("tags : ({}) AND {matched}", self.tags.join(" AND "));
        }
        let mut params = vec![Value::Text(matched)];
        // The index comes first: it yields the newest rows first, and the table is read row by row.
        let table = if joins || self.joins {
            "observations_fts CROSS JOIN observations ON observations.id = observations_fts.rowid"
        } else {
            "observations_fts"
        };
        let mut sql = format!("SELECT {columns} FROM {table} WHERE observations_fts MATCH ?");
        for (condition, value) in &self.conditions {
            sql.push_str(" AND ");
            sql.push_str(condition);
            params.push(value.clone());
        }
        sql.push(' ');
        sql.push_str(NEWEST_FIRST);
        sql.push_str(" LIMIT ?");
        params.push(Value::Integer(limit as i64));
        (sql, params)
    }
}

/// Limits an expression to the columns that users may search, which exclude the tags.
pub(super) fn in_text_columns(expression: &str) -> String {
    format!("{{content file_path parts}} : ({expression})")
}

/// Returns the characters of a text around the first match, as many as a preview has.
fn preview_around(text: &str, excerpt: &Excerpt, beginning: &str) -> String {
    let first = &excerpt.text[excerpt.marks[0].clone()];
    match text.find(first) {
        Some(at) if text[..at].chars().count() + first.chars().count() > PREVIEW => {
            let before = text[..at].chars().rev().take(PREVIEW_BEFORE).count();
            let start =
                text[..at].char_indices().rev().nth(before.saturating_sub(1)).map_or(at, |(start, _)| start);
            text[start..].chars().take(PREVIEW).collect()
        }
        _ => beginning.to_owned(),
    }
}

fn parse_excerpt(marked: &str) -> Excerpt {
    let mut excerpt = Excerpt { text: String::with_capacity(marked.len()), marks: Vec::new() };
    let mut start = 0;
    for c in marked.chars() {
        match MARKS.iter().position(|mark| *mark == c) {
            Some(0) => start = excerpt.text.len(),
            Some(_) => excerpt.marks.push(start..excerpt.text.len()),
            None => excerpt.text.push(c),
        }
    }
    excerpt
}

#[cfg(test)]
mod tests;

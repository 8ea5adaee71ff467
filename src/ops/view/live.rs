//! What happened since the page last looked: new hook calls, new marks, and what should be asked again.
//!
//! Files are compared by length, time and identity, which costs next to nothing; they are read only if one of them
//! changed. Nobody calls this unless a page follows.

use std::path::{Path, PathBuf};

use super::feed;
use super::lanes::{self, Lane};
use super::request::{QuestionError, ViewError, ViewRequest};
use super::shown::Shown;
use super::stop::QueryStop;
use crate::api::view::{HookRowView, LaneView, MarksView};
use crate::config::paths;
use crate::journal::trace::TracePosition;
use crate::model::SessionQuery;
use crate::ops::why;
use crate::system::clock;
use crate::system::rule_files::Stamp;

/// Hook calls that are sent at once; more of them mean that the page asks again.
const MAX_HOOKS: usize = 20;
/// After the memory was read, it is left alone for this many looks: reading it stores what hooks wrote down, and hooks
/// that come one after the other would wait for that again and again. Marks arrive within two seconds all the same.
const LOOKS_BETWEEN: u32 = 4;
/// Sessions whose marks are sent at once.
const MAX_SESSIONS: usize = 10;
/// The marks of a failure and of a call that a rule blocked.
const FAILED: u8 = 4;
const BLOCKED: u8 = 6;
/// Carries of the last hours are sent along, in milliseconds.
const CARRIES_MS: i64 = 6 * 3_600_000;

/// Something that a page that follows is told.
#[derive(Debug)]
pub(crate) enum LiveEvent {
    Hook(Box<HookRowView>),
    Marks(Box<MarksView>),
    /// These answers are no longer right.
    Stale(Vec<&'static str>),
    /// Too much happened, or something that only a new question can show.
    Resync,
}

/// What a page that follows has seen.
pub(crate) struct LiveWatch {
    instance: String,
    project: Option<PathBuf>,
    trace: TracePosition,
    last_id: i64,
    last_told: i64,
    stamps: LiveStamps,
    hints: u64,
    /// Looks until the memory may be read again, and whether there is something to read.
    rest: u32,
    is_behind: bool,
}

/// When the files were last changed.
#[derive(Debug, Clone, PartialEq, Default)]
struct LiveStamps {
    trace: Vec<Option<Stamp>>,
    memory: Vec<Option<Stamp>>,
    rules: Vec<Option<Stamp>>,
    plan: Vec<Option<Stamp>>,
    notes: Vec<Option<Stamp>>,
}

impl LiveWatch {
    /// Begins to follow, at the end or where an earlier stream of the same server ended. Returns whether the page has to
    /// ask again first.
    pub(crate) fn begin(
        request: &ViewRequest,
        instance: &str,
        hints: u64,
    ) -> Result<(LiveWatch, bool), ViewError> {
        let project = request.text("project").map(PathBuf::from);
        let mut watch = LiveWatch {
            instance: instance.to_owned(),
            stamps: LiveStamps::look(project.as_deref()),
            project,
            trace: TracePosition::end(),
            last_id: 0,
            last_told: 0,
            hints,
            rest: 0,
            is_behind: false,
        };
        if let Some(reader) = QueryStop::default().memory()? {
            (watch.last_id, watch.last_told) = reader.ask(crate::store::Reader::newest_ids)?;
        }
        let Some(after) = request.text("after") else { return Ok((watch, false)) };
        let Some((offset, id)) = parse_cursor(after, instance) else { return Ok((watch, true)) };
        let is_known = watch.trace.go_back(offset) && id <= watch.last_id;
        if is_known {
            watch.last_id = id;
            watch.stamps = LiveStamps::default();
        }
        Ok((watch, !is_known))
    }

    /// Returns where the next stream continues.
    pub(crate) fn cursor(&self) -> String {
        format!("{}.{}.{}", self.instance, self.trace.offset(), self.last_id)
    }

    /// Returns what happened since the last look; nothing is read if nothing has changed.
    pub(crate) fn look(&mut self, hints: u64) -> Vec<LiveEvent> {
        let now = LiveStamps::look(self.project.as_deref());
        let mut stale = Vec::new();
        let before = std::mem::replace(&mut self.stamps, now.clone());
        if before.rules != now.rules {
            stale.push("rules");
        }
        if before.plan != now.plan {
            stale.push("plan");
        }
        if before.notes != now.notes {
            stale.push("notes");
        }
        if std::mem::replace(&mut self.hints, hints) != hints {
            stale.push("hints");
        }
        let mut events = Vec::new();
        if before.trace != now.trace {
            events.extend(self.new_hooks());
        }
        self.is_behind |= before.memory != now.memory || before.trace != now.trace;
        self.rest = self.rest.saturating_sub(1);
        if self.is_behind && self.rest == 0 {
            self.rest = LOOKS_BETWEEN;
            // If the memory is busy, it is looked at again.
            if let Ok(marks) = self.new_marks() {
                self.is_behind = false;
                events.extend(marks);
            }
        }
        let has = |kind: u8| {
            let of_kind = |event: &LiveEvent| matches!(event, LiveEvent::Marks(marks) if marks.marks.iter().any(|mark| mark.1 == kind));
            events.iter().any(of_kind)
        };
        if has(FAILED) {
            stale.push("walls");
        }
        if has(BLOCKED) && !stale.contains(&"rules") {
            stale.push("rules");
        }
        if !stale.is_empty() {
            events.push(LiveEvent::Stale(stale));
        }
        if events.iter().any(|event| matches!(event, LiveEvent::Resync)) {
            return vec![LiveEvent::Resync];
        }
        events
    }

    fn new_hooks(&mut self) -> Vec<LiveEvent> {
        let Some(traces) = self.trace.follow() else { return vec![LiveEvent::Resync] };
        if traces.len() > MAX_HOOKS {
            return vec![LiveEvent::Resync];
        }
        let shown = Shown::new();
        let root = self.project.as_deref().map(crate::ops::trace::shown_project);
        let is_wanted =
            |project: &str| root.as_deref().is_none_or(|root| project == root || project.is_empty());
        let wanted = traces.iter().filter(|trace| is_wanted(&trace.project));
        wanted.map(|trace| LiveEvent::Hook(Box::new(feed::row(trace, &shown)))).collect()
    }

    fn new_marks(&mut self) -> Result<Vec<LiveEvent>, ViewError> {
        let Some(reader) = QueryStop::default().memory()? else { return Ok(Vec::new()) };
        // To open it stored what was waiting, which is no news.
        self.stamps.memory = LiveStamps::memory();
        let shown = Shown::new();
        let (last_id, last_told) = (self.last_id, self.last_told);
        let (newest, events) = reader.ask(|reader| -> Result<_, QuestionError> {
            let newest = reader.newest_ids()?;
            // Another database has this name now.
            if newest.0 < last_id || newest.1 < last_told {
                return Ok((newest, vec![LiveEvent::Resync]));
            }
            let sessions = reader.sessions_since(last_id, last_told, MAX_SESSIONS + 1)?;
            if sessions.len() > MAX_SESSIONS {
                return Ok((newest, vec![LiveEvent::Resync]));
            }
            let folders = match &self.project {
                Some(root) => Some(reader.folder_ids(&root.to_string_lossy())?),
                None => None,
            };
            let mut events = Vec::new();
            for id in sessions {
                let Some(session) = reader.counted_session(&id)? else { continue };
                let root = session.project_root.as_deref().map(Path::new);
                if self.project.is_some() && root != self.project.as_deref() {
                    continue;
                }
                let Lane { lane, subs, arcs } = lanes::lane(reader, &session, &shown)?;
                let now = clock::timestamp().0;
                let query = SessionQuery {
                    folders: folders.clone(),
                    from: now - CARRIES_MS / 1_000,
                    to: now + 60,
                    ..SessionQuery::default()
                };
                let carries = lanes::carries(reader, &query, &shown, |carry| carry.session == id)?;
                let carries: Vec<_> = carries.into_iter().map(|(_, view)| view).collect();
                for (at, lane) in std::iter::once(lane).chain(subs).enumerate() {
                    let is_new = |mark: &&crate::api::view::MarkView| {
                        if mark.1 == 7 { mark.2 > last_told } else { mark.2 > last_id }
                    };
                    let marks: Vec<_> = lane.marks.iter().flatten().filter(is_new).copied().collect();
                    if marks.is_empty() {
                        continue;
                    }
                    events.push(LiveEvent::Marks(Box::new(MarksView {
                        session: lane.id.clone(),
                        marks,
                        arcs: if at == 0 { arcs.clone() } else { Vec::new() },
                        carries: if at == 0 { carries.clone() } else { Vec::new() },
                        lane: LaneView { marks: None, ..lane },
                    })));
                }
            }
            Ok((newest, events))
        })?;
        (self.last_id, self.last_told) = newest;
        Ok(events)
    }
}

impl LiveStamps {
    fn memory() -> Vec<Option<Stamp>> {
        let beside = |ending: &str| {
            paths::database().map(|path| {
                let mut name = path.into_os_string();
                name.push(ending);
                PathBuf::from(name)
            })
        };
        let memory = [
            paths::database(),
            beside("-wal"),
            paths::spool_dir(),
            paths::spool_dir().map(|dir| dir.join("waiting.jsonl")),
        ];
        memory.into_iter().flatten().map(|path| Stamp::at(&path)).collect()
    }

    fn look(project: Option<&Path>) -> LiveStamps {
        let at = |path: PathBuf| Stamp::at(&path);
        let in_project = |names: &[&str]| match project {
            Some(root) => names.iter().map(|name| at(root.join(name))).collect(),
            None => Vec::new(),
        };
        let mut rules = in_project(&[".nudge.yaml", ".nudge.yml", ".nudge"]);
        rules.extend(paths::user_config_dir().map(|folder| at(folder.join("rules.yaml"))));
        LiveStamps {
            trace: why::stamps(),
            memory: LiveStamps::memory(),
            rules,
            plan: in_project(&[
                ".nexus/state",
                ".nexus/state/plan.json",
                ".nexus/state/tasks.json",
                ".nexus/history.json",
            ]),
            notes: in_project(&[".nexus/memory"]),
        }
    }
}

/// Parses the place of an earlier stream: the trace's offset and the last observation.
fn parse_cursor(cursor: &str, instance: &str) -> Option<(u64, i64)> {
    let mut parts = cursor.split('.');
    let (named, offset, id) = (parts.next()?, parts.next()?, parts.next()?);
    (named == instance && parts.next().is_none()).then_some(())?;
    Some((offset.parse().ok()?, id.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::parse_cursor;

    #[test]
    fn a_cursor_is_of_this_server_only() {
        assert_eq!(parse_cursor("abc.120.7", "abc"), Some((120, 7)));
        for wrong in ["", "abc", "abc.120", "abd.120.7", "abc.x.7", "abc.120.7.1", "abc.-1.7"] {
            assert_eq!(parse_cursor(wrong, "abc"), None, "{wrong}");
        }
    }
}

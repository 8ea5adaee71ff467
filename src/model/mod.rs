//! The shared data types: events, verdicts, observations, hints, plans and problems.
//!
//! Plain data without any I/O; all other modules use these types.

mod ability;
mod agent;
mod allowance;
mod colleague;
mod connection;
mod count;
mod deed;
mod document;
mod event;
mod hint;
mod hint_context;
mod hint_flaw;
mod hint_import;
mod hint_match;
mod hint_origin;
mod hint_push;
mod hint_scope;
mod history;
mod knowledge;
mod literals;
mod machine;
mod mode;
mod note;
mod observation;
mod page_scope;
mod patch;
mod path;
mod pause;
mod plan;
mod problem;
mod quote;
mod recollection;
pub(crate) mod repo;
mod repository_id;
mod search;
mod session_fact;
mod sessions;
mod sha256;
mod sharing;
mod source;
mod stream;
mod target;
mod task;
mod team;
mod text;
mod timestamp;
mod todo;
mod told;
mod tool_name;
mod trace;
mod trap;
mod verdict;
mod viewed;

pub(crate) use ability::{Abilities, Ability, Asking};
pub(crate) use agent::{AgentStatus, TrackedAgent};
pub(crate) use allowance::{Grant, WaitingCall};
pub(crate) use colleague::{
    ArrivedCount, ArrivedLot, ArrivedRow, ColleagueHit, ColleagueRow, HeldRow, KnownStream, LotPlace,
    RowAuthor, StreamRecord, TeamState,
};
pub(crate) use connection::{AgentFile, ConfigEntry, Connection, Content, InstallScope, Proof};
pub(crate) use count::counted;
pub(crate) use deed::{DeedArcs, DeedRow, deed_arcs};
pub(crate) use document::{is_marked_document, is_pristine_document, marked_document};
pub(crate) use event::{
    CallNews, Event, Hook, RefusedCall, Replacement, SessionId, ToolAction, ToolCall, ToolResult, refusal_id,
};
pub(crate) use hint::{
    Hint, HintMeta, HintSource, HintValue, Sensitivity, Shell, TemplateFormat, TypedValue, written,
};
pub(crate) use hint_context::{Fact, HintContext};
pub(crate) use hint_flaw::{HintCode, HintFlaw};
pub(crate) use hint_import::{ImportMode, ImportReport, ImportStage, SkippedHint};
pub(crate) use hint_match::{HintCandidate, MatchExplain};
pub(crate) use hint_origin::HintOrigin;
pub(crate) use hint_push::{HintSuggestion, PushTrigger};
pub(crate) use hint_scope::{HintScope, Os};
pub(crate) use history::{Cycle, CycleExtension, History, HistoryExtension};
pub(crate) use knowledge::{Knowledge, OWN_BOARD};
pub(crate) use literals::Literals;
pub(crate) use machine::{
    KnownMachine, MachineKey, PeerKind, SyncLot, SyncMark, SyncPeer, TakenForgotten, TakenRows,
};
pub(crate) use mode::{Mode, ModeName, SessionModes};
pub(crate) use note::{Category, Note, Reads, tags};
pub(crate) use observation::{
    ALLOWED, ALLOWED_START, ANSWER, BLOCKED, EventKey, FAILED_TOOL, Metadata, NewObservation, Observation,
    ObservationId, ObservationType, Project, REFUSAL, TODO, printed_output,
};
pub(crate) use page_scope::PageScope;
pub(crate) use patch::{read_diff, read_patch};
pub(crate) use path::without_dots;
pub(crate) use pause::Pause;
pub(crate) use plan::{Consultation, Issue, IssueStatus, Plan, PlanOutline};
pub(crate) use problem::{FilePosition, Origin, Problem, Severity, Topic};
pub(crate) use quote::quoted;
pub(crate) use recollection::{
    AgentCount, FailureRow, FileCount, Forgotten, Inserted, Integrity, KnownProject, ProgramTime, Retention,
    Selection, SessionSummary, Stats, Timeline,
};
pub(crate) use repository_id::{Recognition, RepositoryId};
pub(crate) use search::{Excerpt, Filter, HitFacts, Order, Search, SearchHit, SearchPage};
pub(crate) use session_fact::SessionFact;
pub(crate) use sessions::OpenSessions;
pub(crate) use sha256::sha256_hex;
pub(crate) use sharing::{LeavingRecord, LeavingRow, RandomId, RecordKind, ShareLevel};
pub(crate) use source::{
    Backfilled, Pairing, PastRow, RowTexts, SourcePart, SourceRank, SourceState, UnknownRecords,
};
pub(crate) use stream::{PendingPush, ServerStream, StreamComparison, StreamState};
pub(crate) use target::Target;
pub(crate) use task::{ReusePolicy, Task, TaskOutlines, TaskStatus, Tasks};
pub(crate) use team::{AgentManner, Team, TeamRole, TeamSkill};
pub(crate) use text::{beginning, fnv1a, shortened};
pub(crate) use timestamp::{DAY, Timestamp};
pub(crate) use todo::{TodoChange, TodoItem, TodoState, changed_list, list_text};
pub(crate) use told::{TellRecord, Told, ToldCount, ToldOutcome, ToldPart};
pub(crate) use tool_name::{APPLY_PATCH, other_tool_names, usual_tool_names};
pub(crate) use trace::{ContextPart, Fate, Recorded, Trace, TracedTarget, TriedRule, VerdictKind};
pub(crate) use trap::Trap;
pub(crate) use verdict::{Outcome, Verdict};
pub(crate) use viewed::{
    BlockedCall, Carry, CountedSession, DaySessions, Delivery, FileEvent, MarkRow, RuleActivity,
    SessionOrder, SessionQuery, SessionTotals, ToldTotals, TurnFile,
};

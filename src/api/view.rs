//! The answers of the viewer's questions: what the page below `/ui/` gets, and what a report has in it.
//!
//! Times are milliseconds since 1970, in fields that end in `_ms`. Texts are redacted, cut and made visible before they
//! are put here (`ops/view/shown.rs`).

use serde::Serialize;

use super::list::MapWire;
use crate::model::PageScope;

/// An answer with its frame.
#[derive(Debug, Serialize)]
pub(crate) struct ViewAnswerWire<T> {
    pub(crate) v: u8,
    pub(crate) now_ms: i64,
    pub(crate) data: T,
}

#[derive(Debug, Serialize)]
pub(crate) struct ViewErrorWire<'e> {
    pub(crate) v: u8,
    pub(crate) error: ViewErrorBodyWire<'e>,
}

#[derive(Debug, Serialize)]
pub(crate) struct ViewErrorBodyWire<'e> {
    pub(crate) code: &'static str,
    pub(crate) message: &'e str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<&'e str>,
}

/// `meta`: what there is to look at.
#[derive(Debug, Serialize)]
pub(crate) struct MetaView {
    pub(crate) version: &'static str,
    pub(crate) instance: String,
    pub(crate) scope: PageScope,
    /// When the scope ends.
    pub(crate) until_ms: i64,
    pub(crate) projects: Vec<ProjectView>,
    pub(crate) agents: Vec<AgentView>,
    pub(crate) counts: CountsView,
    /// `null` for a type that is kept forever.
    pub(crate) retention_days: MapWire<Option<u32>>,
    /// The oldest observation.
    pub(crate) first_ms: Option<i64>,
}

#[derive(Debug, Serialize)]
pub(crate) struct ProjectView {
    pub(crate) name: String,
    pub(crate) root: Option<String>,
    pub(crate) last_ms: Option<i64>,
    pub(crate) observations: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct AgentView {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
}

/// The numbers beside the pages' names.
#[derive(Debug, Default, Serialize)]
pub(crate) struct CountsView {
    pub(crate) sessions: usize,
    pub(crate) walls: usize,
    pub(crate) rules: usize,
    pub(crate) rules_dead: usize,
    pub(crate) hints: usize,
    pub(crate) notes: usize,
    pub(crate) tasks_open: usize,
}

/// `feed`: hook calls, the newest first.
#[derive(Debug, Serialize)]
pub(crate) struct FeedView {
    pub(crate) rows: Vec<HookRowView>,
}

/// One hook call.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct HookRowView {
    pub(crate) id: String,
    pub(crate) at_ms: i64,
    pub(crate) us: u64,
    pub(crate) session: Option<String>,
    pub(crate) agent: String,
    pub(crate) project: String,
    pub(crate) hook: &'static str,
    pub(crate) tool: Option<String>,
    pub(crate) target: Option<String>,
    /// pass, guide, ask, block or lost.
    pub(crate) verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rule: Option<String>,
    /// block, ask, told, lost; else prompt, failed, command, edit, read or other.
    pub(crate) kind: &'static str,
    /// The parts of what was told, each with its characters.
    pub(crate) parts: Vec<(&'static str, usize)>,
    /// The characters of all of it.
    pub(crate) told: usize,
    /// The observations that it was made from.
    pub(crate) obs: Vec<i64>,
}

/// `why/ID`: what one hook call did, and why.
#[derive(Debug, Serialize)]
pub(crate) struct WhyView {
    pub(crate) row: HookRowView,
    pub(crate) tried: Vec<TriedRuleView>,
    /// Why other current rules were silent.
    pub(crate) others: Vec<OtherRuleView>,
    pub(crate) parts: Vec<ToldPartView>,
    /// What was remembered, in words.
    pub(crate) recorded: String,
    pub(crate) problems: Vec<String>,
    /// Whether `others` was found out today.
    pub(crate) reconstructed: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct TriedRuleView {
    pub(crate) rule: String,
    pub(crate) fate: &'static str,
    /// The field or condition that decided.
    pub(crate) field: Option<String>,
    /// The rule's file and line.
    pub(crate) place: Option<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct OtherRuleView {
    pub(crate) rule: String,
    pub(crate) why: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct ToldPartView {
    pub(crate) part: &'static str,
    pub(crate) chars: usize,
    pub(crate) rows: Vec<ToldRowView>,
}

/// A row that an agent was told about.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ToldRowView {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<i64>,
    pub(crate) kind: &'static str,
    pub(crate) text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) why: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) forgotten: bool,
}

/// An observation.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ObsView {
    pub(crate) id: i64,
    pub(crate) at_ms: i64,
    pub(crate) session: String,
    pub(crate) agent: Option<String>,
    /// The name of its mark: read, edit, command, prompt, failed, blocked, commit or other.
    pub(crate) kind: &'static str,
    pub(crate) r#type: &'static str,
    /// What it is about: a file, a command, the first line.
    pub(crate) subject: String,
    pub(crate) text: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) cut: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) program: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) exit: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) duration_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rule: Option<String>,
    pub(crate) pinned: bool,
}

/// `observation/ID`.
#[derive(Debug, Serialize)]
pub(crate) struct ObservationView {
    pub(crate) obs: ObsView,
    /// The first prompt of its session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    pub(crate) before: Vec<ObsView>,
    pub(crate) after: Vec<ObsView>,
    pub(crate) seen: SeenView,
    /// The steps that ended a failure; the last of them is the success.
    pub(crate) ended_by: Vec<ObsView>,
    /// The sessions that were told about it.
    pub(crate) told_to: Vec<String>,
}

/// How often the same was seen.
#[derive(Debug, Serialize)]
pub(crate) struct SeenView {
    pub(crate) n: usize,
    pub(crate) sessions: usize,
    pub(crate) agents: Vec<String>,
}

/// `overview`: the numbers of the first sentence.
#[derive(Debug, Serialize)]
pub(crate) struct OverviewView {
    pub(crate) agents: usize,
    pub(crate) sessions: usize,
    pub(crate) blocked: usize,
    pub(crate) guided: usize,
    pub(crate) carried: usize,
    pub(crate) carried_helped: usize,
    pub(crate) failures: usize,
    pub(crate) fixed: usize,
    pub(crate) open: usize,
    pub(crate) told: ToldTotalsView,
    pub(crate) hooks: HookTimesView,
}

#[derive(Debug, Default, Serialize)]
pub(crate) struct ToldTotalsView {
    pub(crate) deliveries: usize,
    pub(crate) chars: u64,
    /// About how many tokens that is.
    pub(crate) tokens: u64,
    pub(crate) parts: MapWire<u64>,
}

#[derive(Debug, Default, Serialize)]
pub(crate) struct HookTimesView {
    pub(crate) p50_us: u64,
    pub(crate) p95_us: u64,
    pub(crate) lost: usize,
}

/// `density`: marks by steps of time.
#[derive(Debug, Serialize)]
pub(crate) struct DensityView {
    pub(crate) from_ms: i64,
    pub(crate) step_ms: i64,
    pub(crate) all: Vec<usize>,
    pub(crate) failed: Vec<usize>,
    pub(crate) blocked: Vec<usize>,
}

/// A mark: milliseconds from the lane's start, kind, id, flags.
pub(crate) type MarkView = (i64, u8, i64, u8);

/// A session as a lane, or a row of the list.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct LaneView {
    pub(crate) id: String,
    pub(crate) project: Option<String>,
    /// The project's folder, to tell apart those of one name.
    pub(crate) root: Option<String>,
    pub(crate) agent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) parent: Option<String>,
    pub(crate) title: String,
    pub(crate) from_ms: i64,
    pub(crate) to_ms: i64,
    pub(crate) live: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) marks: Option<Vec<MarkView>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) open_failure: Option<OpenFailureView>,
    #[serde(flatten)]
    pub(crate) counts: Option<LaneCountsView>,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct LaneCountsView {
    pub(crate) prompts: usize,
    pub(crate) edits: usize,
    pub(crate) commands: usize,
    pub(crate) failed: usize,
    pub(crate) fixed: usize,
    pub(crate) blocked: usize,
    pub(crate) told_chars: u64,
    pub(crate) commits: usize,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct OpenFailureView {
    pub(crate) id: i64,
    pub(crate) since_ms: i64,
    pub(crate) tries: usize,
}

/// `lanes`: sessions with their marks, the newest first.
#[derive(Debug, Serialize)]
pub(crate) struct LanesView {
    pub(crate) sessions: Vec<LaneView>,
    /// Pairs of a failure and what ended it.
    pub(crate) arcs: Vec<(i64, i64)>,
    pub(crate) carries: Vec<CarryView>,
    pub(crate) more: bool,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct CarryView {
    pub(crate) fix_id: i64,
    pub(crate) fix_session: String,
    pub(crate) told_id: i64,
    pub(crate) session: String,
    pub(crate) at_ms: i64,
    /// `null` until the session has ended.
    pub(crate) helped: Option<bool>,
}

/// `sessions`: a list.
#[derive(Debug, Serialize)]
pub(crate) struct SessionsView {
    pub(crate) rows: Vec<LaneView>,
}

/// `session/ID`: a session by its turns.
#[derive(Debug, Serialize)]
pub(crate) struct SessionView {
    pub(crate) session: LaneView,
    pub(crate) subs: Vec<LaneView>,
    pub(crate) turns: Vec<TurnView>,
    pub(crate) files: Vec<SessionFileView>,
    /// What it was told at the start.
    pub(crate) told: Vec<ToldRowView>,
    pub(crate) told_chars: u64,
    pub(crate) marks: Vec<MarkView>,
    pub(crate) arcs: Vec<(i64, i64)>,
}

#[derive(Debug, Serialize)]
pub(crate) struct TurnView {
    pub(crate) n: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) prompt: Option<ObsView>,
    pub(crate) from_ms: i64,
    pub(crate) to_ms: i64,
    /// How many marks of each kind it has.
    pub(crate) counts: MapWire<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) items: Option<Vec<ItemView>>,
}

/// A step of a turn.
#[derive(Debug, Serialize)]
pub(crate) struct ItemView {
    #[serde(flatten)]
    pub(crate) obs: ObsView,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fold: Option<FoldView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fixed_by: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fixed_after_ms: Option<i64>,
    /// What it did after it was blocked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) instead: Option<i64>,
    /// A sentence beside it: what a rule said, or what was told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
    /// The characters of what was told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) chars: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) lines: Option<usize>,
    /// The rows of what was told.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) rows: Vec<ToldRowView>,
}

/// Several reads as one.
#[derive(Debug, Serialize)]
pub(crate) struct FoldView {
    pub(crate) kind: &'static str,
    pub(crate) n: usize,
    pub(crate) files: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct SessionFileView {
    pub(crate) path: String,
    pub(crate) edits: usize,
    pub(crate) failed: usize,
}

/// `search`.
#[derive(Debug, Default, Serialize)]
pub(crate) struct SearchView {
    pub(crate) took_us: u64,
    /// How many observations the hits stand for.
    pub(crate) total: usize,
    pub(crate) groups: usize,
    pub(crate) looked_for: Vec<LookedForView>,
    /// Words that are too common to be looked for.
    pub(crate) left_out: Vec<String>,
    pub(crate) kinds: MapWire<usize>,
    /// If more observations match than were ranked: from when on the hits are the best.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ranked_since_ms: Option<i64>,
    /// What other projects have.
    pub(crate) elsewhere: Vec<ElsewhereView>,
    pub(crate) hits: Vec<HitView>,
    /// Where the next page begins, if there may be one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next_offset: Option<usize>,
}

#[derive(Debug, Serialize)]
pub(crate) struct LookedForView {
    pub(crate) word: String,
    /// stem, exact, prefix or phrase.
    pub(crate) r#as: &'static str,
    /// How many hits the word alone has; only if nothing was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hits: Option<usize>,
}

#[derive(Debug, Serialize)]
pub(crate) struct ElsewhereView {
    pub(crate) project: String,
    pub(crate) n: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct HitView {
    pub(crate) kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<i64>,
    pub(crate) subject: String,
    pub(crate) excerpt: String,
    /// The matched words: positions in the excerpt, in UTF-16 units.
    pub(crate) marks: Vec<(usize, usize)>,
    pub(crate) n: usize,
    pub(crate) sessions: usize,
    pub(crate) agent: Option<String>,
    pub(crate) session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<String>,
    pub(crate) at_ms: Option<i64>,
    pub(crate) score: f64,
    /// all_words, in_file, known_fix or pinned.
    pub(crate) why: Vec<&'static str>,
}

/// `walls`: failures that came back.
#[derive(Debug, Default, Serialize)]
pub(crate) struct WallsView {
    pub(crate) rows: Vec<WallRowView>,
    /// Failures that were met in one session only.
    pub(crate) single: usize,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct WallRowView {
    pub(crate) key: String,
    pub(crate) program: String,
    pub(crate) signature: String,
    pub(crate) n: usize,
    pub(crate) sessions: usize,
    pub(crate) agents: Vec<String>,
    pub(crate) bars: Vec<usize>,
    pub(crate) last_ms: i64,
    pub(crate) open: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fix: Option<FixView>,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct FixView {
    pub(crate) steps: Vec<String>,
    pub(crate) worked: usize,
    pub(crate) of: usize,
    pub(crate) mean_ms: i64,
}

/// `wall/KEY`.
#[derive(Debug, Serialize)]
pub(crate) struct WallView {
    pub(crate) row: WallRowView,
    pub(crate) sample: Option<ObsView>,
    pub(crate) cases: Vec<WallCaseView>,
    pub(crate) steps: Vec<ObsView>,
    pub(crate) offers: Vec<OfferView>,
}

#[derive(Debug, Serialize)]
pub(crate) struct WallCaseView {
    pub(crate) session: String,
    pub(crate) agent: Option<String>,
    pub(crate) at_ms: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ended_ms: Option<i64>,
    pub(crate) id: i64,
}

/// Something that would keep a failure from coming back.
#[derive(Debug, Serialize)]
pub(crate) struct OfferView {
    /// rule or hint.
    pub(crate) kind: &'static str,
    pub(crate) title: String,
    pub(crate) text: String,
    pub(crate) command: String,
}

/// `files`.
#[derive(Debug, Default, Serialize)]
pub(crate) struct FilesView {
    pub(crate) rows: Vec<FileRowView>,
    /// Whether only the latest part of the range was read.
    pub(crate) is_part: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct FileRowView {
    pub(crate) path: String,
    pub(crate) edits: usize,
    pub(crate) sessions: usize,
    pub(crate) agents: Vec<String>,
    /// Failures in turns in which it was edited.
    pub(crate) failed: usize,
    pub(crate) last_ms: i64,
    pub(crate) bars: Vec<usize>,
}

/// `file?path=`.
#[derive(Debug, Default, Serialize)]
pub(crate) struct FileView {
    pub(crate) sessions: Vec<FileSessionView>,
    pub(crate) rules: Vec<String>,
    pub(crate) notes: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct FileSessionView {
    pub(crate) id: String,
    pub(crate) agent: Option<String>,
    pub(crate) title: String,
    pub(crate) at_ms: i64,
    pub(crate) edits: usize,
    pub(crate) obs: i64,
}

/// `rules`.
#[derive(Debug, Serialize)]
pub(crate) struct RulesView {
    pub(crate) rules: Vec<RuleView>,
    pub(crate) broken: Vec<BrokenFileView>,
    /// How many rule files there are.
    pub(crate) files: usize,
    /// The replay that runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) replaying: Option<ReplayProgressView>,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct RuleView {
    pub(crate) name: String,
    /// block, ask or guide.
    pub(crate) action: &'static str,
    pub(crate) enabled: bool,
    pub(crate) shadow: bool,
    pub(crate) hook: &'static str,
    pub(crate) tool: Option<String>,
    pub(crate) file: Option<String>,
    pub(crate) r#match: Option<String>,
    pub(crate) message: String,
    pub(crate) place: String,
    pub(crate) description: Option<String>,
    /// project, user or pack.
    pub(crate) source: &'static str,
    pub(crate) fired: usize,
    pub(crate) guided: usize,
    /// Of these, the calls about which a person was asked.
    pub(crate) asked: usize,
    /// Calls that it asked about, and that a person allowed.
    pub(crate) allowed: usize,
    pub(crate) obeyed: usize,
    pub(crate) insisted: usize,
    pub(crate) last_ms: Option<i64>,
    pub(crate) bars: Vec<usize>,
    /// Of the calls that it would have stopped in the replay, those that were right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) wrong: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) of: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) dead: Option<DeadRuleView>,
}

/// A rule that does not fire although it could.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct DeadRuleView {
    pub(crate) days: i64,
    /// How many events of its kind there were in that time.
    pub(crate) looked_at: usize,
    pub(crate) reason: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct BrokenFileView {
    pub(crate) file: String,
    /// The place in the file.
    pub(crate) frame: String,
    pub(crate) message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<String>,
}

/// `rule/NAME`.
#[derive(Debug, Serialize)]
pub(crate) struct RuleDetailView {
    pub(crate) rule: Option<RuleView>,
    pub(crate) firings: Vec<FiringView>,
    /// The last replay, if there was one since the server started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) replay: Option<ReplayView>,
}

/// What a rule would have done on the calls of the past.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ReplayView {
    pub(crate) days: i64,
    pub(crate) at_ms: i64,
    /// How many calls it was tried on, and of how many sessions.
    pub(crate) calls: usize,
    pub(crate) sessions: usize,
    /// How often it would have fired, also where there is no room for the case.
    pub(crate) fired: usize,
    /// In the order of time.
    pub(crate) cases: Vec<ReplayCaseView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct ReplayCaseView {
    pub(crate) at_ms: i64,
    /// Before it first fired.
    pub(crate) before_rule: bool,
    /// It would have stopped a call that worked, and whose result was still there at the end of the session.
    pub(crate) wrong: bool,
    pub(crate) target: String,
    pub(crate) session: Option<String>,
}

/// How far a replay is.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ReplayProgressView {
    pub(crate) job: u64,
    /// Bytes of transcripts.
    pub(crate) done: u64,
    pub(crate) of: u64,
    /// Whether it ended; its results are in the answers of `rules` and `rule/NAME`.
    pub(crate) ended: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct FiringView {
    pub(crate) row: HookRowView,
    pub(crate) next: NextView,
}

/// What followed a block.
#[derive(Debug, Serialize)]
pub(crate) struct NextView {
    /// obeyed, insisted or none.
    pub(crate) verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) after_ms: Option<i64>,
}

/// `try`: what rules do on a text.
#[derive(Debug, Serialize)]
pub(crate) struct TryView {
    pub(crate) outcomes: Vec<TryOutcomeView>,
}

#[derive(Debug, Serialize)]
pub(crate) struct TryOutcomeView {
    pub(crate) rule: String,
    /// block, ask, guide, silent or unevaluated.
    pub(crate) outcome: &'static str,
    pub(crate) message: String,
    pub(crate) lines: Vec<usize>,
}

/// `told`.
#[derive(Debug, Default, Serialize)]
pub(crate) struct ToldView {
    pub(crate) rows: Vec<DeliveryView>,
    /// Characters.
    pub(crate) by_part: MapWire<u64>,
    pub(crate) by_agent: MapWire<u64>,
    /// Parts that had no room, and how often; of the latest hook calls.
    pub(crate) left_out: Vec<LeftOutView>,
}

#[derive(Debug, Serialize)]
pub(crate) struct LeftOutView {
    pub(crate) part: &'static str,
    pub(crate) n: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct DeliveryView {
    pub(crate) id: i64,
    pub(crate) session: String,
    pub(crate) agent: String,
    pub(crate) at_ms: i64,
    pub(crate) hook: String,
    pub(crate) parts: Vec<DeliveredPartView>,
    pub(crate) tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) carried: Option<CarriedView>,
}

#[derive(Debug, Serialize)]
pub(crate) struct DeliveredPartView {
    pub(crate) part: String,
    pub(crate) chars: usize,
    /// The observations that it was made from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) rows: Vec<i64>,
}

#[derive(Debug, Serialize)]
pub(crate) struct CarriedView {
    pub(crate) fix_id: i64,
    pub(crate) helped: Option<bool>,
}

/// `hints`.
#[derive(Debug, Default, Serialize)]
pub(crate) struct HintsView {
    pub(crate) hints: Vec<HintView>,
    /// Whether a server has them.
    pub(crate) server: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct HintView {
    pub(crate) component: String,
    pub(crate) key: String,
    /// Not there for a secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) secret: bool,
    pub(crate) scope: String,
    pub(crate) score: f64,
    pub(crate) reasons: Vec<String>,
    /// Whether another variant of the key is used here.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) loses: bool,
    pub(crate) uses: u64,
    pub(crate) age_ms: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) until_ms: Option<i64>,
}

/// `notes`.
#[derive(Debug, Default, Serialize)]
pub(crate) struct NotesView {
    pub(crate) rows: Vec<NoteRowView>,
}

#[derive(Debug, Serialize)]
pub(crate) struct NoteRowView {
    pub(crate) name: String,
    pub(crate) category: String,
    /// The first line that says something.
    pub(crate) first: String,
    pub(crate) bytes: u64,
    pub(crate) reads: u64,
    /// 0 if it was never read.
    pub(crate) last_ms: i64,
    /// keep, merge, shorten or remove.
    pub(crate) advice: &'static str,
    pub(crate) reason: String,
}

/// `note/NAME`.
#[derive(Debug, Serialize)]
pub(crate) struct NoteView {
    pub(crate) name: String,
    pub(crate) text: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) cut: bool,
}

/// `plan`.
#[derive(Debug, Default, Serialize)]
pub(crate) struct PlanView {
    /// `plan.json`, as it is.
    pub(crate) plan: Option<serde_json::Value>,
    pub(crate) goal: String,
    pub(crate) tasks: Vec<serde_json::Value>,
    /// Ids by the longest path to them.
    pub(crate) layers: Vec<Vec<u64>>,
    /// The longest path of open tasks.
    pub(crate) longest: Vec<u64>,
    pub(crate) flaws: Vec<String>,
    /// What happened while a task was in progress.
    pub(crate) during: MapWire<Vec<ObsView>>,
    pub(crate) history: Vec<CycleView>,
}

#[derive(Debug, Serialize)]
pub(crate) struct CycleView {
    pub(crate) closed_ms: Option<i64>,
    pub(crate) topic: String,
    pub(crate) tasks: usize,
    pub(crate) done: usize,
    pub(crate) decisions: usize,
    pub(crate) branch: String,
}

/// `health`, without what `doctor` adds.
#[derive(Debug, Serialize)]
pub(crate) struct HealthView {
    pub(crate) histogram: Vec<HistogramBarView>,
    pub(crate) by_hook: Vec<HookLatencyView>,
    pub(crate) lost: usize,
    pub(crate) retention_days: MapWire<Option<u32>>,
    pub(crate) memory_bytes: u64,
}

/// Hooks that took up to this long, and longer than the bar before.
#[derive(Debug, Serialize)]
pub(crate) struct HistogramBarView {
    pub(crate) to_us: u64,
    pub(crate) n: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct HookLatencyView {
    /// `null` for all events together.
    pub(crate) hook: Option<&'static str>,
    pub(crate) count: usize,
    pub(crate) p50_us: u64,
    pub(crate) p95_us: u64,
    pub(crate) max_us: u64,
}

/// The first event of a stream.
#[derive(Debug, Serialize)]
pub(crate) struct HelloView {
    pub(crate) instance: String,
    pub(crate) now_ms: i64,
}

/// New marks of one lane.
#[derive(Debug, Serialize)]
pub(crate) struct MarksView {
    pub(crate) session: String,
    /// The lane, without its marks.
    pub(crate) lane: LaneView,
    pub(crate) marks: Vec<MarkView>,
    pub(crate) arcs: Vec<(i64, i64)>,
    pub(crate) carries: Vec<CarryView>,
}

/// Answers that are no longer right: rules, plan, hints, notes, walls or health.
#[derive(Debug, Serialize)]
pub(crate) struct StaleView<'s> {
    pub(crate) what: &'s [&'static str],
}

/// What forgetting would remove.
#[derive(Debug, Serialize)]
pub(crate) struct ForgetProposalView {
    pub(crate) count: usize,
    pub(crate) pinned: usize,
    pub(crate) sample: Vec<String>,
    /// To be sent back within a minute, with the same ids.
    pub(crate) proof: String,
}

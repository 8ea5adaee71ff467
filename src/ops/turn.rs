//! One event on its way through the program, with everything that the stages of a hook share.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::path::Path;
use std::sync::Arc;

use super::project;
use super::secret_patterns::{self, SecretPatterns};
use crate::config::settings::{self, Settings};
use crate::harness::Agent;
use crate::model::{
    Event, Hook, NewObservation, ObservationId, Problem, Project, SessionFact, SessionId, Trace,
};
use crate::redact::{OwnPatterns, redact};
use crate::system::budget::Budget;
use crate::system::project::ProjectPlace;

/// An event, where it happens, and what was found out about it so far.
pub(crate) struct Turn<'h> {
    pub(crate) event: Arc<Event>,
    pub(crate) agent: &'h Agent,
    /// Everything that the agent sent; empty for an event that no hook brought.
    pub(crate) payload: &'h [u8],
    /// The time that all stages have together.
    pub(crate) budget: Budget,
    pub(crate) place: ProjectPlace,
    pub(crate) settings: Settings,
    /// Read once for every stage that redacts: a pattern that one stage compiles is ready for the others.
    secrets: Result<OwnPatterns, String>,
    pub(crate) problems: Vec<Problem>,
    /// For `nudge why`.
    pub(crate) trace: Trace,
    /// What is remembered of the event; `None` if nothing may or can be remembered.
    pub(crate) observed: Option<Vec<NewObservation>>,
    /// The rows that the agent is shown.
    pub(crate) told_rows: Vec<ObservationId>,
    /// The rules that spoke of this event, now or earlier in the session.
    pub(crate) speaking_rules: Vec<String>,
    /// How long the call took that has just ended, for agents that do not say it.
    pub(crate) took_ms: Option<u64>,
    /// What happened in this event that rules ask about, and the session that keeps it; not redacted yet.
    pub(crate) session_news: Option<(SessionId, Vec<SessionFact>)>,
    /// What the user must know of the rules of this repository.
    pub(crate) news_for_user: Option<String>,
    project: OnceCell<Option<Project>>,
}

impl<'h> Turn<'h> {
    /// Begins with what can be known without reading a file of the project. Until `read_settings`, nothing may be stored.
    pub(crate) fn new(event: Event, agent: &'h Agent) -> Turn<'h> {
        let budget = Budget::of_hook();
        let unread = "the settings are not read yet";
        Turn {
            place: ProjectPlace::find(event.project.as_deref(), &event.cwd),
            event: Arc::new(event),
            agent,
            payload: &[],
            budget,
            settings: Settings {
                remember: false,
                unknown_because: Some(unread.to_owned()),
                ..Settings::default()
            },
            secrets: Err(unread.to_owned()),
            problems: Vec::new(),
            trace: Trace::default(),
            observed: None,
            told_rows: Vec::new(),
            speaking_rules: Vec::new(),
            took_ms: None,
            session_news: None,
            news_for_user: None,
            project: OnceCell::new(),
        }
    }

    /// Reads the settings of the user and of the project.
    pub(crate) fn read_settings(&mut self) {
        let (settings, problems) = settings::load(self.place.root());
        self.problems.extend(problems);
        self.secrets = secret_patterns::of(&settings);
        self.settings = settings;
    }

    /// Starts the time budget again, for a caller that is not a hook.
    pub(crate) fn renew_budget(&mut self) {
        self.budget = Budget::of_hook();
    }

    /// Returns the patterns for secrets of the user and of the project, or what is wrong with them.
    pub(crate) fn secrets(&self) -> SecretPatterns<'_> {
        self.secrets.as_ref().map_err(String::as_str)
    }

    /// Returns the project that the event belongs to.
    pub(crate) fn project(&self) -> Option<&Project> {
        let find = || {
            let project = project::of_place(&self.place, &self.settings)?;
            // The events of a session that come later are in the same project.
            let begins = matches!(self.event.hook, Hook::SessionStart | Hook::UserPromptSubmit);
            Some(if begins { project::identified(project, &self.place, &self.settings) } else { project })
        };
        self.project.get_or_init(find).as_ref()
    }

    /// Returns the folder that paths are remembered relative to: the worktree, else the root of the project.
    pub(crate) fn root_of_paths(&self) -> Option<&Path> {
        let worktree = self.place.worktree().map(|worktree| worktree.root.as_path());
        worktree.or_else(|| self.project()?.root.as_deref().map(Path::new))
    }

    /// Redacts the names in the event, before anything is stored under them.
    pub(crate) fn redact_names(&mut self) {
        let none = OwnPatterns::default();
        let own = self.secrets.as_ref().unwrap_or(&none);
        let event = &self.event;
        let session = event.session.as_ref().map(|session| &session.0);
        let all = [session, event.agent_id.as_ref(), event.agent_type.as_ref()];
        let all: Vec<&str> = all.into_iter().flatten().map(String::as_str).collect();
        // Nearly every event has no secret in its names, and one search over all of them settles that.
        if redact(&all.join("\n"), own).kinds.is_empty() {
            return;
        }
        let event = Arc::make_mut(&mut self.event);
        let session = event.session.iter_mut().map(|session| &mut session.0);
        let names = session.chain(&mut event.agent_id).chain(&mut event.agent_type);
        for name in names {
            if let Cow::Owned(clean) = redact(name, own).text {
                *name = clean;
            }
        }
    }
}

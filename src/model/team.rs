//! The agents and skills that nudge brings along, before they are written in the form of a coding agent.

/// All roles and skills.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Team {
    pub(crate) roles: Vec<TeamRole>,
    pub(crate) skills: Vec<TeamSkill>,
}

/// An agent that the main conversation can start.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TeamRole {
    pub(crate) id: String,
    /// When to use it; the main conversation chooses by this.
    pub(crate) description: String,
    pub(crate) body: String,
    /// Whether it deserves the best model there is.
    pub(crate) is_high_tier: bool,
    pub(crate) edits_files: bool,
    /// Whether it may move tasks on and decide on plans; no role may add tasks.
    pub(crate) changes_tasks: bool,
    /// Whether its work is to run things: tests, programs.
    pub(crate) needs_shell: bool,
}

/// A procedure that the main conversation follows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TeamSkill {
    pub(crate) id: String,
    pub(crate) description: String,
    /// A few words, for a menu.
    pub(crate) summary: String,
    pub(crate) body: String,
    /// The tag that starts the same skill, as in `[plan]`.
    pub(crate) tag: Option<String>,
    /// Only the user starts it, never the model.
    pub(crate) is_manual: bool,
}

/// How an agent talks about other agents and about nudge's tools.
#[derive(Debug)]
pub(crate) struct AgentManner {
    /// What is before the name of a tool of nudge's server, as the model sees it.
    pub(crate) tool_prefix: &'static str,
    /// How the model finds such a tool that is not listed; empty if all are listed.
    pub(crate) tool_search: &'static str,
    /// How the main conversation starts an agent; the name of the agent follows.
    pub(crate) spawn: &'static str,
    /// The agent that takes any task.
    pub(crate) general: &'static str,
}

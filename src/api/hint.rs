//! The questions about hints, by name: what an agent calls over MCP, and anybody over JSON-RPC.

/// What can be asked of the hints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HintMethod {
    SetHint,
    GetHint,
    Query,
    DeleteHint,
    ListComponents,
    Bump,
    Export,
    Import,
    /// Our own: the names of the environment that stored scopes ask for.
    EnvNames,
    /// Our own: what a hook may put before an agent unasked.
    Suggest,
}

impl HintMethod {
    /// The eight of the seed, in its order; agents are offered these.
    pub(crate) const OFFERED: [HintMethod; 8] = [
        HintMethod::SetHint,
        HintMethod::GetHint,
        HintMethod::Query,
        HintMethod::DeleteHint,
        HintMethod::ListComponents,
        HintMethod::Bump,
        HintMethod::Export,
        HintMethod::Import,
    ];

    /// Returns the name of the tool: agents refuse a server whose tools have dots in their names.
    pub(crate) fn name(self) -> &'static str {
        match self {
            HintMethod::SetHint => "nudge_set_hint",
            HintMethod::GetHint => "nudge_get_hint",
            HintMethod::Query => "nudge_query",
            HintMethod::DeleteHint => "nudge_delete_hint",
            HintMethod::ListComponents => "nudge_list_components",
            HintMethod::Bump => "nudge_bump",
            HintMethod::Export => "nudge_export",
            HintMethod::Import => "nudge_import",
            HintMethod::EnvNames => "nudge_env_names",
            HintMethod::Suggest => "nudge_suggest",
        }
    }

    /// Finds a method by the tool's name, or as the seed writes it, with a dot.
    pub(crate) fn by_name(name: &str) -> Option<HintMethod> {
        let rest = name.strip_prefix("nudge.").or_else(|| name.strip_prefix("nudge_"))?;
        let own = [HintMethod::EnvNames, HintMethod::Suggest];
        HintMethod::OFFERED.into_iter().chain(own).find(|method| method.name()["nudge_".len()..] == *rest)
    }
}

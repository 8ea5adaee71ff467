//! The methods about hints, by name: agents call them over MCP, other programs over JSON-RPC.

/// The methods for hints.
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
    /// An addition of nudge: the names of the environment variables that stored scopes need.
    EnvNames,
    /// An addition of nudge: the hints that a hook may show an agent automatically.
    Suggest,
}

impl HintMethod {
    /// The seed's eight methods, in its order; agents are offered these.
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

    /// Finds a method by the tool's name, or by the seed's name, with a dot.
    pub(crate) fn by_name(name: &str) -> Option<HintMethod> {
        let rest = name.strip_prefix("nudge.").or_else(|| name.strip_prefix("nudge_"))?;
        let own = [HintMethod::EnvNames, HintMethod::Suggest];
        HintMethod::OFFERED.into_iter().chain(own).find(|method| method.name()["nudge_".len()..] == *rest)
    }
}

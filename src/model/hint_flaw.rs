//! Why a request about hints is refused: the seed's error code, and a message.

use serde_json::{Map, Value};

/// A refusal with its code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HintFlaw {
    pub(crate) code: HintCode,
    /// Never contains the value of a hint.
    pub(crate) detail: String,
    /// Details for programs: versions, candidates.
    pub(crate) data: Map<String, Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HintCode {
    NotFound,
    Invalid,
    Conflict,
    SecretRejected,
    ScopeInvalid,
    Quota,
}

impl HintCode {
    const ALL: [HintCode; 6] = [
        HintCode::NotFound,
        HintCode::Invalid,
        HintCode::Conflict,
        HintCode::SecretRejected,
        HintCode::ScopeInvalid,
        HintCode::Quota,
    ];

    pub(crate) fn by_number(number: i64) -> Option<HintCode> {
        HintCode::ALL.into_iter().find(|code| code.number() == number)
    }

    pub(crate) fn number(self) -> i64 {
        match self {
            HintCode::NotFound => 40401,
            HintCode::Invalid => 40001,
            HintCode::Conflict => 40901,
            HintCode::SecretRejected => 40002,
            HintCode::ScopeInvalid => 40003,
            HintCode::Quota => 42901,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            HintCode::NotFound => "E_NOT_FOUND",
            HintCode::Invalid => "E_INVALID",
            HintCode::Conflict => "E_CONFLICT",
            HintCode::SecretRejected => "E_SECRET_REJECTED",
            HintCode::ScopeInvalid => "E_SCOPE_INVALID",
            HintCode::Quota => "E_QUOTA",
        }
    }
}

impl HintFlaw {
    pub(crate) fn new(code: HintCode, detail: impl Into<String>) -> HintFlaw {
        HintFlaw { code, detail: detail.into(), data: Map::new() }
    }

    #[must_use]
    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> HintFlaw {
        self.data.insert(name.to_owned(), value.into());
        self
    }

    pub(crate) fn invalid(detail: impl Into<String>) -> HintFlaw {
        HintFlaw::new(HintCode::Invalid, detail)
    }

    pub(crate) fn scope(detail: impl Into<String>) -> HintFlaw {
        HintFlaw::new(HintCode::ScopeInvalid, detail)
    }
}

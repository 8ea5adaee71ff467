//! An export of hints: it is written as it is read, while other questions are answered.

use std::io::{self, Write};

use jiff::Timestamp;

use super::HintService;
use crate::api::hints::{ExportRequest, ExportWire};
use crate::hints::{HintName, HintTable, StoredHint, payload};

/// The hints of one point in time, shared with the service: a full store is not copied.
#[derive(Debug, Clone)]
pub(crate) struct HintExport {
    session_id: String,
    created_at: Timestamp,
    table: HintTable,
    request: ExportRequest,
    now: Timestamp,
}

impl HintService {
    pub(super) fn export(&mut self, request: ExportRequest, now: Timestamp) -> HintExport {
        let (session_id, created_at) = (self.session_id.clone(), self.created_at);
        let table = match &request.context {
            None => self.table.clone(),
            Some(context) => {
                self.kept.refresh(context, &self.limits, now);
                self.kept.view(&self.table, context, now).into_owned()
            }
        };
        HintExport { session_id, created_at, table, request, now }
    }
}

impl HintExport {
    /// Writes the answer, hint by hint.
    pub(crate) fn write(&self, out: impl Write) -> io::Result<()> {
        let exported = self.selected().filter(|(_, kept)| !self.is_left_out(kept));
        let payload = payload(&self.session_id, self.created_at, exported);
        let skipped_secrets = self.selected().filter(|(_, kept)| self.is_left_out(kept)).count();
        Ok(serde_json::to_writer(out, &ExportWire { payload, skipped_secrets })?)
    }

    fn selected(&self) -> impl Iterator<Item = (HintName<'_>, &StoredHint)> {
        let component = self.request.component.as_deref();
        let is_selected = move |place: HintName<'_>| component.is_none_or(|wanted| wanted == place.component);
        self.table.all(self.now).filter(move |(place, _)| is_selected(*place))
    }

    fn is_left_out(&self, kept: &StoredHint) -> bool {
        kept.hint.is_secret() && !self.request.include_secrets
    }
}

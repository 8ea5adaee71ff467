//! All hints on their way out: written as they are read, by whoever asked, while others go on asking.

use std::io::{self, Write};

use jiff::Timestamp;

use super::HintService;
use crate::api::{ExportRequest, ExportWire};
use crate::hints::{Kept, Place, Shelf, payload};

/// The hints of one moment. It shares them with the desk: a full store is not there twice.
#[derive(Debug, Clone)]
pub(crate) struct Export {
    session_id: String,
    created_at: Timestamp,
    shelf: Shelf,
    request: ExportRequest,
    now: Timestamp,
}

impl HintService {
    pub(super) fn export(&self, request: ExportRequest, now: Timestamp) -> Export {
        let (session_id, created_at) = (self.session_id.clone(), self.created_at);
        Export { session_id, created_at, shelf: self.shelf.clone(), request, now }
    }
}

impl Export {
    /// Writes the answer, hint by hint.
    pub(crate) fn write(&self, out: impl Write) -> io::Result<()> {
        let told = self.meant().filter(|(_, kept)| !self.is_left_out(kept));
        let payload = payload(&self.session_id, self.created_at, told);
        let skipped_secrets = self.meant().filter(|(_, kept)| self.is_left_out(kept)).count();
        Ok(serde_json::to_writer(out, &ExportWire { payload, skipped_secrets })?)
    }

    fn meant(&self) -> impl Iterator<Item = (Place<'_>, &Kept)> {
        let component = self.request.component.as_deref();
        let is_meant = move |place: Place<'_>| component.is_none_or(|wanted| wanted == place.component);
        self.shelf.all(self.now).filter(move |(place, _)| is_meant(*place))
    }

    fn is_left_out(&self, kept: &Kept) -> bool {
        kept.hint.is_secret() && !self.request.include_secrets
    }
}

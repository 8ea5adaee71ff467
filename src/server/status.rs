//! What a PRIMARY says about itself.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::hub::Hub;
use super::saver::Saver;
use crate::api::status::{ClientsWire, HealthWire, ServerStatusWire};
use crate::peers::Address;

/// What `/health` and `nudge.status` report.
pub(super) struct ServerStatus {
    pub(super) hub: Arc<Hub>,
    pub(super) saver: Arc<Saver>,
    pub(super) address: Address,
    pub(super) runtime_dir: PathBuf,
    /// Distinguishes the folder from another one with the same path.
    pub(super) runtime_id: String,
    pub(super) uptime: Box<dyn Fn() -> Duration + Send + Sync>,
}

impl ServerStatus {
    /// Identifies the server. It must be cheap, because every client asks for it first.
    pub(super) fn health(&self) -> HealthWire {
        HealthWire {
            status: "ok".to_owned(),
            mode: "PRIMARY".to_owned(),
            pid: self.address.pid,
            port: self.address.port,
            instance: self.address.instance.clone(),
            version: self.address.version.clone(),
            started: self.address.started.clone(),
            runtime_dir: self.runtime_dir.display().to_string(),
            runtime_id: self.runtime_id.clone(),
            generation: self.hub.generation(),
            snapshot_generation: self.saver.generation(),
        }
    }

    /// Returns everything that a person may want to know.
    pub(super) fn details(&self, clients: ClientsWire) -> ServerStatusWire {
        ServerStatusWire {
            health: self.health(),
            uptime_seconds: (self.uptime)().as_secs(),
            clients,
            memory_bytes: resident_bytes(),
            hints: self.hub.counts(),
        }
    }
}

/// Returns the RAM that the process uses, where the system says so.
fn resident_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().trim_end_matches(" kB").parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}

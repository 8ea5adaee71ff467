//! What it takes to lead: the lock, the hints, a port, and the address that tells others.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use super::Options;
use super::backend::Backend;
use super::http::{self, Door, Listeners};
use super::hub::Hub;
use super::log::Level;
use super::saver::Saver;
use crate::config::clock;
use crate::model::Problem;
use crate::ops::hints::Desk;
use crate::ops::problems;
use crate::runtime::{self, Address, Folder, Primacy};

/// A PRIMARY at work.
pub(super) struct Lead {
    hub: Arc<Hub>,
    saver: Arc<Saver>,
    door: Arc<Door>,
    address: Address,
    token: String,
    tasks: Vec<JoinHandle<()>>,
    serving: JoinHandle<()>,
    folder: Folder,
    primacy: Primacy,
}

/// How a PRIMARY goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Parting {
    /// Its client has gone; who is left goes on with the hints.
    HandOver,
    /// A person has ended the session.
    Stop,
}

/// What `/health` and `nudge.status` tell.
pub(super) struct Standing {
    pub(super) hub: Arc<Hub>,
    pub(super) saver: Arc<Saver>,
    pub(super) address: Address,
    pub(super) runtime_dir: PathBuf,
    /// Tells the folder from another one with the same path.
    pub(super) runtime_id: String,
    pub(super) uptime: Box<dyn Fn() -> Duration + Send + Sync>,
}

/// So many ports are tried, counting up.
const PORTS: u16 = 20;
const SWEEP_EVERY: Duration = Duration::from_secs(30);

impl Lead {
    /// Takes the lead: goes on from the session's snapshot, listens, and tells where.
    pub(super) async fn take(
        primacy: Primacy,
        options: &Options,
        folder: &Folder,
        backend: &Arc<Backend>,
        stop: &Arc<Notify>,
    ) -> Result<Lead, String> {
        let mut desk = Desk::open(options.limits.clone(), clock::moment())?;
        restore(&mut desk, folder, options);
        let before = Address::read(folder).map(|address| address.port);
        let listener = listen(before, options.port).await?;
        let port = listener.local_addr().map_err(|error| error.to_string())?.port();
        let address = Address {
            pid: std::process::id(),
            port,
            started: clock::moment().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            instance: runtime::id(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let token = runtime::id();
        let hub = Arc::new(Hub::new(desk));
        let saver = Arc::new(Saver::new(Arc::clone(&hub), folder.clone()));
        let standing = Standing {
            hub: Arc::clone(&hub),
            saver: Arc::clone(&saver),
            address: address.clone(),
            runtime_dir: folder.path().to_owned(),
            runtime_id: folder.identity(),
            uptime: Box::new(clock::stopwatch()),
        };
        let door =
            Arc::new(Door::new(standing, Arc::clone(backend), token.clone(), options, Arc::clone(stop)));
        let listeners = Listeners::open(listener, folder);
        let written = folder.write_token(&token).and_then(|()| address.write(folder));
        written.map_err(|error| format!("cannot write to {}: {error}", folder.path().display()))?;
        backend.lead(Arc::clone(&hub));
        let serving = tokio::spawn(http::serve(listeners, Arc::clone(&door)));
        let tasks = vec![tokio::spawn(Arc::clone(&saver).run()), tokio::spawn(sweep(Arc::clone(&hub)))];
        Ok(Lead { hub, saver, door, address, token, tasks, serving, folder: folder.clone(), primacy })
    }

    pub(super) fn address(&self) -> &Address {
        &self.address
    }

    /// Stops serving, and leaves the hints to who comes next, or to nobody. The lock goes last.
    pub(super) async fn leave(self, parting: Parting) -> Primacy {
        self.door.close();
        drop(self.serving.await);
        let last = self.saver.finish(self.hub.close(), parting == Parting::HandOver);
        if let Err(error) = last {
            problems::record(&[Problem::error(format!("the hints were not handed over: {error}"))]);
        }
        self.tasks.iter().for_each(JoinHandle::abort);
        self.address.remove(&self.folder);
        self.folder.remove_socket();
        self.folder.remove_token(&self.token);
        self.primacy
    }
}

/// Goes on from what the PRIMARY before has left in this session.
fn restore(desk: &mut Desk, folder: &Folder, options: &Options) {
    let Some(snapshot) = folder.snapshot() else { return };
    if let Err(reason) = desk.restore(snapshot, clock::moment()) {
        let message = format!("the session's hints cannot be read, and are lost: {reason}");
        options.log.line(Level::Error, &message);
        problems::record(&[Problem::error(message)]);
    }
}

/// Listens on this machine only: where the PRIMARY before did, else on the first free port from the one that is named.
async fn listen(before: Option<u16>, first: u16) -> Result<TcpListener, String> {
    let ports = (0..PORTS).filter_map(|step| first.checked_add(step));
    for port in before.into_iter().chain(ports) {
        if let Ok(listener) = TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, port)).await {
            return Ok(listener);
        }
    }
    // Who takes over must not fail for want of a port: the address says where it is.
    if before.is_some()
        && let Ok(listener) = TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, 0)).await
    {
        return Ok(listener);
    }
    Err(format!("the ports {first} to {} are taken", first.saturating_add(PORTS - 1)))
}

async fn sweep(hub: Arc<Hub>) {
    loop {
        tokio::time::sleep(SWEEP_EVERY).await;
        let hub = Arc::clone(&hub);
        drop(tokio::task::spawn_blocking(move || hub.sweep()).await);
    }
}

impl Standing {
    /// Tells who this is; cheap, since everybody asks it first.
    pub(super) fn health(&self) -> Value {
        json!({
            "status": "ok",
            "mode": "PRIMARY",
            "pid": self.address.pid,
            "port": self.address.port,
            "instance": self.address.instance,
            "version": self.address.version,
            "started": self.address.started,
            "runtime_dir": self.runtime_dir.display().to_string(),
            "runtime_id": self.runtime_id,
            "generation": self.hub.generation(),
            "snapshot_generation": self.saver.generation(),
        })
    }

    /// Tells all that a person may want to know.
    pub(super) fn status(&self, connections: usize, proxies: usize) -> Value {
        let mut status = self.health();
        status["uptime_seconds"] = json!((self.uptime)().as_secs());
        status["clients"] = json!({ "connections": connections, "proxies": proxies });
        status["memory_bytes"] = json!(resident_bytes());
        status["hints"] = self.hub.counts();
        status
    }
}

/// Returns the memory that the process takes, where the system tells.
fn resident_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().trim_end_matches(" kB").parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}

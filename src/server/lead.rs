//! The PRIMARY: it has the lock, the hints, a port, and the address file by which others find it.

use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use super::Options;
use super::backend::Backend;
use super::http::{self, Credentials, HttpServer, Listeners};
use super::hub::Hub;
use super::log::Level;
use super::saver::Saver;
use super::status::ServerStatus;
use crate::model::Problem;
use crate::ops::hints::HintService;
use crate::ops::pages::access::PageAccess;
use crate::ops::problems;
use crate::peers::{self, Address, Folder, Primacy};
use crate::system::clock;

/// A running PRIMARY.
pub(super) struct Primary {
    hub: Arc<Hub>,
    saver: Arc<Saver>,
    server: Arc<HttpServer>,
    address: Address,
    token: String,
    tasks: Vec<JoinHandle<()>>,
    serving: JoinHandle<()>,
    folder: Folder,
    primacy: Primacy,
}

/// How a PRIMARY ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shutdown {
    /// Its client has disconnected; the next PRIMARY continues with the hints.
    HandOver,
    /// A person has ended the session.
    Stop,
}

/// How many ports are tried, counting up.
const MAX_PORTS: u16 = 20;
const SWEEP_INTERVAL: Duration = Duration::from_secs(30);

impl Primary {
    /// Becomes PRIMARY: restores the session's snapshot, listens, and publishes the address.
    pub(super) async fn take(
        primacy: Primacy,
        options: &Options,
        folder: &Folder,
        backend: &Arc<Backend>,
        stop: &Arc<Notify>,
    ) -> Result<Primary, String> {
        let mut service = HintService::open(options.limits.clone(), clock::moment())?;
        service.read_kept_files();
        let covered = restore(&mut service, folder, options);
        let before = Address::read(folder).map(|address| address.port);
        let listener = listen(before, options.port).await?;
        let port = listener.local_addr().map_err(|error| error.to_string())?.port();
        let address = Address {
            pid: std::process::id(),
            port,
            started: clock::moment().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            instance: peers::id(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let token = peers::id();
        let changes = folder.open_changes().inspect_err(|error| {
            let message =
                format!("nudge: changes are not logged, because the file cannot be opened: {error}");
            options.log.line(Level::Warn, message);
        });
        let hub = Arc::new(Hub::new(service, changes.ok(), options.log));
        let saver = Arc::new(Saver::new(Arc::clone(&hub), folder.clone(), covered));
        let status = ServerStatus {
            hub: Arc::clone(&hub),
            saver: Arc::clone(&saver),
            address: address.clone(),
            runtime_dir: folder.path().to_owned(),
            runtime_id: folder.identity(),
            uptime: Box::new(clock::stopwatch()),
        };
        let server = Arc::new(HttpServer::new(
            status,
            Arc::clone(backend),
            options,
            Credentials { token: token.clone(), pages: PageAccess::open(folder) },
            Arc::clone(stop),
        ));
        let listeners = Listeners::open(listener, folder);
        let written = folder.write_token(&token).and_then(|()| address.write(folder));
        written.map_err(|error| format!("cannot write to {}: {error}", folder.path().display()))?;
        backend.become_primary(Arc::clone(&hub));
        let serving = tokio::spawn(http::serve(listeners, Arc::clone(&server)));
        let tasks = vec![
            tokio::spawn(Arc::clone(&saver).run()),
            tokio::spawn(sweep(Arc::clone(&hub))),
            #[cfg(feature = "team")]
            tokio::spawn(super::sync::run(options.log)),
        ];
        Ok(Primary { hub, saver, server, address, token, tasks, serving, folder: folder.clone(), primacy })
    }

    pub(super) fn address(&self) -> &Address {
        &self.address
    }

    /// Stops serving, and hands the hints over or deletes them. The lock is released last.
    pub(super) async fn leave(self, shutdown: Shutdown) -> Primacy {
        self.server.close();
        drop(self.serving.await);
        let last = self.saver.finish(self.hub.close(), shutdown == Shutdown::HandOver);
        if let Err(error) = last {
            problems::record(&[Problem::error(format!(
                "the hints could not be handed over to the next server: {error}"
            ))]);
        }
        self.server.leave_pages(shutdown == Shutdown::HandOver);
        self.tasks.iter().for_each(JoinHandle::abort);
        self.address.remove(&self.folder);
        self.folder.remove_socket();
        self.folder.remove_token(&self.token);
        self.primacy
    }
}

/// Restores what the previous PRIMARY of this session has left: its snapshot, and the changes since. Returns the
/// generation that the snapshot covers.
fn restore(service: &mut HintService, folder: &Folder, options: &Options) -> u64 {
    if let Some(snapshot) = folder.snapshot()
        && let Err(reason) = service.restore(snapshot, clock::moment())
    {
        let message = format!("the session's hints are lost, because they cannot be read: {reason}");
        options.log.line(Level::Error, &message);
        problems::record(&[Problem::error(message)]);
    }
    let covered = service.generation();
    let replayed = folder.changes().filter(|line| service.replay(line)).count();
    options.log.line(Level::Debug, format!("nudge: {replayed} changes read after the snapshot"));
    covered
}

/// Listens on this machine only: on the previous PRIMARY's port, else on the first free port from the configured one.
async fn listen(before: Option<u16>, first: u16) -> Result<TcpListener, String> {
    let ports = (0..MAX_PORTS).filter_map(|step| first.checked_add(step));
    for port in before.into_iter().chain(ports) {
        if let Ok(listener) = TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, port)).await {
            return Ok(listener);
        }
    }
    // A server that takes over must not fail because all ports are in use: the address file says where it is.
    if before.is_some()
        && let Ok(listener) = TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, 0)).await
    {
        return Ok(listener);
    }
    Err(format!("the ports {first} to {} are in use", first.saturating_add(MAX_PORTS - 1)))
}

async fn sweep(hub: Arc<Hub>) {
    loop {
        tokio::time::sleep(SWEEP_INTERVAL).await;
        let hub = Arc::clone(&hub);
        drop(tokio::task::spawn_blocking(move || hub.sweep()).await);
    }
}

//! The long-lived process: it answers agents over MCP, and this user's programs over HTTP. All async code is here.
//!
//! The holder of the lock is PRIMARY: it keeps the hints and listens. All other servers are PROXYs: they forward
//! questions about hints, and one of them becomes PRIMARY when the PRIMARY exits. Every server reads observations from
//! the database itself.

mod alone;
mod answer_space;
mod backend;
mod forward;
mod http;
mod hub;
mod lead;
mod log;
mod mcp;
mod opening;
mod saver;
mod status;
#[cfg(feature = "team")]
mod sync;
mod tools;

use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;

use serde_json::Value;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Notify, oneshot};

use crate::api::ToolChoice;
use crate::model::Problem;
use crate::ops::hints::{HintLimits, HintService};
use crate::ops::observations::{backfill, remember};
use crate::ops::problems;
use crate::peers::{Folder, Membership, Primacy};
use crate::system::clock;
use backend::Backend;
use lead::{Primary, Shutdown};
pub(crate) use log::{Level, Log};

/// How to serve.
pub(crate) struct Options {
    /// The folder that says which project is the current one.
    pub(crate) cwd: PathBuf,
    /// Candidates for the runtime folder that all servers share; the first safe one is used.
    pub(crate) runtime_dirs: Vec<PathBuf>,
    pub(crate) port: u16,
    pub(crate) limits: HintLimits,
    /// The tools that the agent on stdin is offered; over HTTP there are those that need no project.
    pub(crate) tools: ToolChoice,
    /// Every caller must send the token.
    pub(crate) wants_token: bool,
    pub(crate) input: Input,
    pub(crate) log: Log,
}

/// What started the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Input {
    /// An agent, which speaks MCP on stdin. The server exits when stdin is closed.
    Agent,
    /// A person or a script. The server runs until it is stopped.
    Person,
}

/// Maximum number of questions that are answered at the same time. Each waits for the disk or the PRIMARY on its own
/// thread.
///
/// Where stdin and stdout are not pipes, they use two of these threads.
const MAX_THREADS: usize = 16;

/// Serves until the client disconnects, a signal arrives, or a person stops it. Returns an error if it cannot start.
pub(crate) fn run(options: &Options) -> Result<(), String> {
    if options.input == Input::Agent {
        catch_up(options);
    }
    // Every server checks the limits for hints, because each may become PRIMARY.
    let service = HintService::open(options.limits.clone(), clock::moment())?;
    let folder = match Folder::open(&options.runtime_dirs) {
        Ok(folder) => folder,
        Err(reason) => return alone::run(options, service, &reason),
    };
    let locked = |error: std::io::Error| format!("cannot lock in {}: {error}", folder.path().display());
    let membership = Membership::join(&folder).map_err(locked)?;
    let runtime = runtime()?;
    // There may be many rows of an older version. Nothing waits for them: what is not cleaned up today is cleaned up
    // later.
    std::thread::spawn(|| {
        drop(remember::clean_all());
        drop(remember::summarize(|| false));
    });
    let served = runtime.block_on(serve(options, &folder));
    // Questions that are still being answered have no reader any more.
    runtime.shutdown_background();
    // The last server removes all shared files before the lock is released.
    membership.leave();
    served.map(drop)
}

/// Reads what agents wrote down in this project while no hook was there. Nothing waits for it: what is not read now is
/// read at the next start.
fn catch_up(options: &Options) {
    let (cwd, log) = (options.cwd.clone(), options.log);
    std::thread::spawn(move || {
        if let Err(error) = backfill::catch_up(&cwd) {
            log.line(Level::Debug, format!("nudge: earlier sessions could not be read: {error}"));
        }
    });
}

/// One thread moves messages and never blocks: a question may wait seconds for the database, and a ping or the end of
/// the session must be noticed meanwhile.
fn runtime() -> Result<Runtime, String> {
    let runtime = Builder::new_current_thread().enable_all().max_blocking_threads(MAX_THREADS).build();
    runtime.map_err(|error| error.to_string())
}

/// Serves, and returns the lock if this server was PRIMARY at the end.
async fn serve(options: &Options, folder: &Folder) -> Result<Option<Primacy>, String> {
    let backend = Arc::new(Backend::new(folder.clone(), options.log));
    let stop = Arc::new(Notify::new());
    let (promote, mut promoted) = oneshot::channel();
    let mut is_waiting = false;
    let mut primary = None;
    match Primacy::try_take(folder).map_err(|error| error.to_string())? {
        Some(primacy) => {
            let taken = Primary::take(primacy, options, folder, &backend, &stop).await?;
            log_primary(options, &taken);
            primary = Some(taken);
        }
        None => {
            is_waiting = true;
            wait_for_primacy(folder.clone(), promote);
            tokio::spawn(greet(Arc::clone(&backend), options.log, options.input));
        }
    }
    let mut client = pin!(client(options, &backend));
    let mut ended = pin!(signals());
    let shutdown = loop {
        tokio::select! {
            () = &mut client => break Shutdown::HandOver,
            () = &mut ended => break Shutdown::HandOver,
            () = stop.notified() => break Shutdown::Stop,
            primacy = &mut promoted, if is_waiting => {
                is_waiting = false;
                let Ok(primacy) = primacy else { continue };
                match Primary::take(primacy, options, folder, &backend, &stop).await {
                    Ok(taken) => {
                        let port = taken.address().port;
                        let line = format!("nudge: the PRIMARY is gone; this server is PRIMARY now, on port {port}");
                        options.log.line(Level::Info, line);
                        primary = Some(taken);
                    }
                    // The lock is free again for another server. This one still answers questions about observations.
                    Err(reason) => {
                        let message = format!("this server could not become PRIMARY: {reason}");
                        options.log.line(Level::Error, format!("nudge: {message}"));
                        problems::record(&[Problem::error(message)]);
                    }
                }
            }
        }
    };
    match primary {
        Some(primary) => Ok(Some(primary.leave(shutdown).await)),
        None => Ok(None),
    }
}

async fn client(options: &Options, backend: &Arc<Backend>) {
    match options.input {
        Input::Agent => {
            mcp::serve(Arc::clone(backend), options.cwd.clone(), options.tools.clone()).await;
        }
        Input::Person => std::future::pending().await,
    }
}

/// Waits for the lock on its own thread: the kernel wakes one server as soon as the PRIMARY is gone.
fn wait_for_primacy(folder: Folder, promote: oneshot::Sender<Primacy>) {
    std::thread::spawn(move || {
        if let Ok(primacy) = Primacy::wait(&folder) {
            drop(promote.send(primacy));
        }
    });
}

/// Registers a PROXY with the PRIMARY, and shows a person which server that is.
async fn greet(backend: Arc<Backend>, log: Log, input: Input) {
    for _ in 0..100 {
        if let Some(health) = backend.greet().await {
            if input == Input::Person {
                log.line(Level::Info, proxy_line(&health));
            }
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
}

fn proxy_line(health: &Value) -> String {
    format!(
        "nudge: a PRIMARY is already running (pid {}, port {}); this server is a PROXY: it forwards questions, and \
         becomes PRIMARY when the other one exits. Ctrl-C stops it",
        health["pid"], health["port"],
    )
}

/// Agents show stderr as a log, so this message is only for a person.
fn log_primary(options: &Options, primary: &Primary) {
    let level = if options.input == Input::Person { Level::Info } else { Level::Debug };
    let port = primary.address().port;
    options.log.line(
        level,
        format!("nudge: PRIMARY on http://127.0.0.1:{port} (JSON-RPC on /rpc, MCP on /mcp, GET /health); `nudge stop` or Ctrl-C stops it"),
    );
    if port != options.port {
        options.log.line(level, format!("nudge: port {} is in use", options.port));
    }
}

/// Returns when the process is asked to end.
#[cfg(unix)]
async fn signals() {
    use tokio::signal::unix::{SignalKind, signal};
    let kinds = [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()];
    let [Ok(mut terminate), Ok(mut interrupt), Ok(mut hangup)] = kinds.map(signal) else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
        _ = hangup.recv() => {}
    }
}

#[cfg(not(unix))]
async fn signals() {
    drop(tokio::signal::ctrl_c().await);
}

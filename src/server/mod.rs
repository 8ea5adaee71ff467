//! The long-lived process: answers agents over MCP and anybody of ours over HTTP. The only home of async.
//!
//! Whoever holds the lock is PRIMARY: it keeps the hints and listens. All others are PROXYs: they pass questions about
//! hints on, and one of them leads when the PRIMARY goes. What was observed each of them looks up itself.

mod alone;
mod backend;
mod forward;
mod http;
mod hub;
mod lead;
mod log;
mod mcp;
mod opening;
mod saver;
mod surroundings;
mod tools;

use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;

use serde_json::Value;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Notify, oneshot};

use crate::config::clock;
use crate::model::Problem;
use crate::ops::hints::{Desk, HintLimits};
use crate::ops::{clean_up, problems};
use crate::runtime::{Folder, Membership, Primacy};
use backend::Backend;
use lead::{Lead, Parting};
pub(crate) use log::{Level, Log};

/// How to serve.
pub(crate) struct Options {
    /// The folder that says which project is the current one.
    pub(crate) cwd: PathBuf,
    /// Where servers meet, the first safe one.
    pub(crate) runtime_dirs: Vec<PathBuf>,
    pub(crate) port: u16,
    pub(crate) limits: HintLimits,
    /// Everybody must show the token.
    pub(crate) wants_token: bool,
    pub(crate) input: Input,
    pub(crate) log: Log,
}

/// Who started the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Input {
    /// An agent, which speaks MCP on stdin; it goes when that ends.
    Agent,
    /// A person or a script, who says when it ends.
    Person,
}

/// Questions that are answered at the same time; each waits for the disk or for the PRIMARY on a thread of its own.
///
/// Where stdin and stdout are no pipes, two of the threads are theirs.
const MOST_THREADS: usize = 16;

/// Serves until the client goes, a signal comes, or a person stops it; or says why it cannot.
pub(crate) fn run(options: &Options) -> Result<(), String> {
    // What holds for hints is looked at by every server: each may lead one day.
    let desk = Desk::open(options.limits.clone(), clock::moment())?;
    let folder = match Folder::open(&options.runtime_dirs) {
        Ok(folder) => folder,
        Err(reason) => return alone::run(options, desk, &reason),
    };
    let locked = |error: std::io::Error| format!("cannot lock in {}: {error}", folder.path().display());
    let membership = Membership::join(&folder).map_err(locked)?;
    let runtime = runtime()?;
    // Rows of an older version may be many; nobody waits for them, and what is not done today is done tomorrow.
    std::thread::spawn(|| drop(clean_up::all()));
    let served = runtime.block_on(serve(options, &folder));
    // Nobody waits for what is still being looked up.
    runtime.shutdown_background();
    // The last one to go leaves nothing; the lead is free only after that.
    membership.leave();
    served.map(drop)
}

/// One thread moves messages, and is never kept waiting: a question may wait seconds for the database, and meanwhile a ping
/// or the end of the session must be seen.
fn runtime() -> Result<Runtime, String> {
    let runtime = Builder::new_current_thread().enable_all().max_blocking_threads(MOST_THREADS).build();
    runtime.map_err(|error| error.to_string())
}

/// Serves, and returns the lead if it was ours to the end.
async fn serve(options: &Options, folder: &Folder) -> Result<Option<Primacy>, String> {
    let backend = Arc::new(Backend::new(folder.clone()));
    let stop = Arc::new(Notify::new());
    let (promote, mut promoted) = oneshot::channel();
    let mut is_waiting = false;
    let mut lead = None;
    match Primacy::try_take(folder).map_err(|error| error.to_string())? {
        Some(primacy) => {
            let taken = Lead::take(primacy, options, folder, &backend, &stop).await?;
            say_leading(options, &taken);
            lead = Some(taken);
        }
        None => {
            is_waiting = true;
            wait_for_the_lead(folder.clone(), promote);
            tokio::spawn(greet(Arc::clone(&backend), options.log, options.input));
        }
    }
    let mut client = pin!(client(options, &backend));
    let mut ended = pin!(signals());
    let parting = loop {
        tokio::select! {
            () = &mut client => break Parting::HandOver,
            () = &mut ended => break Parting::HandOver,
            () = stop.notified() => break Parting::Stop,
            primacy = &mut promoted, if is_waiting => {
                is_waiting = false;
                let Ok(primacy) = primacy else { continue };
                match Lead::take(primacy, options, folder, &backend, &stop).await {
                    Ok(taken) => {
                        let port = taken.address().port;
                        let line = format!("nudge: the PRIMARY is gone, this server leads now, on port {port}");
                        options.log.line(Level::Info, line);
                        lead = Some(taken);
                    }
                    // The lead is free again, for another one; what was observed is still looked up here.
                    Err(reason) => {
                        let message = format!("this server could not take the lead: {reason}");
                        options.log.line(Level::Error, format!("nudge: {message}"));
                        problems::record(&[Problem::error(message)]);
                    }
                }
            }
        }
    };
    match lead {
        Some(lead) => Ok(Some(lead.leave(parting).await)),
        None => Ok(None),
    }
}

async fn client(options: &Options, backend: &Arc<Backend>) {
    match options.input {
        Input::Agent => mcp::serve(Arc::clone(backend), options.cwd.clone()).await,
        Input::Person => std::future::pending().await,
    }
}

/// Waits for the lead on a thread of its own: the kernel wakes one server the moment the PRIMARY is gone.
fn wait_for_the_lead(folder: Folder, promote: oneshot::Sender<Primacy>) {
    std::thread::spawn(move || {
        if let Ok(primacy) = Primacy::wait(&folder) {
            drop(promote.send(primacy));
        }
    });
}

/// Makes a PROXY known to the PRIMARY, and tells a person who that is.
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
        "nudge: a PRIMARY runs already (pid {}, port {}); this server is a PROXY: it passes questions on, and leads when \
         the PRIMARY goes. Ctrl-C ends it",
        health["pid"], health["port"],
    )
}

/// Agents show stderr as a log, so only a person is told that all is well.
fn say_leading(options: &Options, lead: &Lead) {
    let level = if options.input == Input::Person { Level::Info } else { Level::Debug };
    let port = lead.address().port;
    options.log.line(
        level,
        format!("nudge: PRIMARY on http://127.0.0.1:{port} (JSON-RPC on /rpc, MCP on /mcp, GET /health); `nudge stop` or Ctrl-C ends it"),
    );
    if port != options.port {
        options.log.line(level, format!("nudge: port {} was taken", options.port));
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

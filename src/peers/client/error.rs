//! Why no server was found, or why it did not answer, worded for people.

use std::fmt;
use std::time::Duration;

use serde_json::Value;

/// Why no server was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NoServer {
    /// No process listens where the server should be.
    NotRunning { port: Option<u16> },
    /// There is no folder in which a server could be found.
    NoFolder { reason: String },
    /// Another program listens there, or a server that cannot prove that it is the one of this folder.
    Stranger { port: u16 },
    /// Another user's program listens there; nothing was sent to it.
    OtherUser { port: u16, uid: u32 },
    /// A server of this user listens there, but for another runtime folder.
    OtherFolder { port: u16, pid: Option<u64>, folder: String },
    /// A program listens there, but does not answer.
    Silent {
        port: u16,
        /// The process id, if the address file has it and there is a PRIMARY.
        pid: Option<u32>,
        /// It was stopped by Ctrl-Z or a signal; otherwise it is busy.
        is_stopped: bool,
        waited: Duration,
    },
    /// The server refuses: it is another user's, or requires the token of another folder.
    Refused { port: u16, reason: String },
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum CallError {
    /// The server refuses: a JSON-RPC error with code, message and data.
    Refused(Value),
    /// The server does not answer any more, or not in time.
    Unreachable(String),
    /// The HTTP request was refused: too large, or not allowed.
    TurnedAway { status: u16, reason: String },
}

impl NoServer {
    /// Returns what the user can do, if there is something special to do.
    pub(crate) fn advice(&self) -> Option<String> {
        Some(match self {
            NoServer::Silent { pid: Some(pid), is_stopped: true, .. } => {
                format!("`kill -CONT {pid}` resumes it, `nudge stop` ends it")
            }
            NoServer::Silent { pid: Some(_), .. } => {
                "try again; if it still does not answer, end it with `nudge stop`".to_owned()
            }
            NoServer::Silent { pid: None, .. } | NoServer::Stranger { .. } | NoServer::OtherUser { .. } => {
                "`nudge serve` starts a server on the next free port, and commands without `-p` find it"
                    .to_owned()
            }
            NoServer::OtherFolder { folder, .. } => {
                format!("to ask that server: NUDGE_RUNTIME_DIR={folder} nudge …")
            }
            NoServer::NoFolder { .. } => {
                "make one of them a folder of your own with mode 700, or set NUDGE_RUNTIME_DIR".to_owned()
            }
            NoServer::NotRunning { .. } | NoServer::Refused { .. } => return None,
        })
    }

    /// Returns whether another server may be about to take over.
    pub(crate) fn may_pass(&self) -> bool {
        matches!(self, NoServer::NotRunning { .. } | NoServer::Stranger { .. } | NoServer::OtherUser { .. })
    }
}

/// Formats a time for people: `3 s`, or `30 ms` if it is short.
fn format_time(time: Duration) -> String {
    match time.as_millis() {
        short @ 0..1_000 => format!("{short} ms"),
        long => format!("{} s", (long + 500) / 1_000),
    }
}

impl fmt::Display for NoServer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoServer::NotRunning { port: Some(port) } => {
                write!(out, "no server is running (nobody listens on port {port})")
            }
            NoServer::NotRunning { port: None } => out.write_str("no server is running"),
            NoServer::NoFolder { reason } => {
                write!(out, "servers share no hints, since there is no safe runtime folder ({reason})")
            }
            NoServer::Stranger { port } => {
                write!(out, "no server is running (port {port} answers, but it is not a nudge server)")
            }
            NoServer::OtherUser { port, uid } => write!(
                out,
                "no server is running (port {port} belongs to another user, uid {uid}; nothing was sent to it)"
            ),
            NoServer::OtherFolder { port, pid, folder } => {
                let pid = pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default();
                write!(out, "the server on port {port}{pid} belongs to another runtime folder: {folder}")
            }
            NoServer::Silent { port, pid: Some(pid), is_stopped, waited } => {
                let why = if *is_stopped { "it is stopped" } else { "it is busy or stuck" };
                let waited = format_time(*waited);
                write!(out, "the server with pid {pid} does not answer on port {port} within {waited}: {why}")
            }
            NoServer::Silent { port, pid: None, waited, .. } => {
                write!(out, "the program on port {port} did not answer within {}", format_time(*waited))
            }
            NoServer::Refused { port, reason } => write!(out, "the server on port {port} refuses: {reason}"),
        }
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallError::Refused(error) => {
                out.write_str(error["message"].as_str().unwrap_or("the server refuses"))
            }
            CallError::Unreachable(reason) => write!(out, "the server does not answer: {reason}"),
            CallError::TurnedAway { status, reason } => {
                write!(out, "the server refuses ({status}): {reason}")
            }
        }
    }
}

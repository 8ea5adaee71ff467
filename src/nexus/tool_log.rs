//! The tool log, `.nexus/state/{harness}/tool-log.jsonl`: one appended line for each use of a tool.
//!
//! It shows which files an agent has written, and is kept for this session and the last one.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Nexus, NexusError, Result, contained};
use crate::files::open_regular;

/// One use of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ToolUse {
    pub(crate) ts: String,
    /// The subagent that used it; absent for the main conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) agent_id: Option<String>,
    pub(crate) tool: String,
    /// The file that was written, relative to the project's root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<String>,
    pub(crate) status: UseStatus,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum UseStatus {
    Ok,
    Error,
}

/// Above this size a new log is started, and the old one is kept beside it.
const MAX_BYTES: u64 = 4 << 20;

impl Nexus {
    /// Appends a line; other processes may append at the same time.
    pub(crate) fn log_tool(&self, harness: &str, tool_use: &ToolUse) -> Result<()> {
        let name = file(harness);
        let failed = |source| NexusError::Io { action: "write", file: name.clone(), source };
        let mut line = serde_json::to_vec(tool_use).map_err(|error| failed(error.into()))?;
        line.push(b'\n');
        let mut log = self.open_log(harness)?;
        let is_full = |log: &File| log.metadata().is_ok_and(|meta| meta.len() > MAX_BYTES);
        if is_full(&log) {
            self.rotate_tool_log(harness)?;
            log = self.open_log(harness)?;
        }
        // One call, so that lines of other processes come before or after it, never inside.
        log.write_all(&line).map_err(failed)
    }

    /// Returns the files that an agent has written, each once, in order of the first write.
    pub(crate) fn files_touched(&self, harness: &str, agent_id: &str) -> Result<Vec<String>> {
        let mut files: Vec<String> = Vec::new();
        // Most lines are of other agents, and need not be parsed to know that.
        let id = serde_json::to_string(agent_id).unwrap_or_default();
        for name in [old(harness), file(harness)] {
            let text = self.bytes(&name)?.unwrap_or_default();
            let text = String::from_utf8_lossy(&text);
            let lines = text.lines().filter(|line| line.contains(&id) && line.contains("\"file\""));
            let uses = lines.filter_map(|line| serde_json::from_str::<ToolUse>(line).ok());
            let own =
                uses.filter(|one| one.agent_id.as_deref() == Some(agent_id) && one.status == UseStatus::Ok);
            for touched in own.filter_map(|one| one.file) {
                if !files.contains(&touched) {
                    files.push(touched);
                }
            }
        }
        Ok(files)
    }

    /// Starts a new log; the last one is kept, because another session may still write to it.
    pub(crate) fn rotate_tool_log(&self, harness: &str) -> Result<()> {
        let name = file(harness);
        match fs::rename(self.path(&name), self.path(&old(harness))) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(NexusError::Io { action: "rotate", file: name, source })
            }
            _ => Ok(()),
        }
    }

    fn open_log(&self, harness: &str) -> Result<File> {
        let name = file(harness);
        let path = self.path(&name);
        let folder = path.parent().unwrap_or(Path::new(""));
        if !folder.is_dir() {
            // This also creates the folders above, with private permissions; appending does not need the lock itself.
            match self.lock(Duration::ZERO) {
                Ok(_) | Err(NexusError::Busy { .. }) => {}
                Err(error) => return Err(error),
            }
            let folder = Path::new(&name).parent().unwrap_or(Path::new(""));
            contained::make_folders(self.base(&name), folder, &name)?;
        }
        contained::require_within(folder, self.base(&name), &name)?;
        contained::refuse_link(&path, &name)?;
        let opened = open_regular(&path, File::options().append(true).create(true));
        opened.map_err(|source| NexusError::Io { action: "write", file: name, source })
    }
}

fn file(harness: &str) -> String {
    format!(".nexus/state/{harness}/tool-log.jsonl")
}

fn old(harness: &str) -> String {
    format!(".nexus/state/{harness}/tool-log.old.jsonl")
}

#[cfg(test)]
mod tests;

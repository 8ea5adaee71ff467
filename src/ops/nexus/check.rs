//! Checks the files of `.nexus/`: whether they can be read, and whether what they say fits together.

use std::fs;

use serde::de::DeserializeOwned;

use super::{Nexus, history};
use crate::contract::find_circles;
use crate::model::{
    History, HistoryExtension, Issue, IssueStatus, Plan, Problem, SessionModes, Task, TaskStatus, Tasks,
    Topic, TrackedAgent,
};
use crate::nexus::{EXTENSION, HISTORY, NexusError, PLAN, TASKS, access};

/// Returns what is wrong, each problem with the file that has it.
pub(crate) fn check(nexus: &Nexus) -> Vec<Problem> {
    let mut found = StateFindings { nexus, problems: Vec::new() };
    if let Some(plan) = found.read::<Plan>(PLAN) {
        found.check_plan(&plan);
    }
    if let Some(tasks) = found.read::<Tasks>(TASKS) {
        found.check_tasks(&tasks);
    }
    if let Some(history) = found.read::<History>(HISTORY) {
        found.check_history(&history);
    }
    found.read::<HistoryExtension>(EXTENSION);
    for harness in access::harnesses(nexus) {
        let file = |name: &str| format!(".nexus/state/{harness}/{name}");
        found.read::<Vec<TrackedAgent>>(&file("agent-tracker.json"));
        found.read::<SessionModes>(&file("mode.json"));
    }
    found.check_own_board();
    found.problems
}

struct StateFindings<'n> {
    nexus: &'n Nexus,
    problems: Vec<Problem>,
}

impl StateFindings<'_> {
    /// Reads a file; one that cannot be read is a problem.
    fn read<T: DeserializeOwned>(&mut self, name: &str) -> Option<T> {
        let error = match self.nexus.read(name) {
            Ok(read) => return read,
            Err(error) => error,
        };
        let is_conflict = history::conflicted(self.nexus).contains(&name);
        let (text, hint) = match (&error, is_conflict) {
            (_, true) => (
                "a merge has left a conflict in it, so no cycle can be closed".to_owned(),
                "`nudge doctor --fix` joins both sides".to_owned(),
            ),
            (NexusError::Malformed { reason, .. }, _) => (
                format!("it cannot be read: {reason}"),
                // The history is in git, so it stays where it is.
                if name == ".nexus/history.json" {
                    "fix it, or restore it with git; no cycle can be closed before".to_owned()
                } else {
                    "fix it, or restore it; the next change sets it aside".to_owned()
                },
            ),
            (error, _) => (error.to_string(), error.hint().unwrap_or_else(|| "check the file".to_owned())),
        };
        self.add(name, text, hint);
        None
    }

    fn check_plan(&mut self, plan: &Plan) {
        let ids = plan.issues.iter().map(|issue| issue.id);
        self.check_ids(PLAN, ids, "issue");
        if plan.topic.is_empty() {
            self.add(PLAN, "the plan has no topic", "`nudge plan start` starts another");
        }
        let is_odd = |issue: &&Issue| matches!(issue.status, IssueStatus::Other(_)) || issue.title.is_empty();
        for issue in plan.issues.iter().filter(is_odd) {
            let text = format!("issue {} has no title, or a status of another version", issue.id);
            self.add(
                PLAN,
                text,
                format!("`nudge plan edit {}` or `nudge plan reopen {}`", issue.id, issue.id),
            );
        }
    }

    fn check_tasks(&mut self, tasks: &Tasks) {
        self.check_ids(TASKS, tasks.tasks.iter().map(|task| task.id), "task");
        let exists = |id: &u64| tasks.tasks.iter().any(|task| task.id == *id);
        for task in &tasks.tasks {
            for absent in task.deps.iter().filter(|id| !exists(id)) {
                let text = format!("task {} waits for task {absent}, which does not exist", task.id);
                self.add(TASKS, text, format!("`nudge task edit {} --deps …` changes it", task.id));
            }
            let is_odd = |task: &Task| matches!(task.status, TaskStatus::Other(_)) || task.title.is_empty();
            if is_odd(task) {
                let text = format!("task {} has no title, or a status of another version", task.id);
                self.add(
                    TASKS,
                    text,
                    format!("`nudge task edit {}`, or `nudge task update {}`", task.id, task.id),
                );
            }
        }
        for circle in find_circles(tasks) {
            let ids: Vec<String> = circle.iter().map(ToString::to_string).collect();
            let text = format!("tasks {} wait for each other", ids.join(", "));
            self.add(TASKS, text, format!("`nudge task edit {} --deps …` changes it", ids[0]));
        }
    }

    fn check_history(&mut self, history: &History) {
        let is_odd =
            |cycle: &serde_json::Value| !cycle["completed_at"].is_string() || !cycle["tasks"].is_array();
        let odd = history.cycles.iter().filter(|cycle| is_odd(cycle)).count();
        if odd > 0 {
            let text = format!("{odd} of {} cycles have no time or no tasks", history.cycles.len());
            self.add(HISTORY, text, "restore them with git");
        }
    }

    fn check_ids(&mut self, file: &str, ids: impl Iterator<Item = u64>, what: &str) {
        let mut ids: Vec<u64> = ids.collect();
        ids.sort_unstable();
        for pair in ids.windows(2).filter(|pair| pair[0] == pair[1]) {
            self.add(
                file,
                format!("there are two {what}s with the number {}", pair[0]),
                "give one another number",
            );
        }
    }

    /// Names a board that this worktree had before it shared that of the main one.
    fn check_own_board(&mut self) {
        let own = [PLAN, TASKS].map(|name| self.nexus.project().join(name));
        if !self.nexus.is_shared() || !own.iter().any(|path| fs::metadata(path).is_ok()) {
            return;
        }
        let text = format!(
            "this worktree has a plan or tasks of its own, but shares the board of `{}`",
            self.nexus.board().display()
        );
        let hint = "`nudge init --own-board` uses them again; otherwise add them to the shared board and delete them";
        let path = self.nexus.project().join(".nexus/state");
        let problem = Problem::warning(text).at(&path.display().to_string(), 0, 0).hint(hint);
        self.problems.push(problem.about(Topic::Plan));
    }

    fn add(&mut self, file: &str, text: impl Into<String>, hint: impl Into<String>) {
        let place = self.nexus.path(file).display().to_string();
        let problem = Problem::error(text.into()).at(&place, 0, 0).hint(hint.into());
        self.problems.push(problem.about(Topic::Plan));
    }
}

//! What a finished call says about the work itself: answers of the user, and lists of what is to do.
//!
//! The formats are those of the agents' tools; a list in another format is not guessed.

use serde_json::Value;

use crate::model::{CallNews, TodoChange, TodoItem, TodoState};

/// Tools that write a whole list, in Claude Code, Codex, Gemini CLI, OpenCode and Cursor.
const LISTS: [&str; 5] = ["TodoWrite", "update_plan", "write_todos", "todowrite", "todo_write"];
/// Tools that ask the user.
const QUESTIONS: [&str; 4] = ["AskUserQuestion", "ask_user_question", "ask_user", "question"];

/// Parses what a call says; `None` for nearly all of them.
pub(super) fn parse_news(name: &str, input: &Value, response: &Value) -> Option<CallNews> {
    if LISTS.contains(&name) {
        return parse_list(input).map(CallNews::Todo);
    }
    match name {
        "TaskCreate" => parse_new_task(input, response).map(CallNews::Todo),
        "TaskUpdate" => parse_task_update(input).map(CallNews::Todo),
        _ if QUESTIONS.contains(&name) => parse_answers(response).map(CallNews::Answers),
        _ => None,
    }
}

fn parse_list(input: &Value) -> Option<TodoChange> {
    let items = ["todos", "plan", "items"].iter().find_map(|key| input.get(key)?.as_array())?;
    let items = items.iter().filter_map(parse_item).collect();
    // Cursor names only what has changed.
    let is_part = input.get("merge") == Some(&Value::Bool(true));
    Some(if is_part { TodoChange::Some(items) } else { TodoChange::Whole(items) })
}

fn parse_item(item: &Value) -> Option<TodoItem> {
    let text = ["content", "step", "description", "title", "subject"];
    let text = text.iter().find_map(|key| item.get(key)?.as_str()).or(item.as_str())?.trim();
    let id = item.get("id").and_then(parse_id);
    (!text.is_empty()).then(|| TodoItem { id, text: text.to_owned(), state: parse_state(item) })
}

fn parse_id(id: &Value) -> Option<String> {
    id.as_str().map(str::to_owned).or_else(|| id.as_u64().map(|id| id.to_string()))
}

fn parse_state(item: &Value) -> Option<TodoState> {
    Some(match item.get("status")?.as_str()? {
        "completed" | "done" | "complete" => TodoState::Done,
        "in_progress" | "active" | "in-progress" => TodoState::InProgress,
        "cancelled" | "canceled" | "deleted" => TodoState::Dropped,
        _ => TodoState::Pending,
    })
}

fn parse_new_task(input: &Value, response: &Value) -> Option<TodoChange> {
    let text = input.get("subject").and_then(Value::as_str)?.to_owned();
    let id = response.pointer("/task/id").and_then(parse_id);
    Some(TodoChange::Some(vec![TodoItem { id, text, state: None }]))
}

fn parse_task_update(input: &Value) -> Option<TodoChange> {
    let id = Some(input.get("taskId").and_then(parse_id)?);
    let text = input.get("subject").and_then(Value::as_str).unwrap_or_default().to_owned();
    Some(TodoChange::Some(vec![TodoItem { id, text, state: parse_state(input) }]))
}

/// Returns what the user answered to the agent's questions, as `question → answer` lines.
fn parse_answers(response: &Value) -> Option<String> {
    let answers = response.get("answers")?.as_object()?;
    let line = |(question, answer): (&String, &Value)| {
        let answer = answer.as_str().map_or_else(|| answer.to_string(), str::to_owned);
        format!("{question} → {answer}")
    };
    let lines: Vec<String> = answers.iter().map(line).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::parse_news;
    use crate::model::{CallNews, changed_list, list_text};

    fn list(name: &str, input: &Value, response: &Value) -> Option<String> {
        match parse_news(name, input, response)? {
            CallNews::Todo(change) => Some(list_text(&changed_list(Vec::new(), change))),
            CallNews::Answers(answers) => Some(answers),
        }
    }

    #[test]
    fn lists_and_answers_of_every_agent_are_read() {
        for (name, input, response, expected) in [
            (
                "TodoWrite",
                json!({ "todos": [
                    { "content": "a", "status": "completed", "activeForm": "doing a" },
                    { "content": "b", "status": "in_progress" },
                    { "content": "c", "status": "pending" },
                ] }),
                Value::Null,
                Some("[x] a\n[~] b\n[ ] c"),
            ),
            (
                "update_plan",
                json!({ "plan": [{ "step": "a", "status": "completed" }], "explanation": "x" }),
                Value::Null,
                Some("[x] a"),
            ),
            (
                "write_todos",
                json!({ "todos": [{ "description": "a", "status": "cancelled" }, { "description": "b" }] }),
                Value::Null,
                Some("[ ] b"),
            ),
            ("TaskCreate", json!({ "subject": "S1" }), json!({ "task": { "id": "1" } }), Some("[ ] S1")),
            ("TaskUpdate", json!({ "taskId": "1", "status": "completed" }), Value::Null, Some("[x] ")),
            (
                "AskUserQuestion",
                json!({ "questions": [] }),
                json!({ "answers": { "Which?": "both", "Why?": ["a"] } }),
                Some("Which? → both\nWhy? → [\"a\"]"),
            ),
            ("AskUserQuestion", json!({}), json!({ "answers": {} }), None),
            ("TodoWrite", json!({ "todos": "a" }), Value::Null, None),
            ("Bash", json!({ "todos": [] }), Value::Null, None),
        ] {
            assert_eq!(list(name, &input, &response).as_deref(), expected, "{name} {input}");
        }
    }
}

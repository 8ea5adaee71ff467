//! The database of Cursor's editor, read only: conversations and their messages, as one JSON record each.
//!
//! Only the table `cursorDiskKV` is read, and in it only the keys of conversations: other keys and tables contain
//! credentials, and snapshots of many gigabytes.

use std::path::Path;

use rusqlite::{CachedStatement, Connection, OptionalExtension};
use serde_json::{Value, json};

use super::{Result, foreign, row};

/// A longer conversation or message is not read: it contains pictures or whole files.
const MAX_VALUE: usize = 32 << 20;
/// Longer texts of a record are cut in the database.
const MAX_TEXT: usize = 256 << 10;
/// The folder is in one of the first messages.
const MAX_FOLDER_MESSAGES: usize = 50;

/// Passes on a record for each conversation that was changed after this time, and for each message in it; returns the
/// time of the last change.
pub(crate) fn read_cursor(path: &Path, changed_after_ms: i64, mut each: impl FnMut(&Value)) -> Result<i64> {
    let connection = foreign::open(path)?;
    let sql = format!(
        "SELECT substr(key, 14), CAST(value AS TEXT) FROM cursorDiskKV
         WHERE key >= 'composerData:' AND key < 'composerData;' AND octet_length(value) <= {MAX_VALUE}"
    );
    let mut statement = connection.prepare(&sql)?;
    let mut rows = statement.query([])?;
    let mut bubbles = Bubbles::prepare(&connection)?;
    let mut last = changed_after_ms;
    while let Some(row) = rows.next()? {
        let (id, text) = (row::text(row, 0)?, row::optional_text(row, 1)?);
        let Some(mut composer) = text.and_then(|text| serde_json::from_str::<Value>(&text).ok()) else {
            continue;
        };
        let updated = ["lastUpdatedAt", "createdAt"].iter().find_map(|key| composer[*key].as_i64());
        if updated.is_some_and(|updated| updated <= changed_after_ms) {
            continue;
        }
        last = last.max(updated.unwrap_or_default());
        bubbles.conversation(&id, &mut composer, &mut each)?;
    }
    Ok(last)
}

/// Looks up the messages of a conversation.
struct Bubbles<'c> {
    folder: CachedStatement<'c>,
    find: CachedStatement<'c>,
}

impl<'c> Bubbles<'c> {
    fn prepare(connection: &'c Connection) -> Result<Bubbles<'c>> {
        // A value may be stored as bytes, which SQLite would take for its own binary JSON.
        let one = format!(
            "FROM (SELECT CAST(value AS TEXT) AS value FROM cursorDiskKV
                 WHERE key = ?1 AND octet_length(value) <= {MAX_VALUE})
             WHERE json_valid(value)"
        );
        let folder = format!("SELECT value ->> '$.workspaceUris[0]' {one}");
        let find = format!(
            "SELECT json_object(
                 'type', value -> '$.type', 'createdAt', value -> '$.createdAt',
                 'text', substr(value ->> '$.text', 1, {MAX_TEXT}),
                 'toolFormerData', json_object(
                     'name', value ->> '$.toolFormerData.name',
                     'toolCallId', value ->> '$.toolFormerData.toolCallId',
                     'rawArgs', substr(value ->> '$.toolFormerData.rawArgs', 1, {MAX_TEXT}),
                     'params', substr(value ->> '$.toolFormerData.params', 1, {MAX_TEXT}),
                     'result', substr(value ->> '$.toolFormerData.result', 1, {MAX_TEXT}),
                     'status', value ->> '$.toolFormerData.status',
                     'userDecision', value ->> '$.toolFormerData.userDecision',
                     'error', substr(value ->> '$.toolFormerData.error', 1, {MAX_TEXT}))) {one}"
        );
        Ok(Bubbles { folder: connection.prepare_cached(&folder)?, find: connection.prepare_cached(&find)? })
    }

    fn conversation(&mut self, id: &str, composer: &mut Value, each: &mut dyn FnMut(&Value)) -> Result<()> {
        let headers = composer["fullConversationHeadersOnly"].take();
        let ids = headers.as_array().into_iter().flatten().filter_map(|header| header["bubbleId"].as_str());
        let keys: Vec<(String, String)> =
            ids.map(|bubble| (bubble.to_owned(), format!("bubbleId:{id}:{bubble}"))).collect();
        // Older versions have the messages in the conversation itself.
        let Value::Array(inline) = composer["conversation"].take() else {
            return self.listed(id, composer, &keys, each);
        };
        let folder = inline.iter().find_map(|bubble| bubble["workspaceUris"][0].as_str()).and_then(folder_of);
        let about = about(id, composer, folder.as_deref());
        each(&with(&about, [("kind", json!("composer")), ("id", json!(id))]));
        for bubble in inline {
            let bubble_id = bubble["bubbleId"].as_str().unwrap_or_default().to_owned();
            each(&record(&about, &bubble_id, bubble));
        }
        self.messages(&about, &keys, each)
    }

    fn listed(
        &mut self,
        id: &str,
        composer: &Value,
        keys: &[(String, String)],
        each: &mut dyn FnMut(&Value),
    ) -> Result<()> {
        // A conversation that was never begun has none.
        if keys.is_empty() {
            return Ok(());
        }
        let mut folder = None;
        for (_, key) in keys.iter().take(MAX_FOLDER_MESSAGES) {
            let uri = self.folder.query_row([key], |row| row::optional_text(row, 0)).optional()?;
            folder = uri.flatten().as_deref().and_then(folder_of);
            if folder.is_some() {
                break;
            }
        }
        let about = about(id, composer, folder.as_deref());
        each(&with(&about, [("kind", json!("composer")), ("id", json!(id))]));
        self.messages(&about, keys, each)
    }

    fn messages(
        &mut self,
        about: &Value,
        keys: &[(String, String)],
        each: &mut dyn FnMut(&Value),
    ) -> Result<()> {
        for (id, key) in keys {
            let bubble = self.find.query_row([key], |row| row::text(row, 0)).optional()?;
            let bubble = bubble.and_then(|bubble| serde_json::from_str(&bubble).ok());
            bubble.into_iter().for_each(|bubble| each(&record(about, id, bubble)));
        }
        Ok(())
    }
}

/// Returns what all records of a conversation have.
fn about(id: &str, composer: &Value, folder: Option<&str>) -> Value {
    json!({ "composer": id, "folder": folder, "composer_at": composer["createdAt"], "at": composer["createdAt"] })
}

fn record(about: &Value, id: &str, mut bubble: Value) -> Value {
    let mut tool = bubble["toolFormerData"].take();
    let fields = [
        ("kind", json!("bubble")),
        ("id", json!(id)),
        ("at", bubble["createdAt"].take()),
        ("by_user", json!(bubble["type"] == 1)),
        ("text", bubble["text"].take()),
        ("tool", tool["name"].take()),
        ("call_id", tool["toolCallId"].take()),
        ("arguments", tool["rawArgs"].take()),
        ("parameters", tool["params"].take()),
        ("result", tool["result"].take()),
        ("status", tool["status"].take()),
        ("decision", tool["userDecision"].take()),
        ("error", tool["error"].take()),
    ];
    with(about, fields)
}

fn with<const N: usize>(about: &Value, fields: [(&str, Value); N]) -> Value {
    let mut record = about.clone();
    for (name, value) in fields {
        record[name] = value;
    }
    record
}

/// Returns the folder that a `file:` address names.
fn folder_of(uri: &str) -> Option<String> {
    let path = uri.strip_prefix("file://")?.as_bytes();
    let mut decoded = Vec::new();
    let mut at = 0;
    while let Some(byte) = path.get(at) {
        let digits = path.get(at + 1..at + 3).and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.filter(|_| *byte == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(escaped) => {
                decoded.push(escaped);
                at += 3;
            }
            None => {
                decoded.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8(decoded).ok()
}

#[cfg(test)]
mod tests {
    use super::folder_of;

    #[test]
    fn addresses_of_folders_are_decoded() {
        for (uri, expected) in [
            ("file:///home/dev/my%20shop", Some("/home/dev/my shop")),
            ("file:///a%zz%4", Some("/a%zz%4")),
            ("vscode-remote://ssh/home", None),
            ("file:///%ff", None),
        ] {
            assert_eq!(folder_of(uri).as_deref(), expected, "{uri}");
        }
    }
}

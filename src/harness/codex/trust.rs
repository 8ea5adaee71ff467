//! Which hooks the user of Codex trusts: it runs no others.
//!
//! `config.toml` has a table for each trusted hook: `[hooks.state."FILE:EVENT:GROUP:HOOK"]` with a hash of the hook as it
//! was when the user trusted it.

use serde_json::{Value, json};

use crate::harness::agent::{HookTrust, TrustedHooks};
use crate::model::sha256_hex;

pub(super) static TRUST: HookTrust = HookTrust {
    file: "config.toml",
    count,
    way_out: "start `codex` and choose `Trust all and continue` when it asks about hooks, or trust them in `/hooks`",
};

/// Codex waits this long for a hook that says nothing about it.
const DEFAULT_TIMEOUT: u64 = 600;

/// Counts the hooks in `hooks` that call `command`; `files` are the names under which Codex may know that file.
fn count(files: &[String], hooks: &str, command: &str, config: &str) -> TrustedHooks {
    let mut counts = TrustedHooks::default();
    let (Ok(hooks), Ok(config)) = (serde_json::from_str::<Value>(hooks), config.parse::<toml::Table>())
    else {
        return counts;
    };
    let states = config.get("hooks").and_then(|hooks| hooks.get("state"));
    for (event, groups) in hooks["hooks"].as_object().into_iter().flatten() {
        for (group_index, group) in groups.as_array().into_iter().flatten().enumerate() {
            for (index, hook) in group["hooks"].as_array().into_iter().flatten().enumerate() {
                if hook["command"] != command {
                    continue;
                }
                let event = label(event);
                let state = files
                    .iter()
                    .find_map(|file| states?.get(format!("{file}:{event}:{group_index}:{index}")));
                let is_enabled = state.and_then(|state| state.get("enabled")?.as_bool()).unwrap_or(true);
                match state.and_then(|state| state.get("trusted_hash")?.as_str()) {
                    _ if !is_enabled => counts.disabled += 1,
                    None => counts.unknown += 1,
                    Some(trusted) if trusted == hash(&event, group, hook) => counts.trusted += 1,
                    Some(_) => counts.changed += 1,
                }
            }
        }
    }
    counts
}

/// Returns an event's name as the keys have it: `PreToolUse` is `pre_tool_use`.
fn label(event: &str) -> String {
    let mut label = String::new();
    for c in event.chars() {
        if c.is_ascii_uppercase() && !label.is_empty() {
            label.push('_');
        }
        label.push(c.to_ascii_lowercase());
    }
    label
}

/// Returns the hash of a hook: of its JSON without blanks, the keys in order, with the defaults filled in.
fn hash(event: &str, group: &Value, hook: &Value) -> String {
    let timeout = hook["timeout"].as_u64().unwrap_or(DEFAULT_TIMEOUT).max(1);
    let timeout = if event == "session_end" {
        timeout.min(u64::from(super::install::SESSION_END_TIMEOUT))
    } else {
        timeout
    };
    let mut one = json!({
        "async": hook["async"].as_bool().unwrap_or(false),
        "command": hook["command"],
    });
    if hook["statusMessage"].is_string() {
        one["statusMessage"] = hook["statusMessage"].clone();
    }
    one["timeout"] = timeout.into();
    one["type"] = "command".into();
    let mut identity = json!({ "event_name": event, "hooks": [one] });
    if group["matcher"].is_string() {
        identity["matcher"] = group["matcher"].clone();
    }
    format!("sha256:{}", sha256_hex(identity.to_string().as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMAND: &str = "/bin/nudge hook --harness codex";

    fn counts(states: &str) -> [usize; 4] {
        let hooks = json!({ "hooks": {
            "PreToolUse": [
                { "matcher": "", "hooks": [{ "type": "command", "command": "other" }] },
                { "hooks": [{ "type": "command", "command": COMMAND, "timeout": 30 }] },
            ],
            "SessionEnd": [{ "hooks": [{ "type": "command", "command": COMMAND, "timeout": 3 }] }],
        } });
        let counts = count(&["/home/me/.codex/hooks.json".to_owned()], &hooks.to_string(), COMMAND, states);
        [counts.trusted, counts.unknown, counts.changed, counts.disabled]
    }

    #[test]
    fn a_hook_is_trusted_by_its_place_and_its_hash() {
        let state =
            |key: &str, rest: &str| format!("[hooks.state.\"/home/me/.codex/hooks.json:{key}\"]\n{rest}\n");
        let identity = r#"{"event_name":"pre_tool_use","hooks":[{"async":false,"command":"/bin/nudge hook --harness codex","timeout":30,"type":"command"}]}"#;
        let right = format!("trusted_hash = \"sha256:{}\"", sha256_hex(identity.as_bytes()));
        assert_eq!(counts(""), [0, 2, 0, 0]);
        assert_eq!(counts(&state("pre_tool_use:1:0", &right)), [1, 1, 0, 0]);
        // The first group is somebody else's.
        assert_eq!(counts(&state("pre_tool_use:0:0", &right)), [0, 2, 0, 0]);
        assert_eq!(counts(&state("pre_tool_use:1:0", "trusted_hash = \"sha256:00\"")), [0, 1, 1, 0]);
        let disabled = format!("{right}\nenabled = false");
        assert_eq!(counts(&state("pre_tool_use:1:0", &disabled)), [0, 1, 0, 1]);
        // A file that cannot be read is reported elsewhere.
        assert_eq!(counts("["), [0, 0, 0, 0]);
    }

    /// With this hash, and with no other, Codex 0.146.0 ran this hook.
    #[test]
    fn the_hash_is_that_of_codex() {
        let hook = json!({ "type": "command", "command": "echo hooked > hookfired.txt" });
        assert_eq!(
            hash("session_start", &json!({ "hooks": [hook] }), &hook),
            "sha256:5be9d5089b64165ae3661e509b80789b0e314361111505f1b2c86a5490dbb86e"
        );
        assert_ne!(
            hash("session_start", &json!({ "matcher": "", "hooks": [hook] }), &hook),
            hash("session_start", &json!({}), &hook)
        );
        assert_eq!(label("SubagentStop"), "subagent_stop");
    }
}

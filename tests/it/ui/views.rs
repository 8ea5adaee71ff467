//! What the page is answered, about a memory of two sessions.

use serde_json::{Value, json};

use super::page::{Page, post};
use crate::memory::scene::{failed, files, play, read};
use crate::payload::{bash, edit, event, prompt};
use crate::sandbox::Sandbox;
use crate::servers::Server;

const RULE: &str = "version: 1\nrules:\n  - name: no-force\n    on:\n      hook: PreToolUse\n      tool: Bash\n    match:\n      content: \"push --force\"\n    action: interrupt\n    message: \"Use --force-with-lease.\"\n";

/// Two sessions: in both `cargo build` fails in the same way, the first one ends it, and a rule blocks a call.
fn played() -> Sandbox {
    let sandbox = Sandbox::new().rule("rules.yaml", RULE);
    let error = "Exit code 101\nerror: linking with `cc` failed: cannot find -lssl for the crate openssl-sys";
    play(
        &sandbox,
        vec![
            event("SessionStart").with("source", "startup"),
            prompt("make the linker error go away"),
            read("build.rs"),
            read("src/main.rs"),
            failed("cargo build", error),
            edit("build.rs", "fn main() {}", "fn main() { link(\"ssl\") }").after(),
            bash("cargo build").after(),
            bash("git push --force").with("hook_event_name", "PreToolUse"),
            bash("git push --force-with-lease").after(),
            event("SessionEnd").with("reason", "exit"),
        ],
    );
    let second = |payload: crate::payload::Payload| payload.session("session-2");
    play(
        &sandbox,
        vec![
            second(event("SessionStart").with("source", "startup")),
            second(prompt("build it again")),
            second(failed("cargo build", error)),
        ],
    );
    sandbox
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().map(|object| object.keys().map(String::as_str).collect()).unwrap_or_default()
}

#[test]
fn the_overview_counts_what_happened() {
    let sandbox = played();
    let _server = Server::start(&sandbox, &[]);
    let page = Page::open(&sandbox, "read");
    let overview = page.data("overview");
    for (name, expected) in
        [("agents", 1), ("sessions", 2), ("blocked", 1), ("failures", 2), ("fixed", 1), ("open", 1)]
    {
        assert_eq!(overview[name], expected, "{name}: {overview}");
    }
    assert!(overview["told"]["deliveries"].as_u64().is_some_and(|count| count > 0), "{overview}");
    let meta = page.data("meta");
    assert_eq!(meta["projects"][0]["name"], "project");
    assert_eq!(meta["counts"]["sessions"], 2);
    let density = page.data("density?step_ms=3600000");
    let sum =
        |name: &str| density[name].as_array().expect("bars").iter().filter_map(Value::as_u64).sum::<u64>();
    assert_eq!((sum("failed"), sum("blocked")), (2, 1));
    assert!(sum("all") >= 8, "{density}");
    assert_eq!(page.get("density?step_ms=1").status, 400);
}

#[test]
fn a_session_in_two_projects_has_its_blocked_calls_in_both() {
    let sandbox = Sandbox::new().rule("rules.yaml", RULE);
    sandbox.put("../other/.nudge/rules.yaml", RULE);
    let other = sandbox.beside("other");
    let push = || bash("git push --force").with("hook_event_name", "PreToolUse");
    let there = |payload: crate::payload::Payload| payload.with("cwd", other.display().to_string());
    play(&sandbox, vec![event("SessionStart").with("source", "startup"), push(), push(), there(push())]);
    let _server = Server::start(&sandbox, &[]);
    let page = Page::open(&sandbox, "read");
    let blocked = |root: &str| page.data(&format!("overview?project={root}"))["blocked"].clone();
    assert_eq!(page.data("overview")["blocked"], 3);
    assert_eq!(blocked(sandbox.path("").to_str().expect("UTF-8").trim_end_matches('/')), 2);
    assert_eq!(blocked(&other.display().to_string()), 1);
    assert_eq!(page.data("overview?agent=codex")["blocked"], 0);
    assert_eq!(page.data("overview?to_ms=1000")["blocked"], 0);
}

#[test]
fn lanes_have_marks_arcs_and_open_failures() {
    let sandbox = played();
    let _server = Server::start(&sandbox, &[]);
    let page = Page::open(&sandbox, "read");
    let lanes = page.data("lanes");
    let ids: Vec<&str> =
        lanes["sessions"].as_array().expect("lanes").iter().filter_map(|lane| lane["id"].as_str()).collect();
    assert_eq!(ids.len(), 2, "{lanes}");
    let lane = |id: &str| {
        let all = lanes["sessions"].as_array().expect("lanes");
        all.iter().find(|lane| lane["id"] == id).unwrap_or_else(|| panic!("no {id}: {lanes}")).clone()
    };
    let first = lane("session-1");
    assert_eq!(
        (&first["title"], &first["agent"], &first["live"]),
        (&json!("make the linker error go away"), &json!("claude-code"), &json!(false))
    );
    let kinds: Vec<u64> =
        first["marks"].as_array().expect("marks").iter().filter_map(|mark| mark[1].as_u64()).collect();
    for kind in [0, 1, 3, 4, 5, 6] {
        assert!(kinds.contains(&kind), "{kind}: {kinds:?}");
    }
    let second = lane("session-2");
    assert_eq!((&second["open_failure"]["tries"], &second["live"]), (&json!(1), &json!(true)));
    assert_eq!(lanes["arcs"].as_array().map(Vec::len), Some(1));
    assert_eq!(lanes["more"], false);
    // The second session met the failure that the first one ended, and was told so.
    let carries = lanes["carries"].as_array().expect("carries");
    assert_eq!(carries.len(), 1, "{lanes}");
    assert_eq!(
        (&carries[0]["session"], &carries[0]["fix_session"]),
        (&json!("session-2"), &json!("session-1"))
    );
    assert_eq!(carries[0]["fix_id"], lanes["arcs"][0][1]);
    let page_one = page.get("lanes?limit=1").json();
    assert_eq!(page_one["data"]["more"], true);
    let cursor = page_one["cursor"].as_str().expect("a cursor");
    let page_two = page.data(&format!("lanes?limit=1&before={cursor}"));
    assert_ne!(page_one["data"]["sessions"][0]["id"], page_two["sessions"][0]["id"]);
    assert_eq!(page.get("lanes?before=wrong").status, 400);
    assert_eq!(page.get("lanes?project=/nowhere").status, 404);
    assert_eq!(page.data("lanes?agent=codex")["sessions"], json!([]));
}

#[test]
fn a_task_shows_what_its_agent_did_and_nothing_else() {
    let task = |id: u64, owner: Option<&str>| {
        json!({"id": id, "title": format!("task {id}"), "context": "why", "status": "in_progress", "deps": [],
            "owner_agent_id": owner})
    };
    let tasks = json!({"goal": "ship", "decisions": [], "tasks": [task(1, Some("sub1")), task(2, Some("sub2")), task(3, None)]});
    let sandbox = Sandbox::new().file(".nexus/state/tasks.json", tasks.to_string());
    let by = |payload: crate::payload::Payload, id: &str| {
        payload.with("agent_id", id).with("agent_type", "tester")
    };
    play(
        &sandbox,
        vec![
            event("SessionStart").with("source", "startup"),
            prompt("do the tasks"),
            by(bash("make first").after(), "sub1"),
            bash("make everything").after(),
            by(edit("src/a.rs", "one", "two").after(), "sub1"),
            by(bash("make other").after(), "sub3"),
        ],
    );
    let _server = Server::start(&sandbox, &[]);
    let page = Page::open(&sandbox, "read");
    let root = sandbox.path("").display().to_string();
    let during = page.data(&format!("plan?project={}", root.trim_end_matches('/')))["during"].clone();
    assert_eq!(keys(&during), ["1"], "{during}");
    let steps: Vec<&str> =
        during["1"].as_array().expect("steps").iter().filter_map(|step| step["kind"].as_str()).collect();
    assert_eq!(steps, ["command", "edit"], "{during}");
}

#[test]
fn a_session_is_told_by_its_turns() {
    let sandbox = played();
    let _server = Server::start(&sandbox, &[]);
    let page = Page::open(&sandbox, "read");
    let session = page.data("session/session-1");
    assert_eq!(session["session"]["prompts"], 1);
    let turns = session["turns"].as_array().expect("turns");
    assert_eq!(turns.len(), 1, "{session}");
    let items = turns[0]["items"].as_array().expect("items");
    let item = |kind: &str| {
        items.iter().find(|item| item["kind"] == kind).unwrap_or_else(|| panic!("no {kind}: {items:?}"))
    };
    assert_eq!(item("read")["fold"]["n"], 2);
    assert_eq!(item("failed")["fixed_by"], item("fixed")["id"]);
    assert_eq!(item("blocked")["rule"], "no-force");
    assert!(item("blocked")["note"].as_str().is_some_and(|note| note.contains("--force-with-lease")));
    assert_eq!(session["files"][0]["path"], "build.rs");
    let second = page.data("session/session-2");
    let told =
        second["turns"][0]["items"].as_array().expect("items").iter().filter(|item| item["kind"] == "told");
    let told: Vec<&Value> = told.collect();
    assert!(!told.is_empty(), "{second}");
    assert!(
        told.iter().any(|item| item["rows"][0]["text"].as_str().is_some_and(|text| !text.is_empty())),
        "{told:?}"
    );
    let start = told.iter().find(|item| item["subject"] == "Told at session start");
    assert_eq!(second["told_chars"], start.map_or(json!(0), |start| start["chars"].clone()), "{second}");
    let short = page.data("session/session-1?turn=1");
    assert_eq!(short["turns"], session["turns"]);
    assert_eq!(page.get("session/unknown").status, 404);
    let rows = page.data("sessions?sort=failures")["rows"].clone();
    assert_eq!(rows.as_array().map(Vec::len), Some(2));
    assert_eq!(page.get("sessions?sort=wrong").status, 400);
    let failed = item("failed")["id"].as_i64().expect("an id");
    let observation = page.data(&format!("observation/{failed}"));
    assert_eq!(observation["obs"]["kind"], "failed");
    assert_eq!(observation["title"], "make the linker error go away");
    assert_eq!(observation["ended_by"].as_array().map(Vec::len), Some(2));
    assert_eq!(page.get("observation/999999").status, 404);
}

#[test]
fn every_question_has_an_answer_with_its_keys() {
    let sandbox = played();
    let root = sandbox.path("").to_str().expect("UTF-8").trim_end_matches('/').to_owned();
    let _server = Server::start(&sandbox, &[]);
    let page = Page::open(&sandbox, "read");
    for (question, expected) in [
        ("feed".to_owned(), vec!["rows"]),
        (
            "search?q=linking".to_owned(),
            vec!["took_us", "total", "groups", "looked_for", "left_out", "kinds", "elsewhere", "hits"],
        ),
        ("walls".to_owned(), vec!["rows", "single"]),
        ("files".to_owned(), vec!["rows", "is_part"]),
        (format!("file?path=build.rs&project={root}"), vec!["sessions", "rules", "notes"]),
        (format!("rules?project={root}"), vec!["rules", "broken", "files"]),
        (format!("rule/no-force?project={root}"), vec!["rule", "firings"]),
        ("told".to_owned(), vec!["rows", "by_part", "by_agent", "left_out"]),
        ("hints".to_owned(), vec!["hints", "server"]),
        (format!("notes?project={root}"), vec!["rows"]),
        (
            format!("plan?project={root}"),
            vec!["plan", "goal", "tasks", "layers", "longest", "flaws", "during", "history"],
        ),
        ("health".to_owned(), vec!["histogram", "by_hook", "lost", "retention_days", "memory_bytes"]),
    ] {
        assert_eq!(keys(&page.data(&question)), expected, "{question}");
    }
    let walls = page.data("walls");
    assert_eq!((&walls["rows"][0]["n"], &walls["rows"][0]["sessions"]), (&json!(2), &json!(2)), "{walls}");
    let key = walls["rows"][0]["key"].as_str().expect("a key");
    let wall = page.data(&format!("wall/{key}"));
    assert_eq!(wall["cases"].as_array().map(Vec::len), Some(2));
    assert_eq!(wall["offers"].as_array().map(Vec::len), Some(2));
    let rule = wall["offers"][0]["text"].as_str().expect("a rule");
    assert!(rule.contains("match:\n      command: \"cargo build\"\n    action"), "{rule}");
    assert_eq!(page.get("wall/0").status, 404);
    let rules = page.data(&format!("rules?project={root}"));
    let rule =
        rules["rules"].as_array().expect("rules").iter().find(|rule| rule["name"] == "no-force").expect("it");
    assert_eq!((&rule["fired"], &rule["obeyed"], &rule["action"]), (&json!(1), &json!(1), &json!("block")));
    let firings = page.data(&format!("rule/no-force?project={root}"))["firings"].clone();
    assert_eq!(firings.as_array().map(Vec::len), Some(1), "{firings}");
    let files = page.data("files");
    assert_eq!((&files["rows"][0]["path"], &files["rows"][0]["failed"]), (&json!("build.rs"), &json!(1)));
    assert_eq!(page.data("file?path=build.rs")["sessions"][0]["id"], "session-1");
    let hits = page.data("search?q=openssl");
    assert_eq!((&hits["hits"][0]["kind"], &hits["hits"][0]["n"]), (&json!("failed"), &json!(2)), "{hits}");
    assert!(hits["hits"][0]["marks"].as_array().is_some_and(|marks| !marks.is_empty()), "{hits}");
    let feed = page.data("feed?kinds=block");
    let id = feed["rows"][0]["id"].as_str().expect("an id");
    let why = page.data(&format!("why/{id}"));
    assert_eq!((&why["row"]["rule"], &why["tried"][0]["fate"]), (&json!("no-force"), &json!("blocked")));
    assert_eq!(page.get("why/nothing").status, 404);
    let tried = json!({ "rule": "no-force", "tool": "Bash", "content": "git push --force", "project": root });
    let tried = post(page.port, "try", &page.halves(), &tried).json();
    assert_eq!(tried["data"]["outcomes"][0]["outcome"], "block", "{tried}");
    let told = page.data("told");
    assert_eq!(
        told["rows"].as_array().map(|rows| rows.iter().filter(|row| row["carried"].is_object()).count()),
        Some(1)
    );
}

#[test]
fn a_hit_says_why_it_was_found() {
    let sandbox = Sandbox::new().file(".nexus/memory/linker-flags.md", "# Linker\nThe bread of it all.\n");
    sandbox.put("../other/.nudge/rules.yaml", RULE);
    let other = sandbox.beside("other").display().to_string();
    play(
        &sandbox,
        vec![
            event("SessionStart").with("source", "startup"),
            prompt("bake the bread slowly"),
            prompt("bread that somebody bakes").session("session-2"),
            edit("src/bread.rs", "one", "bake it").after(),
            prompt("bake the bread slowly").session("session-3"),
            prompt("bake other bread").with("cwd", other.as_str()),
        ],
    );
    let _server = Server::start(&sandbox, &[]);
    let page = Page::open(&sandbox, "read");
    let root = sandbox.path("").display().to_string();
    let found = page.data(&format!("search?q=bread+slowly&project={}", root.trim_end_matches('/')));
    let hits = found["hits"].as_array().expect("hits");
    let hit = hits.iter().find(|hit| hit["kind"] == "prompt").expect("a prompt");
    assert_eq!((&hit["n"], &hit["sessions"]), (&json!(2), &json!(2)), "{hit}");
    assert_eq!(hit["why"], json!(["all_words", "sequence"]), "{hit}");
    assert_eq!(hits.iter().find(|hit| hit["kind"] == "edit").expect("an edit")["why"], json!(["in_file"]));
    assert!(hits.iter().any(|hit| hit["kind"] == "note"), "{hits:?}");
    let one = page.data(&format!("search?q=bread&project={}", root.trim_end_matches('/')));
    assert_eq!(one["elsewhere"], json!([{ "project": "other", "n": 1 }]));
    assert_eq!(one["ranked_since_ms"], Value::Null);
}

#[test]
fn an_empty_memory_has_empty_answers() {
    let sandbox = Sandbox::new();
    let _server = Server::start(&sandbox, &[]);
    let page = Page::open(&sandbox, "read");
    for question in [
        "meta",
        "overview",
        "density",
        "lanes",
        "feed",
        "sessions",
        "search?q=a",
        "walls",
        "files",
        "rules",
        "told",
        "hints",
        "notes",
        "plan",
        "health",
    ] {
        assert_eq!(page.get(question).status, 200, "{question}");
    }
    assert!(!sandbox.data_folder().join("nudge.db").exists(), "looking creates nothing");
}

/// `nudge ui` in a new project opens the page with a folder that the memory does not know.
#[test]
fn a_folder_of_which_nothing_is_remembered_is_empty() {
    let sandbox = played();
    sandbox.put("../fresh/README.md", "new");
    let fresh = sandbox.beside("fresh").display().to_string();
    let _server = Server::start(&sandbox, &[]);
    let page = Page::open(&sandbox, "read");
    for (question, list) in [
        ("lanes", "sessions"),
        ("sessions", "rows"),
        ("feed", "rows"),
        ("walls", "rows"),
        ("files", "rows"),
        ("rules", "rules"),
        ("told", "rows"),
        ("notes", "rows"),
        ("plan", "tasks"),
        ("search", "hits"),
    ] {
        let answer = page.get(&format!("{question}?project={fresh}&q=linking"));
        assert_eq!(answer.status, 200, "{question}");
        assert_eq!(answer.json()["data"][list], json!([]), "{question}");
    }
    assert_eq!(page.data(&format!("overview?project={fresh}"))["sessions"], 0);
    let meta = page.data(&format!("meta?project={fresh}"));
    assert_eq!((&meta["counts"]["sessions"], &meta["counts"]["walls"]), (&json!(0), &json!(0)));
    assert_eq!(meta["projects"].as_array().map(Vec::len), Some(1), "{meta}");
    assert_eq!(page.data(&format!("search?project={fresh}&q=linking"))["elsewhere"][0]["project"], "project");
    for question in ["lanes", "walls", "search", "meta"] {
        assert_eq!(page.get(&format!("{question}?project=/nowhere&q=a")).status, 404, "{question}");
    }
}

#[test]
fn looking_changes_nothing() {
    let sandbox = played();
    let _server = Server::start(&sandbox, &[]);
    let page = Page::open(&sandbox, "read");
    let look = || {
        for question in [
            "meta",
            "overview",
            "density",
            "lanes",
            "feed",
            "sessions",
            "session/session-1",
            "search?q=ssl",
            "observation/1",
            "walls",
            "files",
            "file?path=build.rs",
            "rules",
            "told",
            "hints",
            "notes",
            "plan",
            "health",
        ] {
            assert_eq!(page.get(question).status, 200, "{question}");
        }
        let root = sandbox.path("").display().to_string();
        let root = root.trim_end_matches('/');
        let (wall, hook) =
            (page.data("walls")["rows"][0]["key"].clone(), page.data("feed")["rows"][0]["id"].clone());
        for (path, name) in [("wall", &wall), ("why", &hook), ("rule", &json!("no-force"))] {
            let question = format!("{path}/{}?project={root}", name.as_str().expect("a name"));
            assert_eq!(page.get(&question).status, 200, "{question}");
        }
    };
    // The first look stores what hooks have spooled, and counts it.
    look();
    let contents = || {
        let mut all: Vec<_> = files(&sandbox.data_folder())
            .into_iter()
            .filter(|path| !path.to_string_lossy().ends_with("-shm"))
            .map(|path| (path.clone(), std::fs::read(&path).expect("a file of nudge")))
            .collect();
        all.sort();
        all
    };
    let before = contents();
    look();
    let after = contents();
    let names =
        |all: &[(std::path::PathBuf, Vec<u8>)]| all.iter().map(|(path, _)| path.clone()).collect::<Vec<_>>();
    assert_eq!(names(&after), names(&before));
    assert!(before == after, "a file has changed");
}

/// Returns the texts of a list in the source of the questions.
fn listed(source: &str, name: &str) -> Vec<String> {
    let start = source.find(&format!("const {name}: &[&str] = &[")).expect("the list");
    let list = &source[start..start + source[start..].find("];").expect("its end")];
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn the_reference_has_every_question() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| std::fs::read_to_string(root.join(path)).expect("a file of the project");
    let (source, page) = (read("src/ops/view.rs"), read("docs/reference/ui.md"));
    let rows: Vec<&str> =
        page.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    let mut described: Vec<String> = rows
        .iter()
        .map(|row| match row.split_once('/') {
            Some((name, _)) => format!("{name}/"),
            None => row.trim_start_matches("POST ").to_owned(),
        })
        .collect();
    let mut known = [listed(&source, "ASKED"), listed(&source, "POSTED")].concat();
    described.sort();
    known.sort();
    assert_eq!(described, known);
}

#[test]
fn rules_are_replayed_on_the_past_one_at_a_time() {
    let sandbox = played();
    let _server = Server::start(&sandbox, &[]);
    let page = Page::open(&sandbox, "read");
    let project = sandbox.beside("project").display().to_string();
    let rule = |page: &Page| {
        let rules = page.data(&format!("rules?project={}", project.replace('/', "%2F")));
        rules["rules"]
            .as_array()
            .expect("rules")
            .iter()
            .find(|one| one["name"] == "no-force")
            .cloned()
            .expect("it")
    };
    assert!(rule(&page).get("of").is_none(), "nothing is claimed before a replay");
    let halves = page.halves();
    let wrong = post(page.port, "replay", &halves, &json!({ "rule": "none-such", "project": project }));
    assert_eq!((wrong.status, wrong.json()["error"]["code"].as_str()), (404, Some("unknown")));
    assert_eq!(post(page.port, "replay", &halves, &json!({ "days": 0 })).status, 400);
    let begun =
        post(page.port, "replay", &halves, &json!({ "rule": "no-force", "days": 30, "project": project }));
    assert_eq!(begun.status, 200, "{}", begun.body);
    assert!(begun.json()["data"]["job"].as_u64().is_some_and(|job| job > 0));
    crate::servers::wait_until("the replay has ended", || rule(&page).get("of").is_some());
    let detail = page.data(&format!("rule/no-force?project={}", project.replace('/', "%2F")));
    let replay = &detail["replay"];
    assert_eq!(replay["days"], 30, "{detail}");
    // What a rule blocked was not run; the push that was run begins in the same way, and worked.
    assert_eq!(replay["cases"][0]["target"], "git push --force-with-lease", "{replay}");
    assert_eq!((&rule(&page)["wrong"], &rule(&page)["of"]), (&json!(1), &json!(1)));
    let ended = post(page.port, "replay", &halves, &json!({ "cancel": true }));
    assert_eq!((ended.status, &ended.json()["data"]["job"]), (200, &Value::Null));
    assert_eq!(post(page.port, "replay", "", &json!({ "days": 30 })).status, 401);
}

#[test]
fn a_call_that_worked_counts_as_wrong_in_a_replay() {
    let sandbox = Sandbox::new();
    play(
        &sandbox,
        vec![
            prompt("publish it"),
            bash("git push --force origin gh-pages").after(),
            failed("git push --force origin main", "Exit code 1\nremote: denied"),
        ],
    );
    let sandbox = sandbox.rule("rules.yaml", RULE);
    let _server = Server::start(&sandbox, &[]);
    let page = Page::open(&sandbox, "read");
    let project = sandbox.beside("project").display().to_string();
    let body = json!({ "rule": "no-force", "project": project });
    assert_eq!(post(page.port, "replay", &page.halves(), &body).status, 200);
    let question = format!("rule/no-force?project={}", project.replace('/', "%2F"));
    crate::servers::wait_until("the replay has ended", || page.data(&question).get("replay").is_some());
    let detail = page.data(&question);
    let cases: Vec<(bool, &str)> = detail["replay"]["cases"]
        .as_array()
        .expect("cases")
        .iter()
        .map(|case| (case["wrong"].as_bool().expect("a flag"), case["target"].as_str().expect("a target")))
        .collect();
    assert_eq!(cases, [(true, "git push --force origin gh-pages"), (false, "git push --force origin main")]);
    assert_eq!((&detail["rule"]["wrong"], &detail["rule"]["of"]), (&json!(1), &json!(2)));
}

//! What all commands share: their help, their names, their flags, and the summary that `nudge` alone prints.

use expect_test::expect;

use crate::hints::scene::Scene;
use crate::memory::scene::{failed, play, remembered};
use crate::payload::{bash, prompt, write};
use crate::sandbox::{BLOCK_TODO, Sandbox};

/// Returns the commands that a page of help lists: lines with two blanks in front of a word, above the options.
pub(crate) fn listed(help: &str) -> Vec<String> {
    let above =
        help.lines().take_while(|line| !line.starts_with("Options") && !line.starts_with("Arguments"));
    let named = above.filter_map(|line| line.strip_prefix("  "));
    let named = named.filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()));
    named.filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

#[test]
fn the_short_help_is_one_screen() {
    let ran = Sandbox::new().run(["-h"]);
    ran.code(0).stderr(expect![[""]]).stdout(expect![[r#"
        nudge: memory and guard rails for coding agents

        Usage: nudge [OPTIONS] [COMMAND]        `nudge help COMMAND` explains a command

        Start     setup  init  demo  status  settings  doctor  off  on  uninstall
        Look      ui  day  log  recent  sessions  failures  stats  why  report
        Search    search  show  timeline  context
        Rules     rules  trust  learn  allow  test  validate  check
        Hints     hint  set  get  query  ls  delete  bump  export  import
        Plan      plan  task  note  history  artifact
        Data      backfill  projects  observations  sync  pin  unpin  forget  gc
        Team      team
        Plumbing  hook  serve  stop  record  completions  man  nexus

          nudge                 see what happened today
          nudge setup           connect Claude Code, Codex, Gemini CLI and others
          nudge init            create a first rule file in this project
          nudge search WORDS    find what agents did

        -h this page   --help all commands   -V version   -j, --json for scripts
        `nudge help environment` lists variables, `nudge help plumbing` the inner parts
    "#]]);
    assert!(ran.stdout.lines().count() <= 24, "{}", ran.stdout);
    ran.stdout.lines().for_each(|line| assert!(line.chars().count() <= 80, "{line}"));
}

#[test]
fn topics_have_pages_of_their_own() {
    let sandbox = Sandbox::new();
    for (topic, word) in [("environment", "NUDGE_RUNTIME_DIR"), ("plumbing", "completions")] {
        let page = sandbox.run(["help", topic]);
        assert!(page.code(0).stdout.contains(word), "{}", page.stdout);
        assert_eq!(sandbox.run([topic]).code(0).stdout.trim_end(), page.stdout.trim_end());
    }
    let task = sandbox.run(["help", "task", "add"]);
    assert!(task.code(0).stdout.contains("Usage: nudge task add"), "{}", task.stdout);
}

#[test]
fn help_does_not_promise_what_agents_providers_decide() {
    let help = Sandbox::new().run(["--help"]).stdout.replace('\n', " ");
    assert!(!help.contains("leaves this machine"), "{help}");
    assert!(help.contains("Nudge itself sends nothing anywhere"), "{help}");
    assert!(help.contains("becomes part of that agent's prompt"), "{help}");
}

#[test]
fn people_also_type_other_words() {
    let sandbox = remembered();
    let same = |one: &[&str], two: &[&str]| {
        let run = |args: &[&str]| {
            let output = sandbox.command(env!("CARGO_BIN_EXE_nudge")).args(args).output().expect("it runs");
            sandbox.ran(&output)
        };
        let (one, two) = (run(one), run(two));
        assert_eq!((one.code, &one.stdout, &one.stderr), (two.code, &two.stdout, &two.stderr));
    };
    same(&["friction", "--json"], &["failures", "--json"]);
    same(&["config"], &["settings"]);
    same(&["notes"], &["note"]);
    same(&["memory", "list"], &["note", "list"]);
    same(&["tasks"], &["task"]);
    same(&["version"], &["--version"]);
    same(&["--json", "today"], &["--json"]);
    same(&["help", "pause"], &["help", "off"]);
    sandbox.run(["tail"]).code(2).stdout(expect![[""]]).stderr(expect![[r#"
        error: there is no command `tail`
        hint: `nudge log -f` follows hook calls; `nudge recent` lists the latest observations
    "#]]);
}

#[test]
fn json_is_asked_for_before_or_after_the_command() {
    let sandbox = Sandbox::new().rule("a.yaml", BLOCK_TODO);
    let expected = sandbox.run(["rules", "--json"]).code(0).stdout.clone();
    assert!(expected.starts_with('{'), "{expected}");
    for args in [["--json", "rules"], ["-j", "rules"], ["rules", "-j"]] {
        assert_eq!(sandbox.run(args).code(0).stdout, expected, "{args:?}");
    }
    let empty = serde_json::json!({ "items": [], "total": 0 });
    for args in [["-j", "note", "list"], ["note", "-j", "list"], ["note", "list", "-j"]] {
        assert_eq!(sandbox.run(args).code(0).json(), empty, "{args:?}");
    }
    assert_eq!(sandbox.run(["note", "--json"]).code(0).json(), empty);
    sandbox.run(["man", "--json"]).code(2).stdout(expect![[""]]).stderr(expect![[r#"
        error: `nudge man` has no JSON: it prints manual pages
    "#]]);
    sandbox.run(["--json", "demo"]).code(2).stdout(expect![[""]]);
}

#[test]
fn hints_have_a_noun_beside_their_verbs() {
    let scene = Scene::new();
    scene.done(&["hint", "set", "web", "build", "make web", "--ttl", "2h"]);
    let meta = scene.run(&["get", "web", "build", "--json"]).json()["hint"]["meta"].clone();
    assert_eq!(meta["ttl"], "PT2H");
    let pairs = [
        (&["hint", "ls"][..], &["ls"][..]),
        (&["hint", "ls", "web"], &["ls", "web"]),
        (&["hint", "get", "web", "build", "--value"], &["get", "web", "build", "--value"]),
        (&["hint", "find", "--component", "none"], &["query", "--component", "none"]),
        (&["hint", "find", "--keys", "build", "-n", "1"], &["query", "--keys", "build", "--limit", "1"]),
    ];
    for (noun, verb) in pairs {
        let (one, two) = (scene.run(noun), scene.run(verb));
        assert_eq!((one.code, &one.stdout, &one.stderr), (two.code, &two.stdout, &two.stderr), "{noun:?}");
    }
    scene.done(&["hint", "bump", "web", "build"]);
    scene.done(&["hint", "export", "-o", "hints.json"]);
    scene.done(&["hint", "rm", "web", "build"]);
    scene.done(&["hint", "import", "hints.json"]);
    assert_eq!(scene.run(&["hint", "get", "web", "build", "--value"]).stdout, "make web\n");
    let refused = scene.run(&["hint", "set", "web", "build", "x", "--ttl", "soon"]);
    assert!(refused.code(1).stderr.contains("`ttl`"), "{}", refused.stderr);
}

#[test]
fn nudge_alone_says_what_to_do_first() {
    let ran = Sandbox::new().run([]);
    let text = ran.code(0).stderr(expect![[""]]).stdout.replace(env!("CARGO_PKG_VERSION"), "$VERSION");
    expect![[r#"
        nudge $VERSION: nothing is recorded yet

          nudge demo     see what it does, without any agent
          nudge setup    connect your coding agents
          nudge init     create a first rule file in this project

        Then work with your agent, and run `nudge` again. `nudge -h` lists all commands.
    "#]]
    .assert_eq(&text);
}

#[test]
fn nudge_alone_sums_up_today() {
    let sandbox = remembered().rule("a.yaml", BLOCK_TODO);
    for session in ["zone-1", "zone-2", "zone-3", "zone-4", "zone-5"] {
        let events = vec![
            prompt("add a note").session(session),
            failed(&format!("make {session}"), "Exit code 2\nno rule to make target").session(session),
            bash("ls").session(session),
        ];
        play(&sandbox, events);
        sandbox.hook("codex", write("a.rs", "// TODO").session(session));
    }
    for title in ["one", "two", "three", "four", "five"] {
        sandbox.run(["task", "add", title]).code(0);
    }
    sandbox.hook_bytes("claude-code", b"nonsense");
    let ran = sandbox.run([]);
    let lines: Vec<&str> = ran.code(0).stderr(expect![[""]]).stdout.lines().collect();
    assert!(lines.len() <= 24, "{}", ran.stdout);
    let dateless: Vec<&str> = lines.iter().skip(1).copied().collect();
    expect![[r#"
        agents    Claude Code (22 events), Codex (5 events)
        sessions  6: 6 prompts, 1 edit, 6 failures
          zone-5  just now  project  codex  add a note
          zone-4  just now  project  codex  add a note
          zone-3  just now  project  codex  add a note
        rules     5 blocked, 3 with context added
          no-todo  5 blocked
        failures  the latest
              20  just now  make zone-5 ⏎ no rule to make target
              17  just now  make zone-4 ⏎ no rule to make target
              14  just now  make zone-3 ⏎ no rule to make target
        tasks     5 of 5 open in this project
               1  one
               2  two
               3  three
        problems  `nudge doctor` shows all
          just now  an event of claude-code was lost: the input is not a JSON object
        more: `nudge sessions ID`, `nudge show NUMBER`, `nudge why`, `nudge -h`"#]]
    .assert_eq(&dateless.join("\n"));
    let today = sandbox.run(["--json"]).json();
    assert_eq!(today["sessions"]["total"], 6);
    assert_eq!(today["rules"][0]["rule"], "no-todo");
    assert_eq!(today["rules"][0]["blocked"], 5);
    assert_eq!(today["tasks"]["open"], 5);
    assert_eq!(today["is_fresh"], false);
}

#[test]
fn nudge_alone_answers_without_the_memory() {
    let sandbox = Sandbox::new().file("folder.db/in-the-way", "");
    let database = sandbox.path("folder.db");
    let ran = sandbox.env("NUDGE_DB", &database.display().to_string()).run([]);
    assert!(ran.code(0).stdout.contains("memory"), "{}", ran.stdout);
    assert!(ran.stdout.contains("`nudge doctor`"), "{}", ran.stdout);
}

#[test]
fn ids_can_be_typed_as_they_are_printed() {
    let sandbox = Sandbox::new();
    let (one, two) = ("01a1e2f5-aaaa-7000", "01a1e2f5-aabb-7000");
    play(&sandbox, vec![prompt("first").session(one), bash("ls").after().session(one)]);
    play(&sandbox, vec![prompt("second").session(two)]);
    let recent = sandbox.run(["recent"]).stdout;
    for line in recent.lines() {
        let id = line.split_whitespace().next().expect("an id");
        sandbox.run(["show", id]).code(0);
        sandbox.run(["show", &format!("#{id}")]).code(0);
    }
    let sessions = sandbox.run(["sessions"]).stdout;
    let ids: Vec<&str> = sessions.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(ids, ["01a1e2f5-aab", "01a1e2f5-aaa"], "{sessions}");
    for id in ids {
        sandbox.run(["sessions", id]).code(0);
    }
    sandbox.run(["task", "add", "write it down"]).code(0);
    let board = sandbox.run(["task"]).stdout;
    let line = board.lines().find(|line| line.contains("write it down")).expect("a task");
    sandbox.run(["task", "done", line.split_whitespace().next().expect("an id")]).code(0);
    let why = sandbox.run(["why", "-n", "1"]).stdout;
    sandbox.run(["why", why.split_whitespace().next().expect("an id")]).code(0);
}

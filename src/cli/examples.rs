//! Examples of every command, for its help and its page of the manual; a test parses each of them.

/// A command, and lines to type with what they do.
pub(crate) const EXAMPLES: [(&str, &[(&str, &str)]); 59] = [
    (
        "setup",
        &[
            ("nudge setup", "connect every agent on this machine"),
            ("nudge setup claude --dry-run", "only show what would change"),
            ("nudge setup --undo", "disconnect all agents"),
        ],
    ),
    ("init", &[("nudge init", "create `.nudge.yaml` and `.nexus/` in this project")]),
    ("demo", &[("nudge demo", "see a block, a remembered failure and a hint")]),
    (
        "status",
        &[
            ("nudge status", "show one screen"),
            ("nudge status --watch", "refresh it every second"),
            ("nudge status --line", "goal and tasks, for the status line of an agent"),
        ],
    ),
    (
        "doctor",
        &[
            ("nudge doctor", "check everything"),
            ("nudge doctor --fix", "fix what is safe to fix, then check"),
        ],
    ),
    (
        "off",
        &[
            ("nudge off --for 1h", "pause everywhere for an hour"),
            ("nudge off --project", "pause in this project until `nudge on`"),
        ],
    ),
    ("on", &[("nudge on", "end the pause")]),
    (
        "uninstall",
        &[
            ("nudge uninstall --dry-run", "only list what would be removed"),
            ("nudge uninstall --keep-memory", "remove everything but what is remembered"),
        ],
    ),
    (
        "ui",
        &[
            ("nudge ui", "open the viewer in your browser"),
            ("nudge ui session 09eff2b4", "open it at a session"),
            ("nudge ui --no-open", "only print the link, as over SSH"),
            ("nudge ui --close", "close all open pages"),
        ],
    ),
    (
        "report",
        &[
            ("nudge report --html week.html", "the last seven days of this project, in one file"),
            (
                "nudge report --html all.html --since 30d --all --plain",
                "all projects, without what was written",
            ),
        ],
    ),
    (
        "day",
        &[
            ("nudge day yesterday", "what happened yesterday, in all projects"),
            ("nudge day week --md", "the last seven days, as Markdown"),
        ],
    ),
    (
        "log",
        &[
            ("nudge log -f --all", "watch all agents"),
            ("nudge log --blocked --since 7d", "what was blocked this week"),
        ],
    ),
    (
        "learn",
        &[
            ("nudge learn", "decide on proposals, one after the other"),
            ("nudge learn --json --since 30d", "list what the last month teaches"),
            ("nudge learn --write proposals.yaml", "write all proposals to a file for review"),
        ],
    ),
    (
        "failures",
        &[
            ("nudge failures", "what fails again and again here, and what ended it"),
            ("nudge failures --all --since 30d", "in all projects, this month"),
        ],
    ),
    (
        "recent",
        &[
            ("nudge recent", "what agents did here"),
            ("nudge recent --all -n 50", "the latest 50, in all projects"),
        ],
    ),
    (
        "search",
        &[
            ("nudge search linker error --since 3d", "the last three days"),
            ("nudge search --ids make", "only the numbers, for `xargs nudge show`"),
        ],
    ),
    ("show", &[("nudge show 42 43", "two observations in full")]),
    ("timeline", &[("nudge timeline 42", "five before it and five after it")]),
    (
        "sessions",
        &[
            ("nudge sessions", "list the sessions of this project"),
            ("nudge sessions 0198c3f2", "one session as a story"),
        ],
    ),
    (
        "projects",
        &[
            ("nudge projects", "all projects, the latest first"),
            ("nudge projects merge ~/old/shop shop", "a folder that nothing else connects"),
            ("nudge projects rename app shop", "another name; the old one still finds it"),
        ],
    ),
    ("stats", &[("nudge stats --all", "all projects")]),
    (
        "trust",
        &[
            ("nudge trust", "read the rules that this repository brings, and trust them"),
            ("nudge trust --diff", "what changed since you trusted it"),
            ("nudge trust --list", "what you trust, here and elsewhere"),
            ("nudge trust --revoke", "forget that you have seen the rules of this project"),
        ],
    ),
    (
        "allow",
        &[
            ("nudge allow", "look at the call that waits, and allow it once"),
            ("nudge allow --list", "what waits, and what is allowed"),
            ("nudge allow --revoke all", "take every permission back"),
        ],
    ),
    (
        "why",
        &[
            ("nudge why -n 3", "the latest three hook calls"),
            ("nudge why @k3f9", "one of them, with all rules"),
        ],
    ),
    (
        "context",
        &[
            ("nudge context", "what the next session sees"),
            ("nudge context --explain", "and why each row is there"),
        ],
    ),
    (
        "rules",
        &[
            ("nudge rules", "list the rules of this project"),
            ("nudge rules packs", "list the packs of rules that come with nudge"),
            ("nudge rules add databases", "use a pack in this project"),
            ("nudge rules show keep-rules", "show one rule, its message and its examples"),
            ("nudge rules disable keep-rules", "switch a rule off"),
            ("nudge rules shadow keep-rules", "only count what it would have stopped"),
        ],
    ),
    (
        "test",
        &[
            ("nudge test --tool Write --file a.ts --content 'console.log(1)'", "try all rules on one write"),
            ("nudge test --rule no-todo --prompt 'add a TODO'", "try one rule on a prompt"),
            ("nudge test --replay 30d", "try the rules on the calls of the last 30 days"),
        ],
    ),
    (
        "validate",
        &[
            ("nudge validate", "check all rule files"),
            ("nudge validate --schema", "print the JSON Schema for your editor"),
        ],
    ),
    (
        "check",
        &[
            ("nudge check", "check the whole project"),
            ("nudge check src --json", "check one folder, for CI"),
            ("nudge check --format github", "as annotations of a GitHub workflow"),
        ],
    ),
    (
        "hint",
        &[
            ("nudge hint set web build 'npm run build'", "save a hint"),
            ("nudge hint get web build", "show the hint that fits here"),
            ("nudge hint ls", "list components"),
        ],
    ),
    (
        "set",
        &[
            ("nudge set web build 'npm run build' --ttl 7d", "keep it for a week"),
            ("nudge set web build 'make web' --scope-here", "only in this folder and below"),
        ],
    ),
    (
        "get",
        &[
            ("nudge get web build", "the hint that fits here, and why"),
            ("nudge get web build --value", "only its value, for scripts"),
        ],
    ),
    ("query", &[("nudge query --component web --tags build -n 5", "up to five hints")]),
    ("ls", &[("nudge ls", "list components"), ("nudge ls web", "list the keys of one")]),
    ("delete", &[("nudge delete web build", "delete a hint with all its variants")]),
    ("bump", &[("nudge bump web build", "mark a hint as useful")]),
    ("export", &[("nudge export -o hints.json", "write all hints to a file")]),
    (
        "import",
        &[
            ("nudge import hints.json", "read hints from a file"),
            ("nudge import --from claude-mem", "show what claude-mem remembers, and ask"),
        ],
    ),
    (
        "plan",
        &[
            ("nudge plan", "show the open plan"),
            ("nudge plan start 'Faster start' --issue 'Cache or not?'", "start a plan"),
        ],
    ),
    (
        "task",
        &[
            ("nudge task", "show the board"),
            ("nudge task add 'Write the parser' --deps 1", "add a task that waits for task 1"),
            ("nudge task done 1", "mark task 1 as completed"),
        ],
    ),
    (
        "note",
        &[
            ("nudge note", "list the notes"),
            ("nudge note add retry-uploads 'Uploads fail once a day; retry three times'", "add a finding"),
        ],
    ),
    (
        "history",
        &[
            ("nudge history -n 3", "the latest three cycles"),
            ("nudge history search parser", "cycles that mention a word"),
        ],
    ),
    (
        "artifact",
        &[
            ("nudge artifact", "list the artifacts"),
            ("nudge artifact write report.md report.md", "write one from a file"),
        ],
    ),
    (
        "backfill",
        &[
            ("nudge backfill --dry-run", "count what earlier sessions would add"),
            ("nudge backfill claude --since 90d", "the last 90 days of Claude Code"),
        ],
    ),
    (
        "observations",
        &[
            ("nudge observations export --all -o memory.jsonl", "write everything to a file"),
            ("nudge observations import memory.jsonl", "read it on another machine"),
        ],
    ),
    (
        "sync",
        &[
            ("nudge sync ssh desk", "exchange with another machine of yours, and remember it"),
            ("nudge sync ssh", "exchange with all that are remembered"),
            ("nudge sync file ~/Sync/nudge", "exchange by a folder that something else carries"),
            ("nudge sync", "exchange rows with your team's server"),
            ("nudge sync --dry-run --show", "print every byte that would leave, and send nothing"),
            ("nudge sync --pull --quiet", "only bring rows of colleagues, as a job does first"),
        ],
    ),
    (
        "team",
        &[
            (
                "nudge team join postgres://nudge_alice@db.example.com/nudge",
                "see what would be shared, and choose",
            ),
            ("nudge team share fixes", "share the failures that were overcome in this project"),
            ("nudge team status", "when rows last moved, and what waits"),
            ("nudge team leave --take-back", "take all your rows back, and leave"),
            ("nudge team init postgres://me@db.example.com/nudge --check", "try whether a server will do"),
            ("nudge team grant alice", "as an admin, make a login and print how to join with it"),
        ],
    ),
    ("pin", &[("nudge pin 42", "keep an observation forever")]),
    ("unpin", &[("nudge unpin 42", "let retention apply again")]),
    (
        "forget",
        &[
            ("nudge forget 42", "delete one observation, after asking"),
            ("nudge forget --before 90d --dry-run", "show what is older than 90 days"),
        ],
    ),
    (
        "gc",
        &[
            ("nudge gc --dry-run", "show what has expired"),
            ("nudge gc --restore", "restore what was deleted this week"),
        ],
    ),
    (
        "settings",
        &[
            ("nudge settings", "list all settings"),
            ("nudge settings set context.rows 10", "change one, for you in all projects"),
            ("nudge settings set observations.enabled false --project", "remember nothing of this project"),
        ],
    ),
    ("hook", &[("nudge hook", "answer one event on stdin")]),
    ("serve", &[("nudge serve", "start a hint server by hand")]),
    ("stop", &[("nudge stop", "stop the hint server")]),
    ("record", &[("nudge record", "store one event from stdin")]),
    (
        "completions",
        &[
            ("nudge completions bash > ~/.local/share/bash-completion/completions/nudge", "for bash"),
            ("nudge completions zsh > ~/.zfunc/_nudge", "for zsh"),
            ("nudge completions fish > ~/.config/fish/completions/nudge.fish", "for fish"),
        ],
    ),
    (
        "man",
        &[
            ("nudge man recent | man -l -", "read one page"),
            ("nudge man -o ~/.local/share/man/man1", "install all pages"),
        ],
    ),
    ("nexus", &[("nudge nexus vocabulary", "list the terms of the contract")]),
];

/// Returns the examples of a command of the first level.
pub(crate) fn of(command: &str) -> &'static [(&'static str, &'static str)] {
    EXAMPLES.iter().find(|(name, _)| *name == command).map_or(&[], |(_, examples)| examples)
}

/// Returns the examples as the end of a help page.
pub(crate) fn in_help(command: &str) -> String {
    let lines: Vec<String> =
        of(command).iter().map(|(line, about)| format!("  {line}\n      {about}")).collect();
    format!("Examples:\n{}", lines.join("\n"))
}

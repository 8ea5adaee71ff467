//! `docs/guide/team.md`: every console in it is played against a real server, and prints what is printed there.

use std::fs;
use std::path::Path;

use super::scene::{SHOP, machine};
use crate::postgres::team::Team;

#[test]
fn the_guide_is_true() {
    let Some(team) = Team::new() else { return };
    let alice = machine(&team, "alice");
    alice.fix("before", "earlier");
    let guide = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guide/team.md"))
        .expect("the guide");
    let consoles: Vec<&str> =
        guide.split("```console\n$ ").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(consoles.len(), 6, "the guide has its consoles");
    for console in consoles {
        let (line, expected) = console.split_once('\n').expect("a command and what it prints");
        let line = line.replace("$URL", &format!("'{}'", alice.url));
        if line.starts_with("nudge sync --dry-run") {
            alice.fix("s1", "frobnicate");
        }
        let program = env!("CARGO_BIN_EXE_nudge");
        let line = format!("{} 2>&1", line.replacen("nudge", program, 1));
        let output = alice.sandbox.command("sh").args(["-c", &line]).output().expect("a shell");
        let ran = alice.sandbox.ran(&output);
        assert_eq!(ran.code, Some(0), "{line}: {}", ran.stdout);
        let server = format!("{}, database {}", team.cluster.folder.display(), team.name);
        // The look comes before the answer, and is another page of the guide's reader.
        let printed = ran.stdout.rsplit("before you share.\n\n").next().unwrap_or_default();
        let printed = printed.replace(&server, "$SERVER");
        let printed = regex_free(&printed);
        assert_eq!(printed, regex_free(expected), "{line}\n{}", ran.stdout);
    }
    assert!(!alice.copy_path().exists(), "{SHOP} is left");
}

/// Replaces what differs from run to run.
fn regex_free(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let line = line.split(" here (").next().unwrap_or(line);
        match line.starts_with("joined: ") || line.starts_with("team     ") {
            true => line.rsplit(" as ").next().unwrap_or(line).to_owned(),
            false => line.to_owned(),
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

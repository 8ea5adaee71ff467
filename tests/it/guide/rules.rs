//! The guide is exact: its YAML loads, and its commands print what it shows.

use std::fs;
use std::path::Path;

use crate::sandbox::Sandbox;

/// A fenced block of the guide.
struct Block {
    language: String,
    text: String,
}

#[test]
fn every_yaml_block_of_the_guide_loads() {
    for block in blocks().iter().filter(|block| block.language == "yaml") {
        let sandbox = Sandbox::new().file(".nudge.yaml", rule_file(&block.text));
        let ran = sandbox.run(["validate", "--json"]);
        assert_eq!(ran.code, Some(0), "{}\n{}", block.text, ran.stdout);
        let problems = &ran.json()["files"][0]["problems"];
        assert_eq!(problems, &serde_json::json!([]), "{}", block.text);
    }
}

#[test]
fn every_command_of_the_guide_prints_what_it_shows() {
    let blocks = blocks();
    // The first rule, or the one that the command names.
    let file = |command: &str| {
        let name = command.split_once("--rule ").and_then(|(_, rest)| rest.split(' ').next());
        let has = |block: &&Block| name.is_none_or(|name| block.text.contains(&format!("name: {name}\n")));
        rule_file(&blocks.iter().filter(|block| block.language == "yaml").find(has).expect("a rule").text)
    };
    let mut tried = 0;
    for (command, shown) in blocks.iter().filter(|block| block.language == "console").flat_map(runs) {
        let rules = if shown.contains("mach:") { misspelt() } else { file(&command) };
        let sandbox = Sandbox::new().file(".nudge.yaml", rules);
        // What `nudge check` shows of a project with one mistake in it.
        sandbox.put("src/app.ts", "\n\nconsole.log(1)\n");
        (1..42).for_each(|number| sandbox.put(&format!("src/{number}.ts"), "fine\n"));
        let program = format!("{}{}", env!("CARGO_BIN_EXE_nudge"), &command["nudge".len()..]);
        let output = sandbox.command("sh").args(["-c", &program]).output().expect("a shell");
        let ran = sandbox.ran(&output);
        assert_eq!(format!("{}{}", ran.stdout, ran.stderr), shown, "$ {command}");
        tried += 1;
    }
    assert_eq!(tried, 5);
}

/// Makes a rule file of a block: it is one, or some rules, or some keys of a rule.
fn rule_file(text: &str) -> String {
    if text.starts_with("  - name:") {
        return format!("version: 1\nrules:\n{text}");
    }
    if text.starts_with("    ") {
        let content =
            if text.contains("match:") { "" } else { "    match: { content: 'console\\.(log|debug)' }\n" };
        return format!(
            "version: 1\nrules:\n  - name: r\n    on: {{ hook: PreToolUse }}\n    action: continue\n    message: m\n{content}{text}"
        );
    }
    text.to_owned()
}

/// The file of the section about mistakes, whose line 5 is shown there.
fn misspelt() -> String {
    "version: 1\nrules:\n  - name: x\n    on: { hook: PreToolUse }\n    mach: { content: \"a\" }\n    action: continue\n    message: m\n"
        .to_owned()
}

/// Splits a block into its commands, each with what it prints.
fn runs(block: &Block) -> Vec<(String, String)> {
    let runs = block.text.split("$ ").skip(1).filter_map(|run| run.split_once('\n'));
    let ours = runs.filter(|(command, _)| command.starts_with("nudge"));
    ours.map(|(command, shown)| (command.to_owned(), format!("{}\n", shown.trim_end()))).collect()
}

fn blocks() -> Vec<Block> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guide/rules.md");
    let guide = fs::read_to_string(path).expect("the guide");
    let fenced = guide.split("```").skip(1).step_by(2);
    fenced
        .filter_map(|fenced| fenced.split_once('\n'))
        .map(|(language, text)| Block { language: language.to_owned(), text: text.to_owned() })
        .collect()
}

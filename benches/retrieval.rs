//! How well a question finds what was observed: recall@5, recall@10 and MRR over documents and questions.
//!
//! `cargo bench --bench retrieval` fills a fresh database through the program and asks every question three ways: with
//! all words required, with any word by BM25, and as it is, which is what we ship and must be the best in every
//! column. Another set is given by two arguments, or by `NUDGE_RETRIEVAL_DOCUMENTS` and `NUDGE_RETRIEVAL_QUESTIONS`;
//! `NUDGE_RETRIEVAL_MISSES=1` shows the questions whose answers we do not find among the first five.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a benchmark measures and prints"
)]

use std::collections::HashSet;
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct Document {
    id: String,
    obs_type: String,
    content: String,
    file_path: Option<String>,
}

#[derive(Deserialize)]
struct Question {
    question: String,
    expected: Vec<String>,
}

/// How a question is put to the program.
struct Way {
    name: &'static str,
    query: fn(&str) -> String,
}

const WAYS: [Way; 3] = [
    Way { name: "all words (implicit AND)", query: |question| words(question).join(" AND ") },
    Way { name: "any word (OR by BM25)", query: |question| words(question).join(" OR ") },
    Way { name: "as it is (what we ship)", query: str::to_owned },
];

/// Means over all questions, each from 0 to 1.
#[derive(Default)]
struct Scores {
    recall_at_5: f64,
    recall_at_10: f64,
    /// The mean of 1 / rank of the first right answer, if that is among the first ten.
    mrr: f64,
}

fn main() -> ExitCode {
    let (documents_path, questions_path) = paths();
    let documents: Vec<Document> = read(&documents_path);
    let questions: Vec<Question> = read(&questions_path);
    check(&documents, &questions);
    let home = tempfile::tempdir().expect("a temporary folder");
    fill(home.path(), &documents);
    println!("{} documents, {} questions\n", documents.len(), questions.len());
    println!("{:<26} {:>9} {:>9} {:>9}", "the words of a question", "recall@5", "recall@10", "MRR");
    let mut misses = String::new();
    let scores = WAYS.map(|way| {
        misses.clear();
        let scores = score(home.path(), &way, &questions, &mut misses);
        let Scores { recall_at_5, recall_at_10, mrr } = scores;
        println!("{:<26} {recall_at_5:>9.3} {recall_at_10:>9.3} {mrr:>9.3}", way.name);
        scores
    });
    if env::var_os("NUDGE_RETRIEVAL_MISSES").is_some() {
        println!("\n{misses}");
    }
    let [others @ .., ours] = &scores;
    if others.iter().all(|other| ours.is_as_good_as(other)) {
        return ExitCode::SUCCESS;
    }
    eprintln!("\nwhat we ship is not the best");
    ExitCode::FAILURE
}

impl Scores {
    fn is_as_good_as(&self, other: &Scores) -> bool {
        // Sums of the same fractions in another order differ in their last digits.
        let reaches = |own: f64, other: f64| own >= other - 1e-9;
        reaches(self.recall_at_5, other.recall_at_5)
            && reaches(self.recall_at_10, other.recall_at_10)
            && reaches(self.mrr, other.mrr)
    }
}

/// Asks every question, and records those whose answers are not all among the first five.
fn score(home: &Path, way: &Way, questions: &[Question], misses: &mut String) -> Scores {
    let mut scores = Scores::default();
    let count = questions.len() as f64;
    for Question { question, expected } in questions {
        let found = ask(home, &(way.query)(question));
        let recall = |most: usize| {
            let first: HashSet<&String> = found.iter().take(most).collect();
            expected.iter().filter(|id| first.contains(id)).count() as f64 / expected.len() as f64
        };
        scores.recall_at_5 += recall(5) / count;
        scores.recall_at_10 += recall(10) / count;
        if let Some(place) = found.iter().position(|id| expected.contains(id)) {
            scores.mrr += 1.0 / (place + 1) as f64 / count;
        }
        if recall(5) < 1.0 {
            let first = &found[..found.len().min(5)];
            writeln!(misses, "{question}\n  expected {}", expected.join(" ")).expect("a text grows");
            writeln!(misses, "  found    {}", first.join(" ")).expect("a text grows");
        }
    }
    scores
}

/// Returns the ids of the documents that the program finds, the best first; none where it refuses the query.
fn ask(home: &Path, query: &str) -> Vec<String> {
    let output = run(home, &["search", "--all", "--limit", "10", "--json", "--", query]);
    if String::from_utf8_lossy(&output.stderr).contains("malformed query") {
        return Vec::new();
    }
    // As with grep, the exit code 1 means that nothing was found.
    if output.status.code() != Some(1) || !output.stderr.is_empty() {
        succeeded(&output);
    }
    let found: Value = serde_json::from_slice(&output.stdout).expect("a list of hits");
    let id = |hit: &Value| hit["session_id"].as_str().expect("a session").to_owned();
    found["items"].as_array().expect("a list of hits").iter().map(id).collect()
}

/// Stores each document as an observation of a separate session, whose name is the document's id.
fn fill(home: &Path, documents: &[Document]) {
    let mut lines = String::new();
    for (n, document) in documents.iter().enumerate() {
        let line = json!({
            "timestamp": 1_750_000_000 + 60 * n, "session_id": document.id, "project": "bench",
            "project_root": null, "obs_type": document.obs_type, "source_event": "PostToolUse", "tool_name": null,
            "content": document.content, "file_path": document.file_path, "metadata": null,
            "event_key": format!("{n:032x}"), "program": null, "signature": null,
        });
        writeln!(lines, "{line}").expect("a text grows");
    }
    let file = home.join("observations.jsonl");
    fs::write(&file, lines).expect("a file of observations");
    let output = run(home, &["observations", "import", "--json", &file.display().to_string()]);
    succeeded(&output);
    let imported: Value = serde_json::from_slice(&output.stdout).expect("what was imported");
    assert_eq!(imported["stored"], documents.len(), "all documents are stored: {imported}");
}

fn run(home: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nudge"))
        .args(arguments)
        .current_dir(home)
        .env_clear()
        .env("HOME", home)
        .env("NUDGE_DB", home.join("nudge.db"))
        .output()
        .expect("the program runs")
}

fn succeeded(output: &Output) {
    assert!(output.status.success(), "`nudge` failed: {}", String::from_utf8_lossy(&output.stderr));
}

/// Returns all words of a question as FTS5 strings, including stop words.
fn words(question: &str) -> Vec<String> {
    let question = question.replace('"', " ");
    let words = question.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric));
    words.map(|word| format!("\"{word}\"")).collect()
}

/// Returns where the documents and the questions are.
fn paths() -> (PathBuf, PathBuf) {
    // Cargo itself adds `--bench`.
    let arguments: Vec<String> = env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    if let [documents, questions] = &arguments[..] {
        return (documents.into(), questions.into());
    }
    assert!(arguments.is_empty(), "give two files, documents and questions, or none");
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/retrieval");
    let path = |name: &str, file: &str| env::var_os(name).map_or_else(|| own.join(file), PathBuf::from);
    (
        path("NUDGE_RETRIEVAL_DOCUMENTS", "documents.jsonl"),
        path("NUDGE_RETRIEVAL_QUESTIONS", "questions.jsonl"),
    )
}

fn read<T: DeserializeOwned>(path: &Path) -> Vec<T> {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("`{}`: {error}", path.display()));
    let line = |(n, line)| {
        serde_json::from_str(line).unwrap_or_else(|error| panic!("`{}`:{}: {error}", path.display(), n + 1))
    };
    text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(line).collect()
}

/// A question whose answer is missing would lower all results alike, and a typo would go unnoticed.
fn check(documents: &[Document], questions: &[Question]) {
    let ids: HashSet<&String> = documents.iter().map(|document| &document.id).collect();
    assert_eq!(ids.len(), documents.len(), "each document has an id of its own");
    assert!(!questions.is_empty(), "there are no questions");
    for Question { question, expected } in questions {
        assert!(!expected.is_empty(), "nothing is expected of `{question}`");
        for id in expected {
            assert!(ids.contains(id), "`{question}` expects `{id}`, which is not a document");
        }
    }
}

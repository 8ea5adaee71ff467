//! What a search finds.

use std::sync::LazyLock;

use proptest::prelude::*;

use crate::model::{
    Excerpt, Filter, NewObservation, ObservationType, Order, Project, Search, SessionId, Timestamp,
};
use crate::store::fixture::{DataFolder, NOW, command, edit, failure, project, prompt, read};
use crate::store::{Reader, StoreError};

fn ids(reader: &Reader, search: &Search) -> Vec<i64> {
    reader.search(search, NOW).unwrap().into_iter().map(|hit| hit.id.0).collect()
}

fn plain(text: &str) -> Search {
    Search { text: text.to_owned(), limit: 20, ..Search::default() }
}

fn found(observations: &[NewObservation], text: &str) -> Vec<i64> {
    ids(&DataFolder::new().with(observations), &plain(text))
}

#[test]
fn a_hit_shows_what_the_seed_asks_for() {
    let folder = DataFolder::new();
    let store = folder.with(&[failure("cargo test", &"x".repeat(200)).path("src/auth/mod.rs")]);
    let hits = store.search(&plain("cargo"), NOW).unwrap();
    let hit = &hits[0];
    assert_eq!((hit.id.0, hit.timestamp, hit.obs_type), (1, NOW, ObservationType::CommandError));
    assert_eq!(hit.content_preview, format!("cargo test\n{}", "x".repeat(109)));
    assert_eq!(hit.file_path.as_deref(), Some("src/auth/mod.rs"));
    assert_eq!((&hit.session_id.0[..], hit.project.as_deref()), ("s1", Some("nudge")));
}

#[test]
fn operators_mean_what_fts5_says() {
    let rows = [command("alpha beta"), command("alpha gamma"), command("beta gamma alphabet")];
    for (text, expected) in [
        ("alpha AND beta", vec![1]),
        ("alpha NOT beta", vec![2]),
        ("beta OR gamma", vec![3, 2, 1]),
        ("\"beta gamma\"", vec![3]),
        ("\"gamma beta\"", vec![]),
        ("alphab*", vec![3]),
        ("alpha beta AND gamma", vec![]),
    ] {
        let mut found = found(&rows, text);
        found.sort_by(|one, two| two.cmp(one));
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn a_question_finds_rows_with_any_of_its_words_and_prefers_those_with_all() {
    let rows = [
        command("start the server"),
        failure("curl localhost", "connection refused by the server"),
        prompt("refused to go on"),
        prompt("unrelated"),
    ];
    assert_eq!(found(&rows, "Why was the connection to the server refused?"), [2, 3, 1]);
}

#[test]
fn words_in_sequence_come_before_words_apart() {
    let rows = [prompt("limit the rate here"), prompt("the rate limit here"), prompt("limit of a rate once")];
    assert_eq!(found(&rows, "rate limit")[0], 2);
}

#[test]
fn inflected_words_are_found() {
    assert_eq!(found(&[prompt("the tests are failing")], "failed test"), [1]);
}

#[test]
fn code_words_are_found_whole_and_in_parts() {
    let rows = [
        command("rg get_user_name"),
        edit("src/HTTPServer/auth_token.rs"),
        command("git commit --no-verify"),
        prompt("rename parseConfigFile"),
    ];
    for (text, expected) in [
        ("get_user_name", vec![1]),
        ("getUserName", vec![1]),
        ("user name", vec![1]),
        ("auth_token.rs", vec![2]),
        ("src/HTTPServer/auth_token.rs", vec![2]),
        ("token", vec![2]),
        ("http server", vec![2]),
        ("--no-verify", vec![3]),
        ("verify", vec![3]),
        ("parse_config_file", vec![4]),
        ("config", vec![4]),
    ] {
        assert_eq!(found(&rows, text), expected, "{text}");
    }
}

#[test]
fn scripts_without_spaces_are_found_by_a_part() {
    let rows = [prompt("データベース接続エラー"), prompt("修复数据库连接错误")];
    for (text, expected) in
        [("接続", vec![1]), ("数据库", vec![2]), ("データベース", vec![1]), ("错", vec![2])]
    {
        assert_eq!(found(&rows, text), expected, "{text}");
    }
}

#[test]
fn filters_narrow_a_search() {
    let folder = DataFolder::new();
    let other_root = NewObservation { project_root: Some("/old/nudge".to_owned()), ..command("make all") };
    let store = folder.with(&[
        command("make all").ago(100),
        command("make all").of("other").session("s2").ago(50),
        failure("make all", "no rule").ago(10),
        other_root,
    ]);
    let at = |seconds: i64| Some(Timestamp(NOW.0 - seconds));
    let rooted = Project { root: Some("/src/nudge".to_owned()), ..project("nudge") };
    let of = |project| Filter { project: Some(project), ..Filter::default() };
    let session = |name: &str| Filter { session: Some(SessionId(name.to_owned())), ..Filter::default() };
    for (filter, expected) in [
        (Filter::default(), vec![1, 2, 3, 4]),
        (of(project("nudge")), vec![1, 3, 4]),
        (of(rooted), vec![1, 3]),
        (of(project("nothing")), vec![]),
        (Filter { types: vec![ObservationType::CommandError], ..Filter::default() }, vec![3]),
        (Filter { types: vec![ObservationType::Command], ..of(project("nudge")) }, vec![1, 4]),
        (session("s2"), vec![2]),
        (session("none"), vec![]),
        (Filter { since: at(50), ..Filter::default() }, vec![2, 3, 4]),
        (Filter { until: at(50), ..Filter::default() }, vec![1]),
        (Filter { since: at(50), until: at(0), ..Filter::default() }, vec![2, 3]),
    ] {
        for order in [Order::Relevance, Order::Blended] {
            let mut found = ids(&store, &Search { filter: filter.clone(), order, ..plain("make") });
            found.sort_unstable();
            assert_eq!(found, expected, "{filter:?}");
        }
    }
}

#[test]
fn equal_rows_are_one_hit_that_counts_them() {
    let folder = DataFolder::new();
    let rows = [
        command("make all").ago(30),
        command("make all").session("s2").ago(20),
        read("make.rs").ago(15),
        command("make all").ago(10),
        command("make all").of("other").ago(5),
    ];
    let store = folder.with(&rows);
    let hits = store.search(&plain("make"), NOW).unwrap();
    let shape: Vec<_> = hits.iter().map(|hit| (hit.id.0, hit.times, hit.sessions)).collect();
    // What was only read comes last.
    assert_eq!(shape, [(5, 1, 1), (4, 3, 2), (3, 1, 1)]);
}

#[test]
fn a_preview_shows_the_match() {
    let folder = DataFolder::new();
    let long = format!("{} the needle is here", "hay ".repeat(60));
    let store = folder.with(&[command(&long)]);
    let preview = |word: &str| store.search(&plain(word), NOW).unwrap()[0].content_preview.clone();
    assert!(preview("needle").contains("needle is here"));
    assert_eq!(preview("hay").chars().count(), 120);
    assert!(preview("hay").starts_with("hay hay"));
}

#[test]
fn a_filter_tag_is_not_found_as_a_word() {
    assert_eq!(found(&[command("ls")], "tcommand"), [0; 0]);
    assert_eq!(found(&[command("ls")], "p1 OR tags:p1"), [0; 0]);
}

#[test]
fn pages_follow_each_other() {
    let folder = DataFolder::new();
    let rows: Vec<_> = (0..10).map(|n| command(&format!("make target{n}"))).collect();
    let store = folder.with(&rows);
    let page = |offset| ids(&store, &Search { offset, limit: 4, ..plain("make") });
    assert_eq!([page(0), page(4), page(8), page(12)].concat(), [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
}

#[test]
fn finding_nothing_is_not_an_error() {
    assert_eq!(found(&[command("ls")], "absent"), [0; 0]);
    assert_eq!(found(&[command("ls")], ""), [0; 0]);
}

#[test]
fn an_excerpt_shows_where_it_matches() {
    let folder = DataFolder::new();
    let store = folder.with(&[prompt("the server says no")]);
    let hits = store.search(&Search { excerpts: true, ..plain("server") }, NOW).unwrap();
    assert_eq!(
        hits[0].excerpt,
        Some(Excerpt { text: "the server says no".to_owned(), marks: std::iter::once(4..10).collect() })
    );
}

#[test]
fn a_rare_word_is_found_among_thousands_of_common_ones() {
    let folder = DataFolder::new();
    let mut rows = vec![command("make needle"), command("make other")];
    rows.extend((0..5_000).map(|n| command(&format!("make target{n}"))));
    let store = folder.with(&rows);
    assert_eq!(ids(&store, &plain("make needle"))[0], 1);
    assert_eq!(ids(&store, &plain("make")).len(), 20);
}

#[test]
fn a_common_word_is_ranked_in_a_project_as_it_is_everywhere() {
    let folder = DataFolder::new();
    let project_of = |n: usize| if n.is_multiple_of(3) { "other" } else { "nudge" };
    let text = |n: usize| format!("make {}{}", "make ".repeat(n % 4), "target ".repeat(n % 7));
    let rows: Vec<_> = (0..4_500).map(|n| command(&text(n)).of(project_of(n))).collect();
    let store = folder.with(&rows);
    let filter = Filter { project: Some(project("nudge")), ..Filter::default() };
    let scope = store.scope(&filter).unwrap().unwrap();
    for order in [Order::Relevance, Order::Blended] {
        let choice = (order, super::CandidateChoice::Newest);
        // Without the tag of the project, which BM25 would count and which changes no score.
        let ranked = store.candidates(&scope, "make", choice).unwrap();
        assert_eq!(ranked, store.scored(&scope, "make", choice).unwrap());
        assert_eq!(ranked.len(), super::MAX_CANDIDATES);
    }
    let page = store.search_page(&Search { filter, ..plain("make") }, NOW).unwrap();
    assert_eq!(page.ranked_since, Some(NOW), "more match than were ranked");
}

#[test]
fn matches_in_other_projects_are_counted() {
    let folder = DataFolder::new();
    let row = |text: &str, project: &str| command(text).of(project);
    let store = folder.with(&[
        row("make bread", "nudge"),
        row("make bread", "other"),
        row("make cake", "other"),
        row("make bread", "third"),
        row("bread alone", "third"),
    ]);
    let found = |text| store.matches_elsewhere(&plain(text), &project("nudge")).unwrap();
    let counts = |all: &[(&str, usize)]| all.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect();
    assert_eq!(found("make"), counts(&[("other", 2), ("third", 1)]));
    assert_eq!(found("make bread"), counts(&[("other", 1), ("third", 1)]));
    assert_eq!(found("cake"), counts(&[("other", 1)]));
    assert_eq!(found(""), counts(&[]));
}

#[test]
fn unbalanced_quotes_are_an_error_with_a_message() {
    let folder = DataFolder::new();
    let error = folder.with(&[]).search(&plain("\"open"), NOW).unwrap_err();
    assert!(matches!(error, StoreError::Query(_)));
    assert!(error.to_string().starts_with("malformed query: the quote at character 1"), "{error}");
}

/// One store for all cases: opening one costs more than a search.
static STORE: LazyLock<std::sync::Mutex<(DataFolder, crate::store::Store)>> = LazyLock::new(|| {
    let folder = DataFolder::new();
    let store = folder.with(&[command("alpha AND beta"), read("src/a_b.rs"), prompt("数据库 content: x")]);
    std::sync::Mutex::new((folder, store))
});

fn assert_no_syntax_error(text: &str) {
    let (_, store) = &*STORE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    for order in [Order::Relevance, Order::Blended] {
        let filter = Filter { project: Some(project("nudge")), ..Filter::default() };
        match store.search(&Search { filter, order, excerpts: true, ..plain(text) }, NOW) {
            Ok(_) => {}
            // A quote that is not closed, or an operator with nothing to join.
            Err(StoreError::Query(_)) => assert!(
                text.matches('"').count() % 2 == 1
                    || ["AND", "OR", "NOT"].iter().any(|word| text.contains(word)),
                "{text:?}"
            ),
            Err(error) => panic!("{text:?}: {error}"),
        }
    }
}

proptest! {
    #[test]
    fn any_text_is_a_query(text in any::<String>()) {
        assert_no_syntax_error(&text);
    }

    #[test]
    fn any_use_of_operators_is_a_query(
        parts in prop::collection::vec(
            prop::sample::select(vec![
                "AND", "OR", "NOT", "NEAR", "NEAR(", "(", ")", "\"", "*", "+", "^", ":", "content:", "file_path:",
                "tags:", "-", ",", "5", "{", "}", "alpha", "beta*", "a_b", "src/a.rs", "\"a b\"", " ", "数", "'", ";",
                "--flag", "\\", "\u{0}", "é",
            ]),
            0..40,
        ),
        glue in prop::sample::select(vec!["", " "]),
    ) {
        assert_no_syntax_error(&parts.join(glue));
    }
}

#[test]
fn deep_and_long_queries_are_not_a_syntax_error() {
    for text in [
        "(".repeat(300) + "a1" + &")".repeat(300),
        vec!["a1"; 500].join(" NOT "),
        vec!["a1"; 500].join(" OR "),
        vec!["\"a1\""; 500].join(" "),
        "a1 NOT ".repeat(40) + "b1",
        "x".repeat(100_000),
        "content:".repeat(90) + "a1",
    ] {
        assert_no_syntax_error(&text);
    }
}

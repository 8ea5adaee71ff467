//! How queries are parsed.

use super::{Query, QueryError, parse_query, significant_words};

fn meaning(text: &str) -> String {
    match parse_query(text) {
        Ok(Query::Nothing) => "nothing".to_owned(),
        Ok(Query::Written(expression)) => format!("written: {expression}"),
        Ok(Query::Plain(words)) => {
            let words: Vec<String> = words.into_iter().map(|word| word.any).collect();
            format!("plain: {}", words.join(" | "))
        }
        Err(error) => format!("error: {error}"),
    }
}

fn check(table: &[(&str, &str)]) {
    for (text, expected) in table {
        assert_eq!(meaning(text), *expected, "{text}");
    }
}

#[test]
fn operators_quotes_and_stars_are_taken_as_written() {
    check(&[
        ("auth AND token", r#"written: ("auth" AND "token")"#),
        ("auth OR token", r#"written: ("auth" OR "token")"#),
        ("auth NOT token", r#"written: ("auth" NOT "token")"#),
        (r#""exact phrase""#, r#"written: "exact phrase""#),
        ("auth*", r#"written: "auth" *"#),
        (r#""one tw"*"#, r#"written: "one tw" *"#),
        ("one two NOT three", r#"written: (("one" AND "two") NOT "three")"#),
        ("a1 OR b1 AND c1 NOT d1", r#"written: ("a1" OR ("b1" AND ("c1" NOT "d1")))"#),
        ("(one OR two) AND three", r#"written: (("one" OR "two") AND "three")"#),
        (r#""one" (two OR three)"#, r#"written: ("one" AND ("two" OR "three"))"#),
        ("NEAR(one two, 5)", r#"written: NEAR("one" "two,", 5)"#),
        ("NEAR(one two)", r#"written: NEAR("one" "two", 10)"#),
        ("one + two*", r#"written: "one" + "two" *"#),
        ("^one AND two", r#"written: (^ "one" AND "two")"#),
        ("content: one", r#"written: (content : "one")"#),
        ("file_path:auth*", r#"written: (file_path : "auth" *)"#),
        ("src/main.rs AND foo-bar", r#"written: ("src/main.rs" AND "foo-bar")"#),
        ("main() AND x::y", r#"written: ("main" AND "x::y")"#),
        (r#""say ""hi"" now""#, r#"written: "say ""hi"" now""#),
    ]);
}

#[test]
fn anything_else_is_plain_words_without_stop_words() {
    check(&[
        ("connection refused", r#"plain: "connection" | "refused""#),
        ("Why did the tests fail?", r#"plain: "tests" | "fail""#),
        ("what is it", r#"plain: "what" | "is" | "it""#),
        ("test test", r#"plain: "test""#),
        ("snake_case", r#"plain: "snake_case" OR "snake case""#),
        ("getUserName", r#"plain: "getUserName" OR "get user name""#),
        ("--no-verify", r#"plain: "no-verify" OR "verify""#),
        ("src/auth/mod.rs", r#"plain: "src/auth/mod.rs" OR "src" OR "auth" OR "mod" OR "rs""#),
        ("don't panic!", r#"plain: "panic""#),
        ("SELECT * FROM users", r#"plain: "SELECT" | "users""#),
        ("src/**/*.rs", r#"plain: "src/**/*.rs" OR "src" OR "rs""#),
        ("データベース", r#"plain: "データベース" OR "デー ータ タベ ベー ース""#),
        ("字", r#"plain: "字" OR "字" *"#),
    ]);
}

#[test]
fn operators_that_do_not_fit_together_are_plain_words() {
    check(&[
        ("OR", r#"plain: "OR""#),
        ("(auth OR token", r#"plain: "auth" | "token""#),
        ("not auth", r#"plain: "auth""#),
        ("NEAR(", r#"plain: "NEAR""#),
    ]);
}

#[test]
fn an_operator_without_words_is_an_error_that_says_what_it_lacks() {
    let lone = |operator, side| Err(QueryError::LoneOperator { operator, side });
    assert_eq!(parse_query("NOT auth"), lone("NOT", "before"));
    assert_eq!(parse_query("auth AND"), lone("AND", "after"));
    assert_eq!(parse_query("OR auth"), lone("OR", "before"));
    assert_eq!(parse_query("a1 AND OR b1"), lone("OR", "before"));
    assert_eq!(parse_query("a1 AND NOT b1"), lone("NOT", "before"));
    assert_eq!(
        parse_query("cargo AND").map_err(|error| error.to_string()),
        Err("malformed query: `AND` has nothing after it; add a word there, or put the words in quotes to search for them"
            .to_owned())
    );
    assert_eq!(meaning(r#""NOT NULL" constraint"#), r#"written: ("NOT NULL" AND "constraint")"#);
}

#[test]
fn a_text_without_words_finds_nothing() {
    check(&[("", "nothing"), ("  \n", "nothing"), ("?!", "nothing"), ("🦀", "nothing"), ("\0", "nothing")]);
}

#[test]
fn a_quote_that_is_never_closed_is_an_error_that_says_where() {
    assert_eq!(parse_query(r#"say "hello"#), Err(QueryError::UnbalancedQuotes { position: 5 }));
    assert_eq!(
        parse_query(r#"""""#).map_err(|error| error.to_string()),
        Err("malformed query: the quote at character 3 is never closed; add a `\"` after the phrase, or leave it out"
            .to_owned())
    );
}

#[test]
fn a_long_text_has_a_bounded_number_of_words() {
    let text: String = (0..1000).map(|n| format!("word{n} ")).collect();
    let Ok(Query::Plain(words)) = parse_query(&text) else { panic!("plain words") };
    assert_eq!(words.len(), 16);
}

#[test]
fn every_word_is_required_where_a_mistake_would_be_costly() {
    assert_eq!(
        parse_query("oldSecret key").unwrap().every(),
        Some(r#"("oldSecret" OR "old secret") AND ("key")"#.to_owned())
    );
}

#[test]
fn stop_words_are_not_significant() {
    assert_eq!(
        significant_words("Why was the Connection refused, by src/main.rs?"),
        ["connection", "refused", "src", "main", "rs"]
    );
}

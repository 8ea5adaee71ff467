//! What git and people write into `config`.

use super::parse_origin;

#[track_caller]
fn check(config: &str, expected: &str) {
    assert_eq!(parse_origin(config).unwrap_or_else(|| "none".to_owned()), expected, "{config}");
}

#[test]
fn the_url_of_origin_is_found() {
    let config = "[core]\n\tbare = false\n[remote \"upstream\"]\n\turl = https://x/up\n\
                  [remote \"origin\"]\n\turl = https://github.com/org/repo.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n";
    check(config, "https://github.com/org/repo.git");
    check("[remote \"origin\"]\nurl=git@github.com:org/repo.git", "git@github.com:org/repo.git");
    check("[REMOTE \"origin\"]\n  URL = one ; why\n  url = two", "one");
    check("[remote \"origin\"] url = here", "here");
    check("[remote \"origin\"]\r\n\turl = \"a # b\" # c\r\n", "a # b");
    check("[remote \"origin\"]\n\turl = https://host/\\\nlong", "https://host/long");
    check("[remote \"origin\"]\n\turl = C:\\\\work\\\\repo", "C:\\work\\repo");
}

#[test]
fn a_missing_url_is_none() {
    check("", "none");
    check("[remote \"Origin\"]\nurl = a\n[remote]\nurl = b\n[branch \"origin\"]\nurl = c", "none");
    check("[remote \"origin\"]\nurl =\npushurl = x", "none");
    check("[remote \"origin\"\nurl = a", "none");
    check("[remote \"origin\"]\n# url = a\n", "none");
}

#[test]
fn credentials_are_left_out() {
    check("[remote \"origin\"]\nurl = https://me:geheim@host/org/repo", "https://host/org/repo");
    check("[remote \"origin\"]\nurl = https://ghp_abc@host/org/repo@2", "https://host/org/repo@2");
    check("[remote \"origin\"]\nurl = https://me:a@b@host", "https://host");
    check("[remote \"origin\"]\nurl = ssh://git@host:22/repo", "ssh://host:22/repo");
    check("[remote \"origin\"]\nurl = me:geheim@host:repo", "host:repo");
}

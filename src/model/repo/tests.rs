//! Tests of this module.

use super::*;

#[test]
fn one_repository_has_many_names() {
    let names = [
        "https://github.com/org/repo",
        "https://github.com/org/repo.git",
        "https://GitHub.com/org/repo/",
        "https://user:pass@github.com/org/repo.git",
        "git@github.com:org/repo.git",
        "ssh://git@github.com/org/repo",
        "ssh://git@github.com:22/org/repo.git",
        "git://github.com/org/repo",
        "github.com/org/repo",
        "git:github.com/org/repo",
        "git:org/repo",
    ];
    for one in names {
        for other in names {
            assert!(same(one, other), "{one} and {other}");
        }
    }
}

#[test]
fn different_repositories_are_not_the_same() {
    let check = |one: &str, other: &str| assert!(!same(one, other), "{one} and {other}");
    check("https://github.com/org/repo", "https://gitlab.com/org/repo");
    check("git@github.com:org/repo", "git@gitlab.com:org/repo");
    check("git:org/repo", "https://github.com/org/repo2");
    check("git:org/repo", "https://github.com/other/repo");
    check("git:Org/repo", "git:org/repo");
    check("file:///srv/org/repo", "git:org/repo");
    check("file:///srv/repo", "file:///srv/repo2");
    check("org/repo", "git:org/repo");
    check("C:/code/repo", "git:code/repo");
}

#[test]
fn unknown_forms_are_compared_literally() {
    assert!(same("file:///srv/repo", "file:///srv/repo"));
    assert!(same("org/repo", "org/repo"));
    assert!(same("C:\\code\\repo", "C:\\code\\repo"));
    assert!(!same("file:///srv/repo", "file:///srv/repo/"));
}

#[test]
fn credentials_are_removed() {
    let check = |repo: &str, clean: &str| assert_eq!(without_credentials(repo), clean);
    check("https://user:pass@github.com/org/repo", "https://github.com/org/repo");
    check("https://ghp_abc@github.com/org/repo", "https://github.com/org/repo");
    check("https://a@b:c@github.com/org/repo@2", "https://github.com/org/repo@2");
    check("https://github.com/org/repo@2", "https://github.com/org/repo@2");
    check("git@github.com:org/repo.git", "git@github.com:org/repo.git");
}

#[test]
fn the_last_name_is_that_of_the_repository() {
    for repo in ["git:org/repo", "git@h:repo.git", "https://h/org/repo.git", "file:///srv/repo/"] {
        assert_eq!(last_name(repo), "repo");
    }
}

#[test]
fn all_addresses_of_a_repository_have_one_spelling() {
    for address in [
        "https://github.com/Org/Repo",
        "https://github.com/org/repo.git/",
        "https://user:token@GitHub.com/org/repo.git",
        "https://x-access-token:ghp_secret@github.com:443/org/repo",
        "git@github.com:org/repo.git",
        "org-42@github.com:org/repo.git",
        "ssh://git@github.com:22/org/repo",
        "ssh://git@ssh.github.com:443/org/repo.git",
        "git+ssh://git@github.com/org/repo",
        "  https://github.com/org/repo  ",
    ] {
        assert_eq!(canonical(address).as_deref(), Some("github.com/org/repo"), "{address}");
    }
    for (address, expected) in [
        ("https://github.com/fork/repo", Some("github.com/fork/repo")),
        ("https://gitlab.example.org/a/b/c.git", Some("gitlab.example.org/a/b/c")),
        ("git@ssh.dev.azure.com:v3/org/project/repo", Some("dev.azure.com/org/project/repo")),
        ("https://org@dev.azure.com/org/project/_git/repo", Some("dev.azure.com/org/project/repo")),
        ("/srv/git/App.git", Some("file:/srv/git/App")),
        ("file:///srv/git/App.git/", Some("file:/srv/git/App")),
        ("../app.git", None),
        ("app", None),
        ("", None),
        ("/", None),
        ("https://", None),
        ("https://github.com", None),
        ("https://github.com/", None),
        ("https://user:to/ken@github.com/org/repo", None),
        ("https://github.com/org/repo?token=x", None),
        ("https://github.com/org/../repo", None),
        ("https://github.com/org/re po", None),
        ("https://github.com/org/repo\u{1b}[2J", None),
    ] {
        assert_eq!(canonical(address).as_deref(), expected, "{address}");
    }
    assert_eq!(canonical(&format!("https://github.com/org/{}", "x".repeat(1_000))), None);
}

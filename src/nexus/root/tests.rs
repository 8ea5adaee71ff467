//! Which folder is the project, for every way to name it.

use std::fs;

use super::*;

/// A repository with a folder `sub`, and a folder in no repository.
fn tree() -> tempfile::TempDir {
    let tree = tempfile::tempdir().unwrap();
    for folder in ["repository/.git", "repository/sub/deep", "plain/sub", "other"] {
        fs::create_dir_all(tree.path().join(folder)).unwrap();
    }
    tree
}

#[test]
fn the_root_is_named_or_found() {
    let tree = tree();
    let path = |name: &str| tree.path().join(name);
    let check = |root: Option<&str>, agent: Option<&str>, cwd: &str, expected: &str| {
        let named = Named {
            project_root: root.map(path),
            agent_dir: agent.map(path),
            rules_dir: path(cwd),
            home: None,
        };
        assert_eq!(find(&named, &path(cwd)), path(expected), "{named:?} {cwd}");
    };
    check(Some("other"), Some("repository/sub"), "repository", "other");
    check(None, Some("repository/sub"), "other", "repository/sub");
    check(None, Some("gone"), "repository/sub/deep", "repository");
    check(None, None, "repository/sub/deep", "repository");
    check(None, None, "repository", "repository");
    check(None, None, "plain/sub", "plain/sub");
}

#[test]
fn an_existing_nexus_wins_up_to_the_top_of_the_repository() {
    let tree = tree();
    let path = |name: &str| tree.path().join(name);
    let here = |cwd: &str| find(&Named { rules_dir: path(cwd), ..Named::default() }, &path(cwd));
    assert_eq!(
        find(&Named { rules_dir: path("plain"), ..Named::default() }, &path("plain/sub")),
        path("plain")
    );
    let agent =
        |folder: &str| find(&Named { agent_dir: Some(path(folder)), ..Named::default() }, &path("other"));
    fs::create_dir(path("plain/.nexus")).unwrap();
    assert_eq!(here("plain/sub"), path("plain"));
    fs::create_dir(path("repository/.nexus")).unwrap();
    assert_eq!(agent("repository/sub/deep"), path("repository"));
    fs::create_dir(path("repository/sub/.nexus")).unwrap();
    assert_eq!(here("repository/sub/deep"), path("repository/sub"));
    // A folder above the repository belongs to another project.
    fs::remove_dir(path("repository/.nexus")).unwrap();
    fs::remove_dir(path("repository/sub/.nexus")).unwrap();
    fs::create_dir(path(".nexus")).unwrap();
    assert_eq!(here("repository/sub/deep"), path("repository"));
}

#[test]
fn the_nexus_of_a_home_does_not_apply_to_its_folders() {
    let tree = tree();
    let path = |name: &str| tree.path().join(name);
    fs::create_dir(path("plain/.nexus")).unwrap();
    let here = |cwd: &str| {
        find(&Named { rules_dir: path(cwd), home: Some(path("plain")), ..Named::default() }, &path(cwd))
    };
    assert_eq!(here("plain/sub"), path("plain/sub"));
    assert_eq!(here("plain"), path("plain"));
}

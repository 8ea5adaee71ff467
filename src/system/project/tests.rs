//! Which folders are the project, for every way to name it.

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
fn the_nexus_root_is_named_or_found() {
    let tree = tree();
    let path = |name: &str| tree.path().join(name);
    let check = |agent: Option<&str>, cwd: &str, expected: &str| {
        let place = ProjectPlace::find(agent.map(path).as_deref(), &path(cwd));
        assert_eq!(place.existing_or_new_nexus(None, None), path(expected), "{agent:?} {cwd}");
    };
    check(Some("repository/sub"), "other", "repository/sub");
    check(Some("gone"), "repository/sub/deep", "repository");
    check(None, "repository/sub/deep", "repository");
    check(None, "repository", "repository");
    check(None, "plain/sub", "plain/sub");
    fs::write(path("plain/.nudge.yaml"), "").unwrap();
    check(None, "plain/sub", "plain");
}

#[test]
fn an_existing_nexus_wins_up_to_the_top_of_the_repository() {
    let tree = tree();
    let path = |name: &str| tree.path().join(name);
    let here = |cwd: &str| ProjectPlace::find(None, &path(cwd)).existing_or_new_nexus(None, None).to_owned();
    let agent = |folder: &str| {
        ProjectPlace::find(Some(&path(folder)), &path("other")).existing_or_new_nexus(None, None).to_owned()
    };
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
    let home = path("plain");
    let here =
        |cwd: &str| ProjectPlace::find(None, &path(cwd)).existing_or_new_nexus(Some(&home), None).to_owned();
    assert_eq!(here("plain/sub"), path("plain/sub"));
    assert_eq!(here("plain"), path("plain"));
}

#[test]
fn rules_are_at_the_nearest_mark_and_the_users_see_the_whole_worktree() {
    let tree = tree();
    let path = |name: &str| tree.path().join(name);
    let check = |agent: Option<&str>, cwd: &str, expected: [&str; 3]| {
        let place = ProjectPlace::find(agent.map(path).as_deref(), &path(cwd));
        let worktree = place.worktree().map(|worktree| worktree.root.clone()).unwrap_or_default();
        let found = [place.root(), place.root_for_user_rules(), &worktree];
        let expected = expected.map(|name| if name.is_empty() { PathBuf::new() } else { path(name) });
        assert_eq!(found, expected.each_ref().map(PathBuf::as_path), "{agent:?} {cwd}");
    };
    check(None, "repository/sub/deep", ["repository"; 3]);
    fs::write(path("repository/sub/.nudge.yaml"), "").unwrap();
    check(None, "repository/sub/deep", ["repository/sub", "repository", "repository"]);
    check(None, "repository", ["repository"; 3]);
    // The agent's folder decides about rules, and the folder it works in about the worktree.
    check(Some("plain/sub"), "repository/sub/deep", ["plain/sub", "plain/sub", "repository"]);
    check(Some("repository/sub"), "plain/sub", ["repository/sub", "repository", ""]);
    check(Some("repository"), "repository/sub/deep", ["repository"; 3]);
    // A repository in a folder of another one.
    fs::create_dir(path("repository/sub/deep/.git")).unwrap();
    check(Some("repository"), "repository/sub/deep", ["repository", "repository", "repository/sub/deep"]);
    check(None, "repository/sub/deep", ["repository/sub/deep"; 3]);
    check(None, "plain/sub", ["plain/sub", "plain/sub", ""]);
    fs::create_dir(path("plain/.nudge")).unwrap();
    fs::create_dir(path("plain/sub/.nudge")).unwrap();
    check(None, "plain/sub", ["plain/sub", "plain", ""]);
}

#[cfg(unix)]
#[test]
fn a_git_link_that_leads_nowhere_marks_the_rules_but_is_not_a_worktree() {
    let tree = tree();
    let path = |name: &str| tree.path().join(name);
    std::os::unix::fs::symlink("nowhere", path("repository/sub/.git")).unwrap();
    let place = ProjectPlace::find(None, &path("repository/sub/deep"));
    assert_eq!(place.root(), path("repository/sub"));
    assert_eq!(place.worktree().map(|worktree| worktree.root.clone()), Some(path("repository")));
    assert_eq!(place.existing_or_new_nexus(None, None), path("repository"));
}

//! Which files are notes, and which paths point to one.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::nexus::Nexus;

fn project() -> (tempfile::TempDir, Nexus) {
    let folder = tempfile::tempdir().unwrap();
    let nexus = Nexus::of(&crate::files::canonical(folder.path()).unwrap());
    for (path, text) in [
        (".nexus/memory/b-note.md", "B"),
        (".nexus/memory/a-note.md", "<!-- tags: x, y -->\nA"),
        (".nexus/memory/deep/inner-note.md", "inner"),
        (".nexus/memory/image.png", "no note"),
        (".nexus/memory/.hidden.md", "no note"),
        (".nexus/context/design.md", "context"),
    ] {
        let path = nexus.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    (folder, nexus)
}

#[test]
fn notes_are_the_markdown_files_of_the_folder() {
    let (_folder, nexus) = project();
    let names: Vec<String> = nexus.notes().unwrap().into_iter().map(|note| note.name).collect();
    assert_eq!(names, ["a-note.md", "b-note.md"]);
    assert_eq!(nexus.note("a-note.md").unwrap().unwrap().tags(), ["x", "y"]);
    for name in ["c-note.md", "../context/design.md", "deep", "deep/inner-note.md", "", "/etc/passwd"] {
        assert_eq!(nexus.note(name).unwrap(), None, "{name}");
    }
    assert_eq!(Nexus::of(Path::new("/nowhere")).notes().unwrap(), []);
}

#[test]
fn a_note_is_written_beside_the_others() {
    let (_folder, nexus) = project();
    let locked = nexus.lock(Duration::from_secs(1)).unwrap();
    locked.write_note("c-note.md", "C\n").unwrap();
    assert_eq!(nexus.note("c-note.md").unwrap().unwrap().text, "C\n");
}

#[test]
fn only_a_path_that_points_to_a_note_is_one() {
    let (_folder, nexus) = project();
    let check = |path: &str, expected: Option<&str>| {
        let expected = expected.map(|path| nexus.path(path));
        assert_eq!(nexus.note_at(Path::new(path)), expected, "{path}");
    };
    check(".nexus/memory/a-note.md", Some(".nexus/memory/a-note.md"));
    check(".nexus/context/../memory/a-note.md", Some(".nexus/memory/a-note.md"));
    check(".nexus/memory/deep/inner-note.md", Some(".nexus/memory/deep/inner-note.md"));
    check(nexus.path(".nexus/memory/b-note.md").to_str().unwrap(), Some(".nexus/memory/b-note.md"));
    check(".nexus/memory", None);
    check(".nexus/memory/deep", None);
    check(".nexus/memory/c-note.md", None);
    check(".nexus/memory/../context/design.md", None);
    check(".nexus/context/design.md", None);
    check("/etc/hosts", None);
}

#[test]
#[cfg(unix)]
fn a_link_out_of_the_project_is_not_a_note() {
    let (_folder, nexus) = project();
    let link = nexus.path(".nexus/memory/linked-note.md");
    std::os::unix::fs::symlink(nexus.path(".nexus/context/design.md"), &link).unwrap();
    assert_eq!(nexus.note_at(&link), None);
    assert_eq!(nexus.note("linked-note.md").unwrap(), None);
    assert_eq!(nexus.notes().unwrap().len(), 2);
    // The folder itself must not be a link out of the project either.
    let outside = tempfile::tempdir().unwrap();
    fs::rename(nexus.path(".nexus/memory"), outside.path().join("memory")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("memory"), nexus.path(".nexus/memory")).unwrap();
    assert!(nexus.notes().is_err());
    assert_eq!(nexus.note_at(Path::new(".nexus/memory/a-note.md")), None);
}

#[cfg(unix)]
#[test]
fn a_note_is_recognized_by_any_path_within_the_project() {
    use std::os::unix::fs::symlink;
    let (_folder, nexus) = project();
    fs::create_dir_all(nexus.path("docs")).unwrap();
    fs::write(nexus.path("docs/plain.md"), "no note").unwrap();
    symlink(nexus.path(".nexus/memory/a-note.md"), nexus.path("docs/linked.md")).unwrap();
    symlink(nexus.path(".nexus/memory"), nexus.path("docs/notes")).unwrap();
    let check = |path: &str, expected: Option<&str>| {
        let expected = expected.map(|path| nexus.path(path));
        assert_eq!(nexus.note_at(Path::new(path)), expected, "{path}");
    };
    check("docs/plain.md", None);
    check("docs/linked.md", Some(".nexus/memory/a-note.md"));
    check("docs/notes/b-note.md", Some(".nexus/memory/b-note.md"));
    check("docs/../.nexus/memory/b-note.md", Some(".nexus/memory/b-note.md"));
    fs::remove_dir_all(nexus.path(".nexus/memory")).unwrap();
    symlink(nexus.path("docs"), nexus.path(".nexus/memory")).unwrap();
    check("docs/plain.md", Some("docs/plain.md"));
}

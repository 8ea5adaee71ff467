//! Only regular files of a limited size inside the given folder are opened.

use std::fs::{self, File};
use std::io::ErrorKind;
#[cfg(unix)]
use std::os::unix::fs::symlink;

use super::{leads_inside, open_regular, read_regular};

#[test]
fn only_regular_files_are_opened() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("file"), "text").unwrap();
    symlink(path("file"), path("link")).unwrap();
    symlink("/dev/zero", path("device")).unwrap();
    symlink("nowhere", path("dangling")).unwrap();
    fs::create_dir(path("folder")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(path("pipe")).status().unwrap().success());
    let reading = |name: &str| read_regular(&path(name), 10).map_err(|error| error.kind());
    assert_eq!(reading("file"), Ok(b"text".to_vec()));
    assert_eq!(reading("link"), Ok(b"text".to_vec()));
    for name in ["device", "folder", "pipe"] {
        assert_eq!(reading(name), Err(ErrorKind::InvalidInput), "{name}");
        let appending = open_regular(&path(name), File::options().append(true).create(true));
        assert_eq!(appending.map(drop).map_err(|error| error.kind()), Err(ErrorKind::InvalidInput), "{name}");
    }
    assert_eq!(reading("dangling"), Err(ErrorKind::NotFound));
}

#[test]
fn a_file_is_read_up_to_its_limit() {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), "0123456789").unwrap();
    assert_eq!(read_regular(file.path(), 10).unwrap(), b"0123456789");
    assert_eq!(read_regular(file.path(), 9).map_err(|error| error.kind()), Err(ErrorKind::FileTooLarge));
    file.as_file().set_len(1 << 40).unwrap();
    assert_eq!(
        read_regular(file.path(), 1 << 20).map_err(|error| error.kind()),
        Err(ErrorKind::FileTooLarge)
    );
}

#[test]
fn links_may_point_inside_but_not_outside() {
    let base = tempfile::tempdir().unwrap();
    let project = base.path().join("project");
    fs::create_dir_all(project.join("a/b")).unwrap();
    fs::write(project.join("a/b/file"), "").unwrap();
    fs::write(base.path().join("other"), "").unwrap();
    symlink("a/b", project.join("inside")).unwrap();
    symlink("..", project.join("up")).unwrap();
    symlink("../other", project.join("out")).unwrap();
    // The folder itself may be given as a link.
    symlink(&project, base.path().join("alias")).unwrap();
    for root in [project, base.path().join("alias")] {
        let leads = |path: &str| leads_inside(&root.join(path), &root).map_err(|error| error.kind());
        assert_eq!(leads("a/b/file"), Ok(true));
        assert_eq!(leads("inside/file"), Ok(true));
        assert_eq!(leads("up/other"), Ok(false));
        assert_eq!(leads("out"), Ok(false));
        assert_eq!(leads("nothing"), Err(ErrorKind::NotFound));
    }
}

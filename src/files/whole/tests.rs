//! Files that are new, old, links and pipes.

use std::fs;
use std::io;
use std::path::Path;

use super::write_whole;

fn write(path: &Path, text: &str) -> io::Result<()> {
    write_whole(path, |out| out.write_all(text.as_bytes()))?
}

#[test]
fn a_file_is_written_completely_or_stays_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    write(&path, "old").unwrap();
    let failed: Result<(), &str> = write_whole(&path, |out| {
        out.write_all(b"half").unwrap();
        Err("no more")
    })
    .unwrap();
    assert_eq!((failed, fs::read_to_string(&path).unwrap().as_str()), (Err("no more"), "old"));
    write(&path, "new").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    write(folder.path(), "x").unwrap_err();
}

#[test]
#[cfg(unix)]
fn a_link_stays_and_its_target_is_written() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("far")).unwrap();
    fs::write(at("far/there"), "old").unwrap();
    for (link, to) in
        [("to-there", "far/there"), ("to-link", "to-there"), ("to-new", "far/new"), ("loop", "loop")]
    {
        symlink(to, at(link)).unwrap();
    }
    for (link, file) in [("to-there", "far/there"), ("to-link", "far/there"), ("to-new", "far/new")] {
        write(&at(link), link).unwrap();
        assert!(fs::symlink_metadata(at(link)).unwrap().is_symlink(), "{link}");
        assert_eq!(fs::read_to_string(at(file)).unwrap(), link);
    }
    write(&at("loop"), "x").unwrap_err();
    assert!(fs::symlink_metadata(at("loop")).unwrap().is_symlink());
}

#[test]
#[cfg(unix)]
fn a_pipe_is_written_into_and_stays_a_pipe() {
    use std::os::unix::fs::FileTypeExt;
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    // Open for reading and writing, so that neither end blocks.
    let mut end = fs::OpenOptions::new().read(true).write(true).open(&pipe).unwrap();
    write(&pipe, "through").unwrap();
    assert!(fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo());
    let mut read = [0; 7];
    io::Read::read_exact(&mut end, &mut read).unwrap();
    assert_eq!(&read, b"through");
}

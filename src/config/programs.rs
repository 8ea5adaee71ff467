//! Other programs: where they lie, and what a shell line answers.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::Duration;

use super::{clock, env};
use crate::files;

/// Returns where a program lies.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    find_all(name).next()
}

/// Returns everywhere a program lies, what is called first.
pub(crate) fn find_all(name: &str) -> impl Iterator<Item = PathBuf> + use<> {
    let name = format!("{name}{}", if cfg!(windows) { ".exe" } else { "" });
    env::search_path().into_iter().map(move |folder| folder.join(&name)).filter(|path| path.is_file())
}

/// Returns the path by which this program is called for ever: where it is found, not the file of this version behind it.
pub(crate) fn own_path() -> Option<PathBuf> {
    let own = files::canonical(&env::current_exe()?).ok()?;
    let same = |path: &PathBuf| files::canonical(path).is_ok_and(|real| real == own);
    let found = find("nudge").filter(|path| path.is_absolute()).filter(same);
    Some(found.unwrap_or(own))
}

/// Which shell reads a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shell {
    Plain,
    /// The user's own, with the settings of a login.
    Login,
}

/// No answer that is read is longer.
const MOST_OUTPUT: u64 = 1 << 20;

/// Gives a line to a shell, and waits for what it answers.
pub(crate) fn ask(
    line: &str,
    shell: Shell,
    input: &str,
    folder: &Path,
    variables: &[(&str, &Path)],
    patience: Duration,
) -> io::Result<Output> {
    let mut command = match shell {
        Shell::Plain if cfg!(windows) => shell_command(Path::new("cmd"), "/C"),
        Shell::Plain => shell_command(Path::new("sh"), "-c"),
        Shell::Login => shell_command(&env::shell().unwrap_or_else(|| PathBuf::from("sh")), "-lc"),
    };
    // Answers go to files: who stays behind with a pipe open, as what a profile starts, would hold us up for ever.
    let (mut stdout, mut stderr) = (tempfile::tempfile()?, tempfile::tempfile()?);
    command.arg(line).current_dir(folder).envs(variables.iter().copied());
    command.stdin(Stdio::piped()).stdout(stdout.try_clone()?).stderr(stderr.try_clone()?);
    // A group of its own can be ended as a whole.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn()?;
    // Who does not read its input closes the pipe; what it answers says enough.
    drop(child.stdin.take().map(|mut stdin| stdin.write_all(input.as_bytes())));
    let status = wait(&mut child, patience)?;
    Ok(Output { status, stdout: written(&mut stdout)?, stderr: written(&mut stderr)? })
}

/// Returns the beginning of what was written.
fn written(file: &mut File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.take(MOST_OUTPUT).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn shell_command(shell: &Path, option: &str) -> Command {
    let mut command = Command::new(shell);
    command.arg(option);
    command
}

/// Waits for the end; who takes too long is ended, with all that it has started.
fn wait(child: &mut Child, patience: Duration) -> io::Result<ExitStatus> {
    let elapsed = clock::stopwatch();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if elapsed() > patience {
            end(child)?;
            return Err(io::Error::new(io::ErrorKind::TimedOut, "it does not answer in time"));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn end(child: &mut Child) -> io::Result<()> {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        // Who has ended meanwhile is nobody's loss.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    child.kill()?;
    child.wait().map(drop)
}

//! Other programs: where they lie, and what a shell line answers.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
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
    command.arg(line).current_dir(folder).envs(variables.iter().copied());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    // Who does not read its input closes the pipe; what it answers says enough.
    drop(child.stdin.take().map(|mut stdin| stdin.write_all(input.as_bytes())));
    wait(&mut child, patience)?;
    child.wait_with_output()
}

fn shell_command(shell: &Path, option: &str) -> Command {
    let mut command = Command::new(shell);
    command.arg(option);
    command
}

/// Waits for the end; a reply of a hook is short enough for its pipe.
fn wait(child: &mut Child, patience: Duration) -> io::Result<()> {
    let elapsed = clock::stopwatch();
    while child.try_wait()?.is_none() {
        if elapsed() > patience {
            child.kill()?;
            return Err(io::Error::new(io::ErrorKind::TimedOut, "it does not answer"));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

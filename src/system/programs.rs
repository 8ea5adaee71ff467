//! Other programs: finds them, and runs shell commands.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use super::clock;
use crate::config::env;
use crate::files;

/// Finds a program.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    find_all(name).next()
}

/// Finds all programs with this name, in the order of the search path.
pub(crate) fn find_all(name: &str) -> impl Iterator<Item = PathBuf> + use<> {
    let name = format!("{name}{}", if cfg!(windows) { ".exe" } else { "" });
    env::search_path().into_iter().map(move |folder| folder.join(&name)).filter(|path| path.is_file())
}

/// Returns a path of this program that survives upgrades: where it is found on the `PATH`, not the versioned file
/// behind it.
pub(crate) fn own_path() -> Option<PathBuf> {
    let own = files::canonical(&env::current_exe()?).ok()?;
    let same = |path: &PathBuf| files::canonical(path).is_ok_and(|real| real == own);
    let found = find("nudge").filter(|path| path.is_absolute()).filter(same);
    Some(found.unwrap_or(own))
}

/// Starts a program that this one does not wait for, without input or output.
pub(crate) fn start(program: &Path, arguments: &[&str]) -> io::Result<()> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // It must outlive Ctrl-C in our terminal.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn().map(drop)
}

/// Which shell runs a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommandShell {
    Plain,
    /// The user's login shell.
    Login,
}

/// Maximum length of output that is read.
const MAX_OUTPUT_BYTES: u64 = 1 << 20;

/// Runs a shell command with this input, and waits for its output.
pub(crate) fn ask(
    line: &str,
    shell: CommandShell,
    input: &str,
    folder: &Path,
    variables: &[(&str, &Path)],
    timeout: Duration,
) -> io::Result<Output> {
    let mut command = match shell {
        CommandShell::Plain if cfg!(windows) => shell_command(Path::new("cmd"), "/C"),
        CommandShell::Plain => shell_command(Path::new("sh"), "-c"),
        CommandShell::Login => shell_command(&env::shell().unwrap_or_else(|| PathBuf::from("sh")), "-lc"),
    };
    // Output goes to files: a background process that keeps a pipe open, as a profile may start, would block us
    // forever.
    let (mut stdout, mut stderr) = (tempfile::tempfile()?, tempfile::tempfile()?);
    command.arg(line).current_dir(folder).envs(variables.iter().copied());
    command.stdin(Stdio::piped()).stdout(stdout.try_clone()?).stderr(stderr.try_clone()?);
    // A process group can be ended as a whole.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn()?;
    // A program that does not read its input closes the pipe; its output says enough.
    drop(child.stdin.take().map(|mut stdin| stdin.write_all(input.as_bytes())));
    let status = wait(&mut child, timeout)?;
    Ok(Output { status, stdout: read_output(&mut stdout)?, stderr: read_output(&mut stderr)? })
}

/// A program on another machine; its input and output are the caller's.
pub(crate) struct RemoteProgram {
    child: Child,
    /// The end of what it says on stderr.
    words: Arc<Mutex<Vec<u8>>>,
    listener: JoinHandle<()>,
}

/// Maximum length of what is kept of a remote program's stderr.
const MAX_WORDS: usize = 4 << 10;

/// How long a remote program may take to end after its output has ended.
const END_TIMEOUT: Duration = Duration::from_secs(3);

/// Starts a command line on another machine.
///
/// A password is asked for on the terminal, if there is a person; a script gets an error instead.
pub(crate) fn start_ssh(
    ssh: &Path,
    host: &str,
    line: &str,
    has_person: bool,
) -> io::Result<(RemoteProgram, ChildStdin, ChildStdout)> {
    let mut command = Command::new(ssh);
    // Nothing is forwarded, and a connection that hangs is noticed.
    command.args(["-a", "-x", "-T", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=15"]);
    if !has_person {
        command.args(["-o", "BatchMode=yes"]);
    }
    // The host is never an option.
    command.args(["--", host, line]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let missing = || io::Error::other("a pipe is missing");
    let (input, output) = (child.stdin.take().ok_or_else(missing)?, child.stdout.take().ok_or_else(missing)?);
    let mut stderr = child.stderr.take().ok_or_else(missing)?;
    let words = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&words);
    let listener = std::thread::spawn(move || {
        let mut part = [0; 1024];
        while let Ok(length @ 1..) = stderr.read(&mut part) {
            let Ok(mut kept) = heard.lock() else { return };
            kept.extend_from_slice(&part[..length]);
            let excess = kept.len().saturating_sub(MAX_WORDS);
            kept.drain(..excess);
        }
    });
    Ok((RemoteProgram { child, words, listener }, input, output))
}

impl RemoteProgram {
    /// Ends the program at once; whatever waits for its output gets the end of it.
    pub(crate) fn stop(&mut self) {
        drop(self.child.kill());
    }

    /// Waits for the end of the program, and returns its exit code and the last line that it said on stderr.
    pub(crate) fn finish(mut self) -> (Option<i32>, Option<String>) {
        let elapsed = clock::stopwatch();
        let code = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break status.code(),
                Ok(None) if elapsed() < END_TIMEOUT => std::thread::sleep(Duration::from_millis(5)),
                _ => {
                    drop(self.child.kill());
                    drop(self.child.wait());
                    break None;
                }
            }
        };
        // Something that it has started may keep stderr open.
        while !self.listener.is_finished() && elapsed() < END_TIMEOUT {
            std::thread::sleep(Duration::from_millis(5));
        }
        let words =
            self.words.lock().map(|words| String::from_utf8_lossy(&words).into_owned()).unwrap_or_default();
        let last = words.lines().map(str::trim).rfind(|line| !line.is_empty()).map(str::to_owned);
        (code, last)
    }
}

/// Lets the user edit a file with their editor, on this terminal.
pub(crate) fn edit(path: &Path) -> io::Result<()> {
    let usual = if cfg!(windows) { "notepad" } else { "vi" };
    let editor = env::editor().unwrap_or_else(|| usual.to_owned());
    // The variable may have options in it, as in `code --wait`.
    let mut command = if cfg!(windows) {
        shell_command(Path::new("cmd"), "/C")
    } else {
        shell_command(Path::new("sh"), "-c")
    };
    let line = if cfg!(windows) { format!("{editor} %1") } else { format!("{editor} \"$0\"") };
    let status = command.arg(line).arg(path).status()?;
    if status.success() { Ok(()) } else { Err(io::Error::other(format!("`{editor}` ended with an error"))) }
}

/// Reads the beginning of the output.
fn read_output(file: &mut File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.take(MAX_OUTPUT_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn shell_command(shell: &Path, option: &str) -> Command {
    let mut command = Command::new(shell);
    command.arg(option);
    command
}

/// Waits for the end; after the timeout the process is killed, with all that it has started.
fn wait(child: &mut Child, timeout: Duration) -> io::Result<ExitStatus> {
    let elapsed = clock::stopwatch();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if elapsed() > timeout {
            kill(child)?;
            return Err(io::Error::new(io::ErrorKind::TimedOut, "it did not answer in time"));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn kill(child: &mut Child) -> io::Result<()> {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        // The process may already have ended.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    child.kill()?;
    child.wait().map(drop)
}

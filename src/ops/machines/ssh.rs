//! Calls another machine over ssh: starts `nudge sync --stdio` there, and speaks with it.

use std::io::{BufReader, BufWriter};

use super::exchange::{self, Link};
use super::outgoing::LineWriter;
use super::watch::{self, Pulse};
use super::{Meter, SyncError, SyncOptions, SyncReport};
use crate::system::programs;

/// ssh ends with this code when the connection fails; any other code is that of the program there.
const SSH_FAILED: i32 = 255;
/// A shell ends with one of these codes when there is no such program.
const NOT_FOUND: [i32; 2] = [126, 127];
/// Our own program ends with this code when it does not know the command.
const USAGE: i32 = 2;

/// Exchanges rows with a host; `tick` is called now and then.
pub(crate) fn visit(
    host: &str,
    remote: Option<&str>,
    options: &SyncOptions,
    meter: &Meter,
    mut tick: impl FnMut(),
) -> Result<SyncReport, SyncError> {
    if host.starts_with('-') || host.is_empty() {
        return Err(SyncError::NotAHost(host.to_owned()));
    }
    match visit_once(host, remote, options, meter, &mut tick) {
        // The new key is known nowhere, so a second time is enough.
        Err(SyncError::Renewed) => {
            let report = visit_once(host, remote, options, meter, &mut tick)?;
            Ok(SyncReport { renewed: true, ..report })
        }
        outcome => outcome,
    }
}

fn visit_once(
    host: &str,
    remote: Option<&str>,
    options: &SyncOptions,
    meter: &Meter,
    tick: &mut dyn FnMut(),
) -> Result<SyncReport, SyncError> {
    let ssh = programs::find("ssh").ok_or(SyncError::NoSsh)?;
    let started = programs::start_ssh(&ssh, host, &remote_line(remote), options.has_person);
    let (mut program, input, output) = started.map_err(|error| SyncError::Unreachable(error.to_string()))?;
    let pulse = Pulse::default();
    let (beats, meter, options) = (pulse.clone(), meter.clone(), *options);
    let work = move || {
        let mut lines = BufReader::with_capacity(1 << 16, output);
        let mut input = BufWriter::with_capacity(1 << 16, input);
        let out = LineWriter { out: &mut input, pulse: beats };
        exchange::call(&mut Link { lines: &mut lines, out, meter }, &options)
    };
    let outcome = watch::while_alive(&pulse, options.timeout, tick, || program.stop(), work);
    let Some(outcome) = outcome else {
        return Err(SyncError::Unreachable("it was silent for too long".to_owned()));
    };
    let (code, words) = program.finish();
    outcome.map_err(|error| match (error, code) {
        // What the program said before it ended is the reason, if the exchange itself has none.
        (SyncError::NoGreeting(_) | SyncError::Cut, Some(SSH_FAILED)) => {
            SyncError::Unreachable(words.unwrap_or_else(|| "ssh failed".to_owned()))
        }
        (SyncError::NoGreeting(_), Some(code)) if NOT_FOUND.contains(&code) => SyncError::NoProgram,
        (SyncError::NoGreeting(_), Some(USAGE)) => {
            SyncError::OlderThere("one that cannot exchange rows".to_owned())
        }
        (SyncError::NoGreeting(why), _) => SyncError::NoGreeting(words.unwrap_or(why)),
        (error, _) => error,
    })
}

/// Returns the command line for the shell of the other machine, whichever shell that is.
fn remote_line(remote: Option<&str>) -> String {
    match remote {
        Some(program) if program.chars().all(is_plain) => format!("{program} sync --stdio"),
        Some(program) => format!("'{}' sync --stdio", program.replace('\'', r"'\''")),
        None => {
            r#"sh -c 'PATH="$PATH:$HOME/.cargo/bin:$HOME/.local/bin" exec nudge sync --stdio'"#.to_owned()
        }
    }
}

/// Returns whether a shell takes a character as it is; a `~` at the beginning is wanted.
fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '~' | '+' | '@' | ':' | ',')
}

#[cfg(test)]
mod tests {
    use super::remote_line;

    #[test]
    fn the_program_of_the_other_machine_is_one_word_to_its_shell() {
        for (remote, expected) in [
            ("nudge", "nudge sync --stdio"),
            ("~/bin/nudge", "~/bin/nudge sync --stdio"),
            ("/opt/my tools/nudge", "'/opt/my tools/nudge' sync --stdio"),
            ("a; rm -rf ~", "'a; rm -rf ~' sync --stdio"),
            ("it's", r"'it'\''s' sync --stdio"),
        ] {
            assert_eq!(remote_line(Some(remote)), expected);
        }
        assert!(remote_line(None).contains("exec nudge sync --stdio"));
    }
}

//! A person at a terminal: a program that runs on one, its screen and its keyboard.

#![expect(clippy::unwrap_used, reason = "what cannot be read is a failed test")]

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
#[cfg(unix)]
use std::os::unix::ffi::OsStrExt;
#[cfg(unix)]
use std::os::unix::fs::OpenOptionsExt;
use std::process::Child;
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::sandbox::Sandbox;
use crate::servers::TIMEOUT;

/// A program on a terminal of its own.
pub(crate) struct Terminal {
    pub(crate) child: Child,
    keyboard: File,
    screen: Receiver<Vec<u8>>,
    pub(crate) seen: String,
}

impl Terminal {
    pub(crate) fn run(sandbox: &Sandbox, args: &[&str]) -> Terminal {
        Terminal::of_width(sandbox, 100, args)
    }

    pub(crate) fn of_width(sandbox: &Sandbox, width: u16, args: &[&str]) -> Terminal {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let noctty = i32::try_from(rustix::fs::OFlags::NOCTTY.bits()).unwrap();
        let path = std::ffi::OsStr::from_bytes(name.to_bytes());
        let slave = OpenOptions::new().read(true).write(true).custom_flags(noctty).open(path).unwrap();
        let size = rustix::termios::Winsize { ws_row: 24, ws_col: width, ws_xpixel: 0, ws_ypixel: 0 };
        rustix::termios::tcsetwinsize(&slave, size).unwrap();
        let keyboard = File::from(master);
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_nudge"));
        command.args(args).env("TERM", "xterm");
        command.stdin(slave.try_clone().unwrap()).stdout(slave.try_clone().unwrap()).stderr(slave);
        let child = command.spawn().unwrap();
        // The command has the other end too, so the screen would never end.
        drop(command);
        let mut output = keyboard.try_clone().unwrap();
        let (sender, screen) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            // The end of a terminal is an error.
            while let Ok(read @ 1..) = output.read(&mut buffer) {
                if sender.send(buffer[..read].to_vec()).is_err() {
                    break;
                }
            }
        });
        Terminal { child, keyboard, screen, seen: String::new() }
    }

    /// Waits until this is on the screen `times` times.
    #[track_caller]
    #[expect(
        clippy::disallowed_methods,
        reason = "a screen that is refreshed would show something else forever"
    )]
    pub(crate) fn shows(&mut self, text: &str, times: usize) -> &mut Terminal {
        let end = Instant::now() + 3 * TIMEOUT;
        while self.seen.matches(text).count() < times {
            let more = self.screen.recv_timeout(TIMEOUT).map_err(drop);
            let more = if Instant::now() < end { more } else { Err(()) };
            let more = more.unwrap_or_else(|_| panic!("never: {text:?} in {:?}", self.seen));
            self.seen.push_str(&String::from_utf8_lossy(&more));
        }
        self
    }

    pub(crate) fn types(&mut self, text: &str) -> &mut Terminal {
        self.keyboard.write_all(text.as_bytes()).unwrap();
        self
    }

    /// Waits for the end; returns the code and all that was shown.
    #[expect(clippy::disallowed_methods, reason = "a screen that is refreshed would never end")]
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        let end = Instant::now() + 3 * TIMEOUT;
        while let Ok(more) = self.screen.recv_timeout(TIMEOUT) {
            assert!(Instant::now() < end, "it does not end: {:?}", self.seen);
            self.seen.push_str(&String::from_utf8_lossy(&more));
        }
        (self.child.wait().unwrap().code(), self.seen.clone())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

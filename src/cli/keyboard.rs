//! Keys that a person presses while a command refreshes its screen.

use std::time::Duration;

/// Listens to the keyboard; the terminal is as before when this is dropped.
pub(crate) struct Keyboard {
    #[cfg(unix)]
    before: Option<rustix::termios::Termios>,
}

impl Keyboard {
    /// Waits until a key is pressed that ends the command; `false` after the time.
    pub(crate) fn quits_within(&self, time: Duration) -> bool {
        matches!(self.pressed(time), Some(b'q' | b'Q' | CONTROL_C | CONTROL_D))
    }
}

/// What the terminal sends for Ctrl-C and Ctrl-D if they do not end a program.
const CONTROL_C: u8 = 3;
const CONTROL_D: u8 = 4;

#[cfg(unix)]
impl Keyboard {
    /// Takes keys one by one and shows none of them; without a terminal there are none.
    pub(crate) fn listen() -> Keyboard {
        use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
        let terminal = rustix::stdio::stdin();
        let before = tcgetattr(terminal).ok();
        if let Some(mut modes) = before.clone() {
            modes.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG);
            // If that fails, keys come with Enter.
            let _set = tcsetattr(terminal, OptionalActions::Now, &modes);
        }
        Keyboard { before }
    }

    fn pressed(&self, time: Duration) -> Option<u8> {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        if self.before.is_none() {
            std::thread::sleep(time);
            return None;
        }
        let terminal = rustix::stdio::stdin();
        let timeout = Timespec::try_from(time).ok()?;
        let is_pressed = poll(&mut [PollFd::new(&terminal, PollFlags::IN)], Some(&timeout));
        let mut key = [0];
        match is_pressed {
            Ok(1..) => match rustix::io::read(terminal, &mut key) {
                Ok(1) => Some(key[0]),
                // The terminal is gone.
                _ => Some(CONTROL_D),
            },
            _ => None,
        }
    }
}

#[cfg(unix)]
impl Drop for Keyboard {
    fn drop(&mut self) {
        use rustix::termios::{OptionalActions, tcsetattr};
        if let Some(before) = &self.before {
            let _restored = tcsetattr(rustix::stdio::stdin(), OptionalActions::Now, before);
        }
    }
}

#[cfg(not(unix))]
impl Keyboard {
    pub(crate) fn listen() -> Keyboard {
        Keyboard {}
    }

    #[expect(clippy::unused_self, reason = "as on systems where keys are read")]
    fn pressed(&self, time: Duration) -> Option<u8> {
        std::thread::sleep(time);
        None
    }
}

//! The token: shows the PRIMARY that who asks can read this folder, where the kernel does not tell who asks.
//!
//! Each PRIMARY makes its own: one that was sent to a stranger on an old port opens nothing.

use std::io;

use super::folder::{Folder, TOKEN};

impl Folder {
    pub(crate) fn token(&self) -> Option<String> {
        let text = String::from_utf8(self.read(TOKEN, 1 << 10)?).ok()?;
        Some(text.trim().to_owned()).filter(|token| !token.is_empty())
    }

    pub(crate) fn write_token(&self, token: &str) -> io::Result<()> {
        self.write(TOKEN, token.as_bytes())
    }

    /// Removes the token, if it still is this one.
    pub(crate) fn remove_token(&self, token: &str) {
        if self.token().as_deref() == Some(token) {
            self.remove(TOKEN);
        }
    }
}

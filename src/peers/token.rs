//! The token, and the open pages of the viewer: what only the servers of this folder know.
//!
//! The token proves to the PRIMARY that the caller can read this folder, where the kernel does not say which user the
//! caller is.
//!
//! Each PRIMARY creates its own: a token that was sent to another program on an old port is useless.

use std::io;
use std::path::PathBuf;

use super::folder::{Folder, PAGE_LINK, PAGES, TOKEN};

impl Folder {
    pub(crate) fn token(&self) -> Option<String> {
        let text = String::from_utf8(self.read(TOKEN, 1 << 10)?).ok()?;
        Some(text.trim().to_owned()).filter(|token| !token.is_empty())
    }

    pub(crate) fn write_token(&self, token: &str) -> io::Result<()> {
        self.write(TOKEN, token.as_bytes())
    }

    /// Removes the token file, if it still has this token.
    pub(crate) fn remove_token(&self, token: &str) {
        if self.token().as_deref() == Some(token) {
            self.remove(TOKEN);
        }
    }

    /// Returns what the previous PRIMARY wrote about the open pages of the viewer.
    pub(crate) fn pages(&self) -> Option<Vec<u8>> {
        self.read(PAGES, 64 << 10)
    }

    pub(crate) fn write_pages(&self, bytes: &[u8]) -> io::Result<()> {
        self.write(PAGES, bytes)
    }

    pub(crate) fn remove_pages(&self) {
        self.remove(PAGES);
    }

    /// Writes the file that leads a browser to a page, for this user only, and returns where it is.
    pub(crate) fn write_page_link(&self, html: &str) -> io::Result<PathBuf> {
        self.write(PAGE_LINK, html.as_bytes())?;
        Ok(self.path().join(PAGE_LINK))
    }

    pub(crate) fn remove_page_link(&self) {
        self.remove(PAGE_LINK);
    }
}

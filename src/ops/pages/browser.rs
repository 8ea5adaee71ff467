//! Opens the user's browser at a link.

use std::path::PathBuf;

use crate::config::env;
use crate::system::programs;

/// Programs that open an address in the user's browser, in the order in which they are tried: of WSL, of freedesktop
/// systems, of macOS.
const OPENERS: [&str; 3] = ["wslview", "xdg-open", "open"];

/// Opens a link; returns whether a program was started for it.
pub(crate) fn open(link: &str) -> bool {
    let named = env::value("BROWSER").filter(|name| !name.is_empty() && !name.contains([' ', '%', ':']));
    let named = named.and_then(|name| {
        let path = PathBuf::from(&name);
        if path.is_absolute() { path.is_file().then_some(path) } else { programs::find(&name) }
    });
    // `open` on Linux is another program: it starts one on a new virtual terminal.
    let usual = OPENERS.iter().filter(|name| **name != "open" || cfg!(target_os = "macos"));
    let found = named.or_else(|| usual.into_iter().find_map(|name| programs::find(name)));
    match found {
        Some(program) => programs::start(&program, &[link]).is_ok(),
        None if cfg!(windows) => programs::find("rundll32")
            .is_some_and(|program| programs::start(&program, &["url.dll,FileProtocolHandler", link]).is_ok()),
        None => false,
    }
}

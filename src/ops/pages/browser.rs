//! Opens the user's browser at a link.

use std::path::PathBuf;

use crate::config::{env, paths};
use crate::peers::{Folder, NAMES_OWNERS};
use crate::system::programs;

/// Programs that open an address in the user's browser, in the order in which they are tried: of WSL, of freedesktop
/// systems, of macOS.
const OPENERS: [&str; 3] = ["wslview", "xdg-open", "open"];

/// Opens the page of a link; returns whether a program was started for it.
///
/// The words of a command are readable for every user of a machine. Where the kernel does not say whose a connection is,
/// the browser gets a private file that leads on instead; the server deletes it when the link was used, or after a minute.
pub(crate) fn open_page(link: &str) -> bool {
    if !needs_file() {
        return open(link);
    }
    let folder = Folder::find(&paths::runtime_dirs());
    let file = folder.and_then(|folder| folder.write_page_link(&leading_to(link)).ok());
    file.is_some_and(|file| open(&file.display().to_string()))
}

/// Deletes the private file that led a browser to a page.
pub(crate) fn forget_page_link() {
    if let Some(folder) = Folder::find(&paths::runtime_dirs()).filter(|_| needs_file()) {
        folder.remove_page_link();
    }
}

/// Returns whether a browser is given a file instead of the link. A debug build can be told so, for the tests.
pub(crate) fn needs_file() -> bool {
    !NAMES_OWNERS || cfg!(debug_assertions) && env::value("NUDGE_UI_PRIVATE_FILE").is_some()
}

/// Returns a page that leads to a link.
fn leading_to(link: &str) -> String {
    let link = link.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
    format!(
        "<!doctype html><meta charset=\"utf-8\"><title>nudge</title>\
         <meta http-equiv=\"refresh\" content=\"0;url={link}\"><p>Opening the viewer…"
    )
}

/// Opens an address; returns whether a program was started for it.
fn open(link: &str) -> bool {
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

#[cfg(test)]
mod tests {
    use super::leading_to;

    #[test]
    fn a_file_leads_to_the_link_and_nothing_breaks_out_of_it() {
        let html = leading_to("http://127.0.0.1:8765/ui/#in=abc/?p=%2Fsrc&q=\"><script>");
        assert!(
            html.contains(
                "content=\"0;url=http://127.0.0.1:8765/ui/#in=abc/?p=%2Fsrc&amp;q=&quot;>&lt;script>\""
            ),
            "{html}"
        );
    }
}

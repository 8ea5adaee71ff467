//! The files of the page, as they are in the program; a debug build can read them from a folder instead.

use std::borrow::Cow;
use std::sync::OnceLock;

use super::link;
use crate::config::env;
use crate::files;

/// Every file below `assets/ui`, by its path there.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/ui_assets.rs"));
/// The module that the page begins with.
const MAIN: &str = "main.js";
/// Maximum size of a file that a debug build reads from a folder.
const MAX_BYTES: u64 = 1 << 20;

/// Returns a file of the page; `app.js` is all modules in one.
pub(crate) fn file(name: &str) -> Option<Cow<'static, str>> {
    if let Some(text) = file_of_folder(name) {
        return Some(text.into());
    }
    if name == "app.js" {
        return script().ok().map(Cow::Borrowed);
    }
    built_in(name).map(Cow::Borrowed)
}

/// Returns all modules as one script, or why they cannot be joined.
pub(crate) fn script() -> Result<&'static str, String> {
    static SCRIPT: OnceLock<Result<String, String>> = OnceLock::new();
    let script = SCRIPT.get_or_init(|| link::link(MAIN, &modules()));
    script.as_deref().map_err(Clone::clone)
}

fn modules() -> Vec<(&'static str, &'static str)> {
    FILES.iter().filter(|(name, _)| name.ends_with(".js")).copied().collect()
}

fn built_in(name: &str) -> Option<&'static str> {
    FILES.iter().find(|(file, _)| *file == name).map(|(_, text)| *text)
}

/// Returns whether a name is a module of the page: a debug build serves them one by one.
pub(crate) fn is_served_alone(name: &str) -> bool {
    env::ui_assets().is_some() && built_in(name).is_some()
        || name.ends_with(".js") && file_of_folder(name).is_some()
}

fn file_of_folder(name: &str) -> Option<String> {
    let folder = env::ui_assets()?;
    let name = if name == "app.js" { MAIN } else { name };
    let is_plain =
        name.split('/').all(|part| !part.is_empty() && !part.starts_with('.') && !part.contains('\\'));
    let bytes = files::read_regular(&folder.join(name), MAX_BYTES).ok().filter(|_| is_plain)?;
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::{file, script};

    #[test]
    fn the_modules_of_the_page_can_be_joined() {
        let script = script().unwrap();
        assert!(
            script.ends_with("start();\n") && !script.contains("\nimport ") && !script.contains("\nexport ")
        );
    }

    #[test]
    fn the_page_has_its_four_files() {
        for name in ["index.html", "app.js", "app.css", "icon.svg", "sample.json"] {
            assert!(file(name).is_some(), "{name}");
        }
        assert_eq!(file("../app.css"), None);
    }
}

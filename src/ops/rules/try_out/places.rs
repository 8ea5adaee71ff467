//! Gives folders that are deleted also the name that rules know: `rm -rf ../app` in the project `app` is `rm -rf .`, and
//! `rm -rf /home/alice/code` is `rm -rf ~/code`.

use std::path::Path;

use crate::config::paths;
use crate::files;
use crate::model::Event;
use crate::rules::Call;
use crate::system::target;

/// Folders of temporary files: a folder in them is a project only if something says so.
const TEMPORARY_ROOTS: [&str; 6] =
    ["/tmp", "/var/tmp", "/private/tmp", "/private/var", "/var/folders", "/dev/shm"];

/// Folders that have the homes of users.
const HOMES: [&str; 2] = ["/home", "/Users"];

/// What makes a temporary folder a project.
const MARKS: [&str; 3] = [".git", ".nudge.yaml", ".nudge"];

/// Returns whether a folder in a temporary one is a project.
pub(super) fn is_marked(root: &Path) -> bool {
    MARKS.iter().any(|mark| root.join(mark).exists())
}

/// Names the project, the folders around it and what is in home folders as rules do, too, where a command deletes them.
pub(super) fn name_places(calls: &mut [Call], event: &Event, root: &Path, is_marked: fn(&Path) -> bool) {
    let home = paths::home_dir();
    for call in calls {
        call.add_names(|path| {
            let (folder, everything) = match path.strip_suffix("/*") {
                Some(folder) => (folder, "/*"),
                None => (path, ""),
            };
            let unhomed = ["$HOME/", "${HOME}/"].iter().find_map(|one| folder.strip_prefix(one));
            if unhomed.unwrap_or(folder).contains(['*', '?', '[', '$', '`', '{']) {
                return None;
            }
            let folder = target::lexical(&event.cwd, folder, home.as_deref());
            let is_project = root.starts_with(&folder)
                && (!TEMPORARY_ROOTS.iter().any(|one| root.starts_with(one)) || is_marked(root));
            // The second dot keeps a folder of builds around the command from being taken for the place itself.
            match is_project {
                true if folder == root => Some(format!("./.{everything}")),
                true => Some(format!("../.{everything}")),
                false => Some(format!("{}{everything}", in_home(&folder, home.as_deref())?)),
            }
        });
    }
}

/// Returns `~` for a home folder, and `~/NAME` for what is directly in it.
fn in_home(folder: &Path, home: Option<&Path>) -> Option<String> {
    let is_home =
        |path: &Path| Some(path) == home || HOMES.iter().any(|homes| path.parent() == Some(Path::new(homes)));
    if is_home(folder) {
        return Some("~".to_owned());
    }
    let name = folder.file_name().filter(|_| folder.parent().is_some_and(is_home))?;
    Some(format!("~/{}", files::slashes(Path::new(name))))
}

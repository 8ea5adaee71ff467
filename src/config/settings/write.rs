//! Writes the choices of `nudge team` into the user's own settings, and leaves every other line as it is.

use std::io;
use std::path::Path;

use toml::Table;

use super::TeamSettings;
use crate::config::paths;
use crate::files;
use crate::model::ShareLevel;

/// Larger files are not read as settings either.
const MAX_BYTES: u64 = 64 << 10;

/// Sets the server and the projects in the user's settings; without a server, both are removed.
pub(crate) fn write_team(url: Option<&str>, projects: &[(String, ShareLevel)]) -> io::Result<()> {
    let path = paths::user_settings().ok_or_else(|| io::Error::other("there is no home folder"))?;
    let text = match files::read_regular(&path, MAX_BYTES) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        text => String::from_utf8(text?).map_err(|_| io::Error::other("it is not UTF-8"))?,
    };
    let changed = with_team(&text, url, projects)
        .ok_or_else(|| io::Error::other("its `team` is written in a form that cannot be changed here"))?;
    if let Some(folder) = path.parent() {
        files::make_private_dir(folder)?;
    }
    write(&path, &changed)
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    if !path.exists() {
        drop(files::private_file().append(true).create(true).open(path)?);
    }
    files::replace(path, &[text.as_bytes()])
}

/// Returns the text with these choices; `None` if they would not be read as meant.
fn with_team(text: &str, url: Option<&str>, projects: &[(String, ShareLevel)]) -> Option<String> {
    let mut section = String::new();
    let mut kept: Vec<&str> = Vec::new();
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.starts_with('[') {
            section = trimmed.trim_matches(['[', ']']).replace([' ', '\t'], "");
        }
        let key = trimmed.split('=').next().unwrap_or_default().trim();
        let is_choice =
            section == "team.projects" || section == "team" && (key == "url" || key.starts_with("projects."));
        if !is_choice {
            kept.push(line);
        }
    }
    // A section that only had the choices is not left behind.
    let begins = |line: &str| line.trim() == "[team]";
    let at = kept.iter().position(|line| begins(line));
    let is_empty = at.is_some_and(|at| {
        kept[at + 1..]
            .iter()
            .take_while(|line| !line.trim().starts_with('['))
            .all(|line| line.trim().is_empty())
    });
    let mut lines: Vec<String> = kept.iter().map(|line| (*line).to_owned()).collect();
    while lines.last().is_some_and(|line| line.trim().is_empty()) {
        lines.pop();
    }
    match (at, url) {
        (Some(at), Some(url)) => lines.insert(at + 1, format!("url = {}", quoted(url))),
        (None, Some(url)) => {
            lines.extend([String::new(), "[team]".to_owned(), format!("url = {}", quoted(url))]);
        }
        (Some(at), None) if is_empty => drop(lines.remove(at)),
        _ => {}
    }
    if url.is_some() && !projects.is_empty() {
        lines.extend([String::new(), "[team.projects]".to_owned()]);
        lines.extend(
            projects.iter().map(|(key, level)| format!("{} = {}", quoted(key), quoted(level.name()))),
        );
    }
    let changed = lines.join("\n").trim().to_owned();
    let changed = if changed.is_empty() { changed } else { changed + "\n" };
    is_read_as(&changed, url, projects).then_some(changed)
}

fn is_read_as(text: &str, url: Option<&str>, projects: &[(String, ShareLevel)]) -> bool {
    let Ok(table) = text.parse::<Table>() else { return false };
    let team = table.get("team").and_then(toml::Value::as_table);
    let found = team.and_then(|team| team.get("url")?.as_str());
    let levels = team.and_then(|team| team.get("projects")?.as_table());
    let has_all = projects.iter().all(|(key, level)| {
        levels.and_then(|levels| levels.get(key)?.as_str()).is_some_and(|found| found == level.name())
    });
    found == url && (url.is_none() || has_all && levels.map_or(0, Table::len) == projects.len())
}

/// Quotes a text; JSON writes texts as TOML does.
fn quoted(text: &str) -> String {
    serde_json::Value::String(text.to_owned()).to_string()
}

impl TeamSettings {
    /// Returns the projects with one of them at another level.
    pub(crate) fn with_level(&self, key: &str, level: ShareLevel) -> Vec<(String, ShareLevel)> {
        let mut projects = self.projects.clone();
        match projects.iter_mut().find(|(known, _)| known == key) {
            Some(known) => known.1 = level,
            None => projects.push((key.to_owned(), level)),
        }
        projects
    }
}

#[cfg(test)]
mod tests {
    use super::with_team;
    use crate::model::ShareLevel;

    #[test]
    fn only_the_choices_change() {
        let shop = [("github.com/acme/shop".to_owned(), ShareLevel::Fixes)];
        let url = Some("postgres://alice@db/nudge");
        let joined = "[team]\nurl = \"postgres://alice@db/nudge\"\n\n[team.projects]\n\"github.com/acme/shop\" = \"fixes\"\n";
        assert_eq!(with_team("", url, &shop).as_deref(), Some(joined));
        assert_eq!(with_team(joined, None, &[]).as_deref(), Some(""));
        assert_eq!(with_team(joined, url, &shop).as_deref(), Some(joined));
        let own = "# mine\n[context]\nrows = 3 # few\n\n[team]\nkeep = 5\n\n[redact]\npin = 'x[0-9]'\n";
        let with_own = with_team(own, url, &shop).unwrap();
        assert!(with_own.starts_with("# mine\n[context]\nrows = 3 # few\n"), "{with_own}");
        assert!(with_own.contains("[team]\nurl = \"postgres://alice@db/nudge\"\nkeep = 5\n"), "{with_own}");
        assert_eq!(with_team(&with_own, None, &[]).as_deref(), Some(own));
    }

    #[test]
    fn a_form_that_cannot_be_changed_is_refused() {
        let shop = [("a/b".to_owned(), ShareLevel::Work)];
        assert_eq!(with_team("team = { url = \"x\" }\n", Some("y"), &shop), None);
        assert_eq!(with_team("team.url = \"x\"\n", None, &[]), None);
    }
}

//! Parses the settings that we need from git's config: where a repository was cloned from, and where its files are.

/// Returns the first URL of the remote `origin`, without credentials.
pub(super) fn parse_origin(config: &str) -> Option<String> {
    parse_setting(config, is_origin, "url").map(|url| without_credentials(&url))
}

/// Returns the first URL of every remote, without credentials: `origin` first, then `upstream`, then as they are written.
pub(super) fn parse_remotes(config: &str) -> Vec<String> {
    let names = config.lines().filter_map(|line| {
        let header = line.trim().strip_prefix('[')?.split(']').next()?;
        let (section, name) = header.split_once(char::is_whitespace)?;
        section.eq_ignore_ascii_case("remote").then(|| name.trim().to_owned())
    });
    let mut names: Vec<String> = names.collect();
    names.sort_by_key(|name| {
        ["\"origin\"", "\"upstream\""].iter().position(|first| first == name).unwrap_or(2)
    });
    names.dedup();
    let url = |name: &String| {
        let is_remote = |header: &str| {
            let mut words = header.trim_start_matches('[').splitn(2, char::is_whitespace);
            words.next().unwrap_or_default().eq_ignore_ascii_case("remote")
                && words.next().is_some_and(|found| found.trim() == name)
        };
        parse_setting(config, is_remote, "url").map(|url| without_credentials(&url))
    };
    names.iter().filter_map(url).collect()
}

/// Returns where a repository has its files, if it says so: that of a submodule does.
pub(super) fn parse_worktree(config: &str) -> Option<String> {
    let is_core = |header: &str| header.trim_start_matches('[').trim().eq_ignore_ascii_case("core");
    parse_setting(config, is_core, "worktree")
}

/// Returns the first value of a setting in the sections that match.
fn parse_setting(config: &str, is_section: impl Fn(&str) -> bool, key: &str) -> Option<String> {
    let config = config.replace("\\\r\n", "").replace("\\\n", "");
    let mut in_section = false;
    for line in config.lines().map(str::trim) {
        // A setting may follow its header on the same line.
        let setting = match line.starts_with('[') {
            true => {
                let (header, rest) = line.split_once(']')?;
                in_section = is_section(header);
                rest.trim()
            }
            false => line,
        };
        if let Some(value) = parse_value(setting, key).filter(|_| in_section) {
            return Some(value);
        }
    }
    None
}

/// Checks for `[remote "origin"`; section names are case-insensitive, remote names are not.
fn is_origin(header: &str) -> bool {
    let mut words = header.trim_start_matches('[').splitn(2, char::is_whitespace);
    let section = words.next().unwrap_or_default();
    section.eq_ignore_ascii_case("remote") && words.next().is_some_and(|name| name.trim() == "\"origin\"")
}

/// Parses `key = value`; a value may be quoted, and a comment may follow.
fn parse_value(line: &str, wanted: &str) -> Option<String> {
    let (key, value) = line.split_once('=')?;
    if !key.trim().eq_ignore_ascii_case(wanted) {
        return None;
    }
    let (mut text, mut quoted) = (String::new(), false);
    let mut characters = value.trim().chars();
    while let Some(c) = characters.next() {
        match c {
            '"' => quoted = !quoted,
            '\\' => text.extend(characters.next()),
            '#' | ';' if !quoted => break,
            c => text.push(c),
        }
    }
    Some(text.trim().to_owned()).filter(|value| !value.is_empty())
}

/// Removes user and password from a URL; `git@host:path` names a user that everybody shares.
fn without_credentials(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        let host = url.split('/').next().unwrap_or_default();
        let secret = host.rsplit_once('@').filter(|(user, _)| user.contains(':'));
        return secret.map_or(url, |(user, _)| &url[user.len() + 1..]).to_owned();
    };
    let host_end = rest.find('/').unwrap_or(rest.len());
    let host = rest[..host_end].rfind('@').map_or(rest, |at| &rest[at + 1..]);
    format!("{scheme}://{host}")
}

#[cfg(test)]
mod tests;

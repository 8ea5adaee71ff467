//! Names of repositories: the same one may be written as a URL, in scp form, or as `git:org/repo`.

/// Returns whether two names mean the same repository; a name without a host matches any host.
pub(crate) fn same(one: &str, other: &str) -> bool {
    match (RepoParts::of(one), RepoParts::of(other)) {
        (Some(one), Some(other)) => {
            let hosts = one.host.is_none() || other.host.is_none() || one.host == other.host;
            hosts && one.path == other.path
        }
        _ => one == other,
    }
}

/// Removes user and password from a URL.
pub(crate) fn without_credentials(repo: &str) -> String {
    let Some((scheme, rest)) = repo.split_once("://") else { return repo.to_owned() };
    let end = rest.find('/').unwrap_or(rest.len());
    match rest[..end].rfind('@') {
        Some(at) => format!("{scheme}://{}", &rest[at + 1..]),
        None => repo.to_owned(),
    }
}

/// Returns the last name of a repository: `repo` of `git:org/repo`.
pub(crate) fn last_name(repo: &str) -> &str {
    let name = repo.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or_default();
    name.strip_suffix(".git").unwrap_or(name)
}

/// Maximum length of an address that identifies a repository, in bytes.
const MAX_ADDRESS: usize = 300;

/// Hosts that serve the same repositories under another name, for networks that block port 22.
const HOST_ALIASES: [(&str, &str); 5] = [
    ("ssh.github.com", "github.com"),
    ("www.github.com", "github.com"),
    ("altssh.gitlab.com", "gitlab.com"),
    ("altssh.bitbucket.org", "bitbucket.org"),
    ("ssh.dev.azure.com", "dev.azure.com"),
];

/// Returns one spelling for all addresses of a repository: `github.com/org/repo`, or `file:/path` for a local one.
///
/// Without protocol, user, password, port and `.git`, and in lower case: no common host has two repositories whose names
/// differ only in that. `None` for an address that means something else in another folder, or that looks odd.
pub(crate) fn canonical(repo: &str) -> Option<String> {
    let repo = repo.trim();
    let is_odd = |c: char| c.is_whitespace() || c.is_control();
    if repo.len() > MAX_ADDRESS || repo.contains(is_odd) {
        return None;
    }
    let local = repo.strip_prefix("file://").unwrap_or(repo);
    if local.starts_with('/') {
        let path = clean_path(local);
        return (!path.is_empty()).then(|| format!("file:/{path}"));
    }
    let RepoParts { host, path } = RepoParts::of(repo)?;
    let host = host.filter(|host| !host.is_empty())?;
    let host = HOST_ALIASES.iter().find(|(alias, _)| *alias == host).map_or(host.as_str(), |(_, name)| name);
    let path = if host == "dev.azure.com" {
        path.strip_prefix("v3/").unwrap_or(&path).replace("/_git/", "/")
    } else {
        path
    };
    // A password with a slash in it would end up here.
    let is_plain =
        !path.is_empty() && !path.contains(['@', '?', '#']) && !path.split('/').any(|part| part == "..");
    is_plain.then(|| format!("{host}/{}", path.to_lowercase()))
}

struct RepoParts {
    host: Option<String>,
    path: String,
}

impl RepoParts {
    /// Splits a name; `file://` and unknown forms return `None` and are compared literally.
    fn of(repo: &str) -> Option<RepoParts> {
        let repo = repo.trim();
        if let Some((scheme, rest)) = repo.split_once("://") {
            return (scheme != "file").then(|| RepoParts::of_host_and_path(rest));
        }
        if let Some(path) = repo.strip_prefix("git:") {
            return Some(match RepoParts::of_bare(path) {
                Some(parts) => parts,
                None => RepoParts { host: None, path: clean_path(path) },
            });
        }
        match repo.split_once(':') {
            // A single letter is a Windows drive.
            Some((host, path)) if !host.contains('/') && host.len() > 1 => {
                Some(RepoParts { host: Some(bare_host(host)), path: clean_path(path) })
            }
            Some(_) => None,
            None => RepoParts::of_bare(repo),
        }
    }

    /// Parses `github.com/org/repo`, a URL without its scheme.
    fn of_bare(repo: &str) -> Option<RepoParts> {
        let (host, path) = repo.split_once('/')?;
        let is_host = host.contains('.') && !host.starts_with('.') && path.trim_matches('/').contains('/');
        is_host.then(|| RepoParts::of_host_and_path(repo))
    }

    fn of_host_and_path(rest: &str) -> RepoParts {
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        RepoParts { host: Some(bare_host(host)), path: clean_path(path) }
    }
}

/// Returns the host without user and port, which differ between protocols.
fn bare_host(host: &str) -> String {
    let host = host.rsplit('@').next().unwrap_or(host);
    let host = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    host.to_ascii_lowercase()
}

fn clean_path(path: &str) -> String {
    let path = path.trim_matches('/');
    path.strip_suffix(".git").unwrap_or(path).trim_end_matches('/').to_owned()
}

#[cfg(test)]
mod tests;

//! Names of repositories: the same one may be written as a URL, in scp form, or as `git:org/repo`.

/// Returns whether two names mean the same repository; a name without a host matches any host.
pub(super) fn same(one: &str, other: &str) -> bool {
    match (RepoParts::of(one), RepoParts::of(other)) {
        (Some(one), Some(other)) => {
            let hosts = one.host.is_none() || other.host.is_none() || one.host == other.host;
            hosts && one.path == other.path
        }
        _ => one == other,
    }
}

/// Removes user and password from a URL.
pub(super) fn without_credentials(repo: &str) -> String {
    let Some((scheme, rest)) = repo.split_once("://") else { return repo.to_owned() };
    let end = rest.find('/').unwrap_or(rest.len());
    match rest[..end].rfind('@') {
        Some(at) => format!("{scheme}://{}", &rest[at + 1..]),
        None => repo.to_owned(),
    }
}

/// Returns the last name of a repository: `repo` of `git:org/repo`.
pub(super) fn last_name(repo: &str) -> &str {
    let name = repo.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or_default();
    name.strip_suffix(".git").unwrap_or(name)
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

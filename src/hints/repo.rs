//! Names of repositories: the same one is written as a URL, in scp form, or as `git:org/repo`.

/// Says whether two names mean the same repository; a name without host means that of any host.
pub(super) fn same(one: &str, other: &str) -> bool {
    match (Parts::of(one), Parts::of(other)) {
        (Some(one), Some(other)) => {
            let hosts = one.host.is_none() || other.host.is_none() || one.host == other.host;
            hosts && one.path == other.path
        }
        _ => one == other,
    }
}

/// Takes user and password out of a URL.
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

struct Parts {
    host: Option<String>,
    path: String,
}

impl Parts {
    /// Takes a name apart; `file://` and forms that we do not know are compared as they stand.
    fn of(repo: &str) -> Option<Parts> {
        let repo = repo.trim();
        if let Some((scheme, rest)) = repo.split_once("://") {
            return (scheme != "file").then(|| Parts::of_host_and_path(rest));
        }
        if let Some(path) = repo.strip_prefix("git:") {
            return Some(match Parts::of_bare(path) {
                Some(parts) => parts,
                None => Parts { host: None, path: clean(path) },
            });
        }
        match repo.split_once(':') {
            // A single letter is a drive of Windows.
            Some((host, path)) if !host.contains('/') && host.len() > 1 => {
                Some(Parts { host: Some(bare_host(host)), path: clean(path) })
            }
            Some(_) => None,
            None => Parts::of_bare(repo),
        }
    }

    /// Reads `github.com/org/repo`: a URL without its scheme.
    fn of_bare(repo: &str) -> Option<Parts> {
        let (host, path) = repo.split_once('/')?;
        let is_host = host.contains('.') && !host.starts_with('.') && path.trim_matches('/').contains('/');
        is_host.then(|| Parts::of_host_and_path(repo))
    }

    fn of_host_and_path(rest: &str) -> Parts {
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        Parts { host: Some(bare_host(host)), path: clean(path) }
    }
}

/// Returns the host without user and port, which differ between ways to reach it.
fn bare_host(host: &str) -> String {
    let host = host.rsplit('@').next().unwrap_or(host);
    let host = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    host.to_ascii_lowercase()
}

fn clean(path: &str) -> String {
    let path = path.trim_matches('/');
    path.strip_suffix(".git").unwrap_or(path).trim_end_matches('/').to_owned()
}

#[cfg(test)]
mod tests;

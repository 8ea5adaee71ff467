//! Passwords of logins, from where PostgreSQL's own programs take them, and from the file that `nudge team join` writes.

use std::path::{Path, PathBuf};

use super::address::{ServerHost, TeamAddress};
use crate::files;

/// Longer files are not lists of passwords.
const MAX_FILE: u64 = 1 << 20;

/// Where a password may be, in the order in which they are asked; an address that has one is asked first.
#[derive(Debug, Clone, Default)]
pub(crate) struct PasswordPlaces {
    /// `PGPASSWORD`.
    pub(crate) variable: Option<String>,
    /// `team.secret`, and then what `PGPASSFILE` names, or `~/.pgpass`.
    pub(crate) files: Vec<PathBuf>,
}

/// Finds the password of an address; none is right where logins need none. Fails if a file has it that others can read.
pub(crate) fn find_password(
    address: &TeamAddress,
    places: &PasswordPlaces,
) -> Result<Option<String>, OpenPasswordFile> {
    if let Some(password) = address.password.clone().or_else(|| places.variable.clone()) {
        return Ok(Some(password));
    }
    for path in &places.files {
        let Ok(text) = files::read_regular(path, MAX_FILE) else { continue };
        let text = String::from_utf8_lossy(&text);
        if let Some(password) = in_file(&text, address) {
            return if is_private(path) { Ok(Some(password)) } else { Err(OpenPasswordFile(path.clone())) };
        }
    }
    Ok(None)
}

/// A file with passwords that other users of this machine can read; PostgreSQL's programs refuse it too.
#[derive(Debug, thiserror::Error)]
#[error("other users can read the passwords in `{}`", .0.display())]
pub(crate) struct OpenPasswordFile(pub(crate) PathBuf);

/// Returns the line that such a file has for an address.
pub(crate) fn password_line(address: &TeamAddress, password: &str) -> String {
    let escaped = |text: &str| text.replace('\\', "\\\\").replace(':', "\\:");
    let [host, port, database, user] = fields_of(address).map(|field| escaped(&field));
    format!("{host}:{port}:{database}:{user}:{}\n", escaped(password))
}

fn fields_of(address: &TeamAddress) -> [String; 4] {
    let host = match &address.host {
        ServerHost::Socket(_) => "localhost".to_owned(),
        ServerHost::Name(name) => name.clone(),
    };
    [host, address.port.to_string(), address.database.clone(), address.user.clone()]
}

/// Reads lines of `host:port:database:user:password`, in which `*` is everything; the first that fits counts.
fn in_file(text: &str, address: &TeamAddress) -> Option<String> {
    let wanted = fields_of(address);
    text.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let mut fields = fields(line);
        let password = fields.pop().filter(|_| fields.len() == 4)?;
        let fits = |(field, wanted): (&String, &String)| field == "*" || field == wanted;
        fields.iter().zip(&wanted).all(fits).then_some(password)
    })
}

fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut chars) = (vec![String::new()], line.chars());
    while let Some(c) = chars.next() {
        // The last field is a password, which may have colons that nobody escaped.
        let is_last = fields.len() == 5;
        match c {
            ':' if !is_last => fields.push(String::new()),
            '\\' => {
                if let Some(field) = fields.last_mut() {
                    field.extend(chars.next());
                }
            }
            c => {
                if let Some(field) = fields.last_mut() {
                    field.push(c);
                }
            }
        }
    }
    fields
}

#[cfg(unix)]
fn is_private(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o077 == 0)
}

#[cfg(not(unix))]
fn is_private(_: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::{PasswordPlaces, TeamAddress, find_password, in_file, password_line};

    fn address(url: &str) -> TeamAddress {
        TeamAddress::parse(url).unwrap()
    }

    #[test]
    fn the_first_line_that_fits_has_the_password() {
        let text = "# a comment:5432:n:a:no\nshort:line\ndb:5432:n:a:right\\:one\n*:*:*:b:any\nlocalhost:*:n:s:socket\n*:*:*:c:a:b\n";
        for (url, expected) in [
            ("postgres://a@db/n", Some("right:one")),
            ("postgres://a@db:1/n", None),
            ("postgres://b@x:1/y", Some("any")),
            ("postgres://s@/n?host=/run/pg", Some("socket")),
            ("postgres://c@db/n", Some("a:b")),
            ("postgres://d@db/n", None),
        ] {
            assert_eq!(in_file(text, &address(url)).as_deref(), expected, "{url}");
        }
    }

    #[test]
    fn what_is_written_is_found_again() {
        for (url, password) in [("postgres://a%3Ab@db/n", "x:\\y"), ("postgres://a@/n?host=/s", "ü ")] {
            let address = address(url);
            assert_eq!(in_file(&password_line(&address, password), &address).as_deref(), Some(password));
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_file_that_others_can_read_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("team.secret");
        std::fs::write(&path, "*:*:*:*:word\n").unwrap();
        let places = |variable: Option<&str>| PasswordPlaces {
            variable: variable.map(str::to_owned),
            files: vec![folder.path().join("missing"), path.clone()],
        };
        let mode =
            |mode: u32| std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        let here = address("postgres://a@db/n");
        mode(0o640);
        assert!(find_password(&here, &places(None)).is_err());
        mode(0o600);
        assert_eq!(find_password(&here, &places(None)).unwrap().as_deref(), Some("word"));
        assert_eq!(find_password(&here, &places(Some("env"))).unwrap().as_deref(), Some("env"));
        let named = address("postgres://a:url@db/n");
        assert_eq!(find_password(&named, &places(Some("env"))).unwrap().as_deref(), Some("url"));
    }
}

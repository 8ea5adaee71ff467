//! Options of known commands that carry a password under a short name: `mysql -p…`, `curl -u user:…`.

use std::ops::Range;

use super::Kind;
use super::placeholder::{is_placeholder, is_unset};
use super::scan::{Scan, is_quote, starts_word};
use super::triggers::{Case, Detector, Trigger};

/// A command and the options that carry its password.
struct Client {
    command: &'static str,
    /// A word that must come before the option; empty if none.
    after: &'static str,
    flags: &'static [&'static str],
    carries: Carries,
}

#[derive(Clone, Copy, PartialEq)]
enum Carries {
    /// The password in the same word: `-psecret`. A blank means "ask me".
    Attached,
    /// The password in the same word or the next.
    Password,
    /// `user:password` in the same word or the next.
    Pair,
    /// `user%password`.
    Percent,
    /// `pass:password`.
    Named,
}

const CLIENTS: &[Client] = &[
    client("mysql", "", &["-p"], Carries::Attached),
    client("mysqldump", "", &["-p"], Carries::Attached),
    client("mysqladmin", "", &["-p"], Carries::Attached),
    client("mysqlimport", "", &["-p"], Carries::Attached),
    client("mariadb", "", &["-p"], Carries::Attached),
    client("mariadb-dump", "", &["-p"], Carries::Attached),
    client("sshpass", "", &["-p"], Carries::Password),
    client("docker", "login", &["-p"], Carries::Password),
    client("podman", "login", &["-p"], Carries::Password),
    client("helm", "login", &["-p"], Carries::Password),
    client("oc login", "", &["-p"], Carries::Password),
    client("az login", "", &["-p"], Carries::Password),
    client("twine", "upload", &["-p"], Carries::Password),
    client("mongo", "", &["-p"], Carries::Password),
    client("mongosh", "", &["-p"], Carries::Password),
    client("mongodump", "", &["-p"], Carries::Password),
    client("redis-cli", "", &["-a", "--pass"], Carries::Password),
    client("sqlcmd", "", &["-P"], Carries::Password),
    client("zip", "", &["-P"], Carries::Password),
    client("unzip", "", &["-P"], Carries::Password),
    client("ldapsearch", "", &["-w"], Carries::Password),
    client("ldapadd", "", &["-w"], Carries::Password),
    client("ldapmodify", "", &["-w"], Carries::Password),
    client("curl", "", &["-u", "--user", "-U", "--proxy-user"], Carries::Pair),
    client("http", "", &["-a", "--auth"], Carries::Pair),
    client("skopeo", "", &["--creds", "--src-creds", "--dest-creds"], Carries::Pair),
    client("smbclient", "", &["-U"], Carries::Percent),
    client("openssl", "", &["-passin", "-passout", "-pass"], Carries::Named),
];

const fn client(
    command: &'static str,
    after: &'static str,
    flags: &'static [&'static str],
    carries: Carries,
) -> Client {
    Client { command, after, flags, carries }
}

/// A command is not read further than this.
const WINDOW: usize = 2048;

fn detect(scan: &mut Scan<'_>, at: usize, after: usize) {
    let text = scan.text;
    let command = &text[at..after];
    let is_word = starts_word(text, at) && text.get(after).is_some_and(|byte| matches!(byte, b' ' | b'\t'));
    let Some(client) = CLIENTS.iter().find(|client| is_word && client.command.as_bytes() == command) else {
        return;
    };
    // Its own name among its words begins nothing new.
    if scan.client_until > at && scan.client == client.command {
        return;
    }
    scan.client = client.command;
    let mut words = Words { text, at: after, end: text.len().min(after + WINDOW) };
    let mut is_ready = client.after.is_empty();
    while let Some(word) = words.next() {
        // What another command is told is read with that command.
        scan.client_until = word.end;
        if CLIENTS.iter().any(|client| client.command.as_bytes() == &text[word.clone()]) {
            return;
        }
        is_ready |= &text[word.clone()] == client.after.as_bytes();
        let Some(flag) = client.flag_of(&text[word.clone()]).filter(|_| is_ready) else { continue };
        let attached = word.start + flag.len()..word.end;
        let value = match client.carries {
            Carries::Attached if attached.is_empty() => continue,
            _ if !attached.is_empty() => inside(text, attached),
            _ => match words.next() {
                Some(next) => next,
                None => return,
            },
        };
        if let Some(span) = client.carries.password(text, value)
            && !is_placeholder(&text[span.clone()])
            && !is_unset(&text[span.clone()])
        {
            scan.push(Kind::Password, span);
        }
        if client.command == "sshpass" {
            return;
        }
    }
}

impl Client {
    fn flag_of(&self, word: &[u8]) -> Option<&'static str> {
        self.flags.iter().copied().find(|flag| {
            let is_long = flag.len() > 2;
            word == flag.as_bytes()
                || (!is_long && word.starts_with(flag.as_bytes()))
                || (is_long && word.starts_with(flag.as_bytes()) && word.get(flag.len()) == Some(&b'='))
        })
    }
}

impl Carries {
    fn password(self, text: &[u8], value: Range<usize>) -> Option<Range<usize>> {
        let behind = |sign: u8| {
            let sign = text[value.clone()].iter().position(|byte| *byte == sign)?;
            Some(value.start + sign + 1..value.end)
        };
        let span = match self {
            Carries::Attached | Carries::Password => value,
            Carries::Pair => behind(b':')?,
            Carries::Percent => behind(b'%')?,
            Carries::Named if text[value.clone()].starts_with(b"pass:") => value.start + 5..value.end,
            Carries::Named => return None,
        };
        let span = inside(text, span);
        (!span.is_empty() && text[span.start] != b'-').then_some(span)
    }
}

/// The words of one command, without their quotes.
struct Words<'t> {
    text: &'t [u8],
    at: usize,
    end: usize,
}

impl Iterator for Words<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let text = &self.text[..self.end];
        loop {
            match text.get(self.at..)? {
                [b' ' | b'\t', ..] => self.at += 1,
                // A backslash at its end carries a line on.
                [b'\\', b'\n', ..] => self.at += 2,
                [] | [b'\n' | b'\r' | b'|' | b';' | b'&' | b'(' | b')' | b'`', ..] => return None,
                _ => break,
            }
        }
        let start = self.at;
        let mut quote = None;
        while let Some(byte) = text.get(self.at) {
            match quote {
                Some(open) if open == *byte => quote = None,
                Some(_) => {}
                None if matches!(byte, b'"' | b'\'') => quote = Some(*byte),
                None if byte.is_ascii_whitespace() || matches!(byte, b'|' | b';' | b'&' | b')') => break,
                None => {}
            }
            self.at += 1;
        }
        Some(inside(self.text, start..self.at))
    }
}

/// Takes the quotes off a word.
fn inside(text: &[u8], word: Range<usize>) -> Range<usize> {
    let is_wrapped = word.len() >= 2 && is_quote(text[word.start]) && text[word.start] == text[word.end - 1];
    if is_wrapped { word.start + 1..word.end - 1 } else { word }
}

pub(super) const TRIGGERS: &[Trigger] = &triggers();

const fn triggers() -> [Trigger; CLIENTS.len()] {
    const EMPTY: Trigger = Trigger { literal: "", case: Case::Exact, detector: Detector::Other(detect) };
    let mut triggers = [EMPTY; CLIENTS.len()];
    let mut index = 0;
    while index < CLIENTS.len() {
        triggers[index].literal = CLIENTS[index].command;
        index += 1;
    }
    triggers
}

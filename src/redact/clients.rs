//! Options of known commands that pass a password under a short name: `mysql -p…`, `curl -u user:…`.

use std::ops::Range;

use super::command_words::{CommandWords, WINDOW, inside};
use super::commands::{CLIENTS, Carries, Client};
use super::kind::placeholder_end;
use super::placeholder::{is_constant, is_placeholder, is_unset};
use super::scan::{
    SecretScan, contains, is_blank, line_after, line_before, run_back, run_within, starts_word,
};
use super::trigger::{Case, Detector, Trigger};
use super::worth::{is_strong, is_wordy};
use super::{SecretKind, operands};
use crate::model::Literals;

fn detect(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    let text = scan.text;
    let command = &text[at..after];
    let is_word = text.get(after).is_some_and(|byte| is_blank(*byte)) && starts_word(text, at);
    // The command's name among its own words does not begin a new command.
    if !is_word || (scan.client_until > at && scan.client.as_bytes() == command) {
        return;
    }
    scan.note_line_part(at);
    // The same command may have several lines in the table: they differ in the word that must come before the option.
    for client in clients_of(command) {
        read_options(scan, client, after);
    }
}

/// Returns the lines of the table for a command; nearly every word is none.
fn clients_of(command: &[u8]) -> impl Iterator<Item = &'static Client> {
    let lines = if COMMAND.contain(command) { CLIENTS } else { &[] };
    lines.iter().filter(move |client| client.command.as_bytes() == command)
}

fn read_options(scan: &mut SecretScan<'_>, client: &Client, after: usize) {
    let text = scan.text;
    match client.carries {
        Carries::Last => return last_word(scan, client, after),
        Carries::Operand(_) | Carries::Secret | Carries::Config | Carries::First | Carries::Slash => {
            return operands::read(scan, client.carries, after);
        }
        _ => {}
    }
    scan.client = client.command;
    let mut words = CommandWords { text, at: after, end: text.len().min(after + WINDOW) };
    let mut is_ready = client.after.is_empty();
    while let Some(word) = words.next() {
        // The options of another command are read with that command.
        scan.client_until = word.end;
        if COMMAND.contain(&text[word.clone()]) {
            return;
        }
        is_ready |= &text[word.clone()] == client.after.as_bytes();
        let Some(flag) = client.flag_of(&text[word.clone()]).filter(|_| is_ready) else { continue };
        let behind = word.start + flag.len();
        let is_assigned = flag.len() > 2 && text[behind..word.end].starts_with(b"=");
        let attached = behind + usize::from(is_assigned)..word.end;
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
            && (client.carries != Carries::Next || operands::is_value(&text[span.clone()]))
        {
            scan.push(SecretKind::Password, span);
        }
        if client.command == "sshpass" {
            return;
        }
    }
}

/// `htpasswd -b file user password`, `rabbitmqctl add_user user password`.
fn last_word(scan: &mut SecretScan<'_>, client: &Client, after: usize) {
    let text = scan.text;
    let words: Vec<_> = CommandWords { text, at: after, end: text.len().min(after + WINDOW) }.collect();
    let is_ready =
        |word: &Range<usize>| client.flags.iter().any(|flag| text[word.clone()].starts_with(flag.as_bytes()));
    let Some(option) = words.iter().position(is_ready) else { return };
    let is_plain = |word: &&Range<usize>| text.get(word.start) != Some(&b'-');
    let mut plain = words[option + 1..].iter().filter(is_plain);
    // A file comes first, unless the result is only shown.
    let is_shown = client.command != "htpasswd" || text[words[option].clone()].contains(&b'n');
    if let Some(last) = plain.nth(if is_shown { 1 } else { 2 })
        && is_given(&text[last.clone()])
    {
        scan.push(SecretKind::Password, last.clone());
    }
}

/// `echo user:password | chpasswd`, `printf 'user:%s' password | chpasswd`.
fn chpasswd(scan: &mut SecretScan<'_>, at: usize, _: usize) {
    let text = scan.text;
    let before = line_before(text, at, 256).trim_ascii_end();
    let before = before.strip_suffix(b"sudo").unwrap_or(before).trim_ascii_end();
    let Some(printed) = before.strip_suffix(b"|").map(<[u8]>::trim_ascii_end) else { return };
    let end = at - line_before(text, at, 256).len() + printed.len();
    let start = run_back(text, end, 128, |byte| !byte.is_ascii_whitespace());
    let word = inside(text, start..end);
    if let Some(span) = Carries::Pair.password(text, word)
        && is_given(&text[span.clone()])
    {
        scan.push(SecretKind::Password, span);
    }
}

/// Returns whether a word is a value and not the placeholder of a manual.
fn is_given(word: &[u8]) -> bool {
    let word = word.strip_suffix(b"`").unwrap_or(word);
    word.len() >= 3 && !is_placeholder(word) && !is_constant(word)
}

/// `-p x` of an unknown command, beside `-u name`: what is not a word, a number or a path is a password.
fn unknown(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    let text = scan.text;
    let value = run_within(text, after, 8, is_blank);
    let end = run_within(text, value, 128, |byte| byte.is_ascii_graphic() && !b"|;&()<>`".contains(&byte));
    let span = inside(text, value..end);
    let word = &text[span.clone()];
    let has_both = word.iter().any(u8::is_ascii_digit) && word.iter().any(u8::is_ascii_alphabetic);
    let is_plain =
        word.len() >= 6 && has_both && !is_wordy(word) && !word.iter().any(|byte| b"/:=,{}[]".contains(byte));
    let line = [line_before(text, at, 200), line_after(text, end, 100)];
    let has_user = || line.iter().any(|part| USERS.iter().any(|flag| contains(part, flag)));
    if value > after && is_plain && word[0] != b'-' && has_user() && !is_placeholder(word) && !is_unset(word)
    {
        scan.push(SecretKind::Password, span);
    }
}

const USERS: &[&str] = &[" -u ", " --user ", " --user=", " --username ", " --username=", " -l "];

/// `kubectl create secret … --from-literal=name=value`.
fn from_literal(scan: &mut SecretScan<'_>, _: usize, after: usize) {
    let text = scan.text;
    let start = run_within(text, after, 2, |byte| matches!(byte, b'=' | b' '));
    let mut words = CommandWords { text, at: start, end: text.len().min(start + WINDOW) };
    if let Some(span) = words.next().and_then(|word| Carries::Assigned.password(text, word))
        && start > after
        && is_given(&text[span.clone()])
    {
        scan.push(SecretKind::Secret, span);
    }
}

impl Client {
    fn flag_of(&self, word: &[u8]) -> Option<&'static str> {
        self.flags.iter().copied().find(|flag| {
            let is_long = flag.len() > 2;
            word == flag.as_bytes()
                || ((!is_long || self.carries == Carries::Attached) && word.starts_with(flag.as_bytes()))
                || (is_long && word.starts_with(flag.as_bytes()) && word.get(flag.len()) == Some(&b'='))
        })
    }
}

impl Carries {
    fn password(self, text: &[u8], value: Range<usize>) -> Option<Range<usize>> {
        // The colon of a placeholder joins no user and password.
        if placeholder_end(text, value.start).is_some() {
            return None;
        }
        let behind = |sign: u8| {
            let sign = text[value.clone()].iter().position(|byte| *byte == sign)?;
            Some(value.start + sign + 1..value.end)
        };
        let span = match self {
            Carries::Attached | Carries::Password => value,
            Carries::Next => operands::trimmed(text, value),
            // Some services take a key as the user, without a password.
            Carries::Pair => {
                let password = behind(b':')?;
                let user = value.start..password.start - 1;
                let is_alone = matches!(text[password.clone()].first(), None | Some(b'\\' | b'"' | b'\''));
                let is_key = is_alone && user.len() >= 16 && is_strong(&text[user.clone()]);
                if is_key { user } else { password }
            }
            Carries::Percent => behind(b'%')?,
            Carries::Comma => behind(b',')?,
            Carries::Assigned => behind(b'=')?,
            Carries::Last
            | Carries::Operand(_)
            | Carries::Secret
            | Carries::Config
            | Carries::First
            | Carries::Slash => return None,
            Carries::Named if text[value.clone()].starts_with(b"pass:") => value.start + 5..value.end,
            Carries::Named => return None,
        };
        let span = inside(text, span);
        (!span.is_empty() && text[span.start] != b'-').then_some(span)
    }
}

pub(super) const OTHERS: &[Trigger] = &[
    Trigger { literal: "chpasswd", case: Case::Exact, detector: Detector::Line(chpasswd) },
    Trigger { literal: "--from-literal", case: Case::Exact, detector: Detector::Line(from_literal) },
    Trigger { literal: " -p", case: Case::Exact, detector: Detector::Line(unknown) },
    Trigger { literal: " -pw", case: Case::Exact, detector: Detector::Line(unknown) },
];

pub(super) const TRIGGERS: &[Trigger] = &triggers();

const fn triggers() -> [Trigger; COMMANDS.len()] {
    const EMPTY: Trigger = Trigger { literal: "", case: Case::Exact, detector: Detector::Other(detect) };
    let mut triggers = [EMPTY; COMMANDS.len()];
    let mut index = 0;
    while index < COMMANDS.len() {
        triggers[index].literal = COMMANDS[index];
        index += 1;
    }
    triggers
}

static COMMAND: Literals<{ COMMANDS.len() }> = Literals::exact(COMMANDS);

/// The commands of the table, each once.
const COMMANDS: [&str; distinct(&mut [""; CLIENTS.len()])] = {
    let mut commands = [""; CLIENTS.len()];
    let count = distinct(&mut commands);
    let mut result = [""; distinct(&mut [""; CLIENTS.len()])];
    result.copy_from_slice(commands.split_at(count).0);
    result
};

/// Lists the different commands, in the order of the table, and returns how many there are.
const fn distinct(commands: &mut [&'static str; CLIENTS.len()]) -> usize {
    let (mut index, mut count) = (0, 0);
    while index < CLIENTS.len() {
        let command = CLIENTS[index].command;
        let mut known = 0;
        while known < count && !is_same(commands[known], command) {
            known += 1;
        }
        if known == count {
            commands[count] = command;
            count += 1;
        }
        index += 1;
    }
    count
}

const fn is_same(one: &str, two: &str) -> bool {
    let (one, two) = (one.as_bytes(), two.as_bytes());
    let mut at = 0;
    while at < one.len() && at < two.len() && one[at] == two[at] {
        at += 1;
    }
    at == one.len() && at == two.len()
}

//! Whether a prompt goes back to earlier work, and in which way.

use super::cue_phrases::{
    ALREADY, ASKING, COMING_BACK, FILLERS, GOING_ON, POINTING, TAKING_FOR_GRANTED, WORK,
};

/// How a prompt goes back to earlier work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PromptCue {
    /// It asks for the past in words.
    Asks,
    /// It only tells the agent to go on.
    GoesOn,
    /// It says that something came back, or never went away.
    ComesBack,
    /// It speaks of a thing as known that it does not introduce: "the comments", "that PR".
    TakesForGranted,
}

/// How far into a prompt a cue counts, in characters. What is asked for may stand anywhere in the user's own words; a
/// thing that is taken for granted is one only at the beginning, for further on the prompt has introduced it itself.
const ASKING_WITHIN: usize = 600;
const COMING_BACK_WITHIN: usize = 300;
const TAKING_WITHIN: usize = 200;
/// A prompt with more words than this says itself with what to go on.
const MAX_GOING_ON: usize = 6;
/// A sentence with more words than this uses "again" to describe rather than to complain.
const MAX_COMPLAINT: usize = 24;
/// Between "the" and its noun stand at most two words.
const NOUN_WITHIN: usize = 3;
/// Words between "the" and its noun that make it something to come, rather than something known.
const TO_COME: [&str; 5] = ["next", "following", "new", "first", "future"];
/// The beginnings of prompts that no person wrote.
const BY_MACHINE: [&str; 6] = [
    "<",
    "[Request interrupted",
    "Operation stopped by hook",
    "Caveat:",
    "This session is being continued",
    "# ",
];

/// A prompt with fewer words than this ("yes", "go on", "7") belongs to the prompt before it.
const MIN_WORDS: usize = 4;
/// Of which this many say something.
const MIN_TELLING_WORDS: usize = 2;

/// Returns how a prompt goes back to earlier work; `None` if it does not.
pub(crate) fn cue(prompt: &str) -> Option<PromptCue> {
    if is_by_machine(prompt) {
        return None;
    }
    let own = own_words(prompt);
    if goes_on(prompt) {
        return Some(PromptCue::GoesOn);
    }
    let mut found = None;
    // "3, but apply the changes here" answers a question of the agent.
    let is_reply = own.trim_start().starts_with(|c: char| c.is_ascii_digit());
    for sentence in sentences(own) {
        let has = |phrases: &[&str], within: usize| {
            sentence.at < within && phrases.iter().any(|phrase| sentence.has(phrase))
        };
        if has(ASKING, ASKING_WITHIN) {
            return Some(PromptCue::Asks);
        }
        let comes_back = |phrase: &&&str| {
            (phrase.contains(' ') || sentence.words.len() <= MAX_COMPLAINT) && sentence.has(phrase)
        };
        if sentence.at < COMING_BACK_WITHIN && COMING_BACK.iter().any(|phrase| comes_back(&phrase)) {
            found = Some(PromptCue::ComesBack);
        }
        let takes = has(TAKING_FOR_GRANTED, TAKING_WITHIN)
            || sentence.at < TAKING_WITHIN && sentence.points_at_work()
            || sentence.is_question && has(ALREADY, TAKING_WITHIN);
        if takes && !is_reply {
            found = found.or(Some(PromptCue::TakesForGranted));
        }
    }
    found
}

/// Returns whether a word is one of those with which people say that something came back.
pub(super) fn is_of_complaint(word: &str) -> bool {
    COMING_BACK.iter().any(|phrase| phrase.split(' ').any(|part| part == word))
}

/// Returns whether no person wrote a prompt.
pub(super) fn is_by_machine(prompt: &str) -> bool {
    BY_MACHINE.iter().any(|start| prompt.trim_start().starts_with(start))
}

/// Returns whether a prompt asks something in its first words.
pub(crate) fn is_question(prompt: &str) -> bool {
    sentences(own_words(prompt)).iter().any(|sentence| sentence.is_question)
}

/// Returns whether a prompt only tells the agent to go on.
pub(crate) fn goes_on(prompt: &str) -> bool {
    let text = prompt.trim().to_lowercase();
    let all: Vec<Sentence> = sentences(&text);
    let count = all.iter().map(|sentence| sentence.words.len()).sum::<usize>();
    let Some(first) = all.first().filter(|_| count > 0 && count <= MAX_GOING_ON) else { return false };
    // "please continue" and "mach bitte weiter" begin with words that say nothing.
    let fillers = first.words.iter().take_while(|word| FILLERS.contains(&word.as_str())).count();
    (0..=fillers).any(|start| {
        let said = first.words[start..].join(" ");
        GOING_ON.iter().any(|phrase| {
            let rest = said.strip_prefix(phrase);
            rest.is_some_and(|more| more.is_empty() || more.starts_with(' ') || is_cjk(phrase))
        })
    })
}

/// Returns whether a prompt says what is wanted, rather than answering a question or agreeing.
pub(crate) fn says_what_is_wanted(prompt: &str) -> bool {
    let text = prompt.to_lowercase();
    let words = text.split_whitespace();
    let (mut count, mut telling) = (0, 0);
    for word in words {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        // In scripts without spaces two characters are about a word.
        let dense = bare.chars().filter(|c| is_cjk_letter(*c)).count() / 2;
        let is_telling = bare.chars().count() > 1
            && bare.contains(char::is_alphabetic)
            && !FILLERS.contains(&bare)
            && !word.starts_with('/');
        count += dense.max(1);
        telling += if dense > 0 { dense } else { usize::from(is_telling) };
        if count >= MIN_WORDS && telling >= MIN_TELLING_WORDS {
            return !goes_on(prompt) && !goes_on(own_words(prompt));
        }
    }
    false
}

/// Returns the words that the user wrote, without what was pasted behind them.
pub(super) fn own_words(prompt: &str) -> &str {
    let end = ["```", "\"\"\"", "\n#", "\n>", "\n|", "\n---"]
        .iter()
        .filter_map(|mark| prompt.find(mark))
        .min()
        .unwrap_or(prompt.len());
    let own = &prompt[..end];
    // The name of a command is not a word of the sentence.
    match own.trim_start().split_once(char::is_whitespace) {
        Some((command, rest)) if command.starts_with('/') => rest,
        None if own.trim_start().starts_with('/') => "",
        _ => own,
    }
}

pub(super) struct Sentence {
    /// Where it begins, in characters.
    at: usize,
    /// All of it in lower case.
    text: String,
    is_ascii: bool,
    words: Vec<String>,
    /// A bit for each first byte of its words: most phrases begin with none of them.
    initials: u64,
    is_question: bool,
}

pub(super) fn sentences(text: &str) -> Vec<Sentence> {
    let mut all = Vec::new();
    let (mut start, mut current) = (0, String::new());
    let mut letters = text.chars().peekable();
    let mut at = 0;
    while let Some(c) = letters.next() {
        at += 1;
        let breaks = match c {
            '\n' | '。' | '！' | '？' | '；' => true,
            '.' | '!' | '?' | ';' | ':' => letters.peek().is_none_or(|next| next.is_whitespace()),
            _ => false,
        };
        if !breaks {
            current.push(c);
        }
        if breaks || letters.peek().is_none() {
            all.extend(parse_sentence(start, &std::mem::take(&mut current), matches!(c, '?' | '？')));
            start = at;
        }
        if at > ASKING_WITHIN {
            break;
        }
    }
    all
}

fn parse_sentence(at: usize, text: &str, is_question: bool) -> Option<Sentence> {
    let text = text.to_lowercase().replace('\u{2019}', "'");
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .map(|word| word.trim_matches('\''))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    let initials = words.iter().fold(0, |all, word| all | initial(word));
    (!words.is_empty()).then(|| Sentence {
        at,
        is_ascii: text.is_ascii(),
        text,
        words,
        initials,
        is_question,
    })
}

/// Returns the bit of a word's first byte, which different bytes may share.
fn initial(word: &str) -> u64 {
    word.bytes().next().map_or(0, |byte| 1 << (byte & 63))
}

impl Sentence {
    /// Returns how many words it has.
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// Returns whether it begins with a phrase.
    pub(super) fn begins(&self, phrase: &str) -> bool {
        if is_cjk(phrase) {
            return self.text.trim_start().starts_with(phrase);
        }
        let mut words = self.words.iter();
        phrase.split(' ').all(|wanted| words.next().is_some_and(|word| is_form(word, wanted)))
    }

    /// Returns whether it has a phrase.
    pub(super) fn has(&self, phrase: &str) -> bool {
        if !phrase.is_ascii() {
            if self.is_ascii {
                return false;
            }
            if is_cjk(phrase) {
                return self.text.contains(phrase);
            }
        }
        if self.initials & initial(phrase) == 0 {
            return false;
        }
        (0..self.words.len()).any(|start| {
            let mut words = self.words[start..].iter();
            phrase.split(' ').all(|wanted| words.next().is_some_and(|word| is_form(word, wanted)))
        })
    }

    /// Returns whether it speaks of work as something known: "the e2e fixes", "that PR".
    fn points_at_work(&self) -> bool {
        let is_any = |word: &str, all: &[&str]| all.iter().any(|form| is_form(word, form));
        self.words.iter().enumerate().any(|(at, word)| {
            let behind = self.words.iter().skip(at + 1).take(NOUN_WITHIN);
            let mut behind = behind.take_while(|word| !TO_COME.contains(&word.as_str()));
            is_any(word, POINTING) && behind.any(|noun| is_any(noun, WORK))
        })
    }
}

/// Returns whether a word is a form of a listed one.
fn is_form(word: &str, listed: &str) -> bool {
    listed.strip_suffix('*').map_or(word == listed, |stem| word.starts_with(stem))
}

fn is_cjk(phrase: &str) -> bool {
    phrase.chars().any(is_cjk_letter)
}

pub(super) fn is_cjk_letter(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

#[cfg(test)]
mod tests;

//! The first pass: where does a literal stand that announces a secret?
//!
//! A table made at compile time is asked with every three neighbouring bytes, letters in any case, and names the literals
//! that begin so. An automaton would be a little faster per byte, but the hook is a fresh process for every event and
//! would build it each time.

use super::kind::placeholder_end;
use super::scan::{Scan, begins};
use super::tokens::Token;
use super::{
    assignments, calls, clients, columns, headers, jwt, names, pem, pipes, records, spellings, tokens, urls,
    vendors, views,
};

/// A literal and who looks around where it stands.
pub(super) struct Trigger {
    pub(super) literal: &'static str,
    pub(super) case: Case,
    pub(super) detector: Detector,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Case {
    Exact,
    Any,
}

pub(super) enum Detector {
    Token(Token),
    Name(names::Family),
    /// Gets the place of the literal and the place after it. What it finds may depend on where lines end.
    Line(fn(&mut Scan<'_>, usize, usize)),
    /// The same, but lines do not matter.
    Other(fn(&mut Scan<'_>, usize, usize)),
}

/// Runs every detector whose literal is in the text.
pub(super) fn detect(scan: &mut Scan<'_>) {
    let text = scan.text;
    let mut at = 0;
    while let Some([first, second, ..]) = text.get(at..) {
        let mut hash = bucket(*first, *second) as u32;
        // This loop sees every byte.
        let begins_literal = |third: &u8| {
            hash = hash << 5 | u32::from(third & 31);
            THIRD[(hash >> 5) as usize % BUCKETS] >> (hash & 31) & 1 == 1
        };
        let Some(skipped) = text[at + 2..].iter().position(begins_literal) else { return };
        at += skipped;
        let row = row(hash as usize);
        at = if may_go_on(row, text.get(at + 3)) { run_row(scan, row, at) } else { at + 1 };
    }
}

/// Runs the detectors whose literal is here, and returns where to go on.
#[inline(never)]
fn run_row(scan: &mut Scan<'_>, row: usize, at: usize) -> usize {
    let text = scan.text;
    // A placeholder is nobody's name and nobody's value.
    if let Some(end) = placeholder_end(text, at) {
        return end;
    }
    let mut next = FIRST[row];
    while next != NONE {
        let trigger = TRIGGERS[next as usize];
        if trigger.stands_at(&text[at..]) {
            trigger.run(scan, at);
        }
        next = NEXT[next as usize];
    }
    at + 1
}

/// Says whether the fourth byte is one that a literal of this row has there.
#[inline]
fn may_go_on(row: usize, fourth: Option<&u8>) -> bool {
    fourth.is_none_or(|fourth| FOURTH[row] >> (fourth & 31) & 1 == 1)
}

/// Returns the row of three bytes with which a literal begins: the rows are numbered in the order of their bits.
#[inline]
fn row(hash: usize) -> usize {
    let bucket = (hash >> 5) % BUCKETS;
    let before = THIRD[bucket] & ((1 << (hash & 31)) - 1);
    RANK[bucket] as usize + before.count_ones() as usize
}

impl Trigger {
    fn stands_at(&self, text: &[u8]) -> bool {
        match self.case {
            Case::Exact => text.starts_with(self.literal.as_bytes()),
            Case::Any => begins(text, self.literal),
        }
    }

    fn run(&self, scan: &mut Scan<'_>, at: usize) {
        let end = at + self.literal.len();
        match &self.detector {
            Detector::Token(token) => token.detect(scan, at, end),
            Detector::Name(family) => assignments::detect(scan, at, end, *family),
            Detector::Line(detect) => {
                scan.meet(at);
                detect(scan, at, end);
            }
            Detector::Other(detect) => detect(scan, at, end),
        }
    }
}

const FAMILIES: [&[Trigger]; 16] = [
    &[PLACEHOLDER],
    vendors::TRIGGERS,
    tokens::TRIGGERS,
    names::TRIGGERS,
    spellings::TRIGGERS,
    calls::TRIGGERS,
    columns::TRIGGERS,
    pipes::TRIGGERS,
    records::TRIGGERS,
    headers::TRIGGERS,
    urls::TRIGGERS,
    clients::TRIGGERS,
    clients::OTHERS,
    pem::TRIGGERS,
    jwt::TRIGGERS,
    views::TRIGGERS,
];

/// Only there to have placeholders found; skipping them is the work of the pass itself.
const PLACEHOLDER: Trigger =
    Trigger { literal: super::kind::OPENING, case: Case::Exact, detector: Detector::Other(|_, _, _| {}) };

const NONE: u16 = u16::MAX;
const MAX_TRIGGERS: usize = 1024;

/// For every bucket the third bytes that may follow.
static THIRD: [u32; BUCKETS] = TABLE.third;
/// For every bucket the number of rows before it.
static RANK: [u16; BUCKETS] = TABLE.rank;
/// For every row the fourth bytes that may follow: many words begin as a literal does.
static FOURTH: [u32; MAX_TRIGGERS] = TABLE.fourth;
/// For every row the first trigger that begins so, and for every trigger the next one.
static FIRST: [u16; MAX_TRIGGERS] = TABLE.first;
static NEXT: [u16; MAX_TRIGGERS] = TABLE.next;

const TABLE: Table = Table::new();
const BUCKETS: usize = 1 << 10;

/// The tables are small because a hook is a fresh process, which pays for every page that it touches.
struct Table {
    third: [u32; BUCKETS],
    rank: [u16; BUCKETS],
    fourth: [u32; MAX_TRIGGERS],
    first: [u16; MAX_TRIGGERS],
    next: [u16; MAX_TRIGGERS],
}

impl Table {
    const fn new() -> Table {
        const { assert!(COUNT <= MAX_TRIGGERS, "there are more triggers than the table has room for") };
        let mut table = Table {
            third: [0; BUCKETS],
            rank: [0; BUCKETS],
            fourth: [0; MAX_TRIGGERS],
            first: [NONE; MAX_TRIGGERS],
            next: [NONE; MAX_TRIGGERS],
        };
        let mut index = 0;
        while index < COUNT {
            let literal = ALL[index].literal.as_bytes();
            table.third[bucket(literal[0], literal[1])] |= 1 << (literal[2] & 31);
            index += 1;
        }
        let mut bucket_index = 1;
        while bucket_index < BUCKETS {
            let before = table.third[bucket_index - 1].count_ones() as u16;
            table.rank[bucket_index] = table.rank[bucket_index - 1] + before;
            bucket_index += 1;
        }
        // From the last to the first, so that what is listed first is asked first.
        while index > 0 {
            index -= 1;
            let literal = ALL[index].literal.as_bytes();
            let bucket = bucket(literal[0], literal[1]);
            let before = table.third[bucket] & ((1 << (literal[2] & 31)) - 1);
            let row = table.rank[bucket] as usize + before.count_ones() as usize;
            table.fourth[row] |= if literal.len() > 3 { 1 << (literal[3] & 31) } else { u32::MAX };
            table.next[index] = table.first[row];
            table.first[row] = index as u16;
        }
        table
    }
}

/// Five bits of either byte: upper and lower case fall together.
const fn bucket(first: u8, second: u8) -> usize {
    ((first & 31) as usize) << 5 | (second & 31) as usize
}

/// All triggers, one family after the other.
const ALL: [&Trigger; COUNT] = all();

static TRIGGERS: [&Trigger; COUNT] = ALL;

const COUNT: usize = {
    let (mut family, mut count) = (0, 0);
    while family < FAMILIES.len() {
        count += FAMILIES[family].len();
        family += 1;
    }
    count
};

const fn all() -> [&'static Trigger; COUNT] {
    let mut all = [&PLACEHOLDER; COUNT];
    let (mut family, mut index) = (0, 0);
    while family < FAMILIES.len() {
        let mut row = 0;
        while row < FAMILIES[family].len() {
            all[index] = &FAMILIES[family][row];
            index += 1;
            row += 1;
        }
        family += 1;
    }
    all
}

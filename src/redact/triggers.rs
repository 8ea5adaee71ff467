//! The first pass: finds the literals that announce a secret.
//!
//! Every three neighbouring bytes, ignoring case, are looked up in a table that is built at compile time and lists the
//! literals that begin with them. An automaton would be a little faster per byte, but the hook is a new process for
//! every event and would build it each time.

use super::kind::placeholder_end;
use super::scan::{SecretScan, begins};
use super::trigger::{Case, Detector, Trigger};
use super::{
    assignments, beside, calls, clients, columns, headers, heredocs, jwt, names, pem, pipes, published,
    records, spellings, tokens, urls, vendors, views,
};

/// Runs every detector whose literal is in the text.
pub(super) fn detect(scan: &mut SecretScan<'_>) {
    let text = scan.text;
    let mut at = 0;
    while let Some([first, second, _, _, ..]) = text.get(at..) {
        let mut hash = bucket(*first, *second) as u32;
        // This loop sees every byte.
        let begins_literal = |four: &[u8]| {
            hash = hash << 5 | u32::from(four[2] & 31);
            is_begun(hash) && may_continue(row(hash as usize), four[3])
        };
        let Some(skipped) = text[at..].windows(4).position(begins_literal) else { break };
        at = run_row(scan, row(hash as usize), at + skipped);
    }
    // A literal of three bytes may end the text.
    if let Some([first, second, third]) = text.get(at..).and_then(<[u8]>::last_chunk) {
        let hash = (bucket(*first, *second) as u32) << 5 | u32::from(third & 31);
        if is_begun(hash) {
            run_row(scan, row(hash as usize), text.len() - 3);
        }
    }
}

/// Returns whether a literal begins with the three bytes of this hash.
#[inline]
fn is_begun(hash: u32) -> bool {
    THIRD[(hash >> 5) as usize % BUCKETS] >> (hash & 31) & 1 == 1
}

/// Runs the detectors whose literal is here, and returns where to continue.
#[inline(never)]
fn run_row(scan: &mut SecretScan<'_>, row: usize, at: usize) -> usize {
    let text = scan.text;
    // A placeholder is neither a name nor a value.
    if text[at] == OPENING_BYTE
        && let Some(end) = placeholder_end(text, at)
    {
        return end;
    }
    let mut next = FIRST[row];
    while next != NONE {
        let trigger = TRIGGERS[next as usize];
        if trigger.is_at(&text[at..]) {
            trigger.run(scan, at);
        }
        next = NEXT[next as usize];
    }
    at + 1
}

/// Returns whether a literal of this row has this fourth byte.
#[inline]
fn may_continue(row: usize, fourth: u8) -> bool {
    FOURTH[row % MAX_TRIGGERS] >> (fourth & 31) & 1 == 1
}

/// Returns the row of three bytes with which a literal begins: the rows are numbered in the order of their bits.
#[inline]
fn row(hash: usize) -> usize {
    let bucket = (hash >> 5) % BUCKETS;
    let before = THIRD[bucket] & ((1 << (hash & 31)) - 1);
    RANK[bucket] as usize + before.count_ones() as usize
}

impl Trigger {
    fn is_at(&self, text: &[u8]) -> bool {
        match self.case {
            Case::Exact => text.starts_with(self.literal.as_bytes()),
            Case::Any => begins(text, self.literal),
        }
    }

    fn run(&self, scan: &mut SecretScan<'_>, at: usize) {
        let end = at + self.literal.len();
        match &self.detector {
            Detector::Token(token) => token.detect(scan, at, end),
            Detector::Name(family) => assignments::detect(scan, at, end, *family),
            Detector::Line(detect) => {
                scan.note_line_part(at);
                detect(scan, at, end);
            }
            Detector::Other(detect) => detect(scan, at, end),
        }
    }
}

const FAMILIES: [&[Trigger]; 19] = [
    &[PLACEHOLDER],
    vendors::TRIGGERS,
    published::TRIGGERS,
    tokens::TRIGGERS,
    names::TRIGGERS,
    spellings::TRIGGERS,
    beside::TRIGGERS,
    calls::TRIGGERS,
    columns::TRIGGERS,
    pipes::TRIGGERS,
    heredocs::TRIGGERS,
    records::TRIGGERS,
    headers::TRIGGERS,
    urls::TRIGGERS,
    clients::TRIGGERS,
    clients::OTHERS,
    pem::TRIGGERS,
    jwt::TRIGGERS,
    views::TRIGGERS,
];

/// Makes the pass stop at placeholders; the pass itself skips them.
const PLACEHOLDER: Trigger =
    Trigger { literal: super::kind::OPENING, case: Case::Exact, detector: Detector::Other(|_, _, _| {}) };

const OPENING_BYTE: u8 = super::kind::OPENING.as_bytes()[0];

const NONE: u16 = u16::MAX;
const MAX_TRIGGERS: usize = 1024;

/// For every bucket the third bytes that may follow.
static THIRD: [u32; BUCKETS] = TABLE.third;
/// For every bucket the number of rows before it.
static RANK: [u16; BUCKETS] = TABLE.rank;
/// For every row the fourth bytes that may follow: many words begin like a literal.
static FOURTH: [u32; MAX_TRIGGERS] = TABLE.fourth;
/// For every row its first trigger, and for every trigger the next one of its row.
static FIRST: [u16; MAX_TRIGGERS] = TABLE.first;
static NEXT: [u16; MAX_TRIGGERS] = TABLE.next;

const TABLE: Table = Table::new();
const BUCKETS: usize = 1 << 10;

/// The tables are small because a hook is a new process, which pays for every page that it touches.
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
        // From the last to the first, so that the trigger listed first runs first.
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

/// Five bits of each byte: upper and lower case are the same.
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

//! Whether letters are random or form words: `ZLtYbpUNCvwm` is a password, `hashPassword` a name in code.
//!
//! A value is split where camel case begins a word. Random letters have many parts of one or two letters, and the
//! longer parts have pairs that are rare in words, such as `qk` or `wm`.

/// How sure the judgement has to be.
#[derive(Debug, Clone, Copy)]
pub(super) enum Doubt {
    /// A quoted text is data, so a little irregularity is enough.
    Quoted,
    /// A bare word may be a name in code, and names have abbreviations.
    Bare,
}

/// Shorter values have too few pairs to judge.
const MIN_LENGTH: usize = 8;

/// Returns whether the letters of a value look random. A value with marks does not count: marks join words.
pub(super) fn is_random(value: &[u8], doubt: Doubt) -> bool {
    // Hundredths of a point for each character. Names have few capitals: many of them lower the bound.
    let bound = match (doubt, has_many_capitals(value)) {
        (Doubt::Quoted, true) => 19,
        (Doubt::Quoted, false) => 27,
        (Doubt::Bare, true) => 28,
        // Languages have words with unusual pairs, such as `knowledge`.
        (Doubt::Bare, false) if part_length(value) == value.len() => 50,
        (Doubt::Bare, false) => 36,
    };
    value.len() >= MIN_LENGTH
        && value.iter().all(u8::is_ascii_alphanumeric)
        && value.iter().any(u8::is_ascii_lowercase)
        && points(value) * 100 >= value.len() * bound
}

fn has_many_capitals(value: &[u8]) -> bool {
    let count = |test: fn(&u8) -> bool| value.iter().filter(|byte| test(byte)).count();
    count(u8::is_ascii_uppercase) * 10 >= value.len() * 3
        && count(u8::is_ascii_lowercase) * 10 >= value.len() * 3
}

/// Counts features that words do not have: the more points, the less the value looks like words.
fn points(value: &[u8]) -> usize {
    let mut points = 0;
    let mut acronyms = 0;
    let mut rest = value;
    while !rest.is_empty() {
        let (part, after) = rest.split_at(part_length(rest));
        rest = after;
        points += match part {
            // A number at the end is usual.
            [b'0'..=b'9', ..] => 2 * usize::from(!rest.is_empty()),
            [_] => 2,
            // Names have one acronym, rarely more.
            _ if is_acronym(part) => {
                acronyms += 1;
                usize::from(part.len() == 2) + if acronyms == 1 { 1 } else { 3 }
            }
            _ => {
                let unusual = part.windows(2).filter(|pair| !is_usual(pair[0], pair[1])).count();
                usize::from(part.len() == 2) + 2 * unusual
            }
        };
    }
    points
}

fn is_acronym(part: &[u8]) -> bool {
    part.len() <= 4 && part.iter().all(u8::is_ascii_uppercase)
}

/// Returns the length of the first part: digits, capitals, or small letters with at most one capital before them.
fn part_length(text: &[u8]) -> usize {
    let count =
        |from: usize, test: fn(&u8) -> bool| text[from..].iter().take_while(|byte| test(byte)).count();
    let digits = count(0, u8::is_ascii_digit);
    let capitals = count(0, u8::is_ascii_uppercase);
    let small = count(capitals, u8::is_ascii_lowercase);
    match (digits, capitals, small) {
        (1.., _, _) => digits,
        (_, 0 | 1, 1..) => capitals + small,
        // The last capital begins the next part.
        (_, 2.., 1..) => capitals - 1,
        (_, 1.., 0) => capitals,
        _ => 1,
    }
}

fn is_usual(first: u8, second: u8) -> bool {
    let (first, second) = (first.to_ascii_lowercase(), second.to_ascii_lowercase());
    let seconds = USUAL.get(usize::from(first.wrapping_sub(b'a')));
    // `abcdefgh` is a dummy.
    second == first + 1 || seconds.is_some_and(|seconds| seconds.as_bytes().contains(&second))
}

/// For each letter from `a` to `z`, the letters that often follow it in words: about half of all pairs. They cover more
/// than 96 % of the pairs in the words of 84,000 names from Rust, Python and JavaScript sources.
#[rustfmt::skip]
const USUAL: [&str; 26] = [
    "bcdefgiklmnprstuvwyz", "abcdefilorsuy", "acefhiklmoprstuvy", "abcdefgijloprstuv", "abcdefgiklmnopqrstuvwxy",
    "acdefilorstuy", "aeghilnorsu", "adeimortu", "abcdefglmnoprstvxz", "aeouw",
    "adeinst", "adefilopstuy", "abdeilmopstuy", "acdefgiklnoprstuvy", "abcdfgijklmnoprstuvwx",
    "aehikloprstuw", "u", "acdefgiklmnorstuvy", "acefghiklmnopqrstuwy", "acdefghilmoprstuxy",
    "abcdefgilmnoprst", "aeio", "aehilnorst", "aceilpt", "elmnpst",
    "aeio",
];

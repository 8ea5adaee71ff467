//! Writes a text with the letters a to z, as far as that can be done letter by letter: a file's name has no others.
//!
//! Latin letters with marks, Greek, Cyrillic, Korean syllables and Japanese syllables are transcribed. Other characters
//! stay as they are; the caller leaves them out.

/// Returns a text in which all letters that have one are replaced by Latin letters.
pub(super) fn latin(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for c in text.chars() {
        match syllable(c) {
            _ if c.is_ascii() => written.push(c),
            Some(syllable) => written.push_str(&syllable),
            None => match LETTERS.iter().find(|(letters, _)| letters.contains(lower(c))) {
                Some((_, letter)) => written.push_str(letter),
                None => written.push(c),
            },
        }
    }
    written
}

fn lower(c: char) -> char {
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(one), None) => one,
        _ => c,
    }
}

/// Letters that are written with the same Latin ones.
const LETTERS: [(&str, &str); 52] = [
    ("\u{e0}\u{e1}\u{e2}\u{e3}\u{e5}\u{101}\u{103}\u{105}", "a"),
    ("\u{e4}\u{e6}", "ae"),
    ("\u{e7}\u{107}\u{10d}", "c"),
    ("\u{10f}\u{111}\u{f0}", "d"),
    ("\u{e8}\u{e9}\u{ea}\u{eb}\u{113}\u{117}\u{119}\u{11b}", "e"),
    ("\u{11f}\u{123}", "g"),
    ("\u{ec}\u{ed}\u{ee}\u{ef}\u{12b}\u{12f}\u{131}", "i"),
    ("\u{142}\u{13e}\u{13a}", "l"),
    ("\u{f1}\u{144}\u{148}", "n"),
    ("\u{f2}\u{f3}\u{f4}\u{f5}\u{f8}\u{14d}\u{151}", "o"),
    ("\u{f6}\u{153}", "oe"),
    ("\u{155}\u{159}", "r"),
    ("\u{15b}\u{161}\u{15f}\u{219}", "s"),
    ("\u{df}", "ss"),
    ("\u{165}\u{163}\u{21b}", "t"),
    ("\u{fe}", "th"),
    ("\u{f9}\u{fa}\u{fb}\u{16b}\u{16f}\u{171}", "u"),
    ("\u{fc}", "ue"),
    ("\u{fd}\u{ff}", "y"),
    ("\u{17a}\u{17c}\u{17e}", "z"),
    ("\u{430}\u{3b1}\u{3ac}", "a"),
    ("\u{431}", "b"),
    ("\u{432}\u{3b2}", "v"),
    ("\u{433}\u{3b3}\u{491}", "g"),
    ("\u{434}\u{3b4}", "d"),
    ("\u{435}\u{451}\u{44d}\u{3b5}\u{3ad}", "e"),
    ("\u{436}", "zh"),
    ("\u{437}\u{3b6}", "z"),
    ("\u{438}\u{456}\u{3b7}\u{3ae}\u{3b9}\u{3af}", "i"),
    ("\u{439}", "y"),
    ("\u{43a}\u{3ba}", "k"),
    ("\u{43b}\u{3bb}", "l"),
    ("\u{43c}\u{3bc}", "m"),
    ("\u{43d}\u{3bd}", "n"),
    ("\u{43e}\u{3bf}\u{3cc}\u{3c9}\u{3ce}", "o"),
    ("\u{43f}\u{3c0}", "p"),
    ("\u{440}\u{3c1}", "r"),
    ("\u{441}\u{3c3}\u{3c2}", "s"),
    ("\u{442}\u{3c4}", "t"),
    ("\u{443}", "u"),
    ("\u{3c5}\u{3cd}", "y"),
    ("\u{444}\u{3c6}", "f"),
    ("\u{445}\u{3c7}", "kh"),
    ("\u{446}", "ts"),
    ("\u{447}", "ch"),
    ("\u{448}", "sh"),
    ("\u{449}", "shch"),
    ("\u{44b}", "y"),
    ("\u{44e}", "yu"),
    ("\u{44f}\u{457}", "ya"),
    ("\u{3b8}", "th"),
    ("\u{44a}\u{44c}", ""),
];

const INITIALS: [&str; 19] =
    ["g", "kk", "n", "d", "tt", "r", "m", "b", "pp", "s", "ss", "", "j", "jj", "ch", "k", "t", "p", "h"];
const VOWELS: [&str; 21] = [
    "a", "ae", "ya", "yae", "eo", "e", "yeo", "ye", "o", "wa", "wae", "oe", "yo", "u", "wo", "we", "wi",
    "yu", "eu", "ui", "i",
];
const FINALS: [&str; 28] = [
    "", "k", "k", "k", "n", "n", "n", "t", "l", "k", "m", "l", "l", "l", "p", "l", "m", "p", "p", "t", "t",
    "ng", "t", "t", "k", "t", "p", "t",
];

/// The Japanese syllables from U+3041 on, small and marked ones included.
const KANA: [&str; 83] = [
    "a", "a", "i", "i", "u", "u", "e", "e", "o", "o", "ka", "ga", "ki", "gi", "ku", "gu", "ke", "ge", "ko",
    "go", "sa", "za", "shi", "ji", "su", "zu", "se", "ze", "so", "zo", "ta", "da", "chi", "ji", "", "tsu",
    "zu", "te", "de", "to", "do", "na", "ni", "nu", "ne", "no", "ha", "ba", "pa", "hi", "bi", "pi", "fu",
    "bu", "pu", "he", "be", "pe", "ho", "bo", "po", "ma", "mi", "mu", "me", "mo", "ya", "ya", "yu", "yu",
    "yo", "yo", "ra", "ri", "ru", "re", "ro", "wa", "wa", "i", "e", "o", "n",
];

/// Writes a Korean or Japanese syllable.
fn syllable(c: char) -> Option<String> {
    let at = |first: char| usize::try_from(u32::from(c).checked_sub(u32::from(first))?).ok();
    if let Some(code) = at('\u{ac00}').filter(|code| *code < 19 * 21 * 28) {
        let (initial, vowel, last) = (code / (21 * 28), code / 28 % 21, code % 28);
        return Some([INITIALS[initial], VOWELS[vowel], FINALS[last]].concat());
    }
    let kana = |first| at(first).and_then(|code| KANA.get(code)).map(|kana| (*kana).to_owned());
    // The long mark and the middle dot are not syllables.
    kana('\u{3041}').or_else(|| kana('\u{30a1}')).or_else(|| (c == '\u{30fc}').then(String::new))
}

#[cfg(test)]
mod tests {
    use super::latin;

    #[test]
    fn letters_of_other_scripts_are_transcribed() {
        for (text, expected) in [
            ("Plain text, 10 times", "Plain text, 10 times"),
            ("\u{dc}ber Gr\u{f6}\u{df}e caf\u{e9}", "ueber Groesse cafe"),
            ("\u{43f}\u{440}\u{438}\u{432}\u{435}\u{442}", "privet"),
            ("\u{39b}\u{3cc}\u{3b3}\u{3bf}\u{3c2}", "logos"),
            ("\u{ba54}\u{baa8}\u{b9ac} \u{c815}\u{cc45}", "memori jeongchaek"),
            ("\u{30ad}\u{30e3}\u{30c3}\u{30b7}\u{30e5}", "kiyashiyu"),
            ("\u{3072}\u{3089}\u{304c}\u{306a}", "hiragana"),
            ("\u{9650}\u{6d41}", "\u{9650}\u{6d41}"),
        ] {
            assert_eq!(latin(text), expected);
        }
    }
}

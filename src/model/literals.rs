//! A list of literals, with tables by which a text is searched for all of them at once.
//!
//! The tables are made when the program is compiled. A hook is a new process for every event, so an automaton would be
//! built again each time, which takes longer than most searches.

/// Literals in the order of their first bytes.
pub(crate) struct Literals<const N: usize> {
    sorted: [&'static str; N],
    /// For the five lower bits of a first byte, where its literals begin; upper and lower case are the same.
    starts: [u8; 33],
    /// For the five lower bits of a first byte, a bit for those of each second byte.
    pairs: [u32; 32],
    ignores_case: bool,
}

impl<const N: usize> Literals<N> {
    /// Makes a list that is compared byte by byte.
    pub(crate) const fn exact(list: [&'static str; N]) -> Literals<N> {
        Literals::new(list, false)
    }

    /// Makes a list of literals in lower case that also match ASCII letters in upper case.
    pub(crate) const fn any_case(list: [&'static str; N]) -> Literals<N> {
        Literals::new(list, true)
    }

    const fn new(list: [&'static str; N], ignores_case: bool) -> Literals<N> {
        assert!(N < 256, "an index has one byte");
        let mut table = Literals { sorted: list, starts: [0; 33], pairs: [0; 32], ignores_case };
        let mut next = 0;
        let mut low = 0;
        while low < 32 {
            table.starts[low] = next as u8;
            let mut index = 0;
            while index < N {
                let bytes = list[index].as_bytes();
                assert!(!bytes.is_empty(), "an empty literal is everywhere");
                if bytes[0] & 31 == low as u8 {
                    table.sorted[next] = list[index];
                    table.pairs[low] |= if bytes.len() > 1 { 1 << (bytes[1] & 31) } else { u32::MAX };
                    next += 1;
                }
                index += 1;
            }
            low += 1;
        }
        table.starts[32] = next as u8;
        table
    }

    /// Returns whether a text begins with one of the literals.
    #[inline]
    pub(crate) fn begin(&self, text: impl AsRef<[u8]>) -> bool {
        let text = text.as_ref();
        self.candidates(text).any(|literal| match text.get(..literal.len()) {
            Some(head) => self.is_same(head, literal),
            None => false,
        })
    }

    /// Returns whether a text is one of the literals.
    #[inline]
    pub(crate) fn contain(&self, text: impl AsRef<[u8]>) -> bool {
        let text = text.as_ref();
        self.candidates(text).any(|literal| literal.len() == text.len() && self.is_same(text, literal))
    }

    /// Returns where the first literal begins in a text.
    pub(crate) fn find_in(&self, text: impl AsRef<[u8]>) -> Option<usize> {
        let text = text.as_ref();
        let mut at = 0;
        loop {
            let rest = text.get(at..)?;
            let found = rest.windows(2).position(|two| self.may_begin(two[0], two[1]));
            // A literal of one byte may be the last of the text.
            at += found.unwrap_or(rest.len().checked_sub(1)?);
            if self.begin(&text[at..]) {
                return Some(at);
            }
            at += 1;
        }
    }

    /// Returns whether a text has one of the literals in it.
    pub(crate) fn are_in(&self, text: impl AsRef<[u8]>) -> bool {
        self.find_in(text).is_some()
    }

    #[inline]
    fn may_begin(&self, first: u8, second: u8) -> bool {
        self.pairs[usize::from(first & 31)] >> (second & 31) & 1 == 1
    }

    /// Returns the literals that begin like a text, as far as five bits of three bytes can tell.
    #[inline]
    fn candidates(&self, text: &[u8]) -> impl Iterator<Item = &'static str> {
        let byte = |at: usize| text.get(at).copied().unwrap_or_default();
        let (first, second, third) = (byte(0), byte(1), byte(2));
        let low = usize::from(first & 31);
        let range = match !text.is_empty() && self.may_begin(first, second) {
            true => usize::from(self.starts[low])..usize::from(self.starts[low + 1]),
            false => 0..0,
        };
        let is_near = move |literal: &&str| match literal.as_bytes() {
            [_, two, three, ..] => ((two ^ second) | (three ^ third)) & 31 == 0,
            [_, two] => (two ^ second) & 31 == 0,
            _ => true,
        };
        self.sorted[range].iter().copied().filter(is_near)
    }

    #[inline]
    fn is_same(&self, text: &[u8], literal: &str) -> bool {
        match self.ignores_case {
            true => text.eq_ignore_ascii_case(literal.as_bytes()),
            false => text == literal.as_bytes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Literals;

    static EXACT: Literals<6> = Literals::exact(["FAIL ", "→ ab", "fail", "ok", "Pa", "^"]);
    static ANY: Literals<3> = Literals::any_case(["not found", "no such", "error"]);

    #[test]
    fn a_beginning_is_recognised() {
        for text in ["FAIL x", "→ abc", "fail", "ok", "Paul", "^", "^~"] {
            assert!(EXACT.begin(text), "{text}");
        }
        for text in ["", "o", "F", "FAIL", "Fail ", "pa", "→ b", " ok", "\u{6}\u{1}il"] {
            assert!(!EXACT.begin(text), "{text}");
        }
        assert!(ANY.begin("No SUCH file") && ANY.begin("ERROR") && !ANY.begin("non"));
    }

    #[test]
    fn a_whole_word_is_recognised() {
        assert!(EXACT.contain("ok") && EXACT.contain("FAIL ") && ANY.contain("Error"));
        assert!(!EXACT.contain("okay") && !EXACT.contain("o") && !EXACT.contain(""));
    }

    #[test]
    fn a_literal_is_found_like_by_a_plain_search() {
        let texts =
            ["", "x", "an ok", "no failure", "x→ ab", "nno such", "NOT FOUNd", "errorr", "erro", "e^", "e^r"];
        for text in texts {
            let plain =
                ["FAIL ", "→ ab", "fail", "ok", "Pa", "^"].iter().filter_map(|one| text.find(one)).min();
            assert_eq!(EXACT.find_in(text), plain, "{text}");
            let lower = text.to_lowercase();
            let plain = ["not found", "no such", "error"].iter().filter_map(|one| lower.find(one)).min();
            assert_eq!(ANY.find_in(text), plain, "{text}");
            assert_eq!(ANY.are_in(text), plain.is_some(), "{text}");
        }
    }
}

//! A corpus of made-up secrets: every kind in every place where an event, a hint or a record has text.
//!
//! The table has the kinds, this file the generator and the places. Everything is made from a seed when a test runs,
//! so no secret is in the repository, and a failure can be repeated. Both the tests of the library and those of the
//! built program use it.

mod announced;
mod blocks;
mod clients;
mod files;
mod letters;
mod names;
mod published;
mod texts;
mod tokens;

/// A kind of secret.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    /// The text that carries the secret, which is between `«` and `»`. `%a36` are 36 letters and digits; see `class`.
    template: &'static str,
    /// The secret announces itself: by its form, by a name, by the place it is in.
    pub(crate) announces: bool,
}

/// A kind that announces itself.
const fn kind(name: &'static str, template: &'static str) -> Kind {
    Kind { name, template, announces: true }
}

/// A kind that nothing announces; some of them are found all the same.
const fn silent(name: &'static str, template: &'static str) -> Kind {
    Kind { name, template, announces: false }
}

/// A secret and the text that carries it.
#[derive(Debug, Clone)]
pub(crate) struct Plant {
    pub(crate) carrier: String,
    pub(crate) secret: String,
}

/// Returns every kind.
pub(crate) fn kinds() -> impl Iterator<Item = &'static Kind> {
    [
        tokens::KINDS,
        names::KINDS,
        texts::KINDS,
        clients::KINDS,
        blocks::KINDS,
        letters::KINDS,
        announced::KINDS,
        published::KINDS,
        files::KINDS,
    ]
    .into_iter()
    .flatten()
}

impl Kind {
    /// Makes a secret of this kind; the same seed makes the same one.
    pub(crate) fn plant(&self, seed: u64) -> Plant {
        let mut random = Random::new(self.name, seed);
        let (before, rest) = self.template.split_once('«').expect("a secret begins");
        let (secret, after) = rest.split_once('»').expect("a secret ends");
        let [before, secret, after] = [before, secret, after].map(|part| random.fill(part));
        Plant { carrier: format!("{before}{secret}{after}"), secret }
    }

    /// Says whether the text needs lines of its own.
    pub(crate) fn is_block(&self) -> bool {
        self.template.contains('\n')
    }
}

/// The places, and what stands around a text there.
#[rustfmt::skip]
pub(crate) const PLACES: [(&str, &str); 19] = [
    ("alone", "{}"),
    ("prompt", "please use {} on staging, then run the tests"),
    ("command", "cd app && {} && ./run.sh"),
    ("command of more lines", "set -e\n{}\nmake deploy"),
    ("output", "1 passed\n{}\n2 passed in 0.3s"),
    ("log line", "2026-11-16T09:20:00Z INFO server: {} (attempt 2)"),
    ("error", "Exit code 1\nerror: {}\n  at main.rs:12"),
    ("edit", "-old line\n+{}\n context"),
    ("written file", "# settings\n\n{}\n\n[other]\nport = 80\n"),
    ("heredoc", "cat > .env <<'EOF'\n{}\nEOF"),
    ("search pattern", "grep -rn -e {} src"),
    ("arguments", "host=h\ntext={}\nn=1"),
    ("arguments in a list", "items={}\nitems=second"),
    ("address", "https://x.test/search?q={}"),
    ("header", "curl -H X-Note:{} https://x.test"),
    ("Markdown", "Run this:\n\n```sh\n{}\n```\n"),
    ("comment", "// TODO remove: {}"),
    ("YAML", "steps:\n  - run: {}\n  - run: echo done"),
    ("JSON in a string", "{\"tool\":\"x\",\"input\":\"{\\\"note\\\":\\\"{}\\\"}\"}"),
];

/// Puts a plant into a place. A text of more lines keeps its lines, and a JSON string is escaped.
pub(crate) fn placed(place: &(&str, &str), kind: &Kind, plant: &Plant) -> String {
    let (name, around) = *place;
    let is_string = name == "JSON in a string";
    let carrier = match (kind.is_block(), is_string) {
        (_, true) => escaped(&escaped(&plant.carrier)),
        (true, false) => format!("\n{}\n", plant.carrier.trim_end()),
        (false, false) => plant.carrier.clone(),
    };
    // The place in a JSON text has braces of its own.
    match around.rfind("{}") {
        Some(at) if is_string => {
            let at = around.find("\\\"{}").map_or(at, |quote| quote + 2);
            format!("{}{carrier}{}", &around[..at], &around[at + 2..])
        }
        Some(at) => format!("{}{carrier}{}", &around[..at], &around[at + 2..]),
        None => carrier,
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// Random characters from a seed.
struct Random(u64);

impl Random {
    fn new(name: &str, seed: u64) -> Random {
        let mixed = name
            .bytes()
            .fold(0xCBF2_9CE4_8422_2325 ^ seed.wrapping_mul(0x9E37_79B9_7F4A_7C15), |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
            });
        Random(mixed | 1)
    }

    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % most
    }

    /// Replaces the classes of a template: `%a36`.
    fn fill(&mut self, template: &str) -> String {
        let mut text = String::new();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('%') {
            text.push_str(before);
            let mut letters = after.chars();
            let letter = letters.next().unwrap_or_default();
            let number = letters.as_str();
            let digits = number.bytes().take_while(u8::is_ascii_digit).count();
            match self.class(letter, number[..digits].parse().unwrap_or(0)) {
                Some(made) => {
                    text.push_str(&made);
                    rest = &number[digits..];
                }
                None => {
                    text.push('%');
                    rest = after;
                }
            }
        }
        text + rest
    }

    /// Makes random characters of a class.
    fn class(&mut self, letter: char, count: usize) -> Option<String> {
        const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
        const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
        const DIGITS: &str = "0123456789";
        let alphabet = match letter {
            'a' => [UPPER, LOWER, DIGITS].concat(),
            'l' => [UPPER, LOWER].concat(),
            'h' => format!("{DIGITS}abcdef"),
            'x' => [LOWER, DIGITS].concat(),
            'C' => format!("{UPPER}234567"),
            'd' => DIGITS.to_owned(),
            'u' => [UPPER, LOWER, DIGITS, "_-"].concat(),
            'b' => [UPPER, LOWER, DIGITS, "+/"].concat(),
            'B' => return (count > 0).then(|| self.base64_text(count)),
            'p' if count == 0 => return Some(self.password()),
            'w' => return (count > 0).then(|| self.words(count)),
            _ => return None,
        };
        let alphabet: Vec<char> = alphabet.chars().collect();
        let mut made: Vec<char> = (0..count).map(|_| alphabet[self.below(alphabet.len())]).collect();
        // A token does not end in a dash, and marks do not begin one.
        for end in [0, count.wrapping_sub(1)] {
            if made.get(end).is_some_and(|mark| !mark.is_ascii_alphanumeric()) {
                made[end] = 'k';
            }
        }
        (count > 0).then(|| made.into_iter().collect())
    }

    /// Letters and digits as people's password managers make them; no word, so that it can be looked for in any file.
    fn password(&mut self) -> String {
        let start = self.fill("%l6");
        let middle = self.fill("%d2");
        let end = self.fill("%a6");
        format!("{start}{middle}{end}")
    }

    /// The base64 of printable characters.
    fn base64_text(&mut self, count: usize) -> String {
        const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let text = self.fill(&format!("%a{}", count / 4 * 3));
        let digit = |bits: u32| char::from(DIGITS[(bits & 63) as usize]);
        let triples = text
            .as_bytes()
            .chunks_exact(3)
            .map(|triple| u32::from_be_bytes([0, triple[0], triple[1], triple[2]]));
        triples.flat_map(|bits| [18, 12, 6, 0].map(|shift| digit(bits >> shift))).collect()
    }

    fn words(&mut self, count: usize) -> String {
        const WORDS: [&str; 16] = [
            "abandon", "ability", "cabbage", "dance", "eagle", "fabric", "galaxy", "habit", "icon", "jacket",
            "kangaroo", "ladder", "magic", "naive", "oak", "paddle",
        ];
        (0..count).map(|_| WORDS[self.below(WORDS.len())]).collect::<Vec<_>>().join(" ")
    }
}

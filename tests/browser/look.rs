//! The look: every page with the sample against the committed pictures, which are also the pictures of the docs.
//!
//! Pictures depend on fonts, so they are compared only where Inter and JetBrains Mono are installed, as Debian's
//! `fonts-inter` and `fonts-jetbrains-mono` install them. `UPDATE_EXPECT=1` writes them again.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::page::Reply;
use crate::{Check, Stage, repository, say, setting};

pub(crate) const CHECKS: [(&str, Check); 2] = [
    ("look::pages_look_as_committed", pages_look_as_committed),
    ("look::pages_are_drawn_for_people", pages_are_drawn_for_people),
];

/// With `NUDGE_LOOK=DIR`, every page is drawn there at three widths in both themes, to be looked at.
fn pages_are_drawn_for_people(stage: &Stage) {
    let folder = setting("NUDGE_LOOK");
    if folder.is_empty() {
        return;
    }
    fs::create_dir_all(&folder).expect("a folder");
    for (name, route, _, _, _) in
        PICTURES.iter().filter(|(name, ..)| !["overview-light", "narrow"].contains(name))
    {
        for (width, height) in [(1440, 900), (900, 900), (420, 900)] {
            for theme in ["dark", "light"] {
                stage
                    .browser
                    .prefer(&[("prefers-color-scheme", theme), ("prefers-reduced-motion", "reduce")]);
                stage.browser.size(width, height);
                stage.show(&format!("{route}{PROJECT}"));
                stage.browser.wait("document.fonts.status === 'loaded'");
                let file = Path::new(&folder).join(format!("{name}-{width}-{theme}.png"));
                fs::write(file, decode(&stage.browser.picture())).expect("a picture is written");
            }
        }
    }
}

/// The project of the sample, as the pages are opened by somebody who works on it.
const PROJECT: &str = "p=~%2Fcode%2Fshop";

/// One picture: its name, route, width, height and theme.
const PICTURES: [(&str, &str, u32, u32, &str); 15] = [
    ("overview-dark", "/?", 1440, 900, "dark"),
    ("overview-light", "/?", 1280, 860, "light"),
    ("live", "/live?h=4173&", 1200, 640, "dark"),
    ("sessions", "/sessions?", 1200, 640, "dark"),
    ("session", "/session/d41c9a02?", 1280, 800, "dark"),
    ("search", "/search?q=coupon+ECONNREFUSED&r=30d&", 1200, 640, "dark"),
    ("walls", "/walls?r=30d&", 1200, 640, "dark"),
    ("files", "/files?", 1200, 640, "dark"),
    ("rules", "/rules?r=30d&", 1280, 800, "dark"),
    ("told", "/told?", 1200, 640, "dark"),
    ("hints", "/hints?", 1200, 640, "dark"),
    ("notes", "/notes?", 1200, 640, "dark"),
    ("plan", "/plan?", 1200, 640, "dark"),
    ("health", "/health?", 1200, 640, "dark"),
    ("narrow", "/?", 420, 900, "dark"),
];

/// A pixel differs if one of its colours does by more than this.
const MAX_COLOUR: u32 = 8;
/// How many of a thousand pixels may differ.
const MAX_PER_THOUSAND: f64 = 1.0;

const COMPARE: &str = "
    const [a, b, most, done] = arguments;
    const load = (text) => new Promise((resolve, reject) => {
        const image = new Image();
        image.onload = () => resolve(image);
        image.onerror = () => reject(new Error('not a picture'));
        image.src = 'data:image/png;base64,' + text;
    });
    Promise.all([load(a), load(b)]).then(([first, second]) => {
        if (first.width !== second.width || first.height !== second.height) return done(1000);
        const pixels = (image) => {
            const canvas = document.createElement('canvas');
            canvas.width = image.width;
            canvas.height = image.height;
            const context = canvas.getContext('2d');
            context.drawImage(image, 0, 0);
            return context.getImageData(0, 0, image.width, image.height).data;
        };
        const [x, y] = [pixels(first), pixels(second)];
        let other = 0;
        for (let i = 0; i < x.length; i += 4)
            if (Math.abs(x[i] - y[i]) > most || Math.abs(x[i + 1] - y[i + 1]) > most || Math.abs(x[i + 2] - y[i + 2]) > most) other += 1;
        done((4000 * other) / x.length);
    }, (error) => done(String(error)));
";

fn same_fonts() -> bool {
    ["/usr/share/fonts/opentype/inter", "/usr/share/fonts/truetype/jetbrains-mono"]
        .iter()
        .all(|folder| Path::new(folder).exists())
}

fn pages_look_as_committed(stage: &Stage) {
    let update = setting("UPDATE_EXPECT") == "1";
    if !same_fonts() {
        say("  look: not compared (Debian: apt-get install fonts-inter fonts-jetbrains-mono)");
        return;
    }
    let mut different = Vec::new();
    for (name, route, width, height, theme) in PICTURES {
        stage.browser.prefer(&[("prefers-color-scheme", theme), ("prefers-reduced-motion", "reduce")]);
        stage.browser.size(width, height);
        stage.show(&format!("{route}{PROJECT}"));
        if name.starts_with("overview") {
            point_at_the_carried_fix(stage);
        }
        // The address of the server and a caret that comes and goes are no part of the look.
        stage.browser.script(
            "if (document.activeElement.id === 'search') document.activeElement.blur();
             for (const node of document.querySelectorAll('.rail-name.num')) node.textContent = '127.0.0.1:8765';
             for (const node of document.querySelectorAll('.check-text p')) node.textContent = node.textContent.replace(location.host, '127.0.0.1:8765');",
            &[],
        );
        stage.browser.wait("document.fonts.status === 'loaded'");
        let shown = still_picture(stage);
        let file = repository("docs/ui").join(format!("{name}.png"));
        if update {
            fs::create_dir_all(repository("docs/ui")).expect("a folder");
            fs::write(&file, decode(&shown)).expect("a picture is written");
            continue;
        }
        let committed = encode(&fs::read(&file).unwrap_or_default());
        stage.browser.open("about:blank");
        let share = stage.browser.script_later(COMPARE, &[json!(committed), json!(shown), json!(MAX_COLOUR)]);
        let share = share.as_f64().unwrap_or(1000.0);
        if share > MAX_PER_THOUSAND {
            let seen = repository("target/look").join(format!("{name}.png"));
            fs::create_dir_all(repository("target/look")).expect("a folder");
            fs::write(&seen, decode(&shown)).expect("a picture is written");
            different.push(format!("{name}: {share:.2} of 1000 pixels differ, see {}", seen.display()));
        }
    }
    assert!(different.is_empty(), "{}\n(UPDATE_EXPECT=1 writes the pictures again)", different.join("\n"));
}

/// How often a picture is taken again.
const MAX_PICTURES: usize = 20;

/// Takes a picture of a page that waits for nothing: what is asked for again is dimmed, which a busy machine shows.
fn still_picture(stage: &Stage) -> String {
    for _ in 0..MAX_PICTURES {
        let shown = stage.browser.picture();
        if stage.browser.ask("document.querySelector('.waiting, .ghosts, .stale') === null") == json!(true) {
            return shown;
        }
        stage.browser.settled();
    }
    stage.browser.picture()
}

/// The overview is shown with what is said about a fix that travelled, as somebody sees it who points at it.
fn point_at_the_carried_fix(stage: &Stage) {
    let fix = json!({"obs": {"id": 462, "kind": "fixed", "subject": "npm test"}, "after": [], "ended_by": [],
        "before": [{"id": 461, "kind": "command", "subject": "docker compose up -d db"}]});
    stage.page.answer("observation/462", Reply::Data(fix));
    stage.browser.script(
        "[...document.querySelectorAll('.mark-button')].find((one) => one.ariaLabel.startsWith('told, 09:22')).focus()",
        &[],
    );
    stage.browser.wait("document.querySelector('.popover-fix code')");
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() * 4 / 3 + 4);
    for chunk in bytes.chunks(3) {
        let word =
            chunk.iter().enumerate().fold(0_u32, |word, (i, byte)| word | u32::from(*byte) << (16 - 8 * i));
        for i in 0..4 {
            let index = (word >> (18 - 6 * i)) & 63;
            let known = i <= chunk.len();
            out.push(if known { char::from(ALPHABET[index as usize]) } else { '=' });
        }
    }
    out
}

pub(crate) fn decode(text: &str) -> Vec<u8> {
    let value = |byte: u8| ALPHABET.iter().position(|one| *one == byte);
    let digits: Vec<u32> =
        text.bytes().filter_map(value).map(|one| u32::try_from(one).expect("below 64")).collect();
    let mut out = Vec::with_capacity(digits.len() * 3 / 4);
    for chunk in digits.chunks(4) {
        let word = chunk.iter().enumerate().fold(0_u32, |word, (i, digit)| word | digit << (18 - 6 * i));
        for i in 0..chunk.len().saturating_sub(1) {
            out.push(u8::try_from((word >> (16 - 8 * i)) & 255).expect("a byte"));
        }
    }
    out
}

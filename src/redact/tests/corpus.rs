//! The corpus of `tests/corpus`: every kind in every place. Its score may only get better.

use super::clean;

#[path = "../../../tests/corpus/mod.rs"]
mod planted;

use planted::{PLACES, kinds, placed};

/// Secrets of each kind, each in every place.
const SEEDS: u64 = 1;
/// The leaks of kinds that do not announce themselves. Lower it when fewer leak.
const MAX_SILENT_LEAKS: usize = 80;

#[test]
fn nothing_that_announces_itself_leaks() {
    let (mut planted, mut silent) = (0, 0);
    let mut leaked = Vec::new();
    for kind in kinds() {
        for seed in 0..SEEDS {
            let plant = kind.plant(seed);
            for place in &PLACES {
                planted += 1;
                let text = placed(place, kind, &plant);
                if !leaks(&clean(&text), &plant.secret) {
                    continue;
                }
                if kind.announces {
                    leaked.push(format!("{} ({}): {text}", kind.name, place.0));
                } else {
                    silent += 1;
                }
            }
        }
    }
    assert!(planted >= 250 * 19 * SEEDS as usize, "{planted} plants");
    assert!(leaked.is_empty(), "{} of {planted} leak:\n{}", leaked.len(), leaked.join("\n"));
    assert!(silent <= MAX_SILENT_LEAKS, "{silent} leak that do not announce themselves");
}

#[test]
fn every_kind_is_listed_once() {
    let mut names: Vec<_> = kinds().map(|kind| kind.name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

/// Returns whether a text still has the secret, or a half of it that an attacker could continue from.
fn leaks(text: &str, secret: &str) -> bool {
    let half = secret.len() / 2;
    let is_long = secret.is_ascii() && half >= 10;
    text.contains(secret) || (is_long && (text.contains(&secret[..half]) || text.contains(&secret[half..])))
}

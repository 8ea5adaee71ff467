//! The second pass: long runs of letters and digits, which no literal announces.

use std::ops::Range;

use super::{Purpose, SecretFinding, SecretKind, beside, entropy, hex, parts, tokens};

/// Adds the runs that are secrets to the findings, and keeps the findings in order.
pub(super) fn detect(text: &[u8], purpose: Purpose, found: &mut Vec<SecretFinding>) {
    let known = found.len();
    let mut passed = 0;
    let mut at = 0;
    while let Some(span) = next_run(text, at) {
        at = span.end;
        while passed < known && found[passed].span.end <= span.start {
            passed += 1;
        }
        let is_known = passed < known && found[passed].span.start < span.end;
        if !is_known && let Some(secret) = judge(text, &span, purpose) {
            found.push(secret);
        }
    }
    if found.len() > known {
        found.sort_by_key(|found| found.span.start);
    }
}

/// Shorter runs are words, except the last part of an older token of Discord.
const MIN_RUN: usize = 27;
const MIN_LONG_RUN: usize = 32;

fn judge(text: &[u8], span: &Range<usize>, purpose: Purpose) -> Option<SecretFinding> {
    let token = tokens::discord(text, span);
    if span.len() < MIN_LONG_RUN {
        return token;
    }
    token
        .or_else(|| tokens::airtable(text, span))
        .or_else(|| {
            let span = parts::zhipu(text, span)?;
            Some(SecretFinding { kind: SecretKind::ModelKey, span })
        })
        .or_else(|| {
            let span = parts::shaped(text, span)?;
            Some(SecretFinding { kind: SecretKind::CloudToken, span })
        })
        .or_else(|| hex::private_key(text, span))
        .or_else(|| hex::judge(text, span, purpose))
        .or_else(|| entropy::judge(text, span))
        .or_else(|| beside::judge(text, span))
}

/// Returns the next run that is long enough; checks only every 27th byte until it finds one.
fn next_run(text: &[u8], from: usize) -> Option<Range<usize>> {
    let mut probe = from + MIN_RUN - 1;
    while let Some(byte) = text.get(probe) {
        if !is_part(*byte) {
            probe += MIN_RUN;
            continue;
        }
        let min = (probe + 1 - MIN_RUN).max(from);
        let is_other = |byte: &u8| !is_part(*byte);
        let start = text[min..probe].iter().rposition(is_other).map_or(min, |last| min + last + 1);
        let end = text[probe..].iter().position(is_other).map_or(text.len(), |length| probe + length);
        if end - start >= MIN_RUN {
            // A run that began before the last probe would have been found there.
            return Some(start..end);
        }
        probe = end + MIN_RUN;
    }
    None
}

/// The bytes of a run. The second pass asks for more bytes than any detector, so this is a table.
static PARTS: [bool; 256] = {
    let mut parts = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let is_sign = matches!(byte as u8, b'+' | b'/' | b'_' | b'-');
        parts[byte] = (byte as u8).is_ascii_alphanumeric() || is_sign;
        byte += 1;
    }
    parts
};

#[inline]
fn is_part(byte: u8) -> bool {
    PARTS[usize::from(byte)]
}

//! Shows how a text changes, line by line.

use similar::TextDiff;

use super::output::{CYAN, DIM, Failure, GREEN, Out, RED};

/// Number of lines that are shown before and after a change.
const AROUND: usize = 3;

pub(crate) fn show(before: &str, after: &str, out: &mut Out) -> Result<(), Failure> {
    let diff = TextDiff::from_lines(before, after);
    for line in diff.unified_diff().context_radius(AROUND).to_string().lines() {
        let style = match line.as_bytes().first() {
            Some(b'+') => GREEN,
            Some(b'-') => RED,
            Some(b'@') => CYAN,
            _ => DIM,
        };
        out.line(format_args!("{style}{line}{style:#}"))?;
    }
    Ok(())
}

//! One message out of what several parts of the program have to say, within what an agent takes in.

/// The most characters that are told at once; an agent diverts more than 10,000 to a file, where no model reads it.
const MOST: usize = 9_500;

/// Below so many characters the beginning of a part says nothing.
const LEAST: usize = 200;

/// Joins the parts, the most important first; where there is no room for one it is cut at the end of a line.
pub(crate) fn compose(parts: impl IntoIterator<Item = String>) -> Option<String> {
    let mut said = String::new();
    let mut room = MOST;
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        let gap = if said.is_empty() { "" } else { "\n\n" };
        let Some(left) = room.checked_sub(gap.len()) else { break };
        // What alone is too long was bounded by who said it, and goes out whole.
        let fitting = if said.is_empty() { Some(part.as_str()) } else { cut(&part, left) };
        let Some(fitting) = fitting else { continue };
        said.push_str(gap);
        said.push_str(fitting);
        room = left.saturating_sub(fitting.chars().count());
    }
    (!said.is_empty()).then_some(said)
}

/// Returns as many whole lines as there is room for, if they are worth telling.
fn cut(part: &str, room: usize) -> Option<&str> {
    let Some((end, _)) = part.char_indices().nth(room) else { return Some(part) };
    let lines = part[..end].rfind('\n').map_or("", |at| &part[..at]);
    (lines.chars().count() >= LEAST).then_some(lines)
}

#[cfg(test)]
mod tests;

//! Composes one message from the texts of several parts of the program, within the limit of an agent.

/// Maximum length of a message, in characters; an agent diverts more than 10,000 to a file, where no model reads it.
const MAX_LENGTH: usize = 9_500;

/// A part that is cut to fewer characters than this is omitted.
const MIN_PART: usize = 200;

/// Joins the parts, the most important first; a part that does not fit is cut at the end of a line.
pub(crate) fn compose(parts: impl IntoIterator<Item = String>) -> Option<String> {
    let mut message = String::new();
    let mut room = MAX_LENGTH;
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        let gap = if message.is_empty() { "" } else { "\n\n" };
        let Some(left) = room.checked_sub(gap.len()) else { break };
        // The first part has its own limit, so it is never cut.
        let fitting = if message.is_empty() { Some(part.as_str()) } else { cut(&part, left) };
        let Some(fitting) = fitting else { continue };
        message.push_str(gap);
        message.push_str(fitting);
        room = left.saturating_sub(fitting.chars().count());
    }
    (!message.is_empty()).then_some(message)
}

/// Returns as many whole lines as fit, if that is enough to be useful.
fn cut(part: &str, room: usize) -> Option<&str> {
    let Some((end, _)) = part.char_indices().nth(room) else { return Some(part) };
    let lines = part[..end].rfind('\n').map_or("", |at| &part[..at]);
    (lines.chars().count() >= MIN_PART).then_some(lines)
}

#[cfg(test)]
mod tests;

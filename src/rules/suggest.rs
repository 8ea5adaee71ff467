//! "Did you mean": finds the known word that is nearest to an unknown one.

/// Returns the known word that was most likely meant.
pub(crate) fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let plain = |text: &str| text.to_lowercase().replace(['-', '_', ' '], "");
    let word = plain(word);
    let near = |candidate: &str| 1 + candidate.len() / 4;
    known
        .into_iter()
        // A much longer word cannot be near, and comparing it would take RAM in proportion to its length.
        .filter(|candidate| word.chars().count() <= candidate.len() + near(candidate))
        .map(|candidate| (strsim::damerau_levenshtein(&word, &plain(candidate)), candidate))
        .filter(|(distance, candidate)| *distance <= near(candidate))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Returns "did you mean …", or else a list of the known words.
pub(crate) fn did_you_mean<'k>(word: &str, known: impl IntoIterator<Item = &'k str> + Clone) -> String {
    match nearest(word, known.clone()) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => format!("known are {}", listed(known)),
    }
}

/// Maximum number of known words that are listed; nobody reads more.
const MAX_LISTED: usize = 40;

fn listed<'k>(words: impl IntoIterator<Item = &'k str>) -> String {
    let mut known: Vec<&str> = Vec::new();
    for word in words {
        if !known.contains(&word) {
            known.push(word);
        }
    }
    let more = known.len().saturating_sub(MAX_LISTED);
    let listed: Vec<String> = known.iter().take(MAX_LISTED).map(|word| format!("`{word}`")).collect();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", listed.join(", "))
}

#[cfg(test)]
mod tests;

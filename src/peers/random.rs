//! Ids that cannot be guessed.

/// Returns 128 random bits in hex.
pub(crate) fn id() -> String {
    let mut bytes = [0_u8; 16];
    // Without randomness the id would be guessable, and every supported system has a source of it.
    getrandom::fill(&mut bytes).expect("the system has a source of random numbers");
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

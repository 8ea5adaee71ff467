//! Names that nobody can guess.

/// Returns 128 random bits in hex.
pub(crate) fn id() -> String {
    let mut bytes = [0_u8; 16];
    // Without a source of randomness a guessable name would be a false promise; no system that we run on lacks one.
    getrandom::fill(&mut bytes).expect("the system has a source of random numbers");
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

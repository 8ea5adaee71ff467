//! The steps of a write, for tests that end the process at each of them. Outside of tests they do nothing.

/// What a test does at each step.
#[cfg(test)]
pub(crate) static AT_STEP: std::sync::OnceLock<fn(&str)> = std::sync::OnceLock::new();

/// Marks a point at which the process could end.
#[inline]
pub(super) fn step(name: &str) {
    #[cfg(test)]
    if let Some(at_step) = AT_STEP.get() {
        at_step(name);
    }
    let _ = name;
}

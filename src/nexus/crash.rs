//! The steps of a write, for tests that end the process at each of them; in the product these are nothing.

/// What a test does at each step.
#[cfg(test)]
pub(crate) static AT_STEP: std::sync::OnceLock<fn(&str)> = std::sync::OnceLock::new();

/// Says that the process could end here.
#[inline]
pub(super) fn step(name: &str) {
    #[cfg(test)]
    if let Some(at_step) = AT_STEP.get() {
        at_step(name);
    }
    let _ = name;
}

//! Hands any bytes to `nudge::inside::shell`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| nudge::inside::shell(bytes));

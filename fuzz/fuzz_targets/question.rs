//! Hands any bytes to `nudge::inside::question`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| nudge::inside::question(bytes));

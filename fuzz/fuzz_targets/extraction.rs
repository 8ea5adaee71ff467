//! Hands any bytes to `nudge::inside::extraction`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| nudge::inside::extraction(bytes));

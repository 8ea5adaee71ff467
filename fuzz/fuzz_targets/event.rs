//! Hands any bytes to `nudge::inside::event`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| nudge::inside::event(bytes));

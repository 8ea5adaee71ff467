//! Hands any bytes to `nudge::inside::rule_file`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| nudge::inside::rule_file(bytes));

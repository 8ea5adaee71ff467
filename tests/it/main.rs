//! Tests of the built program: its stdin, its exit code, its files.
mod reference;

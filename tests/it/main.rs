//! Tests of the built program: its stdin, stdout, stderr, exit code and files.

mod bad_input;
mod cache;
mod cli;
mod cli_check;
mod cli_output;
mod cli_test;
mod cli_validate;
mod doubts;
mod edits;
mod examples;
mod files;
mod guide;
mod hook;
mod options;
mod patterns;
mod payload;
mod project;
mod reference;
mod rule_files;
mod sandbox;
mod shell;
mod sources;
mod tidy;
mod traps;
mod wire;

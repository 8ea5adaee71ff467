//! README, guides and reference: every command in them is run, and prints what is printed there.

mod five_minutes;
mod linking;
mod readme;
mod reference;
mod release;
mod rules;

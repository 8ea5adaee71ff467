//! The guide to plans and tasks is true: every command in it is run, and prints what is printed there.

use crate::memory::guide::assert_prints;
use crate::nexus::scene::project;

#[test]
fn every_command_prints_what_the_guide_says() {
    assert_prints("docs/guide/nexus.md", &project());
}

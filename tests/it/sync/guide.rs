//! The guide to several machines is true: every command in it is run, and prints what is printed there.

use super::scene::Machines;
use crate::memory::guide::assert_prints;

#[test]
fn every_command_prints_what_the_guide_says() {
    let machines = Machines::new(&["laptop", "desk"]);
    for command in ["cargo build", "cargo test"] {
        machines.runs("desk", command);
    }
    machines.runs("laptop", "make release");
    assert_prints("docs/guide/sync.md", machines.on("laptop"));
}

//! Every bit of the header and the schema may flip: no row is lost, and what happens afterwards is remembered.

use std::fs;

use super::rounds;
use crate::memory::scene::{play, remembered};
use crate::payload::{bash, silent_stop};

const PAGE: usize = 4096;

#[test]
fn any_flipped_bit_in_header_or_schema_loses_no_row() {
    let scene = remembered();
    scene.hook("claude-code", silent_stop());
    scene.run(["gc"]).code(0);
    let database = scene.data_folder().join("nudge.db");
    let healthy = fs::read(&database).expect("a database");
    let has_schema = |page: &[u8]| page.windows(7).any(|text| text == b"CREATE ");
    let pages = healthy.chunks(PAGE).enumerate().filter(|(_, page)| has_schema(page));
    let schema: Vec<usize> = pages.flat_map(|(page, _)| page * PAGE..(page + 1) * PAGE).collect();
    // As many in the header, which has 100 bytes, as in the schema.
    let rounds = rounds(6);
    let places = (0..rounds).flat_map(|n| [n * 100 / rounds, schema[n * schema.len() / rounds + 5 * n % 97]]);
    for (n, place) in places.enumerate() {
        let sandbox = remembered();
        sandbox.hook("claude-code", silent_stop());
        sandbox.run(["gc"]).code(0);
        let database = sandbox.data_folder().join("nudge.db");
        let mut bytes = fs::read(&database).expect("a database");
        let bit = 1 << (n * 3 % 8);
        bytes[place] ^= bit;
        fs::write(&database, bytes).expect("a damaged file");
        for side in ["nudge.db-wal", "nudge.db-shm"] {
            drop(fs::remove_file(sandbox.data_folder().join(side)));
        }
        play(&sandbox, vec![bash("make").after().session("later")]);
        sandbox.hook("claude-code", silent_stop());
        let fixed = sandbox.run(["doctor", "--fix"]);
        let shown = sandbox.run(["observations", "export", "--all", "-"]);
        let rows = shown.stdout.lines().count();
        assert_eq!(
            (shown.code, rows),
            (Some(0), 7),
            "bit {bit:#x} of byte {place}: {}{}",
            fixed.stdout,
            shown.stderr
        );
    }
}

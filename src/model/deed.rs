//! What a session ran, reduced to what shows which failures were overcome.

/// A command or a tool call of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DeedRow {
    pub(crate) id: i64,
    /// Seconds since 1970.
    pub(crate) at: i64,
    /// Its mark on a lane: 2 command, 4 failed, 6 blocked, 8 commit.
    pub(crate) mark: Option<u8>,
    pub(crate) program: String,
    /// The programs of a command that runs several.
    pub(crate) programs: Vec<String>,
    /// Whether a failure says what failed, and was not an interruption by the user.
    pub(crate) is_particular: bool,
    /// Whether nobody knows how it ended.
    pub(crate) is_unfinished: bool,
}

/// Which failures of a session were overcome, and which were not.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct DeedArcs {
    /// Pairs of a failure and the success that followed; of several attempts the last one counts.
    pub(crate) arcs: Vec<(i64, i64)>,
    pub(crate) open: Vec<OpenDeed>,
}

/// A program that still failed at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OpenDeed {
    pub(crate) program: String,
    /// The first failure since it last worked.
    pub(crate) id: i64,
    pub(crate) since: i64,
    pub(crate) tries: usize,
    last: i64,
}

/// Joins each failure with the next success of its program; `rows` are a session's, in the order of time.
pub(crate) fn deed_arcs(rows: &[DeedRow]) -> DeedArcs {
    let mut found = DeedArcs::default();
    for row in rows {
        match row.mark {
            Some(4) if row.is_particular => {
                match found.open.iter_mut().find(|open| open.program == row.program) {
                    Some(open) => {
                        open.tries += 1;
                        open.last = row.id;
                    }
                    None => found.open.push(OpenDeed {
                        program: row.program.clone(),
                        id: row.id,
                        since: row.at,
                        tries: 1,
                        last: row.id,
                    }),
                }
            }
            Some(mark @ (2 | 8)) if !row.is_unfinished => {
                let DeedArcs { arcs, open } = &mut found;
                open.retain(|open| {
                    let is_fixed = open.program == row.program || row.programs.contains(&open.program);
                    if is_fixed {
                        arcs.push((open.last, row.id));
                    }
                    // What is committed or pushed was finished, one way or the other.
                    !is_fixed && mark != 8 && !row.program.starts_with("git push")
                });
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: i64, mark: u8, program: &str) -> DeedRow {
        DeedRow {
            id,
            at: id,
            mark: Some(mark),
            program: program.to_owned(),
            programs: Vec::new(),
            is_particular: true,
            is_unfinished: false,
        }
    }

    #[test]
    fn a_failure_is_joined_with_the_next_success_of_its_program() {
        let rows = [row(1, 4, "npm test"), row(2, 2, "ls"), row(3, 4, "npm test"), row(4, 2, "npm test")];
        assert_eq!(deed_arcs(&rows), DeedArcs { arcs: vec![(3, 4)], open: Vec::new() });
    }

    #[test]
    fn what_still_fails_is_open_until_a_commit() {
        let open = |rows: &[DeedRow]| {
            deed_arcs(rows).open.iter().map(|open| (open.id, open.tries)).collect::<Vec<_>>()
        };
        let rows = [row(1, 4, "npm test"), row(2, 4, "npm test"), row(3, 4, "tsc"), row(4, 8, "git commit")];
        assert_eq!(open(&rows[..3]), [(1, 2), (3, 1)]);
        assert_eq!(open(&rows), []);
        let several = DeedRow { programs: vec!["tsc".to_owned()], ..row(5, 2, "npm test") };
        assert_eq!(deed_arcs(&[row(3, 4, "tsc"), several]).arcs, [(3, 5)]);
        let unknown = DeedRow { is_unfinished: true, ..row(5, 2, "tsc") };
        assert_eq!(open(&[row(3, 4, "tsc"), unknown]), [(3, 1)]);
    }
}

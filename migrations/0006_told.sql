-- What agents were told, and whether it helped. Only numbers of rows, never their text: what is forgotten stays so.
CREATE TABLE told (
    id      INTEGER PRIMARY KEY,
    at_ms   INTEGER NOT NULL,
    session TEXT    NOT NULL,
    harness TEXT    NOT NULL,
    -- The event that was answered.
    hook    TEXT    NOT NULL,
    chars   INTEGER NOT NULL,
    -- A list of `{part, chars, rows}`.
    parts   TEXT    NOT NULL
) STRICT;
-- The same delivery arrives twice if a power cut interrupts the spool.
CREATE UNIQUE INDEX told_once ON told (session, at_ms, hook);

CREATE TABLE told_rows (
    told        INTEGER NOT NULL,
    observation INTEGER NOT NULL,
    -- What the session then did; NULL until it has ended.
    outcome     TEXT,
    PRIMARY KEY (told, observation)
) STRICT, WITHOUT ROWID;
CREATE INDEX told_rows_by_observation ON told_rows (observation, outcome);
-- Three values in each entry: salvage counts the entries of two numbers, which are those of the index by time.
CREATE INDEX told_rows_unjudged ON told_rows (told, outcome) WHERE outcome IS NULL;

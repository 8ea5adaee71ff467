-- One person's machines: where a row came from, how far each machine is known, and what was forgotten, in order.
-- Hooks write nothing of this but rows of `observations`, whose two new columns are NULL for what happened here.

CREATE TABLE machine (
    one        INTEGER PRIMARY KEY CHECK (one = 1),
    -- 128 random bits, made when they are first needed; nothing about the host is in them.
    key        BLOB    NOT NULL,
    made_at    INTEGER NOT NULL,
    -- Whether words that another machine has forgotten may still be in the log or in free pages.
    unscrubbed INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Other machines whose rows are here.
CREATE TABLE origins (
    id        INTEGER PRIMARY KEY,
    key       BLOB    NOT NULL UNIQUE,
    -- Its rows are here up to this number, and what it said about that number.
    upto      INTEGER NOT NULL DEFAULT 0,
    mark      BLOB,
    -- Its list of what was forgotten is here up to this number.
    forgotten INTEGER NOT NULL DEFAULT 0,
    -- Whether some of its rows were left out here.
    has_gaps  INTEGER NOT NULL DEFAULT 0
) STRICT;

-- NULL is a row of this machine, 0 one that was imported from a file, and else it is the id of its machine. Its number
-- on this machine is its id, which is never used twice; on another machine it is `origin_seq`.
ALTER TABLE observations ADD COLUMN origin INTEGER;
ALTER TABLE observations ADD COLUMN origin_seq INTEGER;
CREATE INDEX observations_by_origin ON observations (origin, origin_seq) WHERE origin > 0;

-- How far a machine has passed on the rows of a third one, if it did not pass on all of them.
CREATE TABLE sync_places (
    peer   INTEGER NOT NULL,
    origin INTEGER NOT NULL,
    upto   INTEGER NOT NULL,
    PRIMARY KEY (peer, origin)
) STRICT, WITHOUT ROWID;

-- Random marks of what this machine has sent of its own rows: one that it does not know shows a copy of its folder.
CREATE TABLE sync_marks (
    upto INTEGER PRIMARY KEY,
    mark BLOB NOT NULL
) STRICT;

-- With whom rows were exchanged. The times are those at which rows moved.
CREATE TABLE sync_peers (
    id         INTEGER PRIMARY KEY,
    kind       TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    -- The program on the other machine, if it is not in the usual places.
    remote     TEXT,
    machine    BLOB,
    tried_at   INTEGER,
    reached_at INTEGER,
    sent_at    INTEGER,
    sent       INTEGER NOT NULL DEFAULT 0,
    brought_at INTEGER,
    brought    INTEGER NOT NULL DEFAULT 0,
    problem    TEXT,
    UNIQUE (kind, name)
) STRICT;

-- The keys of events that the user has forgotten, so that nothing brings them back; numbered, so that other machines can
-- ask for what is new.
CREATE TABLE forgotten (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    key    BLOB NOT NULL UNIQUE
) STRICT;
INSERT INTO forgotten (key) SELECT key FROM forgotten_events ORDER BY key;
DROP TABLE forgotten_events;

-- What this machine shares with a team's server: numbers and keys, never a text. Hooks write nothing of this, and nobody
-- does until the user has named a server.

CREATE TABLE team_state (
    one        INTEGER PRIMARY KEY CHECK (one = 1),
    -- The address that all of this belongs to, without its password.
    url        TEXT    NOT NULL,
    -- The name of this folder on that server: 128 random bits, and nothing else is known by them.
    machine    BLOB    NOT NULL,
    -- The server's database, by its own random name.
    epoch      BLOB,
    -- Who this user is there.
    member     TEXT,
    level      TEXT,
    version    INTEGER,
    -- The times at which rows moved, and how many did.
    tried_at   INTEGER,
    reached_at INTEGER,
    sent_at    INTEGER,
    sent       INTEGER NOT NULL DEFAULT 0,
    brought_at INTEGER,
    brought    INTEGER NOT NULL DEFAULT 0,
    -- Why nothing moved the last time, and since when that is so.
    problem    TEXT,
    failing_since INTEGER,
    -- Why no attempt is made until the settings change.
    rests      TEXT
) STRICT;

-- What this machine tells about one project, numbered from 1 without gaps.
CREATE TABLE streams (
    id            INTEGER PRIMARY KEY,
    project       TEXT    NOT NULL UNIQUE,
    -- Rows from before this time, and up to this observation, do not leave; and with which choice of the user that began.
    since         INTEGER NOT NULL,
    after         INTEGER NOT NULL DEFAULT 0,
    level         TEXT    NOT NULL,
    -- Up to this observation, rows were looked at.
    looked        INTEGER NOT NULL DEFAULT 0,
    last          INTEGER NOT NULL DEFAULT 0,
    acked         INTEGER NOT NULL DEFAULT 0,
    acked_push    BLOB,
    -- The push that was begun, written down before anything is sent.
    pending_first INTEGER,
    pending_last  INTEGER,
    pending_push  BLOB
) STRICT;

-- Numbers of 0 and below belong to an earlier name of this machine.
CREATE TABLE stream_records (
    stream      INTEGER NOT NULL,
    number      INTEGER NOT NULL,
    kind        TEXT    NOT NULL,
    observation INTEGER,
    event_key   BLOB,
    PRIMARY KEY (stream, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX stream_records_by_key ON stream_records (event_key, stream, kind);

-- Where the pushes ended that the server has confirmed.
CREATE TABLE pushes (
    stream INTEGER NOT NULL,
    last   INTEGER NOT NULL,
    push   BLOB    NOT NULL,
    PRIMARY KEY (stream, last)
) STRICT, WITHOUT ROWID;

-- Rows that the server refused, or that stay here for another reason, and why.
CREATE TABLE held (
    stream INTEGER NOT NULL,
    number INTEGER NOT NULL,
    why    TEXT    NOT NULL,
    PRIMARY KEY (stream, number)
) STRICT, WITHOUT ROWID;

-- Rows of colleagues that the user does not want to see here.
CREATE TABLE hidden_rows (
    event_key BLOB PRIMARY KEY
) STRICT, WITHOUT ROWID;

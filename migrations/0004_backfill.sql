-- What was read of the agents' transcripts, so that the next run reads only what is new.

CREATE TABLE sources (
    id            INTEGER PRIMARY KEY,
    -- A hash of the agent and the path: a path may contain a secret.
    key           BLOB    NOT NULL UNIQUE,
    harness       TEXT    NOT NULL,
    device        INTEGER NOT NULL,
    inode         INTEGER NOT NULL,
    size          INTEGER NOT NULL,
    -- Nanoseconds since 1970.
    modified      INTEGER NOT NULL,
    -- The end of the last complete record, and where reading starts if the file has grown.
    read_to       INTEGER NOT NULL,
    resume_at     INTEGER NOT NULL,
    -- Hashes of the first bytes and of the last bytes before `read_to`.
    head          INTEGER NOT NULL,
    tail          INTEGER NOT NULL,
    records       INTEGER NOT NULL,
    -- The version of the reader, and the time before which nothing was read.
    reader        INTEGER NOT NULL,
    since         INTEGER NOT NULL,
    agent_version TEXT,
    gone_at       INTEGER
) STRICT;

-- Which transcript a record was first seen in; `id` is a hash. A copy of it in another transcript is not read again.
CREATE TABLE source_records (
    id     INTEGER PRIMARY KEY,
    source INTEGER NOT NULL
) STRICT;

-- Records of types that no reader knows.
CREATE TABLE unknown_records (
    source INTEGER NOT NULL,
    kind   TEXT    NOT NULL,
    count  INTEGER NOT NULL,
    PRIMARY KEY (source, kind)
) STRICT, WITHOUT ROWID;

-- The keys of events that the user has forgotten, so that no transcript brings them back.
CREATE TABLE forgotten_events (
    key BLOB PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- `team.db`: rows of colleagues, as the team's server sent them. It is a copy: if it is damaged, of another version or of
-- another server, it is deleted and brought again. Tables and columns that a search reads are named as in `nudge.db`.

CREATE TABLE copy_of (
    one   INTEGER PRIMARY KEY CHECK (one = 1),
    epoch BLOB NOT NULL
) STRICT;

-- A project by its key, and how far it was read.
CREATE TABLE projects (
    id       INTEGER PRIMARY KEY,
    name     TEXT    NOT NULL UNIQUE,
    root     TEXT,
    place    INTEGER NOT NULL DEFAULT 0,
    mark     BLOB,
    -- How many rows came on which day, counted from 1970, and how many were left on the server.
    day      INTEGER NOT NULL DEFAULT 0,
    came     INTEGER NOT NULL DEFAULT 0,
    left_out INTEGER NOT NULL DEFAULT 0,
    -- How many numbers were read or left out in all.
    numbers  INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE VIEW project_identities AS
SELECT id, id AS same_as, name AS origin, NULL AS birth, NULL AS title, 0 AS by_hand, 0 AS replaced FROM projects;

-- By the server's numbers, which stay when a name changes.
CREATE TABLE people (
    id    INTEGER PRIMARY KEY,
    name  TEXT    NOT NULL,
    is_ci INTEGER NOT NULL DEFAULT 0,
    -- No longer a member: their rows are found by those who search, and are shown to nobody else.
    removed INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE observations (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    timestamp    INTEGER NOT NULL,
    received     INTEGER NOT NULL,
    session_id   TEXT    NOT NULL,
    project_id   INTEGER NOT NULL,
    person_id    INTEGER NOT NULL,
    obs_type     TEXT    NOT NULL,
    source_event TEXT    NOT NULL DEFAULT 'team',
    tool_name    TEXT,
    content      TEXT    NOT NULL,
    file_path    TEXT,
    metadata     TEXT,
    event_key    BLOB    NOT NULL,
    program      TEXT,
    signature    TEXT,
    pinned       INTEGER NOT NULL DEFAULT 0,
    parts        TEXT,
    tags         TEXT GENERATED ALWAYS AS ('t' || obs_type || ' p' || project_id) VIRTUAL,
    harness      TEXT GENERATED ALWAYS AS (NULL) VIRTUAL,
    worktree     TEXT GENERATED ALWAYS AS (NULL) VIRTUAL,
    rule         TEXT GENERATED ALWAYS AS (NULL) VIRTUAL,
    branch       TEXT GENERATED ALWAYS AS (metadata ->> '$.branch') VIRTUAL,
    duration_ms  INTEGER GENERATED ALWAYS AS (metadata ->> '$.duration_ms') VIRTUAL,
    exit_code    INTEGER GENERATED ALWAYS AS (metadata ->> '$.exit_code') VIRTUAL
) STRICT;
-- What one person told about an event is here once, from however many machines.
CREATE UNIQUE INDEX observations_by_event ON observations (event_key, project_id, person_id);
CREATE INDEX observations_by_session ON observations (session_id, timestamp);
CREATE INDEX observations_by_time ON observations (timestamp);
-- A hook looks for failures of one program, and reads nothing but this.
CREATE INDEX observations_by_failure ON observations (project_id, program, id, timestamp, session_id, signature, person_id)
    WHERE signature IS NOT NULL;
-- A new session looks for the newest failures of all programs.
CREATE INDEX observations_by_failure_age ON observations (project_id, id, timestamp, session_id, program, signature, person_id)
    WHERE signature IS NOT NULL;
CREATE INDEX observations_by_arrival ON observations (project_id, received);

CREATE VIEW observed AS
SELECT observations.*, projects.name AS project, NULL AS project_root, projects.name AS project_origin
FROM observations JOIN projects ON projects.id = observations.project_id;

CREATE VIRTUAL TABLE observations_fts USING fts5(
    content, file_path, parts, tags,
    content = 'observations', content_rowid = 'id',
    tokenize = "porter unicode61 remove_diacritics 2 tokenchars '_'"
);
INSERT INTO observations_fts (observations_fts, rank) VALUES ('secure-delete', 1);
CREATE TRIGGER observations_deleted AFTER DELETE ON observations BEGIN
    INSERT INTO observations_fts (observations_fts, rowid, content, file_path, parts, tags)
    VALUES ('delete', old.id, old.content, old.file_path, old.parts, old.tags);
END;

-- What was taken back is never taken again, from whichever machine it comes. Without a person, an admin did it.
CREATE TABLE dropped (
    project_id INTEGER NOT NULL,
    event_key  BLOB    NOT NULL,
    person_id  INTEGER NOT NULL,
    PRIMARY KEY (project_id, event_key, person_id)
) STRICT, WITHOUT ROWID;

-- Records of kinds that this version does not know, for the next one.
CREATE TABLE unknown_records (
    project_id INTEGER NOT NULL,
    place      INTEGER NOT NULL,
    number     INTEGER NOT NULL,
    person_id  INTEGER NOT NULL,
    kind       TEXT    NOT NULL,
    record     TEXT    NOT NULL,
    PRIMARY KEY (project_id, place, number)
) STRICT, WITHOUT ROWID;

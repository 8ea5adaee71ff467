-- Observations and their full-text index.

-- A project's name and root are long and few.
CREATE TABLE projects (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    root TEXT
) STRICT;
CREATE UNIQUE INDEX projects_by_name ON projects (name, coalesce(root, ''));

CREATE TABLE observations (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    timestamp    INTEGER NOT NULL,
    session_id   TEXT    NOT NULL,
    project_id   INTEGER REFERENCES projects (id),
    obs_type     TEXT    NOT NULL,
    source_event TEXT    NOT NULL,
    tool_name    TEXT,
    content      TEXT    NOT NULL,
    file_path    TEXT,
    metadata     TEXT,
    event_key    BLOB,
    program      TEXT,
    signature    TEXT,
    pinned       INTEGER NOT NULL DEFAULT 0,
    -- A hash of what the observation is about: the same for a read of the same file in the same session,
    -- and for a run of the same command in the same project.
    subject      INTEGER,
    -- The parts of identifiers in content and file_path, made in Rust, kept so that the index can be rebuilt.
    parts        TEXT,
    -- Filters as words of the index.
    tags         TEXT GENERATED ALWAYS AS ('t' || obs_type || coalesce(' p' || project_id, '')) VIRTUAL
) STRICT;

CREATE UNIQUE INDEX observations_by_event ON observations (event_key) WHERE event_key IS NOT NULL;
CREATE INDEX observations_by_time ON observations (timestamp);
CREATE INDEX observations_by_project ON observations (project_id, timestamp);
CREATE INDEX observations_by_type ON observations (project_id, obs_type, timestamp);
CREATE INDEX observations_by_session ON observations (session_id, timestamp);
CREATE INDEX observations_by_subject ON observations (subject) WHERE subject IS NOT NULL;
CREATE INDEX observations_by_signature ON observations (signature) WHERE signature IS NOT NULL;
CREATE INDEX observations_by_kind ON observations (project_id, metadata ->> '$.kind', timestamp)
    WHERE metadata ->> '$.kind' IS NOT NULL;

-- An observation with the names it is read by.
CREATE VIEW observed AS
SELECT observations.*, projects.name AS project, projects.root AS project_root
FROM observations LEFT JOIN projects ON projects.id = observations.project_id;

CREATE VIRTUAL TABLE observations_fts USING fts5(
    content, file_path, parts, tags,
    content = 'observations', content_rowid = 'id',
    tokenize = "porter unicode61 remove_diacritics 2 tokenchars '_'"
);
-- What is deleted leaves the index at once, not at some later merge.
INSERT INTO observations_fts (observations_fts, rank) VALUES ('secure-delete', 1);

-- Triggers, so that no way of deleting or changing a row can leave its words behind. There is none for inserts:
-- a statement with a trigger makes FTS5 write out its buffer for every single row, which takes three times as long.
CREATE TRIGGER observations_deleted AFTER DELETE ON observations BEGIN
    INSERT INTO observations_fts (observations_fts, rowid, content, file_path, parts, tags)
    VALUES ('delete', old.id, old.content, old.file_path, old.parts, old.tags);
END;
CREATE TRIGGER observations_changed
AFTER UPDATE OF content, file_path, parts, obs_type, project_id ON observations BEGIN
    INSERT INTO observations_fts (observations_fts, rowid, content, file_path, parts, tags)
    VALUES ('delete', old.id, old.content, old.file_path, old.parts, old.tags);
    INSERT INTO observations_fts (rowid, content, file_path, parts, tags)
    VALUES (new.id, new.content, new.file_path, new.parts, new.tags);
END;

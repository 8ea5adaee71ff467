-- Failures side by side, so that a new one can be compared with them without reading their rows.
CREATE INDEX observations_by_failure ON observations (id DESC, timestamp, session_id, program, signature, project_id)
    WHERE signature IS NOT NULL;
DROP INDEX observations_by_signature;

-- What pictures and filters need.
ALTER TABLE observations ADD COLUMN harness TEXT GENERATED ALWAYS AS (metadata ->> '$.harness') VIRTUAL;
ALTER TABLE observations ADD COLUMN branch TEXT GENERATED ALWAYS AS (metadata ->> '$.branch') VIRTUAL;
ALTER TABLE observations ADD COLUMN worktree TEXT GENERATED ALWAYS AS (metadata ->> '$.worktree') VIRTUAL;
ALTER TABLE observations ADD COLUMN rule TEXT GENERATED ALWAYS AS (metadata ->> '$.rule') VIRTUAL;
ALTER TABLE observations ADD COLUMN duration_ms INTEGER GENERATED ALWAYS AS (metadata ->> '$.duration_ms') VIRTUAL;
ALTER TABLE observations ADD COLUMN exit_code INTEGER GENERATED ALWAYS AS (metadata ->> '$.exit_code') VIRTUAL;
DROP VIEW observed;
CREATE VIEW observed AS
SELECT observations.*, projects.name AS project, projects.root AS project_root
FROM observations LEFT JOIN projects ON projects.id = observations.project_id;

-- The program and the signature of old rows are derived again: earlier versions took a runner's status line for the cause.
DELETE FROM cleaning;
INSERT INTO cleaning (next) VALUES (1);

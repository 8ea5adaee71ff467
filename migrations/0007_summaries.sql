-- What the viewer asks for often, so that no question reads rows in proportion to its range. Observations are counted
-- here in the order of their ids, a part at a time; triggers keep the counts right when counted rows are deleted or
-- changed. There is no trigger for inserts, so a hook does not wait for this.

-- The mark of an observation on a lane: 0 read, 1 edit, 2 command, 3 prompt, 4 failed, 6 blocked, 8 commit.
ALTER TABLE observations ADD COLUMN mark INTEGER GENERATED ALWAYS AS (
    CASE obs_type
        WHEN 'file_read' THEN 0
        WHEN 'search' THEN 0
        WHEN 'file_edit' THEN 1
        WHEN 'file_write' THEN 1
        WHEN 'command' THEN CASE WHEN metadata ->> '$.kind' = 'git_commit' THEN 8 ELSE 2 END
        WHEN 'mcp_call' THEN CASE WHEN metadata ->> '$.kind' = 'todo' THEN NULL ELSE 2 END
        WHEN 'user_prompt' THEN
            CASE WHEN metadata ->> '$.kind' IN ('refusal', 'answer', 'allowed') THEN NULL ELSE 3 END
        WHEN 'command_error' THEN CASE metadata ->> '$.kind' WHEN 'rule' THEN 6 WHEN 'tool' THEN 0 ELSE 4 END
    END
) VIRTUAL;

-- How far the counting is.
CREATE TABLE summary_state (
    last_id   INTEGER NOT NULL,
    last_told INTEGER NOT NULL
) STRICT;
INSERT INTO summary_state VALUES (0, 0);

CREATE TABLE sessions (
    id           TEXT PRIMARY KEY,
    -- The folder of its latest observation.
    project_id   INTEGER,
    harness      TEXT,
    started_at   INTEGER NOT NULL,
    last_at      INTEGER NOT NULL,
    observations INTEGER NOT NULL DEFAULT 0,
    reads        INTEGER NOT NULL DEFAULT 0,
    edits        INTEGER NOT NULL DEFAULT 0,
    commands     INTEGER NOT NULL DEFAULT 0,
    prompts      INTEGER NOT NULL DEFAULT 0,
    failed       INTEGER NOT NULL DEFAULT 0,
    blocked      INTEGER NOT NULL DEFAULT 0,
    commits      INTEGER NOT NULL DEFAULT 0,
    guided       INTEGER NOT NULL DEFAULT 0,
    -- Failures that a success followed, and programs that still fail at the end.
    fixed        INTEGER NOT NULL DEFAULT 0,
    open         INTEGER NOT NULL DEFAULT 0,
    -- Whether what follows from several rows has to be found out again.
    is_stale     INTEGER NOT NULL DEFAULT 1
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_end ON sessions (last_at, started_at, project_id);
CREATE INDEX sessions_stale ON sessions (is_stale, last_at) WHERE is_stale;

-- Observations by hour, counted from 1970; 9 is every mark that is not drawn.
CREATE TABLE activity (
    hour       INTEGER NOT NULL,
    project_id INTEGER NOT NULL,
    harness    TEXT    NOT NULL,
    mark       INTEGER NOT NULL,
    n          INTEGER NOT NULL,
    PRIMARY KEY (hour, project_id, harness, mark)
) STRICT, WITHOUT ROWID;

-- What rules did, by day, counted from 1970.
CREATE TABLE rule_days (
    rule       TEXT    NOT NULL,
    project_id INTEGER NOT NULL,
    day        INTEGER NOT NULL,
    harness    TEXT    NOT NULL,
    fired      INTEGER NOT NULL DEFAULT 0,
    blocked    INTEGER NOT NULL DEFAULT 0,
    guided     INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (rule, day, project_id, harness)
) STRICT, WITHOUT ROWID;

-- The calls that rules blocked, with what they were about, so that a second attempt is recognised.
CREATE TABLE blocked_calls (
    observation INTEGER PRIMARY KEY,
    rule        TEXT    NOT NULL,
    at          INTEGER NOT NULL,
    session_id  TEXT    NOT NULL,
    project_id  INTEGER NOT NULL,
    target      TEXT    NOT NULL
) STRICT;
CREATE INDEX blocked_calls_by_rule ON blocked_calls (rule, at, session_id);

-- What was told, by day and part.
CREATE TABLE told_days (
    day        INTEGER NOT NULL,
    project_id INTEGER NOT NULL,
    harness    TEXT    NOT NULL,
    part       TEXT    NOT NULL,
    deliveries INTEGER NOT NULL,
    chars      INTEGER NOT NULL,
    PRIMARY KEY (day, project_id, harness, part)
) STRICT, WITHOUT ROWID;
CREATE INDEX told_by_time ON told (at_ms, session, chars);

-- Known ways out of a failure that another session was told.
CREATE TABLE carries (
    told        INTEGER NOT NULL,
    observation INTEGER NOT NULL,
    at_ms       INTEGER NOT NULL,
    session     TEXT    NOT NULL,
    from_session TEXT   NOT NULL,
    PRIMARY KEY (told, observation)
) STRICT, WITHOUT ROWID;
CREATE INDEX carries_by_time ON carries (at_ms, session);

CREATE TRIGGER observations_uncounted AFTER DELETE ON observations
WHEN old.id <= (SELECT last_id FROM summary_state) BEGIN
    UPDATE activity SET n = n - 1
    WHERE hour = old.timestamp / 3600 AND project_id = coalesce(old.project_id, 0)
        AND harness = coalesce(old.harness, '') AND mark = coalesce(old.mark, 9);
    UPDATE sessions SET observations = observations - 1, reads = reads - (old.mark IS 0),
        edits = edits - (old.mark IS 1), commands = commands - (old.mark IS 2 OR old.mark IS 8),
        prompts = prompts - (old.mark IS 3), failed = failed - (old.mark IS 4),
        blocked = blocked - (old.mark IS 6), commits = commits - (old.mark IS 8),
        guided = guided - (old.rule IS NOT NULL AND old.mark IS NOT 6), is_stale = 1
    WHERE id = old.session_id;
    UPDATE rule_days SET fired = fired - 1, blocked = blocked - (old.mark IS 6),
        guided = guided - (old.mark IS NOT 6)
    WHERE rule = old.rule AND day = old.timestamp / 86400 AND project_id = coalesce(old.project_id, 0)
        AND harness = coalesce(old.harness, '');
    DELETE FROM blocked_calls WHERE observation = old.id;
    DELETE FROM carries WHERE observation = old.id;
END;

-- The schema of a team, version 1. `nudge team init` runs it in one transaction, as a role that may create roles and,
-- in this database, schemas. Every statement ends with a semicolon at the end of a line.
--
-- Members have no permission on any table. The functions whose names end in `_v1` are the protocol: each asks first who
-- is calling and what they may reach. Tables may change beneath them.
--
-- Errors: NU001 not a member, NU002 no longer a member, NU003 level too low, NU004 machine of another member, NU005 no
-- such project, NU006 size of a batch, NU007 the server was rewound, NU008 row of another member, NU009 limit reached.

-- Roles belong to the whole cluster: a second team in it has the same roles, and nothing else in common.
DO $$
DECLARE r text;
BEGIN
    FOREACH r IN ARRAY ARRAY['nudge_owner', 'nudge_member', 'nudge_admin'] LOOP
        CONTINUE WHEN EXISTS (SELECT 1 FROM pg_catalog.pg_roles WHERE rolname = r);
        BEGIN
            EXECUTE format('CREATE ROLE %I NOLOGIN', r);
        EXCEPTION WHEN unique_violation OR duplicate_object THEN
            NULL;  -- another team of this cluster is being made at the same time
        END;
    END LOOP;
END $$;
-- The owner owns everything and runs the functions; nobody logs in as it. Who runs this may upgrade the schema later.
GRANT nudge_owner, nudge_admin TO CURRENT_USER;
-- So that an admin who may not create roles can still let an existing login in.
GRANT nudge_member TO nudge_admin WITH ADMIN OPTION;
CREATE SCHEMA nudge AUTHORIZATION nudge_owner;
SET LOCAL ROLE nudge_owner;
ALTER DEFAULT PRIVILEGES FOR ROLE nudge_owner REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;

CREATE TABLE nudge.server (
    one       boolean PRIMARY KEY DEFAULT true CHECK (one),
    epoch     uuid    NOT NULL DEFAULT gen_random_uuid(),  -- another database, another epoch: places of one mean nothing in the other
    version   int     NOT NULL,                            -- of the schema
    oldest    int     NOT NULL,                            -- the oldest protocol that is still served
    keep_days int     NOT NULL DEFAULT 180 CHECK (keep_days BETWEEN 1 AND 36500),
    allowed   text[]  NOT NULL DEFAULT '{}',               -- projects that may be shared, as LIKE patterns: 'github.com/acme/%'
    open_new  boolean NOT NULL DEFAULT true,               -- a project that is shared for the first time is open to all members
    redact    jsonb   NOT NULL DEFAULT '{}'                -- the team's own patterns, applied by members before anything leaves
);
CREATE TABLE nudge.members (
    id      int  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    login   name NOT NULL UNIQUE,                          -- the PostgreSQL role: the engine says who is calling
    name    text NOT NULL UNIQUE CHECK (name ~ '^[[:alnum:]][[:alnum:]._@+-]{0,62}$'),  -- what colleagues read
    level   text NOT NULL CHECK (level IN ('reader', 'member', 'admin')),
    is_ci   boolean NOT NULL DEFAULT false,
    removed timestamptz
);
CREATE TABLE nudge.machines (
    id        int  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key       uuid NOT NULL UNIQUE,                        -- made by the client
    member_id int  NOT NULL REFERENCES nudge.members,
    seen      timestamptz NOT NULL DEFAULT now()           -- for cleaning up; members cannot read it
);
CREATE TABLE nudge.projects (
    id   int     GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key  text    NOT NULL UNIQUE CHECK (length(key) BETWEEN 1 AND 512),  -- 'github.com/acme/shop'
    open boolean NOT NULL DEFAULT true,                    -- to all members; else to those in grants
    head bigint  NOT NULL DEFAULT 0                        -- the place of the last lot
) WITH (fillfactor = 50);
CREATE TABLE nudge.aliases (
    key        text PRIMARY KEY CHECK (length(key) BETWEEN 1 AND 512),   -- renamed, moved, forked
    project_id int NOT NULL REFERENCES nudge.projects
);
CREATE TABLE nudge.grants (
    project_id int REFERENCES nudge.projects,
    member_id  int REFERENCES nudge.members,
    PRIMARY KEY (project_id, member_id)
);
-- A stream is what one machine tells about one project: numbered from 1 without gaps, written by nobody else.
CREATE TABLE nudge.streams (
    machine_id int NOT NULL REFERENCES nudge.machines,
    project_id int NOT NULL REFERENCES nudge.projects,
    last_seq   bigint NOT NULL DEFAULT 0,
    last_push  uuid,
    PRIMARY KEY (machine_id, project_id)
) WITH (fillfactor = 50);
-- A lot is one push. Its place is given last and under the lock of the project, so places become visible in order.
CREATE TABLE nudge.lots (
    project_id int NOT NULL,
    pos        bigint NOT NULL,
    machine_id int NOT NULL,
    push       uuid NOT NULL,
    first_seq  bigint NOT NULL,
    last_seq   bigint NOT NULL,
    received   timestamptz NOT NULL,
    ahead      int NOT NULL,                               -- seconds by which the machine's clock was ahead of ours
    PRIMARY KEY (project_id, pos)
);
CREATE INDEX lots_by_machine ON nudge.lots (machine_id, project_id, last_seq);
CREATE INDEX lots_by_time ON nudge.lots (project_id, received);
CREATE TABLE nudge.records (
    project_id int NOT NULL,
    machine_id int NOT NULL,
    seq        bigint NOT NULL,
    received   timestamptz NOT NULL,
    member_id  int NOT NULL,
    kind       text NOT NULL CHECK (length(kind) <= 32),   -- observation, drop, purge, removed, gone; an older client keeps what it does not know
    obs_type   text CHECK (length(obs_type) <= 32),
    at         bigint NOT NULL,                            -- by the author's clock: shown, never used to decide
    session    bytea CHECK (length(session) = 16),
    event_key  bytea CHECK (length(event_key) = 16),
    program    text CHECK (length(program) <= 256),
    signature  text CHECK (length(signature) <= 256),
    content    text CHECK (length(content) <= 8192),
    file_path  text CHECK (length(file_path) <= 1024),
    parts      text CHECK (length(parts) <= 8192),
    facts      jsonb CHECK (length(facts::text) <= 8192),
    PRIMARY KEY (project_id, machine_id, seq, received)
) PARTITION BY RANGE (received);
-- The planner must know what it costs.
CREATE FUNCTION nudge.words(_content text, _path text, _parts text) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 5000 AS $$
BEGIN
    RETURN to_tsvector('pg_catalog.simple', coalesce(_content, '') || ' ' || coalesce(_path, '') || ' ' || coalesce(_parts, ''));
END $$;
CREATE INDEX records_words ON nudge.records USING gin (nudge.words(content, file_path, parts));
CREATE INDEX records_recent ON nudge.records (project_id, received);
CREATE INDEX records_newest ON nudge.records (received);
CREATE INDEX records_by_event ON nudge.records (event_key) WHERE event_key IS NOT NULL;
-- Nobody but the functions reads a table, whatever is granted by mistake: security without a policy is a closed door.
ALTER TABLE nudge.server ENABLE ROW LEVEL SECURITY;
ALTER TABLE nudge.members ENABLE ROW LEVEL SECURITY;
ALTER TABLE nudge.machines ENABLE ROW LEVEL SECURITY;
ALTER TABLE nudge.projects ENABLE ROW LEVEL SECURITY;
ALTER TABLE nudge.aliases ENABLE ROW LEVEL SECURITY;
ALTER TABLE nudge.grants ENABLE ROW LEVEL SECURITY;
ALTER TABLE nudge.streams ENABLE ROW LEVEL SECURITY;
ALTER TABLE nudge.lots ENABLE ROW LEVEL SECURITY;
ALTER TABLE nudge.records ENABLE ROW LEVEL SECURITY;
INSERT INTO nudge.server (version, oldest) VALUES (1, 1);
INSERT INTO nudge.members (login, name, level) VALUES (session_user, session_user, 'admin');

-- Who is calling.
CREATE FUNCTION nudge.me() RETURNS nudge.members
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = nudge, pg_temp AS $$
DECLARE m members;
BEGIN
    SELECT * INTO m FROM members WHERE login = session_user;
    IF m.id IS NULL THEN RAISE EXCEPTION 'not a member' USING ERRCODE = 'NU001'; END IF;
    IF m.removed IS NOT NULL THEN RAISE EXCEPTION 'no longer a member' USING ERRCODE = 'NU002'; END IF;
    RETURN m;
END $$;
CREATE FUNCTION nudge.admin() RETURNS nudge.members
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = nudge, pg_temp AS $$
DECLARE m members := nudge.me();
BEGIN
    IF m.level <> 'admin' THEN RAISE EXCEPTION 'only admins may do this' USING ERRCODE = 'NU003'; END IF;
    RETURN m;
END $$;

-- The project of a key or of an alias, whoever may see it.
CREATE FUNCTION nudge.resolve(_key text) RETURNS int
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = nudge, pg_temp AS $$
    SELECT coalesce((SELECT id FROM projects WHERE key = _key), (SELECT project_id FROM aliases WHERE key = _key))
$$;
CREATE FUNCTION nudge.may_see(_project nudge.projects, _member int) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = nudge, pg_temp AS $$
    SELECT _project.open OR EXISTS (SELECT 1 FROM grants g WHERE g.project_id = _project.id AND g.member_id = _member)
$$;
-- The project of a key, if this member may see it.
CREATE FUNCTION nudge.reach(_key text, _me nudge.members) RETURNS int
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = nudge, pg_temp AS $$
DECLARE pid int;
BEGIN
    SELECT p.id INTO pid FROM projects p WHERE p.id = nudge.resolve(_key) AND nudge.may_see(p, _me.id);
    IF pid IS NULL THEN RAISE EXCEPTION 'no such project' USING ERRCODE = 'NU005'; END IF;
    RETURN pid;
END $$;

-- Makes the partition of a month, once, under the lock of the server's row. Whoever stores rows in the same transaction
-- asks for `_alone`: others see its rows a moment before they hear of the partition, and a reader in that moment would go
-- past the rows without having read them. So nobody reads until both are over. That waits for a backup, so that a hello
-- makes the month before somebody needs it.
CREATE FUNCTION nudge.month(_at timestamptz, _alone boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = nudge, pg_temp AS $$
DECLARE m date := date_trunc('month', _at AT TIME ZONE 'UTC'); t text := 'records_' || to_char(m, 'YYYY_MM');
BEGIN
    IF to_regclass('nudge.' || t) IS NOT NULL THEN RETURN; END IF;
    PERFORM 1 FROM server FOR UPDATE;
    -- Asked again, and of the catalogue itself: what to_regclass knows may be older than the lock.
    IF EXISTS (SELECT 1 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
               WHERE n.nspname = 'nudge' AND c.relname = t) THEN RETURN; END IF;
    IF _alone THEN LOCK TABLE records IN ACCESS EXCLUSIVE MODE; END IF;
    EXECUTE format('CREATE TABLE nudge.%I (LIKE nudge.records INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', t);
    EXECUTE format('ALTER TABLE nudge.%I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE nudge.records ATTACH PARTITION nudge.%I FOR VALUES FROM (%L) TO (%L)', t,
        m::text || ' 00:00:00+00', (m + interval '1 month')::date::text || ' 00:00:00+00');
END $$;

-- Who I am, and where every project and every stream of this machine is. `projects` has the keys that were asked for.
-- Without a machine nothing is written: so asks who has not agreed to anything yet.
CREATE FUNCTION nudge.hello_v1(_machine uuid, _projects text[]) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = nudge, pg_temp AS $$
DECLARE me members := nudge.me(); known machines; wanted text;
BEGIN
    SELECT * INTO known FROM machines WHERE key = _machine;
    -- An insert that meets a conflict uses up a number, and a hello comes every minute from everybody.
    IF known.id IS NULL AND _machine IS NOT NULL THEN
        INSERT INTO machines (key, member_id) VALUES (_machine, me.id) ON CONFLICT (key) DO NOTHING;
        SELECT * INTO known FROM machines WHERE key = _machine;
    END IF;
    IF known.member_id <> me.id THEN RAISE EXCEPTION 'a machine of another member' USING ERRCODE = 'NU004'; END IF;
    IF known.seen < now() - interval '1 day' THEN UPDATE machines SET seen = now() WHERE id = known.id; END IF;
    IF me.level <> 'reader' AND _machine IS NOT NULL THEN
        FOREACH wanted IN ARRAY _projects LOOP
            IF nudge.resolve(wanted) IS NULL AND EXISTS (SELECT 1 FROM server WHERE wanted LIKE ANY (allowed)) THEN
                INSERT INTO projects (key, open) SELECT wanted, open_new FROM server ON CONFLICT DO NOTHING;
                INSERT INTO grants SELECT p.id, me.id FROM projects p
                WHERE p.key = wanted AND NOT p.open AND p.head = 0
                  AND NOT EXISTS (SELECT 1 FROM grants g WHERE g.project_id = p.id)
                ON CONFLICT DO NOTHING;
            END IF;
        END LOOP;
        PERFORM nudge.month(now(), false), nudge.month(now() + interval '1 day', false);
    END IF;
    RETURN (SELECT jsonb_build_object('epoch', s.epoch, 'version', s.version, 'oldest', s.oldest, 'keep_days', s.keep_days,
            'allowed', s.allowed, 'redact', s.redact, 'level', me.level, 'name', me.name,
            'now', extract(epoch FROM clock_timestamp())::bigint) FROM server s)
        || jsonb_build_object('projects', coalesce((
            SELECT jsonb_object_agg(w.key, jsonb_build_object('key', p.key, 'head', p.head,
                'last_seq', coalesce(st.last_seq, 0), 'last_push', st.last_push))
            FROM unnest(_projects) AS w(key)
            JOIN projects p ON p.id = nudge.resolve(w.key) AND nudge.may_see(p, me.id)
            LEFT JOIN streams st ON st.machine_id = known.id AND st.project_id = p.id), '{}'));
END $$;

-- Stores a lot. The pair (last number, last push) of a stream changes only by a push that names the pair before it, so a
-- push happens once, however often it is sent.
-- A new month is empty, and a plan made for an empty table is a bad one an hour later: only look-ups by index are offered.
CREATE FUNCTION nudge.push_v1(_machine uuid, _project text, _previous uuid, _this uuid, _first bigint, _now bigint, _batch jsonb)
RETURNS TABLE (outcome text, at_seq bigint, at_push uuid)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = nudge, pg_temp
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    me members := nudge.me(); mid int; pid int; s streams; n int; h bigint; gone bytea[];
    received_ timestamptz;
BEGIN
    IF me.level = 'reader' THEN RAISE EXCEPTION 'may only read' USING ERRCODE = 'NU003'; END IF;
    SELECT id INTO mid FROM machines WHERE key = _machine AND member_id = me.id;
    IF mid IS NULL THEN RAISE EXCEPTION 'a machine of another member' USING ERRCODE = 'NU004'; END IF;
    pid := nudge.reach(_project, me);
    IF jsonb_typeof(_batch) <> 'array' THEN RAISE EXCEPTION 'a batch is a list' USING ERRCODE = 'NU006'; END IF;
    n := jsonb_array_length(_batch);
    IF n NOT BETWEEN 1 AND 500 THEN RAISE EXCEPTION 'between 1 and 500 records' USING ERRCODE = 'NU006'; END IF;
    IF pg_column_size(_batch) > 8000000 THEN RAISE EXCEPTION 'more than 8 MB' USING ERRCODE = 'NU006'; END IF;
    INSERT INTO streams (machine_id, project_id) VALUES (mid, pid) ON CONFLICT DO NOTHING;
    SELECT * INTO s FROM streams WHERE machine_id = mid AND project_id = pid FOR UPDATE;
    IF s.last_push = _this THEN RETURN QUERY SELECT 'already'::text, s.last_seq, s.last_push; RETURN; END IF;
    IF s.last_seq <> _first - 1 OR s.last_push IS DISTINCT FROM _previous THEN
        RETURN QUERY SELECT 'elsewhere'::text, s.last_seq, s.last_push; RETURN; END IF;
    received_ := clock_timestamp();
    PERFORM nudge.month(received_, true);
    IF me.level <> 'admin' AND EXISTS (SELECT 1 FROM jsonb_to_recordset(_batch) AS b(kind text) WHERE b.kind IN ('purge', 'removed')) THEN
        RAISE EXCEPTION 'only admins may purge' USING ERRCODE = 'NU008'; END IF;
    SELECT array_agg(decode(b.event_key, 'hex')) INTO gone
    FROM jsonb_to_recordset(_batch) AS b(kind text, event_key text) WHERE b.kind = 'drop';
    -- Somebody else's row, and none of mine under that key. A copy of my row under another name must not keep me from
    -- taking mine back.
    IF gone IS NOT NULL AND me.level <> 'admin' AND EXISTS (SELECT 1 FROM unnest(gone) AS k(event_key)
        WHERE EXISTS (SELECT 1 FROM records r WHERE r.event_key = k.event_key AND r.project_id + 0 = pid
                      AND r.member_id <> me.id AND r.kind <> 'drop')
          AND NOT EXISTS (SELECT 1 FROM records r WHERE r.event_key = k.event_key AND r.project_id + 0 = pid
                          AND r.member_id = me.id)
          AND NOT EXISTS (SELECT 1 FROM jsonb_to_recordset(_batch) AS b(kind text, event_key text)
                          WHERE b.kind <> 'drop' AND decode(b.event_key, 'hex') = k.event_key)) THEN
        RAISE EXCEPTION 'a row of somebody else' USING ERRCODE = 'NU008'; END IF;
    -- What this member has told or taken back already, from whichever machine, or an admin has taken back, keeps its
    -- number and loses its text.
    INSERT INTO records (project_id, machine_id, seq, received, member_id, kind, obs_type, at, session, event_key,
                         program, signature, content, file_path, parts, facts)
    SELECT pid, mid, _first + o - 1, received_, me.id, x.kind, x.obs_type, b.at, x.session, x.event_key,
           x.program, x.signature, x.content, x.file_path, x.parts, x.facts
    FROM ROWS FROM (jsonb_to_recordset(_batch) AS (kind text, obs_type text, at bigint, session text, event_key text,
             program text, signature text, content text, file_path text, parts text, facts jsonb))
         WITH ORDINALITY AS b(kind, obs_type, at, session, event_key, program, signature, content, file_path, parts, facts, o)
    CROSS JOIN LATERAL (SELECT b.kind <> 'drop' AND b.event_key IS NOT NULL AND EXISTS (SELECT 1 FROM records r
             WHERE r.event_key = decode(b.event_key, 'hex') AND r.project_id + 0 = pid
               AND (r.member_id = me.id OR r.kind = 'drop' AND r.facts ? 'admin')) AS known) AS k
    CROSS JOIN LATERAL (
        SELECT 'gone', NULL, NULL::bytea, NULL::bytea, NULL, NULL, NULL, NULL, NULL, NULL::jsonb WHERE k.known
        UNION ALL
        SELECT b.kind, b.obs_type, decode(b.session, 'hex'), decode(b.event_key, 'hex'), b.program, b.signature, b.content,
               b.file_path, b.parts,
               CASE WHEN b.kind NOT IN ('drop', 'purge', 'removed') THEN b.facts WHEN me.level = 'admin' THEN '{"admin": true}' END
        WHERE NOT k.known
    ) AS x(kind, obs_type, session, event_key, program, signature, content, file_path, parts, facts);
    IF gone IS NOT NULL THEN
        DELETE FROM records r WHERE r.event_key = ANY (gone) AND r.project_id + 0 = pid AND r.kind <> 'drop'
            AND (r.member_id = me.id OR me.level = 'admin');
    END IF;
    UPDATE streams SET last_seq = _first + n - 1, last_push = _this WHERE machine_id = mid AND project_id = pid;
    -- Last, because others wait for this row until we commit.
    UPDATE projects SET head = head + 1 WHERE id = pid RETURNING head INTO h;
    INSERT INTO lots VALUES (pid, h, mid, _this, _first, _first + n - 1, received_,
        greatest(-2000000000, least(2000000000, _now - extract(epoch FROM received_)::bigint))::int);
    RETURN QUERY SELECT 'stored'::text, _first + n - 1, _this;
END $$;

-- Where a reader begins who wants this many days, and up to this many rows.
CREATE FUNCTION nudge.start_v1(_project text, _days int, _most bigint) RETURNS TABLE (pos bigint, mark uuid, skipped bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = nudge, pg_temp AS $$
DECLARE me members := nudge.me(); pid int := nudge.reach(_project, me);
BEGIN
    RETURN QUERY SELECT l.pos, l.push,
        (SELECT coalesce(sum(y.last_seq - y.first_seq + 1), 0)::bigint FROM lots y WHERE y.project_id = pid AND y.pos <= l.pos)
    FROM (SELECT x.pos, x.push, x.received, sum(x.last_seq - x.first_seq + 1) OVER (ORDER BY x.pos DESC) AS rows_
          FROM lots x WHERE x.project_id = pid) AS l
    WHERE l.rows_ > _most OR l.received < now() - make_interval(days => _days) ORDER BY l.pos DESC LIMIT 1;
END $$;

-- What follows a place: whole lots, up to this many rows. A lot whose rows are all gone has one row without a number.
CREATE FUNCTION nudge.pull_v1(_project text, _after bigint, _mark uuid, _most int)
RETURNS TABLE (pos bigint, push uuid, machine uuid, member_id int, member text, is_ci boolean, by_admin boolean, ahead int,
               received timestamptz, seq bigint, kind text, obs_type text, at bigint, session bytea, event_key bytea,
               program text, signature text, content text, file_path text, parts text, facts jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = nudge, pg_temp
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE me members := nudge.me(); pid int := nudge.reach(_project, me); known uuid;
BEGIN
    IF _after > 0 THEN
        SELECT l.push INTO known FROM lots l WHERE l.project_id = pid AND l.pos = _after;
        IF known IS DISTINCT FROM _mark THEN RAISE EXCEPTION 'rewound' USING ERRCODE = 'NU007'; END IF;
    END IF;
    RETURN QUERY
    SELECT l.pos, l.push, m.key, u.id, u.name, u.is_ci, u.level = 'admin' OR coalesce(r.facts ? 'admin', false), l.ahead,
           l.received, r.seq, r.kind, r.obs_type, r.at, r.session, r.event_key, r.program, r.signature, r.content,
           r.file_path, r.parts, r.facts
    FROM (SELECT y.*, sum(y.last_seq - y.first_seq + 1) OVER (ORDER BY y.pos) AS upto, row_number() OVER (ORDER BY y.pos) AS nth
          FROM (SELECT * FROM lots x WHERE x.project_id = pid AND x.pos > _after ORDER BY x.pos LIMIT 500) AS y) AS l
    JOIN machines m ON m.id = l.machine_id
    JOIN members u ON u.id = m.member_id
    LEFT JOIN records r ON r.project_id = pid AND r.machine_id = l.machine_id
         AND r.seq BETWEEN l.first_seq AND l.last_seq AND r.received = l.received
    WHERE l.upto <= least(_most, 10000) OR l.nth = 1
    ORDER BY l.pos, r.seq;
END $$;

-- What the server has of a stream of mine, for a machine that finds another one under its name.
CREATE FUNCTION nudge.lots_v1(_machine uuid, _project text) RETURNS TABLE (last_seq bigint, push uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = nudge, pg_temp AS $$
    SELECT l.last_seq, l.push FROM lots l JOIN machines m ON m.id = l.machine_id
    WHERE m.key = _machine AND l.project_id = nudge.reach(_project, nudge.me()) AND m.member_id = (nudge.me()).id
    ORDER BY l.last_seq
$$;

-- The newest hits; the client ranks them with the code that ranks its own rows.
CREATE FUNCTION nudge.search_v1(_words text, _projects text[], _most int)
RETURNS TABLE (project text, member_id int, member text, is_ci boolean, received timestamptz, at bigint, session bytea,
               event_key bytea, obs_type text, program text, signature text, content text, file_path text, facts jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = nudge, pg_temp
SET plan_cache_mode = force_custom_plan SET jit = off AS $$
DECLARE me members := nudge.me(); q tsquery := websearch_to_tsquery('pg_catalog.simple', _words); ok int[];
BEGIN
    SELECT array_agg(p.id) INTO ok FROM projects p
    WHERE (_projects IS NULL OR p.id IN (SELECT nudge.resolve(w.key) FROM unnest(_projects) AS w(key)))
      AND (p.open OR EXISTS (SELECT 1 FROM grants g WHERE g.project_id = p.id AND g.member_id = me.id));
    RETURN QUERY
    SELECT p.key, u.id, u.name, u.is_ci, c.received, c.at, c.session, c.event_key, c.obs_type, c.program, c.signature,
           c.content, c.file_path, c.facts
    FROM (SELECT * FROM records r WHERE nudge.words(r.content, r.file_path, r.parts) @@ q
              AND r.project_id = ANY (ok) AND r.kind = 'observation'
          ORDER BY r.received DESC LIMIT greatest(0, least(_most, 200))) AS c
    JOIN projects p ON p.id = c.project_id JOIN members u ON u.id = c.member_id
    ORDER BY c.received DESC;
END $$;

-- Who is in the team. Nobody is counted, and only admins see logins and who has left.
CREATE FUNCTION nudge.members_v1() RETURNS TABLE (name text, level text, is_ci boolean, login text, removed boolean)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = nudge, pg_temp AS $$
DECLARE me members := nudge.me();
BEGIN
    RETURN QUERY SELECT m.name, m.level, m.is_ci, CASE WHEN me.level = 'admin' THEN m.login::text END, m.removed IS NOT NULL
    FROM members m WHERE me.level = 'admin' OR m.removed IS NULL ORDER BY m.name;
END $$;
-- The projects that I may see; admins see all, and who was let into a closed one.
CREATE FUNCTION nudge.projects_v1() RETURNS TABLE (key text, open boolean, may_see boolean, aliases text[], members text[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = nudge, pg_temp AS $$
DECLARE me members := nudge.me();
BEGIN
    RETURN QUERY SELECT p.key, p.open, nudge.may_see(p, me.id),
        ARRAY(SELECT a.key FROM aliases a WHERE a.project_id = p.id ORDER BY a.key),
        CASE WHEN me.level = 'admin' THEN ARRAY(SELECT m.name FROM grants g JOIN members m ON m.id = g.member_id
            WHERE g.project_id = p.id ORDER BY m.name) ELSE '{}' END
    FROM projects p WHERE me.level = 'admin' OR nudge.may_see(p, me.id) ORDER BY p.key;
END $$;

-- For admins. A login becomes a member; one that was removed comes back.
CREATE FUNCTION nudge.member_v1(_login name, _name text, _level text, _is_ci boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = nudge, pg_temp AS $$
BEGIN
    PERFORM nudge.admin();
    INSERT INTO members (login, name, level, is_ci) VALUES (_login, _name, _level, _is_ci)
    ON CONFLICT (login) DO UPDATE SET name = excluded.name, level = excluded.level, is_ci = excluded.is_ci, removed = NULL;
    IF NOT EXISTS (SELECT 1 FROM members WHERE level = 'admin' AND removed IS NULL) THEN
        RAISE EXCEPTION 'a team needs an admin' USING ERRCODE = 'NU003'; END IF;
END $$;
-- One record of the server itself, as the last lot of a project: what an admin takes away reaches every reader in the
-- transaction in which it leaves the tables.
CREATE FUNCTION nudge.tell(_me nudge.members, _project int, _kind text, _event_key bytea, _content text, _facts jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = nudge, pg_temp AS $$
DECLARE machine uuid; mid int; h bigint; n bigint; p uuid := gen_random_uuid(); received_ timestamptz := clock_timestamp();
BEGIN
    SELECT md5(epoch::text || ' admin ' || _me.id::text)::uuid INTO machine FROM server;
    SELECT id INTO mid FROM machines WHERE key = machine;
    IF mid IS NULL THEN
        INSERT INTO machines (key, member_id) VALUES (machine, _me.id) ON CONFLICT (key) DO NOTHING;
        SELECT id INTO mid FROM machines WHERE key = machine;
    END IF;
    INSERT INTO streams (machine_id, project_id) VALUES (mid, _project) ON CONFLICT DO NOTHING;
    UPDATE streams SET last_seq = last_seq + 1, last_push = p WHERE machine_id = mid AND project_id = _project RETURNING last_seq INTO n;
    PERFORM nudge.month(received_, true);
    INSERT INTO records (project_id, machine_id, seq, received, member_id, kind, at, event_key, content, facts)
    VALUES (_project, mid, n, received_, _me.id, _kind, extract(epoch FROM received_)::bigint, _event_key, _content,
            '{"admin": true}'::jsonb || coalesce(_facts, '{}'));
    UPDATE projects SET head = head + 1 WHERE id = _project RETURNING head INTO h;
    INSERT INTO lots VALUES (_project, h, mid, p, n, n, received_, 0);
END $$;
-- No longer a member, which readers hear by a `removed` record; with _purge, every row of theirs goes, here and, by a
-- `purge` record, at every reader.
CREATE FUNCTION nudge.remove_v1(_name text, _purge boolean) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = nudge, pg_temp AS $$
DECLARE me members := nudge.admin(); who int; n bigint := 0; pid int;
BEGIN
    SELECT id INTO who FROM members WHERE name = _name;
    IF who IS NULL THEN RAISE EXCEPTION 'no such member' USING ERRCODE = 'NU001'; END IF;
    IF who = me.id THEN RAISE EXCEPTION 'an admin cannot remove themselves' USING ERRCODE = 'NU003'; END IF;
    PERFORM nudge.month(now(), true);  -- before a row is locked, as in drop_v1
    UPDATE members SET removed = coalesce(removed, now()) WHERE id = who;
    IF _purge THEN
        DELETE FROM records WHERE member_id = who AND kind <> 'drop';
        GET DIAGNOSTICS n = ROW_COUNT;
    END IF;
    FOR pid IN SELECT DISTINCT s.project_id FROM streams s JOIN machines m ON m.id = s.machine_id
               WHERE m.member_id = who ORDER BY 1 LOOP
        PERFORM nudge.tell(me, pid, CASE WHEN _purge THEN 'purge' ELSE 'removed' END, NULL, _name,
                           jsonb_build_object('member', who));
    END LOOP;
    RETURN n;
END $$;
-- Takes one row away from everybody.
CREATE FUNCTION nudge.drop_v1(_project text, _event_key bytea) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = nudge, pg_temp
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE me members := nudge.admin(); pid int := nudge.resolve(_project); n bigint;
BEGIN
    IF pid IS NULL THEN RAISE EXCEPTION 'no such project' USING ERRCODE = 'NU005'; END IF;
    PERFORM nudge.month(now(), true);  -- before a row is locked: two who wait for each other there would both be stuck
    DELETE FROM records r WHERE r.event_key = _event_key AND r.project_id + 0 = pid AND r.kind <> 'drop';
    GET DIAGNOSTICS n = ROW_COUNT;
    PERFORM nudge.tell(me, pid, 'drop', _event_key, NULL, NULL);
    RETURN n;
END $$;
-- open, close, give, take, alias: what an admin does to a project. allow, forbid: to the list of what may be shared.
CREATE FUNCTION nudge.project_v1(_deed text, _key text, _value text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = nudge, pg_temp AS $$
DECLARE me members := nudge.admin(); pid int := nudge.resolve(_key); other projects; who int;
BEGIN
    IF _deed = 'allow' THEN
        UPDATE server SET allowed = array_append(allowed, _key) WHERE NOT _key = ANY (allowed);
        RETURN;
    ELSIF _deed = 'forbid' THEN
        UPDATE server SET allowed = array_remove(allowed, _key);
        RETURN;
    END IF;
    IF pid IS NULL THEN RAISE EXCEPTION 'no such project' USING ERRCODE = 'NU005'; END IF;
    IF _deed = 'open' THEN
        UPDATE projects SET open = true WHERE id = pid;
    ELSIF _deed = 'close' THEN
        -- Those who have shared rows of it keep seeing it.
        INSERT INTO grants SELECT DISTINCT pid, m.member_id FROM streams s JOIN machines m ON m.id = s.machine_id
        WHERE s.project_id = pid AND s.last_seq > 0 ON CONFLICT DO NOTHING;
        UPDATE projects SET open = false WHERE id = pid;
    ELSIF _deed IN ('give', 'take') THEN
        SELECT id INTO who FROM members WHERE name = _value AND removed IS NULL;
        IF who IS NULL THEN RAISE EXCEPTION 'no such member' USING ERRCODE = 'NU001'; END IF;
        IF _deed = 'give' THEN
            INSERT INTO grants VALUES (pid, who) ON CONFLICT DO NOTHING;
        ELSE
            DELETE FROM grants WHERE project_id = pid AND member_id = who;
        END IF;
    ELSIF _deed = 'alias' THEN
        -- The repository has a new address: the project gets it, and is still found by the old one.
        SELECT * INTO other FROM projects WHERE key = _value;
        IF other.id = pid THEN RETURN; END IF;
        IF other.head > 0 THEN RAISE EXCEPTION 'both projects have rows' USING ERRCODE = 'NU006'; END IF;
        DELETE FROM aliases WHERE key IN (_value, _key) OR project_id = other.id;
        DELETE FROM grants WHERE project_id = other.id;
        DELETE FROM streams WHERE project_id = other.id;
        DELETE FROM projects WHERE id = other.id;
        INSERT INTO aliases SELECT key, id FROM projects WHERE id = pid ON CONFLICT DO NOTHING;
        INSERT INTO aliases SELECT _key, pid WHERE NOT EXISTS (SELECT 1 FROM aliases WHERE key = _key);
        UPDATE projects SET key = _value WHERE id = pid;
    ELSE
        RAISE EXCEPTION 'unknown deed %', _deed USING ERRCODE = '22023';
    END IF;
END $$;
-- Deletes months and lots that are older than the team keeps them; called once a day by the sync of an admin.
CREATE FUNCTION nudge.tend_v1() RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = nudge, pg_temp SET lock_timeout = '2s' AS $$
DECLARE t text; n int := 0; oldest_ timestamptz;
BEGIN
    PERFORM nudge.admin();
    SELECT date_trunc('month', now() - make_interval(days => keep_days), 'UTC') INTO oldest_ FROM server;
    FOR t IN SELECT c.relname FROM pg_catalog.pg_inherits i JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid
             WHERE i.inhparent = 'nudge.records'::regclass AND c.relname < 'records_' || to_char(oldest_ AT TIME ZONE 'UTC', 'YYYY_MM') LOOP
        EXECUTE format('DROP TABLE nudge.%I', t);
        n := n + 1;
    END LOOP;
    -- The last place of a project stays, to be compared with.
    DELETE FROM lots l WHERE l.received < oldest_ AND l.pos < (SELECT p.head FROM projects p WHERE p.id = l.project_id);
    RETURN n;
END $$;
RESET ROLE;

GRANT USAGE ON SCHEMA nudge TO nudge_member;
GRANT EXECUTE ON FUNCTION nudge.hello_v1, nudge.push_v1, nudge.pull_v1, nudge.start_v1, nudge.lots_v1, nudge.search_v1, nudge.members_v1, nudge.projects_v1 TO nudge_member;
GRANT EXECUTE ON FUNCTION nudge.member_v1, nudge.remove_v1, nudge.drop_v1, nudge.project_v1, nudge.tend_v1 TO nudge_admin;

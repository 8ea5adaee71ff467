-- Older versions derived `signature` and `program` from raw text, so they may contain a piece of a secret.
-- Rows are cleaned in small steps, since a hook must not wait for all of them; this is how far the work is.
CREATE TABLE cleaning (
    -- The first row that is not cleaned yet.
    next  INTEGER NOT NULL,
    -- The last row to clean; unknown until what an older version has spooled is in the database.
    until INTEGER
) STRICT;
INSERT INTO cleaning (next) VALUES (1);

-- Measured runs, each as the archive that an export writes; the other columns are what a list of them tells.
-- The archive stands last: a list is read without it. Frozen: a change of the schema is a new file.

CREATE TABLE run (
    key         TEXT PRIMARY KEY,
    name        TEXT NOT NULL,
    made_at     TEXT NOT NULL,
    host        TEXT NOT NULL,
    pool        TEXT,
    profile     TEXT NOT NULL,
    design_name TEXT,
    design_key  TEXT,
    judgement   TEXT NOT NULL,
    seconds     REAL NOT NULL,
    size        INTEGER NOT NULL,
    deleted_at  TEXT,
    sum         TEXT NOT NULL,
    archive     BLOB NOT NULL
) STRICT;

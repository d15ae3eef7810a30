-- Designs, each with every version that was saved; inventories; settings.
-- Frozen: a change of the schema is a new file.

CREATE TABLE design (
    key         TEXT PRIMARY KEY,
    name        TEXT NOT NULL,
    pool_name   TEXT NOT NULL,
    goal        TEXT NOT NULL,
    summary     TEXT NOT NULL,
    created_at  TEXT NOT NULL,
    modified_at TEXT NOT NULL,
    deleted_at  TEXT
) STRICT;

CREATE TABLE design_version (
    number     INTEGER PRIMARY KEY AUTOINCREMENT,
    design_key TEXT NOT NULL REFERENCES design (key) ON DELETE CASCADE,
    saved_at   TEXT NOT NULL,
    summary    TEXT NOT NULL,
    document   TEXT NOT NULL
) STRICT;

CREATE INDEX design_version_of_design ON design_version (design_key, number);

CREATE TABLE inventory (
    name        TEXT PRIMARY KEY,
    modified_at TEXT NOT NULL,
    disk_count  INTEGER NOT NULL,
    document    TEXT NOT NULL
) STRICT;

CREATE TABLE setting (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;

-- The catalogue of disks one can buy, once the user has changed it; empty until then.
-- Frozen: a change of the schema is a new file.

CREATE TABLE product (
    key                   TEXT PRIMARY KEY,
    place                 INTEGER NOT NULL UNIQUE,
    vendor                TEXT NOT NULL,
    model                 TEXT NOT NULL,
    media                 TEXT NOT NULL,
    size_bytes            INTEGER NOT NULL,
    logical_sector_bytes  INTEGER,
    physical_sector_bytes INTEGER,
    rotation_rpm          INTEGER,
    smr                   INTEGER,
    transport             TEXT,
    power_loss_protection INTEGER,
    price                 REAL,
    currency              TEXT NOT NULL,
    priced_on             TEXT NOT NULL,
    afr_percent           REAL,
    watts                 REAL,
    source                TEXT NOT NULL
) STRICT;

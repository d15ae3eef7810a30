-- Comparisons: designs of the library side by side, in an order, under a name.
-- Frozen: a change of the schema is a new file.

CREATE TABLE comparison (
    key         TEXT PRIMARY KEY,
    name        TEXT NOT NULL,
    created_at  TEXT NOT NULL,
    modified_at TEXT NOT NULL
) STRICT;

-- kind is design, or md-raid6 for the Linux software RAID of that design's disks.
CREATE TABLE comparison_part (
    comparison_key TEXT NOT NULL REFERENCES comparison (key) ON DELETE CASCADE,
    place          INTEGER NOT NULL,
    kind           TEXT NOT NULL CHECK (kind IN ('design', 'md-raid6')),
    design_key     TEXT NOT NULL REFERENCES design (key) ON DELETE CASCADE,
    PRIMARY KEY (comparison_key, place)
) STRICT;

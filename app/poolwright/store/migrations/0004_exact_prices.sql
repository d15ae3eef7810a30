-- Prices of the catalogue as exact decimal text, their currency as an ISO 4217 code; NULL where nobody said which.
-- Frozen: a change of the schema is a new file.

CREATE TABLE product_with_exact_price (
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
    price                 TEXT,
    currency              TEXT,
    priced_on             TEXT NOT NULL,
    afr_percent           REAL,
    watts                 REAL,
    source                TEXT NOT NULL
) STRICT;

-- A price was a number of at most two digits behind the point that anybody typed; the currency any text.
INSERT INTO product_with_exact_price
SELECT key, place, vendor, model, media, size_bytes, logical_sector_bytes, physical_sector_bytes, rotation_rpm, smr,
    transport, power_loss_protection,
    CASE
        WHEN price IS NULL THEN NULL
        WHEN price = round(price, 2) THEN printf('%.2f', price)
        ELSE printf('%.6f', price)
    END,
    CASE
        WHEN length(trim(currency)) = 3 AND upper(trim(currency)) GLOB '[A-Z][A-Z][A-Z]' THEN upper(trim(currency))
        WHEN lower(trim(currency)) IN ('€', 'euro', 'euros') THEN 'EUR'
        WHEN lower(trim(currency)) IN ('$', 'us$', 'dollar', 'dollars') THEN 'USD'
        WHEN trim(currency) = '£' THEN 'GBP'
    END,
    priced_on, afr_percent, watts, source
FROM product;

DROP TABLE product;
ALTER TABLE product_with_exact_price RENAME TO product;

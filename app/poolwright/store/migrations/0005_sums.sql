-- The sum of each version's document: a digit that turned on the disk would otherwise be believed.
-- None for versions that were saved before. Frozen: a change of the schema is a new file.

ALTER TABLE design_version ADD COLUMN sum TEXT;

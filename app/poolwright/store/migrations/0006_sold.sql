-- Whether a model of the catalogue is still sold; NULL where nobody said.
-- Frozen: a change of the schema is a new file.

ALTER TABLE product ADD COLUMN sold INTEGER;

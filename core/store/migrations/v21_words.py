"""The form of the words in their index, by which a later version knows that it has to write them anew."""

STEP = "ALTER TABLE version ADD COLUMN words INTEGER NOT NULL DEFAULT 0;"

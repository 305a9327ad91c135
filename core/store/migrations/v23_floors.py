"""Schema version 23. It adds the background similarities of bases, which were in `floors.json` before."""

STEP = "ALTER TABLE bases ADD COLUMN floor TEXT"

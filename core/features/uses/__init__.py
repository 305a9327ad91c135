"""Uses of notes and clicks on hits: what is recorded, and how it raises hits."""

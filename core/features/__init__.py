"""Features on top of the pipeline, each in the folder of its name; it can be deleted with its line here."""

FEATURES = (
    "findability",  # its addresses come before that of a base, which matches all below it
    "archives",
    "uses",
    "related",
    "review",
    "learning",
    "answers",
    "threads",
    "evaluation",
    "packs",
    "backups",
    "doctor",
)

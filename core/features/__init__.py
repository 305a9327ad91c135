"""Features on top of the pipeline, each in the folder of its name; it can be deleted with its line here."""

FEATURES = (
    "answers",
    "threads",
    "learning",
    "review",
    "related",
    "uses",
    "evaluation",
    "findability",
    "packs",
    "archives",
    "backups",
    "doctor",
)

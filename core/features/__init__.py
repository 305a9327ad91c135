"""Features on top of the pipeline, each in the folder of its name; it can be deleted with its line here.

Its `operations` are declared to all doors. `commands`, where there are, are the work that commands have in addition.
"""

FEATURES = (
    "answers",
    "threads",
    "learning",
    "review",
    "related",
    "uses",
    "evaluation",
    "packs",
    "archives",
    "backups",
    "doctor",
)

"""Features on top of the pipeline, each in the folder of its name; it can be deleted with its line here.

Its `operations` are declared to all doors. What their commands do in addition is in the file of its name in
`core/doors/cli`.
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

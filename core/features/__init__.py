"""Features on top of the pipeline, one folder each. A folder can be deleted together with its line here.

A feature's `operations` are offered by all of `core/doors`. Additional code for its commands is in the file of the same
name in `core/doors/cli`.
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

"""Features on top of the pipeline, one folder each. To remove one, delete its folder and its line here.

A feature's `operations` are offered by every interface in `core/doors`. Any additional code for its commands is in the
file with the same name in `core/doors/cli`.
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

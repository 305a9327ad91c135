"""The features built on the pipeline, one folder each. To remove a feature, delete its folder and its line here.

Every interface in `core/doors` offers a feature's `operations`. Additional code for the feature's commands, if any, is
in the file of the same name in `core/doors/cli`.
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

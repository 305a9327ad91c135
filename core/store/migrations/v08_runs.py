"""Runs and their results, which outlive their question set; a base's reranker, where '' leaves it to the settings."""

STEP = """
    CREATE TABLE runs (
        id TEXT PRIMARY KEY,
        base_id TEXT NOT NULL REFERENCES bases ON DELETE CASCADE,
        set_id TEXT NOT NULL,
        set_name TEXT NOT NULL,
        pipeline TEXT NOT NULL,
        settings TEXT NOT NULL,
        index_version INTEGER NOT NULL,
        started_at TEXT NOT NULL,
        ended_at TEXT,
        questions INTEGER NOT NULL,
        metrics TEXT NOT NULL
    );
    CREATE INDEX runs_base ON runs(base_id, started_at);
    CREATE TABLE results (
        run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
        number INTEGER NOT NULL,
        result TEXT NOT NULL,
        PRIMARY KEY (run_id, number)
    ) WITHOUT ROWID;
    ALTER TABLE bases ADD COLUMN reranker TEXT NOT NULL DEFAULT '';
    """

"""Texts that a model refuses, with its reason, and the chunks that stay without vectors because of them."""

STEP = """
    CREATE TABLE refusals (
        id INTEGER PRIMARY KEY,
        fingerprint TEXT NOT NULL,
        text_hash BLOB NOT NULL,
        reason TEXT NOT NULL,
        at TEXT NOT NULL,
        UNIQUE (fingerprint, text_hash)
    );
    CREATE TABLE refused_chunks (
        chunk INTEGER PRIMARY KEY REFERENCES chunks ON DELETE CASCADE,
        refusal INTEGER NOT NULL REFERENCES refusals
    );
    CREATE INDEX refused_chunks_refusal ON refused_chunks(refusal);
    """

"""The first tables: bases, notes with their tags, chunks with their words and vectors, syncs."""

STEP = """
    CREATE TABLE bases (
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL,
        embedder TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        dimension INTEGER NOT NULL,
        chunking TEXT NOT NULL,
        "limit" INTEGER NOT NULL,
        score_threshold REAL NOT NULL,
        index_generation INTEGER NOT NULL,
        index_added INTEGER NOT NULL DEFAULT 0,
        created_at TEXT NOT NULL,
        synced_at TEXT
    );
    CREATE TABLE notes (
        id TEXT PRIMARY KEY,
        base_id TEXT NOT NULL REFERENCES bases ON DELETE CASCADE,
        generation INTEGER NOT NULL,
        title TEXT NOT NULL,
        body TEXT NOT NULL,
        body_start INTEGER NOT NULL,
        content_hash TEXT NOT NULL,
        path TEXT,
        source TEXT NOT NULL,
        source_ref TEXT NOT NULL,
        source_url TEXT NOT NULL,
        mtime_ns INTEGER,
        size INTEGER,
        links TEXT NOT NULL,
        category TEXT NOT NULL,
        type TEXT NOT NULL,
        project TEXT NOT NULL,
        scope TEXT NOT NULL,
        priority INTEGER NOT NULL,
        status TEXT NOT NULL,
        created_at TEXT,
        updated_at TEXT,
        version INTEGER NOT NULL,
        extra TEXT NOT NULL,
        warnings TEXT NOT NULL,
        strategy TEXT NOT NULL,
        cut_by TEXT NOT NULL
    );
    CREATE UNIQUE INDEX notes_file ON notes(base_id, source_ref, path) WHERE path IS NOT NULL;
    CREATE TABLE tags (
        note_id TEXT NOT NULL REFERENCES notes ON DELETE CASCADE,
        tag TEXT NOT NULL COLLATE NOCASE,
        PRIMARY KEY (note_id, tag)
    ) WITHOUT ROWID;
    CREATE INDEX tags_tag ON tags(tag);
    CREATE TABLE chunks (
        rowid INTEGER PRIMARY KEY,
        id TEXT NOT NULL,
        note_id TEXT NOT NULL REFERENCES notes ON DELETE CASCADE,
        "index" INTEGER NOT NULL,
        start INTEGER NOT NULL,
        "end" INTEGER NOT NULL,
        text TEXT NOT NULL,
        kind TEXT NOT NULL,
        section_title TEXT NOT NULL,
        parent_sections TEXT NOT NULL,
        hierarchy_level INTEGER NOT NULL,
        has_code INTEGER NOT NULL,
        language TEXT NOT NULL,
        token_count INTEGER NOT NULL,
        overlap_tokens INTEGER NOT NULL,
        lead TEXT NOT NULL,
        state TEXT NOT NULL,
        edited INTEGER NOT NULL,
        UNIQUE (note_id, "index")
    );
    CREATE VIRTUAL TABLE words USING fts5(title, headings, body, tokenize = "porter ascii tokenchars '.+#_'");
    CREATE TABLE embedders (id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL UNIQUE);
    CREATE TABLE vectors (
        id INTEGER PRIMARY KEY,
        embedder INTEGER NOT NULL REFERENCES embedders,
        text_hash BLOB NOT NULL,
        vector BLOB NOT NULL,
        UNIQUE (embedder, text_hash)
    );
    CREATE TABLE windows (
        chunk INTEGER NOT NULL REFERENCES chunks ON DELETE CASCADE,
        "index" INTEGER NOT NULL,
        vector INTEGER NOT NULL REFERENCES vectors,
        PRIMARY KEY (chunk, "index")
    ) WITHOUT ROWID;
    CREATE INDEX windows_vector ON windows(vector);
    CREATE TABLE syncs (
        base_id TEXT NOT NULL REFERENCES bases ON DELETE CASCADE,
        folder TEXT NOT NULL,
        at TEXT NOT NULL,
        report TEXT NOT NULL,
        PRIMARY KEY (base_id, folder)
    ) WITHOUT ROWID;
    """

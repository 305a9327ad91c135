"""Indexes with every column of a note or a chunk that a filter reads, in the order in which notes are listed."""

STEP = """
    CREATE INDEX notes_filters ON notes(updated_at DESC, id, base_id, status, type, category, project, path, title);
    CREATE INDEX notes_inactive ON notes(status) WHERE status != 'active';
    CREATE INDEX chunks_filters ON chunks(note_id, state, has_code, section_title, parent_sections);
    """

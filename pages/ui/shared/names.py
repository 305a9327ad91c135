"""Names on the screen for the codes of core: states, languages, kinds of questions; helps of sizes."""

from core.messages import message

ABOUT_PARAMETERS = {
    "short_doc_threshold": message(
        "A shorter note stays in one piece. In tokens: 100 tokens are about 75 English words or "
        "150 Chinese characters. (short_doc_threshold)"
    ),
    "chunk_size": message("The length that chunks come near to, in tokens (chunk_size)"),
    "chunk_overlap": message("How much text neighbouring chunks share, in tokens (chunk_overlap)"),
    "min_headings_for_md_aware": message(
        "A note with at least this many headings (## or ###) is split at them (min_headings_for_md_aware)"
    ),
    "max_single_chunk_size": message("No chunk is longer, in tokens (max_single_chunk_size)"),
}

CHUNK_STATES = {"pending": message("not indexed yet"), "embedded": message("indexed"), "deleted": message("hidden")}

TEXT_LANGUAGES = {
    "en": message("English"),
    "zh": message("Chinese"),
    "mixed": message("Chinese and English"),
    "code": message("mostly code"),
    "multilingual": message("about 100 languages"),
}
"""The languages of notes and of models."""

"""Names on the screen for the codes of core: parameters, modes, states."""

from core.messages import message

STRATEGIES = {
    "auto": message("Adaptive"),
    "none": message("Whole note"),
    "markdown": message("By headings"),
    "recursive": message("By size"),
    "lines": message("By line"),
}

PARAMETERS = {
    "short_doc_threshold": message("Keep notes whole below"),
    "chunk_size": message("Chunk size"),
    "chunk_overlap": message("Overlap"),
    "min_headings_for_md_aware": message("Split by headings from"),
    "max_single_chunk_size": message("Largest chunk"),
}

ABOUT_PARAMETERS = {
    "short_doc_threshold": message("A note with fewer tokens stays in one piece (short_doc_threshold)"),
    "chunk_size": message("Tokens that a chunk aims at (chunk_size)"),
    "chunk_overlap": message("Tokens that neighbouring chunks share (chunk_overlap)"),
    "min_headings_for_md_aware": message(
        "A note with so many headings of level 2 or 3 is split at them (min_headings_for_md_aware)"
    ),
    "max_single_chunk_size": message("No chunk has more tokens (max_single_chunk_size)"),
}

MODES = {
    "auto": message("Auto"),
    "semantic": message("Meaning"),
    "keyword": message("Words"),
    "hybrid": message("Both"),
}

LEVELS = {
    "auto": message("Auto"),
    "simple": message("Direct"),
    "focused": message("Filtered"),
    "exploratory": message("Broad"),
}

FUSIONS = {"weighted": message("By score"), "reciprocal": message("By rank")}

PHRASE_RULES = {"require": message("Must stand"), "boost": message("Ranks higher")}

DECOMPOSERS = {"auto": message("Auto"), "rules": message("by rules"), "llm": message("Language model")}

CHOICES = {
    "mode": MODES,
    "level": LEVELS,
    "fusion": FUSIONS,
    "phrase": PHRASE_RULES,
    "strategy": STRATEGIES,
    "decompose": DECOMPOSERS,
}
"""The settings whose values have names."""

SETTINGS = {
    "limit": message("Hits at most"),
    "pool": message("Candidates per stage"),
    "decompose": message("What breaks down large questions"),
    "context_tokens": message("Tokens of a context"),
    "rerank_pool": message("Hits in the second look"),
    "rerank_characters": message("Characters of a hit in the second look"),
}
"""The settings of a search without a widget, or with another name than their widget."""

CHUNK_STATES = {"pending": message("not indexed yet"), "embedded": message("indexed"), "deleted": message("hidden")}

TEXT_LANGUAGES = {
    "en": message("English"),
    "zh": message("Chinese"),
    "mixed": message("Chinese and English"),
    "code": message("mostly code"),
    "multilingual": message("about 100 languages"),
}
"""The languages of notes, and of what a model reads."""

LOST = {
    "gone": message("Gone"),
    "not_indexed": message("In no chunk"),
    "cut_apart": message("Split apart"),
    "filters": message("Filters"),
    "phrase": message("Phrase"),
    "excluded": message("Excluded words"),
    "pending": message("Not indexed yet"),
    "pool": message("Not among the first"),
    "threshold": message("Not similar enough"),
    "fusion": message("Meaning and words combined"),
    "reranking": message("Second look"),
    "literal": message("Others as typed"),
    "limit": message("Behind the last one shown"),
    "duplicate": message("Says the same as a hit"),
}
"""Where a passage drops out of a search."""

QUESTION_KINDS = {
    "paraphrase": message("paraphrase"),
    "keyword": message("keyword"),
    "short": message("short"),
    "comparison": message("comparison"),
    "section": message("section"),
    "crosslingual": message("across languages"),
    "negative": message("no answer"),
    "definition": message("definition"),
    "heading": message("heading"),
    "model": message("by a model"),
}
"""The kinds of questions that have a name of their own; any other is shown as a person typed it."""

"""Display names and sentences for settings, values, codes and pipelines, used by pages, the terminal and reports."""

from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import PurePath

from core.base.messages import Message, Text, lines, message, message_table, plural, verbatim
from core.model.bases import BaseKind, NewBase
from core.model.evaluation import MissedAt, Pipeline
from core.model.note_fields import CLASSIFYING, FieldValues
from core.model.search import Hit, Notice, Understood
from core.model.settings import CHUNKING, PARTS, SIZES, ChunkingOptions

FIGURES = message_table(
    {
        "hit@1": "First hit is correct",
        "hit@5": "Found in the first 5",
        "hit@10": "Found in the first 10",
        "mrr@10": "Rank of the correct passage (MRR)",
        "hit@4000chars": "Found in the first 4,000 characters",
        "mrr@4000chars": "Rank within 4,000 characters (MRR)",
        "recall@10": "Correct passages found in the first 10",
        "precision@10": "Correct hits in the first 10",
        "ndcg@10": "Order of the first 10 (nDCG)",
        "map@10": "Average precision in the first 10 (MAP)",
        "span_recall": "Share of the correct text that was found",
        "span_precision": "Share of the found text that is correct",
        "span_iou": "Overlap with the correct passage",
        "answered": "Questions that get an answer",
        "cited_recall": "Correct passages quoted in the answer",
        "cited_precision": "Quotes from correct passages",
        "quoted": "Sentences with a source",
        "facts": "Figures and names from the expected answer",
        "refused": "Refused when the notes have no answer",
        "agreed": "Agreement, judged by a language model",
        "p50_ms": "Typical time",
        "p95_ms": "Time for slow questions",
    }
)

SETTINGS = {
    **{name: option.title for name, option in CHUNKING.items()},
    "embedder": message("Model for searching by meaning"),
    **{name: part.title for name, part in PARTS.items()},
    **message_table(
        {
            "answers": "Answers written by",
            "judge": "Answers judged by",
            "decompose": "Broad questions broken down by",
            "context_tokens": "Length of a context, in tokens",
            "record_uses": "Record how notes are found and used",
            "use_clicks": "Rank hits higher if you opened, copied or cited them before",
        }
    ),
}

VALUES = {
    "strategy": message_table(
        {
            "auto": "Automatic",
            "none": "Whole notes",
            "markdown": "By headings",
            "recursive": "By size",
            "lines": "By line",
        }
    ),
    "mode": message_table(
        {
            "auto": "Automatic",
            "semantic": "By meaning",
            "keyword": "By words",
            "hybrid": "By meaning and keyword",
        }
    ),
    "level": message_table(
        {
            "auto": "Automatic",
            "simple": "Quick",
            "focused": "Filtered",
            "exploratory": "Broad",
        }
    ),
    "fusion": message_table({"weighted": "By score", "reciprocal": "By rank"}),
    "phrase": message_table({"require": "Must be in the text", "boost": "Ranks higher"}),
    "decompose": message_table({"auto": "Automatic", "rules": "By rules", "llm": "Language model"}),
}

# Short reasons why a search dropped a chunk or missed a gold passage, keyed by stage.
LOST: dict[MissedAt, Message] = message_table(
    {
        "gone": "No longer in the notes",
        "not_indexed": "Not in any chunk",
        "cut_apart": "Split across chunks",
        "filters": "Excluded by the filters",
        "phrase": "Doesn't contain the phrase",
        "excluded": "Contains an excluded word",
        "pending": "Not indexed yet",
        "pool": "Other passages were closer",
        "threshold": "Not similar enough",
        "fusion": "Ranked lower once combined",
        "reranking": "Ranked lower after reranking",
        "literal": "Other passages contain the exact words",
        "limit": "Ranked below the hits shown",
        "duplicate": "Same text as another hit",
    }
)

# Names of the known question kinds. Any other kind is shown as the user typed it.
QUESTION_KINDS = message_table(
    {
        "paraphrase": "paraphrase",
        "keyword": "keyword",
        "short": "short question",
        "comparison": "comparison",
        "section": "section",
        "crosslingual": "across languages",
        "negative": "no answer",
        "definition": "definition",
        "heading": "heading",
        "model": "written by a model",
        "title": "title",
        "sentence": "sentence with a gap",
        "identifier": "name in code",
        "link": "link text",
    }
)

MODES = message_table(
    {
        "semantic": "by meaning only",
        "keyword": "by keyword only",
        "hybrid": "by meaning and keyword",
        "listed": "by filters",
    }
)

# Warning about a base in the trash whose file wasn't written by Tessera.
FOREIGN = message(
    "This file wasn't moved to the trash by this version of Tessera, so it is restored like an archive from "
    "elsewhere: with its notes, but without folders and permissions."
)

BASE_KINDS: dict[BaseKind, Message] = message_table(
    {
        "vector": "By meaning and keyword",
        "lines": "Lines of text files",
        "literal": "By keyword only",
    }
)

ABOUT_KINDS: dict[BaseKind, Message] = message_table(
    {
        "vector": "Finds what you mean, even in other words and languages. A model reads all notes for this.",
        "lines": "Each line of a text file is searched separately, by meaning and by keyword.",
        "literal": (
            "Finds the sections that contain the question's words. No model reads the notes. If you set up a "
            "language model, it receives the question and the best sections, chooses among them and answers."
        ),
    }
)

# Sentences about the options turned on in a base, keyed by KnowledgeBase field.
SWITCHED_ON = message_table(
    {
        "embed_at_once": "New notes are indexed at once.",
        "write_files": "Edits to notes are saved to their files.",
        "watch": "Changes in the base's folders are imported while the app is running.",
        "trusts_programs": "Notes and changes by programs take effect at once.",
        "read_pictures": "Text in pictures is read and can be found.",
    }
)

# Names of the search levels. `auto` chooses one of the other levels.
LEVELS = message_table(
    {
        "simple": "quick search",
        "focused": "filtered search",
        "exploratory": "broad search",
    }
)

VERSION_KINDS = message_table(
    {
        "create": "written",
        "update": "changed",
        "sync": "changed",
        "archive": "archived",
        "restore": "restored",
        "revert": "restored to an earlier version",
        "delete": "deleted",
        "accept": "accepted",
        "propose": "changed by a program and accepted",
    }
)

SUBMISSIONS = message_table(
    {
        "note": "new note",
        "change": "change",
        "conflict": "conflicting change",
    }
)

AUTHORS = message_table(
    {
        "person": "by you",
        "program": "by a program",
        "pack": "by a pack",
        "sync": "by a folder update",
    }
)

STAGES = message_table(
    {
        "vector": "meaning",
        "keyword": "keywords",
        "fused": "combined",
        "boosted": "boosted",
        "rerank": "reranking",
        "final": "final",
        "priority": "priority",
        "context": "your context",
        "literal": "exact words",
        "named": "what you named",
        "feedback": "feedback",
        "clicks": "clicks",
    }
)

CHUNK_KINDS = message_table(
    {
        "full_document": "whole note",
        "markdown_section": "section",
        "recursive_character": "piece",
        "line": "line",
    }
)
CHUNK_STATES = message_table(
    {
        "pending": "not indexed yet",
        "embedded": "indexed",
        "refused": "found by keyword only because the model can't read it",
        "deleted": "hidden",
    }
)

NO_NOTES = message("There are no notes yet. Import some on the Notes page, or with: tessera import FOLDER")
NOTICES: dict[Notice, Message] = {
    **message_table(
        {
            "model_loading": (
                "The model is still loading, so these hits were found by keyword only. The hits will refresh when "
                "the model is ready."
            ),
            "phrase_not_found": (
                "No note contains the exact phrase. These are the closest hits that don't contain it."
            ),
            "listed": (
                "There are no words to search for. These notes match the filters, with the most recently changed first."
            ),
            "signs_as_text": (
                "An unclosed quotation mark, or a question of punctuation alone, is searched for literally. To "
                "search for an exact phrase, put it between two quotation marks."
            ),
            "colon_as_text": (
                "The word before the colon isn't a filter, so it is searched for as text. Search "
                "tips and the guide list the filters."
            ),
            "text_cut": "The text is very long, so only its beginning is searched for.",
            "query_cut": "The question is longer than the model can read, so its end is searched for by keyword only.",
            "index_damaged": "The search index is unavailable for now, so the search was slower.",
            "other_model": (
                "A base was indexed with a different model from the one it uses now, so these hits were found by "
                "keyword only. To index the base again, choose its model on the Bases page."
            ),
            "model_away": (
                "The model server isn't responding, so these hits were found by keyword only. Searches by meaning "
                "will work again when the server responds."
            ),
            "tokens_missing": (
                "Some of these passages had to be read again for reranking, which took longer. For faster searches, "
                "go to the Bases page and choose to keep the data for fast reranking."
            ),
            "tokens_read": (
                "The model of one of these bases can't prepare passages for reranking in advance, so the "
                "built-in model did this while you waited."
            ),
            "rerank_partial": "Reranking took too long, so the last hits keep their original order.",
            "unfinished": "Some notes are not indexed yet. Until they are, they can be found only by keyword.",
            "unindexed": "Some passages are not indexed yet, so they were not searched.",
            "pictures_loading": "The model for pictures is still loading. Pictures appear when it is ready.",
        }
    ),
    "no_notes": NO_NOTES,
}


# The filter to add to a question so that the search includes expired notes.
WITH_EXPIRED = "status:active,expired"


def expired_notes(n: int) -> Message:
    """Return a message saying that `n` expired notes with the question's words were left out."""
    return plural(
        "{n} expired note contains these words and was left out. To include it, add {filter} to the question.",
        "{n} expired notes contain these words and were left out. To include them, add {filter} to the question.",
        n=n,
        filter=WITH_EXPIRED,
    )


def limits_of(notices: Iterable[Notice]) -> list[Message]:
    """Return the messages for those notices that warn of possible gaps in an answer."""
    return [NOTICES[notice] for notice in notices if notice in ("unindexed", "colon_as_text", "model_away")]


_NEW = ChunkingOptions()
_STRATEGIES = message_table(
    {
        "auto": "split automatically",
        "none": "whole notes",
        "markdown": "split by headings",
        "recursive": "split by size",
        "lines": "split by line",
    }
)
_CHOICES = {
    "mode": MODES,
    "level": LEVELS,
    "fusion": message_table({"weighted": "combined by score", "reciprocal": "combined by rank"}),
    "reranker": {"none": message("without reranking")},
}
_RERANKERS = message_table(
    {
        "none": "None",
        "late-interaction": "Fast, word by word",
        "cross-encoder": "Precise (slower)",
        "rerank-api": "Ranking server",
        "llm": "Language model",
    }
)
_EMBEDDERS = message_table({"bundled": "built-in", "onnx": "built-in, 8-bit", "tfidf": "no model, keyword search only"})

# Names of the note statuses. An active note past its expiry date is shown as `expired`.
STATUSES = message_table(
    {
        "active": "active",
        "pending": "to be reviewed",
        "archived": "archived",
        "expired": "expired",
    }
)

# Messages about a hit whose file was changed or deleted, keyed by `Hit.file`.
FILE_STATES = message_table(
    {
        "stale": "File changed since it was indexed",
        "gone": "File not found",
    }
)


def figure_name(name: str) -> Message:
    return lines(FIGURES[name], name, separator=" · ")


def pipeline_label(pipeline: Pipeline, own: ChunkingOptions = _NEW) -> Text:
    """Return a pipeline's name. If it has none, describe how it differs from the base, whose chunking is `own`."""
    if pipeline.name:
        return pipeline.name
    parts = _splitting(pipeline.chunking, own) if pipeline.chunking else []
    parts += [embedder_name(pipeline.embedder)] if pipeline.embedder else []
    parts += [message("answers by the language model")] if pipeline.answers == "model" else []
    parts += [message("judged by the language model")] if pipeline.judge == "model" else []
    parts += [_part(name, value) for name, value in pipeline.search.chosen().items()]
    return lines(*parts, separator=" · ") if parts else message("Current settings")


def chunking_label(options: ChunkingOptions) -> Message:
    parts = [] if options.strategy in ("none", "lines") else [_sizes(options)]
    return lines(_STRATEGIES.get(options.strategy, options.strategy), *parts, separator=" · ")


def _sizes(options: ChunkingOptions) -> Message:
    return message(
        "chunks of {size} tokens, at most {largest}", size=options.chunk_size, largest=options.max_single_chunk_size
    )


def new_base_line(name: str, new: NewBase) -> Message:
    """Describe the base that an import would create, including its settings."""
    return message(
        "There is no base '{base}' yet, so this import will create it. Model: {model}. Splitting: {splitting}.",
        base=name,
        model=embedder_name(new.embedder),
        splitting=chunking_label(new.chunking),
    )


def embedder_name(embedder: str) -> Message:
    """Return the display name of an embedder's model, without the library that runs the model."""
    kind, _, model = embedder.partition(":")
    model = model.removeprefix("pkg:")
    name = PurePath(model).name if PurePath(model).is_absolute() else model
    if kind == "onnx" and name:
        return message("{model}, 8-bit", model=name)
    return _EMBEDDERS.get(embedder) or verbatim(name or embedder)


# Sentences about a reviewed item, keyed by whether it is a note and whether it was accepted.
_SETTLED = message_table(
    {
        (True, True): "'{title}' was accepted.",
        (True, False): "'{title}' is in the trash.",
        (False, True): "The change to '{title}' was accepted.",
        (False, False): "The change to '{title}' was discarded.",
    }
)


def settled_line(kind: str, title: str, *, accepted: bool) -> Message:
    return replace(_SETTLED[kind == "note", accepted], fields={"title": title})


def reranker_name(reranker: str) -> Message:
    """Return a reranker's display name: its kind, followed by its model if it has one."""
    kind, _, model = reranker.partition(":")
    return lines(_RERANKERS.get(kind, kind), *([model] if model else []), separator=" · ")


def setting_value(name: str, value: object) -> Message:
    """Return the display text of a setting's value, or "–" if the value is None or empty."""
    if value in (None, ""):
        return verbatim("–")
    if name in ("reranker", "embedder"):
        return (reranker_name if name == "reranker" else embedder_name)(str(value))
    return VALUES.get(name, {}).get(str(value)) or verbatim(f"{value:g}" if isinstance(value, float) else str(value))


def _splitting(options: ChunkingOptions, own: ChunkingOptions) -> list[object]:
    changed = {name: value for name, value in asdict(options).items() if value != getattr(own, name)}
    strategy = [_STRATEGIES[options.strategy]] if "strategy" in changed or not changed else []
    if not changed.keys().isdisjoint(("chunk_size", "max_single_chunk_size")):
        return [*strategy, _sizes(options)]  # the settings table shows the remaining sizes
    labels = {name: label for name, size in SIZES.items() if (label := size.label) and name in changed}
    return [*strategy, *(replace(label, fields={"n": changed[name]}) for name, label in labels.items())]


def _part(name: str, value: object) -> Message:
    part = PARTS[name]
    if text := _CHOICES.get(name, {}).get(str(value)):
        return text
    if name == "reranker":
        return message("reranking: {name}", name=reranker_name(str(value)))
    return replace(part.label, fields={"n": value}) if part.label else lines(part.noun, value, separator=" ")


def classification(note: FieldValues) -> dict[str, Message]:
    """Return the display values of a note's classifying fields. Empty fields and the status "active" are left out."""
    values = {name: verbatim(str(value)) for name in CLASSIFYING if (value := getattr(note, name))}
    if note.expired or note.status != "active":
        values["status"] = STATUSES["expired" if note.expired else note.status]
    if note.expires_at:
        values["expires_at"] = verbatim(note.expires_at.date().isoformat())
    return values


def ordering_lines(understood: Understood) -> list[Message]:
    """Explain which notes a question ranks first or last, and how to turn this off."""
    texts = message_table(
        {
            "preferred": "Notes with '{value}' come first. To avoid this, put a backslash before '{value}'.",
            "avoided": "Passages only about '{value}' come last. To avoid this, put a backslash before these words.",
        }
    )
    return [replace(texts[term.kind], fields={"value": term.value}) for term in understood.terms if term.kind in texts]


def remarks(hit: Hit) -> list[Message]:
    """Return remarks on a hit: the notes that supersede it, and the state of its chunk and file."""
    shown = [message("Superseded by '{title}'", title=successor.title) for successor in hit.superseded_by]
    shown += [CHUNK_STATES[hit.chunk.state]] if hit.chunk.state in ("pending", "refused") else []
    return [*shown, *([FILE_STATES[hit.file]] if hit.file in FILE_STATES else [])]

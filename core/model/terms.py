"""Names of settings, their values, figures and stages of loss: one table each for pages, terminal and reports."""

from core.base.messages import Message, lines, message
from core.model.chunking import CHUNKING
from core.model.evaluation import MissedAt
from core.model.settings import PARTS

FIGURES: dict[str, Message] = {
    "hit@1": message("First hit is right"),
    "hit@5": message("Found in the first 5"),
    "hit@10": message("Found in the first 10"),
    "mrr@10": message("Rank of the right passage (MRR)"),
    "hit@4000chars": message("Found in the first 4,000 characters"),
    "mrr@4000chars": message("Rank within 4,000 characters (MRR)"),
    "recall@10": message("Right passages found in the first 10"),
    "precision@10": message("Right hits in the first 10"),
    "ndcg@10": message("Order of the first 10 (nDCG)"),
    "map@10": message("Average precision in the first 10 (MAP)"),
    "span_recall": message("Right text found"),
    "span_precision": message("Found text that is right"),
    "span_iou": message("Overlap with the right passage"),
    "answered": message("Questions that get an answer"),
    "cited_recall": message("Right passages quoted in the answer"),
    "cited_precision": message("Quotes that are right"),
    "quoted": message("Sentences with their source"),
    "facts": message("Figures and names of the wished answer"),
    "refused": message("Refused without an answer in the notes"),
    "agreed": message("Agreement, as a language model judges"),
    "p50_ms": message("Typical time"),
    "p95_ms": message("Time of slow questions"),
}
"""Names of METRICS, ANSWER_METRICS and TIMES."""

SETTINGS: dict[str, Message] = {
    **{name: option.title for name, option in CHUNKING.items()},
    "embedder": message("Model for meaning"),
    **{name: part.title for name, part in PARTS.items()},
    "answers": message("Answers written by"),
    "judge": message("Answers judged by"),
    "decompose": message("What breaks down broad questions"),
    "context_tokens": message("Length of a context, in tokens"),
    "record_uses": message("Record how notes are found and used"),
    "use_clicks": message("Rank hits higher that you opened, copied or cited before"),
}
"""Names of the settings of bases, searches and setups."""

VALUES: dict[str, dict[str, Message]] = {
    "strategy": {
        "auto": message("Automatic"),
        "none": message("Whole notes"),
        "markdown": message("By headings"),
        "recursive": message("By size"),
        "lines": message("By line"),
    },
    "mode": {
        "auto": message("Auto"),
        "semantic": message("Meaning"),
        "keyword": message("Words"),
        "hybrid": message("Both"),
    },
    "level": {
        "auto": message("Auto"),
        "simple": message("Quick"),
        "focused": message("Filtered"),
        "exploratory": message("Broad"),
    },
    "fusion": {"weighted": message("By score"), "reciprocal": message("By rank")},
    "phrase": {"require": message("Must be in the text"), "boost": message("Ranks higher")},
    "decompose": {"auto": message("Auto"), "rules": message("by rules"), "llm": message("Language model")},
}
"""Names of the values of the settings that are a choice."""

LOST: dict[MissedAt, Message] = {
    "gone": message("No longer in the notes"),
    "not_indexed": message("In no chunk"),
    "cut_apart": message("Split apart"),
    "filters": message("Kept out by the filters"),
    "phrase": message("Without the phrase"),
    "excluded": message("Holds an excluded word"),
    "pending": message("Not indexed yet"),
    "pool": message("Others were nearer"),
    "threshold": message("Not similar enough"),
    "fusion": message("Behind others once combined"),
    "reranking": message("Behind others after the re-check"),
    "literal": message("Others hold the exact words"),
    "limit": message("Behind the hits that are shown"),
    "duplicate": message("Says the same as a hit"),
}
"""The stage at which a chunk drops out of a search, or the reason why a right passage can't be found."""

QUESTION_KINDS: dict[str, Message] = {
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
"""The kinds of questions that have a name of their own; any other is shown as the user typed it."""


def figure_name(name: str) -> Message:
    """Return the name of a figure, and the one that a command takes."""
    return lines(FIGURES[name], name, separator=" · ")

"""Search settings and chunking parameters, with defaults and ranges.

A new search setting needs a line in each of the settings classes in this module. The settings file, bases, questions
and pipelines then support and validate it. A new chunking parameter needs a line in `ChunkingOptions` and a
translation. Strategies that use it have a parameter of the same name.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, TypedDict, get_args, get_type_hints

from core.base.frozen import AnyMap, AnyValues, Texts, frozen
from core.base.messages import Message, message

Mode = Literal["auto", "semantic", "keyword", "hybrid"]
Level = Literal["auto", "simple", "focused", "exploratory"]
Fusion = Literal["weighted", "reciprocal"]
PhraseRule = Literal["require", "boost"]
# Possible numbers of neighbouring chunks to add on each side of a hit.
EXPANSION_SIZES = range(4)


@frozen
class Setting:
    """A search setting, with its name in a sentence, its title, and its range if it is a number.

    `most_asked` is the largest value that a single question may set. `label` is the text that describes a pipeline's
    value `n`, if the noun and the value aren't enough.
    """

    noun: Message
    title: Message
    least: float | None = None
    most: float | None = None
    most_asked: float | None = None
    label: Message | None = None


def _search_setting(
    noun: str, title: str, least: float | None = None, most: float | None = None, **more: Any
) -> Setting:
    return Setting(Message(noun), Message(title), least, most, **more)


@frozen
class CompleteSettings:
    """Search settings in which every setting has a value.

    `pool` is the number of candidates from each stage. `semantic_weight` is the weight of semantic search relative to
    keyword search. `link_weight` raises the score of a chunk linked to the best chunk. `priority_weight` raises the
    score of the candidate with the highest priority, and `feedback_weight` that of a note with only good verdicts.
    `score_threshold` is a hit's minimum score, and `expansion_size` the number of neighbouring chunks on each side of a
    hit. The `reranker` (or `none`) scores the best `rerank_pool` candidates, reading at most `rerank_characters` of
    each one's best window. `rerank_weight` is the weight of its score relative to the earlier score.
    """

    mode: Annotated[Mode, _search_setting("search mode", "How to search")] = "auto"
    level: Annotated[Level, _search_setting("kind of search", "Kind of search")] = "auto"
    limit: Annotated[
        int,
        _search_setting(
            "number of hits",
            "Number of hits",
            1,
            100,
            most_asked=1000,
            label=message("at most {n} hits"),
        ),
    ] = 10
    pool: Annotated[
        int,
        _search_setting(
            "number of passages considered", "Chunks considered per search method (meaning, keyword)", 1, 500
        ),
    ] = 50
    fusion: Annotated[
        Fusion, _search_setting("combination of meaning and keywords", "How meaning and keywords combine")
    ] = "weighted"
    semantic_weight: Annotated[float, _search_setting("weight of meaning", "Weight of meaning", 0, 1)] = 0.6
    link_weight: Annotated[float, _search_setting("boost for linked notes", "Boost for linked notes", 0, 1)] = 0.0
    priority_weight: Annotated[float, _search_setting("weight of priorities", "Weight of priorities", 0, 1)] = 0.0
    feedback_weight: Annotated[float, _search_setting("weight of your feedback", "Weight of your feedback", 0, 1)] = 0.0
    phrase: Annotated[PhraseRule, _search_setting("phrase rule", "A phrase in quotation marks")] = "require"
    score_threshold: Annotated[float, _search_setting("minimum similarity", "Minimum similarity", 0, 1)] = 0.0
    expansion_size: Annotated[
        int,
        _search_setting(
            "number of neighbouring passages",
            "Neighbouring passages to show on each side",
            0,
            EXPANSION_SIZES[-1],
            label=message("neighbours ±{n}"),
        ),
    ] = 0
    reranker: Annotated[str, _search_setting("reranking", "Rerank")] = "late-interaction"
    rerank_pool: Annotated[int, _search_setting("number of hits to rerank", "Hits to rerank", 1, 500)] = 50
    rerank_weight: Annotated[float, _search_setting("weight of reranking", "Weight of reranking", 0, 1)] = 0.7
    rerank_characters: Annotated[
        int,
        _search_setting(
            "number of characters used for reranking",
            "Characters of each hit used for reranking",
            100,
            20_000,
        ),
    ] = 2000


_TYPES = get_type_hints(CompleteSettings, include_extras=True)

PARTS: Mapping[str, Setting] = {name: get_args(kind)[1] for name, kind in _TYPES.items()}

# Name of the setting that adds neighbouring chunks to hits.
WIDENING = "expansion_size"

# The possible values of each setting.
#
# They are empty for numbers, and for settings whose choices are in a separate table.
CHOICES: Mapping[str, Texts] = {name: get_args(get_args(kind)[0]) for name, kind in _TYPES.items()}

DEFAULTS = CompleteSettings()


@frozen
class SearchSettings:
    """Search settings, any of which may be left open. None marks an open setting."""

    mode: Mode | None = None
    level: Level | None = None
    limit: int | None = None
    pool: int | None = None
    fusion: Fusion | None = None
    semantic_weight: float | None = None
    link_weight: float | None = None
    priority_weight: float | None = None
    feedback_weight: float | None = None
    phrase: PhraseRule | None = None
    score_threshold: float | None = None
    expansion_size: int | None = None
    reranker: str | None = None
    rerank_pool: int | None = None
    rerank_weight: float | None = None
    rerank_characters: int | None = None

    @classmethod
    def from_values(cls, values: AnyMap) -> "SearchSettings":
        """Return the search settings in a mapping, ignoring any other keys, such as those from a later version."""
        return cls(**{name: values[name] for name in PARTS if name in values})

    def chosen(self) -> AnyValues:
        return {name: value for name in PARTS if (value := getattr(self, name)) is not None}

    def over(self, other: "SearchSettings") -> "SearchSettings":
        """Return these settings, with any open ones taken from `other`."""
        return replace(other, **self.chosen())


OPEN = SearchSettings()
# Default settings for contexts, in which each passage includes its neighbouring chunks.
IN_CONTEXT: Mapping[str, int] = {WIDENING: 1}


def complete(*layers: SearchSettings) -> CompleteSettings:
    """Return complete settings, taking each value from the first layer that sets it, or from the defaults."""
    settings = DEFAULTS
    for layer in reversed(layers):
        settings = replace(settings, **layer.chosen())
    return settings


class Chosen(TypedDict, total=False):
    mode: Mode | None
    level: Level | None
    limit: int | None
    pool: int | None
    fusion: Fusion | None
    semantic_weight: float | None
    link_weight: float | None
    priority_weight: float | None
    feedback_weight: float | None
    phrase: PhraseRule | None
    score_threshold: float | None
    expansion_size: int | None
    reranker: str | None
    rerank_pool: int | None
    rerank_weight: float | None
    rerank_characters: int | None


@frozen
class ChunkingOption:
    """A chunking parameter, with its title and explanation. If it is a number, it also has a range and a slider step.

    `label` is the text that describes its value `n` in a pipeline's name.
    """

    title: Message
    about: Message
    label: Message | None = None
    least: int = 0
    most: int = 0
    step: int = 10

    def problem(self, name: str, value: int) -> Message | None:
        """Return an error message if the number is out of range, or None if it is in range."""
        if self.least <= value <= self.most:
            return None
        return message(
            "'{setting}' ({name}) is {value} but must be between {least} and {most}.",
            setting=self.title,
            name=name,
            value=value,
            least=self.least,
            most=self.most,
        )


@dataclass(frozen=True, slots=True)
class ChunkingOptions:
    """A base's chunking parameters. Sizes are in tokens of the base's embedder."""

    strategy: Annotated[
        str,
        ChunkingOption(
            message("Strategy"),
            message(
                "How to split: auto, none (whole notes), markdown (by headings), recursive (by size) or lines "
                "(by line)."
            ),
        ),
    ] = "auto"
    short_doc_threshold: Annotated[
        int,
        ChunkingOption(
            message("Keep notes whole if shorter than"),
            message(
                "A note shorter than this stays in one piece. The length is measured in tokens (100 tokens are "
                "about 75 English words or 150 Chinese characters)."
            ),
            message("notes under {n} tokens are kept whole"),
            300,
            700,
        ),
    ] = 500
    chunk_size: Annotated[
        int,
        ChunkingOption(
            message("Chunk size"), message("The approximate length of a chunk, in tokens."), None, 256, 1024, 16
        ),
    ] = 512
    chunk_overlap: Annotated[
        int,
        ChunkingOption(
            message("Overlap"),
            message("How much text neighbouring chunks share, in tokens."),
            message("overlap {n}"),
            50,
            200,
            5,
        ),
    ] = 100
    min_headings_for_md_aware: Annotated[
        int,
        ChunkingOption(
            message("Minimum number of headings"),
            message("A note with at least this many headings (## or ###) is split at them."),
            message("split by headings if there are {n} or more"),
            2,
            5,
            1,
        ),
    ] = 2
    max_single_chunk_size: Annotated[
        int,
        ChunkingOption(
            message("Largest chunk"), message("The maximum length of a chunk, in tokens."), None, 1000, 2000
        ),
    ] = 1500


CHUNKING: Mapping[str, ChunkingOption] = {
    name: get_args(hint)[1] for name, hint in get_type_hints(ChunkingOptions, include_extras=True).items()
}

SIZES: Mapping[str, ChunkingOption] = {name: option for name, option in CHUNKING.items() if option.most}

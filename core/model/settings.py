"""How notes are searched: each part with its default and its range, and values that leave parts open.

A new part is a line in each class here. Settings, bases, questions and pipelines have it then, and check it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, TypedDict, get_args, get_type_hints

from core.messages import Message, message

Mode = Literal["auto", "semantic", "keyword", "hybrid"]
Level = Literal["auto", "simple", "focused", "exploratory"]
Fusion = Literal["weighted", "reciprocal"]
PhraseRule = Literal["require", "boost"]
EXPANSION_SIZES = range(4)
"""Neighbour chunks that a hit may be widened by, on each side."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What a part is called, and from where to where it may be set where it is a number.

    For one question it may be up to `most_asked`. `lengthens`: the length of hits depends on it. `label`: a
    pipeline's value `n` in words, where the noun beside the value isn't enough.
    """

    noun: Message
    least: float | None = None
    most: float | None = None
    most_asked: float | None = None
    lengthens: bool = False
    label: Message | None = None


@dataclass(frozen=True, slots=True)
class CompleteSettings:
    """How a question is searched for, with every part chosen.

    `pool` chunks of each stage are candidates. `semantic_weight` is the share of meaning against words, `link_weight`
    what a chunk gains that is linked with the best, `score_threshold` the least cosine of a hit, and `expansion_size`
    how many neighbours a hit is widened by. The `reranker`, or `none`, judges the best `rerank_pool`, each by at most
    `rerank_characters` of its best window; `rerank_weight` is the share of that against the score they came with.
    """

    mode: Annotated[Mode, Setting(message("mode"))] = "auto"
    level: Annotated[Level, Setting(message("level"))] = "auto"
    limit: Annotated[int, Setting(message("limit"), 1, 100, most_asked=1000, label=message("{n} hits at most"))] = 10
    pool: Annotated[int, Setting(message("number of candidates"), 1, 500)] = 50
    fusion: Annotated[Fusion, Setting(message("fusion"))] = "weighted"
    semantic_weight: Annotated[float, Setting(message("weight of meaning"), 0, 1)] = 0.6
    link_weight: Annotated[float, Setting(message("weight of links"), 0, 1)] = 0.0
    phrase: Annotated[PhraseRule, Setting(message("phrase rule"))] = "require"
    score_threshold: Annotated[float, Setting(message("minimum similarity"), 0, 1)] = 0.0
    expansion_size: Annotated[
        int,
        Setting(
            message("expansion"),
            EXPANSION_SIZES[0],
            EXPANSION_SIZES[-1],
            lengthens=True,
            label=message("neighbours ±{n}"),
        ),
    ] = 0
    reranker: Annotated[str, Setting(message("second look"))] = "late-interaction"
    rerank_pool: Annotated[int, Setting(message("number of hits in the second look"), 1, 500)] = 50
    rerank_weight: Annotated[float, Setting(message("weight of the second look"), 0, 1)] = 0.7
    rerank_characters: Annotated[int, Setting(message("number of characters in the second look"), 100, 20_000)] = 2000


_TYPES = get_type_hints(CompleteSettings, include_extras=True)

PARTS: Mapping[str, Setting] = {name: get_args(kind)[1] for name, kind in _TYPES.items()}
"""What each part is called and may be, by its name."""

CHOICES: Mapping[str, tuple[str, ...]] = {name: get_args(get_args(kind)[0]) for name, kind in _TYPES.items()}
"""The values that a part has a choice of; empty for numbers, and for names of a table."""

DEFAULTS = CompleteSettings()
"""What nobody chose otherwise."""


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """What is chosen of how notes are searched; None leaves a part to whoever is asked next."""

    mode: Mode | None = None
    level: Level | None = None
    limit: int | None = None
    pool: int | None = None
    fusion: Fusion | None = None
    semantic_weight: float | None = None
    link_weight: float | None = None
    phrase: PhraseRule | None = None
    score_threshold: float | None = None
    expansion_size: int | None = None
    reranker: str | None = None
    rerank_pool: int | None = None
    rerank_weight: float | None = None
    rerank_characters: int | None = None

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> "SearchSettings":
        """Return the parts among some values; others, such as those of a later version, are ignored."""
        return cls(**{name: values[name] for name in PARTS if name in values})

    def chosen(self) -> dict[str, Any]:
        """Return the parts that are chosen, by name."""
        return {name: value for name in PARTS if (value := getattr(self, name)) is not None}

    def over(self, other: "SearchSettings") -> "SearchSettings":
        """Return the same, with what it leaves open as the other has it."""
        return replace(other, **self.chosen())


OPEN = SearchSettings()
"""Nothing is chosen."""


def complete(*layers: SearchSettings) -> CompleteSettings:
    """Return every part as the first layer that chose it has it, else its default."""
    whole = DEFAULTS
    for layer in reversed(layers):
        whole = replace(whole, **layer.chosen())
    return whole


class Chosen(TypedDict, total=False):
    """The parts of SearchSettings as keyword arguments."""

    mode: Mode | None
    level: Level | None
    limit: int | None
    pool: int | None
    fusion: Fusion | None
    semantic_weight: float | None
    link_weight: float | None
    phrase: PhraseRule | None
    score_threshold: float | None
    expansion_size: int | None
    reranker: str | None
    rerank_pool: int | None
    rerank_weight: float | None
    rerank_characters: int | None

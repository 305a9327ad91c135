"""How notes are searched is one value: whoever holds it has every part, and a part is named in few files."""

import ast
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

from core.base.errors import ConfigError, QueryError, UnknownChoice
from core.base.messages import LANGUAGES, render
from core.features.evaluation import runs
from core.model import (
    CHOICES,
    DEFAULTS,
    OPEN,
    PARTS,
    ChunkingOptions,
    CompleteSettings,
    NoteOptions,
    Pipeline,
    SearchOptions,
    SearchSettings,
    complete,
    pipeline_label,
)
from core.settings.config import check, settings
from core.settings.sections import SearchSection

ROOT = Path(__file__).parents[1]

MOST = 5
"""Files in which a part may be named: the value with its range, its use, its widget and its text, and one more."""

COMMON = {"mode", "level", "limit", "pool", "fusion", "phrase", "reranker"}
"""Parts whose names are words for other things too, so that they can't be counted."""


@cache
def named(file: Path) -> set[str]:
    """Return the parts that a source file names: as an identifier, an attribute, a keyword, or the end of a key."""
    words: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        match node:
            case ast.Name(id=word) | ast.Attribute(attr=word) | ast.arg(arg=word) | ast.keyword(arg=str(word)):
                words.add(word)
            case ast.Constant(value=str(word)):
                words.add(word.rpartition(".")[2])
    return words & PARTS.keys()


@pytest.mark.parametrize("part", sorted(PARTS.keys() - COMMON))
def test_a_part_is_named_in_few_files(part: str) -> None:
    # What was written into a schema once isn't written for a new part.
    sources = [*(ROOT / "core").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]
    others = {"migrations", "legacy_routes.py"}  # what is frozen, and the names of an older design's requests
    files = [path for path in sources if not others & {path.name, path.parent.name} and part in named(path)]
    table = "\n".join(f"{number}  {path.relative_to(ROOT)}" for number, path in enumerate(sorted(files), 1))
    assert len(files) <= MOST, f"{part} is named in\n{table}"


OF_ONE_SEARCH = ("filters", "explain", "as_typed", "plain", "choose", "indexed", "wait", "caller")
OF_ONE_SEARCH += tuple(NoteOptions.__annotations__)
"""Options of a search that are no settings."""


def test_every_list_of_the_parts_is_the_same() -> None:
    whole = get_type_hints(CompleteSettings)
    chosen = {name: kind | None for name, kind in whole.items()}
    assert get_type_hints(SearchSettings) == chosen
    options = get_type_hints(SearchOptions)
    assert {name: kind for name, kind in options.items() if name not in OF_ONE_SEARCH} == chosen
    section = {name: SearchSection.model_fields[name] for name in PARTS}
    assert {name: field.default for name, field in section.items()} == asdict(DEFAULTS)
    assert all(value is None for value in asdict(OPEN).values())
    for name, part in PARTS.items():
        assert (part.least is None) == (whole[name] is str or bool(get_args(whole[name]))), name


def test_the_first_that_chose_wins_and_what_nobody_chose_is_the_default() -> None:
    asked, base = SearchSettings(limit=3, link_weight=0.0), SearchSettings(limit=7, link_weight=0.5, pool=20)
    assert complete(asked, base) == replace(DEFAULTS, limit=3, link_weight=0.0, pool=20)
    assert complete(base, asked).limit == 7
    assert complete() == complete(OPEN, OPEN) == DEFAULTS
    assert asked.over(base) == SearchSettings(limit=3, link_weight=0.0, pool=20)
    assert SearchSettings.from_values({"limit": 3, "of_later": True}).chosen() == {"limit": 3}


@pytest.mark.parametrize("part", PARTS)
def test_every_part_can_be_set_in_the_file_and_has_its_range_everywhere(
    part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    value = CHOICES[part][-1] if CHOICES[part] else PARTS[part].least if PARTS[part].least is not None else "none"
    monkeypatch.setenv(f"TESSERA_SEARCH__{part.upper()}", str(value))
    assert settings().search.chosen == SearchSettings.from_values({part: value})
    check(SearchSettings.from_values({part: value}))
    if part == "reranker":
        return
    bad = "magic" if CHOICES[part] else (PARTS[part].most or 0) + 1
    monkeypatch.setenv(f"TESSERA_SEARCH__{part.upper()}", str(bad))
    with pytest.raises(ConfigError, match=f"search.{part}"):
        settings()
    with pytest.raises(UnknownChoice if CHOICES[part] else ConfigError, match=str(PARTS[part].noun)):
        check(SearchSettings.from_values({part: bad}))


def test_a_question_may_ask_for_more_hits_than_a_base() -> None:
    check(SearchSettings(limit=1000), QueryError, of_question=True)
    with pytest.raises(QueryError, match=r"The number of hits is 1,001 but must be between 1 and 1,000\."):
        check(SearchSettings(limit=1001), QueryError, of_question=True)
    with pytest.raises(ConfigError, match=r"The number of hits is 101 but must be between 1 and 100\."):
        check(SearchSettings(limit=101))


@pytest.mark.parametrize("part", PARTS)
def test_every_part_can_be_measured(part: str) -> None:
    value = getattr(DEFAULTS, part)
    made = runs.parse(f"{part}={value}", Pipeline(), ChunkingOptions())
    assert made.search == SearchSettings.from_values({part: value})


@pytest.mark.parametrize("part", PARTS)
def test_every_part_that_is_chosen_shows_in_the_label_in_each_language(part: str) -> None:
    label = pipeline_label(Pipeline(search=SearchSettings.from_values({part: getattr(DEFAULTS, part)})))
    texts = {language: render(label, language) for language in LANGUAGES}
    assert "Current settings" not in texts.values()
    assert len(set(texts.values())) == len(LANGUAGES)


def test_a_model_is_called_by_its_own_name() -> None:
    for embedder in ("sentence:pkg:bge-m3", "sentence:/models/bge-m3", "server:bge-m3", "sentence:bge-m3"):
        assert str(pipeline_label(Pipeline(embedder=embedder))) == "bge-m3"
    assert str(pipeline_label(Pipeline(embedder="onnx:pkg:bge-m3"))) == "bge-m3, 8-bit"


def test_a_label_has_every_difference_in_words() -> None:
    search = SearchSettings(mode="keyword", limit=5, expansion_size=1, reranker="cross-encoder:a", link_weight=0.5)
    label = pipeline_label(Pipeline(embedder="tfidf", search=search))
    assert str(label).split(" · ", 5) == [
        "no model, keyword search only",
        "by keyword only",
        "at most 5 hits",
        "boost for linked notes 0.5",
        "neighbours ±1",
        "reranking: Precise (slower) · a",
    ]
    split = Pipeline(chunking=ChunkingOptions(chunk_overlap=50, short_doc_threshold=300))
    assert str(pipeline_label(split)) == "notes under 300 tokens are kept whole · overlap 50"
    assert pipeline_label(Pipeline("mine", search=search)) == "mine"

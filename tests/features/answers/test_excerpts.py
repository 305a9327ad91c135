"""An excerpt is one short piece of one hit, around what has the most evidence, whole where rows and code are."""

from collections.abc import Sequence
from unittest import mock

import pytest

from core.features.answers import candidates as collecting
from core.features.answers.candidates import EvidenceCandidate
from core.features.answers.choosing import CHARACTERS, MARKED, WITH_CODE, Excerpt, excerpts
from core.features.answers.units import units_of
from core.model import Chunk, Hit, NoteSummary, Passage


@pytest.fixture(autouse=True)
def only_reading() -> object:
    with (
        mock.patch.object(collecting, "UNIT_WEIGHTS", {"read": 1.0, "asks": 0.0}),
        mock.patch.object(collecting, "UNIT_CONSTANT", 0.0),
    ):
        yield


def candidates(text: str, *values: float, name: str = "a", fence: str = "") -> list[EvidenceCandidate]:
    """The units of a note, each with its evidence."""
    card = NoteSummary(
        id=name,
        base_id="base",
        base="base",
        title=name,
        path=name,
        body_start=0,
        tags=(),
        status="active",
        source="",
        updated_at=None,
        chunks=1,
        strategy="",
        warnings=(),
    )
    chunk = Chunk(name, name, 0, 1, 0, len(text), text, "full_document", lead=fence)
    hit = Hit(1, 1.0, chunk, card, {}, Passage(card, 0, len(text), text))
    pairs = zip(units_of(text, fence), values, strict=True)
    return [EvidenceCandidate(hit, unit, {"read": value, "asks": 0.0}, frozenset()) for unit, value in pairs]


def text_of(excerpt: Excerpt) -> str:
    return excerpt.hit.chunk.text[excerpt.start : excerpt.end]


def first(units: Sequence[EvidenceCandidate]) -> tuple[str, str]:
    """The text of the first excerpt and its marked part."""
    excerpt = excerpts(units)[0]
    return text_of(excerpt), excerpt.hit.chunk.text[slice(*excerpt.marked)]


def test_neighbours_are_read_with_the_strongest_and_it_is_marked() -> None:
    long = " ".join(["It is a long sentence that says little"] * 6)
    text = f"The oven is hot. {long}. Bake for forty minutes. Then let it cool."
    whole, marked = first(candidates(text, -4, -6, 2, 0))
    assert whole == text
    assert marked == "Bake for forty minutes. Then let it cool."


def test_an_excerpt_is_no_longer_than_its_limit_and_takes_what_answers_most() -> None:
    sentences = [
        f"Sentence {number} has exactly the same length as all of the other ones here." for number in range(20)
    ]
    values = [-5.0] * 20
    values[11], values[12] = 2.0, 1.0
    whole, marked = first(candidates(" ".join(sentences), *values))
    assert len(whole) <= CHARACTERS
    assert sentences[11] in whole
    assert sentences[12] in whole
    assert len(marked) <= MARKED
    assert sentences[11] in marked


def test_one_long_unit_is_an_excerpt_by_itself() -> None:
    sentence = "这是一个非常长的句子，" * 35 + "说完了。"
    (excerpt,) = excerpts(candidates(sentence, 1.0))
    assert text_of(excerpt) == sentence
    assert excerpt.marked == (0, len(sentence))


def test_rows_are_shown_with_rows_of_their_table_only() -> None:
    text = "Sizes:\n\n| what | how much |\n|---|---|\n| flour | 500 g |\n| water | 350 ml |\n\nMix it all well.\n"
    excerpt = excerpts(candidates(text, 3, 2, 1))[0]
    assert (excerpt.kind, excerpt.units[0].lead) == ("row", "| what | how much |")
    assert text_of(excerpt) == "| flour | 500 g |\n| water | 350 ml |"


def test_an_excerpt_goes_on_behind_a_fence_within_its_limit() -> None:
    lines = "\n".join(f"command --number {number} --with some-value-that-is-long" for number in range(9))
    text = f"Run it.\n\n```sh\n{lines}\n```\n\nIt takes a while."
    found = [text_of(excerpt) for excerpt in excerpts(candidates(text, *[1.0] * len(units_of(text))))]
    assert any("number 8" in one and "It takes" in one for one in found)
    assert max(map(len, found)) <= WITH_CODE


def test_the_evidence_of_all_units_counts() -> None:
    one = candidates("A single strong sentence stands here alone.", 1.5, name="one")
    many = candidates(
        "The first half is here. The second half is here. The last part is here.", 1.2, 1.2, 1.2, name="many"
    )
    assert excerpts([*one, *many])[0].hit.note.id == "many"


def test_the_same_words_elsewhere_repeat_an_excerpt() -> None:
    ours, theirs = (excerpts(candidates("Bake it for forty minutes.", 1.0, name=name))[0] for name in "ab")
    other = excerpts(candidates("Salt slows the yeast down.", 1.0, name="c"))[0]
    assert ours.repeats(theirs)
    assert not ours.repeats(other)

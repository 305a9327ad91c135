"""Each question that README, its pictures and Home show on the sample notes has the answer as its first quote."""

import json
import re
from collections.abc import Collection, Iterator
from pathlib import Path

import numpy as np
import pytest

from core.base.messages import LANGUAGES, render
from core.embedding import shipped
from core.workspace import Workspace
from pages.ui.shared.welcome import EXAMPLE, OF_SAMPLES
from tests.pictures import QUESTIONS, ROOT

pytestmark = pytest.mark.usefixtures("bundled")

OTHERWISE = 0.005
"""Share of the token bits that differ where a processor calculates in bfloat16."""
SAMPLE = ROOT / "data" / "packs" / "sample"


def in_readme() -> Iterator[str]:
    for file in ("README.md", "README.zh.md"):
        text = (ROOT / file).read_text(encoding="utf-8")
        yield from re.findall(r'tessera (?:search|ask) "([^"]+)"', text)


def right_quotes(question: str) -> tuple[str, ...]:
    rows = map(json.loads, (ROOT / "benchmarks" / "questions" / "sample.jsonl").read_text("utf-8").splitlines())
    known = {
        row["question"].strip(" ?？").lower(): [gold["quote"] for gold in row["best"] + row["also"]] for row in rows
    }
    return tuple(known[question.strip(" ?？").lower()])


HOME = {render(one, language) for one in OF_SAMPLES for language in LANGUAGES}
SHOWN = sorted({*in_readme(), *QUESTIONS.values(), *HOME})


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with Workspace(tmp_path_factory.mktemp("shown") / "workspace") as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(Path(SAMPLE)))
        yield workspace


@pytest.mark.parametrize("question", SHOWN)
def test_the_first_quote_answers(sample: Workspace, question: str) -> None:
    answer = sample.answers.ask(question)
    assert answer.answered != "no"
    quote = answer.quotes[0]
    marked = " ".join(quote.marked_text.split())
    assert any(_overlaps(" ".join(right.split()), marked) for right in right_quotes(question)), quote


@pytest.mark.parametrize("language", LANGUAGES)
def test_home_shows_what_the_program_says(sample: Workspace, language: str) -> None:
    question, marked, place = (render(one, language) for one in EXAMPLE)
    answer = sample.answers.ask(question)
    (quote,) = answer.at_first
    assert (answer.answered, quote.marked_text) == ("yes", marked)
    assert place.startswith(quote.note.title)
    assert place.endswith(quote.chunk.section[-1])


COMPARISONS = {
    "sql dump or file-level copy of the db, what is each one good for": ("*logical* dump", "*physical* base"),
    "鱼香汁和宫保汁，哪个糖多哪个醋多": ("糖 15 克，醋 12 克", "糖 12 克，醋 15 克"),
}


@pytest.mark.parametrize("question", COMPARISONS)
def test_a_comparison_quotes_both_sides(sample: Workspace, question: str) -> None:
    answer = sample.answers.ask(question)
    assert answer.answered != "no"
    assert all(any(side in quote.text for quote in answer.quotes) for side in COMPARISONS[question]), answer.quotes


@pytest.mark.parametrize("seed", range(2))
def test_both_sides_are_quoted_on_a_processor_that_rounds_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    find, chance = shipped.find, np.random.default_rng(seed)

    def rounded(fingerprint: str, keys: Collection[bytes]) -> shipped.ShippedVectors | None:
        found = find(fingerprint, keys)
        if found is None:
            return None
        flips = [np.packbits(chance.random((len(rows), 8 * rows.shape[1])) < OTHERWISE, axis=1) for rows in found.bits]
        return found._replace(bits=[rows ^ flipped for rows, flipped in zip(found.bits, flips, strict=True)])

    monkeypatch.setattr(shipped, "find", rounded)
    with Workspace(tmp_path) as workspace:
        workspace.packs.install("sample")
        for question in COMPARISONS:
            test_a_comparison_quotes_both_sides(workspace, question)


def test_a_comparison_of_which_one_side_is_in_no_note_is_not_answered(sample: Workspace) -> None:
    assert sample.answers.ask("TaskGroup 和 trio.Nursery 有什么区别").answered == "no"


def _overlaps(right: str, marked: str) -> bool:
    return right in marked or marked in right

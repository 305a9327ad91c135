"""A sentence that says the opposite of its quotes, or shifts them, is not in the notes; a paraphrase is."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from core.features.answers.polarity import agrees
from core.workspace import Workspace
from tests import samples
from tests.features.answers.test_writing import written
from tests.model_server import sentence

PAIRS: list[dict[str, Any]] = json.loads(Path(__file__).with_name("polarity.json").read_text(encoding="utf-8"))
"""Sentences with their quotes, half of which say what the quote doesn't; in English, Chinese, and one of each."""
LATER: list[dict[str, Any]] = json.loads(Path(__file__).with_name("polarity_later.json").read_text(encoding="utf-8"))
"""Pairs that were written after the rules, before anything was mended for them."""

FRESH: list[dict[str, Any]] = json.loads(Path(__file__).with_name("polarity_fresh.json").read_text(encoding="utf-8"))
"""Three times 60 pairs, each 60 written before what the last ones had shown was mended: see docs/benchmarks.md."""


def agreed(pair: dict[str, Any]) -> bool:
    start = pair["passage"].index(pair["quote"])
    return agrees(pair["sentence"], [(pair["passage"], (start, start + len(pair["quote"])))])


@pytest.mark.parametrize(("pairs", "shown", "denied"), [(PAIRS, 0, 5), (LATER, 1, 4), (FRESH, 1, 11)])
def test_what_says_otherwise_is_refused_and_paraphrases_are_not(
    pairs: list[dict[str, Any]], shown: int, denied: int
) -> None:
    wrong = [pair["sentence"] for pair in pairs if not pair["right"]]
    assert len(wrong) * 2 == len(pairs)
    assert len([pair for pair in pairs if not pair["right"] and agreed(pair)]) <= shown
    assert len([pair for pair in pairs if pair["right"] and not agreed(pair)]) <= denied


@pytest.mark.parametrize("lead", ["Never do this in production:", "在生产环境禁止："])
def test_a_quote_has_the_lead_in_of_its_list(lead: str) -> None:
    passage = f"{lead}\n\n- run the migration script\n- delete the log files\n"
    start = passage.index("run")
    place = (start, start + len("run the migration script"))
    assert not agrees("Run the migration script.", [(passage, place)])
    assert agrees("Don't run the migration script.", [(passage, place)])


def test_what_else_happens_is_compared() -> None:
    quote = "禁止使用钢丝球刮涂层，否则涂层会被破坏，锅也就废了。"
    assert not agrees(quote.replace("会被", "不会被"), [(quote, (0, len(quote)))])


LEAVES = (
    "Create one node named leaf with the value 3 and no children, and another one named branch with the value 5 and "
    "leaf as one of its children."
)


def test_a_copy_is_compared_with_its_quote_though_other_clauses_have_its_words() -> None:
    place = [(LEAVES, (0, len(LEAVES)))]
    assert not agrees(LEAVES.replace("no children", "children"), place)
    assert agrees(LEAVES.replace("another one", "another"), place)


@pytest.mark.parametrize(
    "text", ["not " * 2000, "a, " * 3000, "不没别无" * 1500, "at least 5 " * 800, "Never:\n" + "- run\n" * 999]
)
def test_hostile_passages_take_no_time(text: str) -> None:
    started = time.monotonic()
    agrees("Run X before Y unless Z is on. " * 20, [(text, (0, len(text)))])
    assert time.monotonic() - started < 3


@pytest.mark.usefixtures("bundled")
def test_a_negated_sentence_is_shown_as_not_in_the_notes(tmp_path: Path) -> None:
    folder = samples.write(tmp_path / "vault")
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.notes.apply(workspace.notes.plan_folder(folder))
        quote = "are only worth what their last restore proved."
        answer = written(workspace, sentence("Backups aren't worth what their last restore proved.", (1, quote)))
    (one,) = answer.written
    assert (one.citations, one.missing, one.otherwise) == ((), (), True)
    assert "differ in words such as not" in str(one.explanation)

import csv
import json
import sys
from pathlib import Path

import pytest

from benchmarks import chunking_evaluation
from benchmarks.chunking_evaluation import once, published
from tests import samples

SPEECH = "".join(
    f"Sentence {number} speaks of apple{number}, pear{number} and plum{number}.\n\n" for number in range(80)
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder laid out as the published one, with two corpora of a question or two each."""
    texts = {"speech": SPEECH, "long": samples.long_note(12)}
    (tmp_path / "data/corpora").mkdir(parents=True)
    for name, text in texts.items():
        (tmp_path / f"data/corpora/{name}.md").write_text(text, "utf-8")
    rows = [
        ("Who speaks of apple7?", "speech", ["Sentence 7 speaks of apple7, pear7 and plum7."]),
        ('What of "plum30" and pear61?', "speech", ["pear30 and plum30", "apple61, pear61"]),
        ("Where does word9 stand?", "long", ["The word9 of this section stands here"]),
    ]
    with (tmp_path / "data/questions_df.csv").open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(("question", "references", "corpus_id"))
        for question, name, quotes in rows:
            starts = [texts[name].index(quote) for quote in quotes]
            references = [
                {"content": quote, "start_index": start, "end_index": start + len(quote)}
                for quote, start in zip(quotes, starts, strict=True)
            ]
            lines.writerow((question, json.dumps(references), name))
    return tmp_path / "data"


def run(monkeypatch: pytest.MonkeyPatch, *given: str) -> None:
    monkeypatch.setattr(sys, "argv", ["chunking_evaluation", *given, "--embedder", "tfidf"])
    chunking_evaluation.main()


def test_it_prints_a_row_for_each_strategy_and_corpus(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(monkeypatch, str(folder), "--size", "128", "--overlap", "0")
    rows = {tuple(line.split()[:2]): line.split()[2:] for line in capsys.readouterr().out.splitlines()[1:]}
    assert list(rows) == [
        (strategy, name) for strategy in ("none", "markdown", "recursive", "auto") for name in ("long", "speech", "all")
    ]
    assert rows["none", "speech"][0] == "2"
    assert rows["none", "all"][3:6] == ["100.0", "±", "0.0"], "whole notes hold every reference"
    assert float(rows["recursive", "speech"][6]) > 2 * float(rows["none", "speech"][6]), "and little beside them else"


def test_one_corpus_can_be_asked_alone(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(monkeypatch, str(folder), "--corpora", "long", "--strategies", "none")
    assert [line.split()[1:3] for line in capsys.readouterr().out.splitlines()[1:]] == [["long", "1"]]


def test_a_reference_with_another_text_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    speech = folder / "corpora/speech.md"
    speech.write_text(f"Another start. {SPEECH}", "utf-8")
    run(monkeypatch, str(folder), "--strategies", "none")
    assert "3 of 4 references have another text" in capsys.readouterr().out


def test_a_reference_outside_its_corpus_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    speech = folder / "corpora/speech.md"
    speech.write_text(SPEECH[:1000], "utf-8")
    with pytest.raises(ValueError, match="row 3"):
        run(monkeypatch, str(folder))


def test_the_published_metrics_count_a_character_as_often_as_it_was_retrieved() -> None:
    golds = [("a", 10, 20), ("a", 30, 40)]
    retrieved = [("a", 0, 20), ("a", 10, 30), ("b", 0, 60)]
    assert published(golds, retrieved) == (10 / 20, 10 / 100, 10 / 110)
    assert once(golds, retrieved) == (10 / 90, 10 / 100)
    assert published(golds, []) == (0, 0, 0)

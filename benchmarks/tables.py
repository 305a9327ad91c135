"""Is the row of a table found that answers a question in other words, and is it what is marked?

    python -m benchmarks.tables DATA [--workspace DIR] [--without] [--split held-out]

The tables and the questions are `benchmarks/tables.jsonl`: half of the tables stand in the middle of long notes. Beside
them a base has paragraphs of Wikipedia (DATA/qa) in its language. A question is answered by the chunk that holds its
row; it is *marked* where the marked sentence of that chunk lies in the row. `--without` embeds no rows: use another
workspace then. Questions of the split `tuned` may be looked at while something is changed, those of `held-out` may not.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.qa import read
from core.embedding import windows
from core.model import Filters, SearchOptions
from core.workspace import Workspace

FILE = Path(__file__).with_name("tables.jsonl")
LANGUAGES = ("en", "zh")
BEFORE, BEHIND = 4, 2
"""Paragraphs around a table that stands in a long note."""
DEPTH = 10
WAYS: dict[str, SearchOptions] = {
    "semantic": {"mode": "semantic", "reranker": "none"},
    "hybrid": {"mode": "hybrid", "reranker": "none"},
    "default": {},
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and the row that answers it, as it stands in the note of a title."""

    text: str
    title: str
    row: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--without", action="store_true", help="embed no rows")
    parser.add_argument("--split", default="held-out", help="questions: held-out or tuned")
    parser.add_argument("--each", action="store_true", help="print the rank of every question, by the default search")
    given = parser.parse_args()
    if given.without:
        windows.MOST_ROWS = 0
    print(
        "| search | language | questions | hit@1 | hit@5 | MRR@10 | marked |\n|---|---|---|---|---|---|---|", flush=True
    )
    with tempfile.TemporaryDirectory() as scratch, Workspace(given.workspace or Path(scratch)) as workspace:
        workspace.models.start_warming()
        workspace.jobs.wait("warm")
        for language in LANGUAGES:
            tables = [one for one in _tables() if one["language"] == language]
            cost = shelve(workspace, language, tables, _paragraphs(given.data, language))
            questions = [asked for one in tables if one["split"] == given.split for asked in _asked(one)]
            for way, options in WAYS.items():
                row(workspace, language, way, questions, options, each=given.each and way == "default")
            print(cost, flush=True)


def _tables() -> list[dict[str, Any]]:
    return [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


def _paragraphs(data: Path, language: str) -> list[str]:
    notes, _ = read(data / "qa" / f"xquad24_{language}.json")
    return list(notes.values())


def _lines(table: dict[str, Any]) -> list[str]:
    header, *rows = [f"| {row} |" for row in table["rows"]]
    return [header, "|" + " --- |" * table["rows"][0].count("|") + " --- |", *rows]


def _asked(table: dict[str, Any]) -> Iterator[Asked]:
    for one in table["questions"]:
        yield Asked(one["question"], table["title"], f"| {table['rows'][one['row']]} |")


def shelve(workspace: Workspace, name: str, tables: Sequence[dict[str, Any]], paragraphs: Sequence[str]) -> str:
    """Import the tables, and the paragraphs that no note of them has; return what that cost."""
    if name in {base.name for base in workspace.bases.all()}:
        return ""
    workspace.bases.add(name)
    workspace.bases.keep_tokens(name, True)
    rest = iter(paragraphs)
    with tempfile.TemporaryDirectory() as folder:
        for table in tables:
            text = "\n".join(_lines(table))
            if table["hidden"]:
                prose = [next(rest) for _ in range(BEFORE + BEHIND)]
                text = "\n\n".join([*prose[:BEFORE], text, *prose[BEFORE:]])
            Path(folder, f"{table['path']}.md").write_text(f"# {table['title']}\n\n{text}\n", encoding="utf-8")
        for number, paragraph in enumerate(rest):
            Path(folder, f"{number:04}.md").write_text(f"{paragraph}\n", encoding="utf-8")
        started = time.perf_counter()
        workspace.notes.apply(workspace.notes.plan_folder(Path(folder), name))
        seconds = time.perf_counter() - started
    status = workspace.bases.status(workspace.bases.get(name))
    return f"\n{name}: {status.notes} notes, {status.chunks} chunks, {status.windows} windows, {seconds:.1f} s\n"


def row(
    workspace: Workspace, base: str, way: str, questions: Sequence[Asked], options: SearchOptions, *, each: bool
) -> None:
    """Print what a way to search finds."""
    ranks, marked = [], 0
    for question in questions:
        result = workspace.search(question.text, limit=DEPTH, filters=Filters(bases=(base,)), **options)
        right = [hit for hit in result.hits if hit.note.title == question.title and question.row in hit.chunk.text]
        ranks.append(right[0].rank if right else 0)
        if right:
            text, sentence = right[0].chunk.text, workspace.searching.highlights(result)[right[0].chunk.id].sentence
            first = text.index(question.row)
            is_marked = sentence is not None and first <= sentence[0] and sentence[1] <= first + len(question.row)
            marked += is_marked
        if each:
            print(f"  {ranks[-1]:2} {'marked' if right and is_marked else '      '} {question.text}")
    count = len(questions)
    at = [sum(0 < rank <= depth for rank in ranks) / count for depth in (1, 5)]
    reciprocal = sum(1 / rank for rank in ranks if rank) / count
    print(
        f"| {way} | {base} | {count} | {at[0]:.3f} | {at[1]:.3f} | {reciprocal:.3f} | {marked / count:.3f} |",
        flush=True,
    )


if __name__ == "__main__":
    main()

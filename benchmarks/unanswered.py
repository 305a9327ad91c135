"""Which questions are called unanswered, among those that the notes answer and those that they don't.

python -m benchmarks.unanswered DATA [--workspace DIR] [--count 60] [--modes default,semantic,keyword] : DATA contains
vaults/NAME, questions/NAME.jsonl and qa/NAME.json. The vaults are asked their own questions, other typical queries
(`benchmarks.expectations`), each other's questions, questions on Wikipedia, and meaningless words; half of the articles
of XQuAD and DRCD are asked about themselves and about the other half. A row is one evidence threshold, the current one
in bold: the share of each kind that is called unanswered.
"""

import argparse
import json
import random
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from math import inf
from pathlib import Path

from benchmarks import expectations
from benchmarks.qa import SEED, read, shelve
from benchmarks.quality import imported
from core.base.errors import QueryError
from core.model import Filters, SearchOptions
from core.retrieval import confidence
from core.retrieval.ranking import Ranking
from core.store import Store
from core.workspace import Workspace

MODES: dict[str, SearchOptions] = {"default": {}, "semantic": {"mode": "semantic"}, "keyword": {"mode": "keyword"}}
LEAST = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0)
VAULTS = ("rust-book", "d2l-zh")
WIKIPEDIA = {"xquad24_en": ("xquad24_zh", "xquad24_de"), "xquad24_zh": ("xquad24_en",), "drcd_dev": ()}
"""The sets used as bases, each with the sets that ask the same questions in another language."""
LETTERS = "abcdefghijklmnopqrstuvwxyz"

Kinds = dict[str, list[str]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--count", type=int, default=60, help="at most so many of each kind")
    parser.add_argument("--modes", default="default", help=f"of {', '.join(MODES)}, with commas between")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, Workspace(given.workspace or Path(scratch)) as workspace:
        bases = {
            **{name: of_vault(workspace, given.data, name, given.count) for name in VAULTS},
            **{f"{name}, half": of_articles(workspace, given.data / "qa", name) for name in WIKIPEDIA},
        }
        for mode in given.modes.split(","):
            for base, kinds in bases.items():
                table(workspace, mode, base, {name: some(texts, given.count) for name, texts in kinds.items()})


def of_vault(workspace: Workspace, data: Path, name: str, count: int) -> Kinds:
    """Return the questions that a vault answers, and those that it doesn't, by kind."""
    other = next(vault for vault in VAULTS if vault != name)
    vault = expectations.read(workspace, imported(workspace, data / "vaults" / name, "bundled"))
    typed = {kind: [case.text for case in cases] for kind, cases in expectations.kinds(vault, count, count)}
    qa = [read(data / "qa" / f"{file}.json")[1] for file in WIKIPEDIA]
    return {
        "+ own questions": questions(data, name, answered=True),
        **{f"+ {kind}": texts for kind, texts in typed.items()},
        "- the other vault": questions(data, other, answered=True),
        "- Wikipedia": [asked.text for asked in chain(*qa)],
        "- nonsense": nonsense(count),
    }


def of_articles(workspace: Workspace, folder: Path, name: str) -> Kinds:
    """Import every second article of a set; return the questions on these and on the other articles."""
    articles = {file: halves(folder / f"{file}.json") for file in (name, *WIKIPEDIA[name])}
    with tempfile.TemporaryDirectory() as scratch:
        half = Path(scratch) / "half.json"
        half.write_text(json.dumps({"data": articles[name][0]}), encoding="utf-8")
        shelve(workspace, f"{name}, half", read(half)[0])
    kinds = {"+ own questions": asked(articles[name][0]), "- other articles": asked(articles[name][1])}
    for file in WIKIPEDIA[name]:
        kinds |= {f"+ by {file}": asked(articles[file][0]), f"- other articles, {file}": asked(articles[file][1])}
    return kinds | {"- nonsense": nonsense(60)}


def halves(file: Path) -> tuple[list[object], list[object]]:
    articles = json.loads(file.read_text(encoding="utf-8"))["data"]
    return articles[::2], articles[1::2]


def asked(articles: Iterable[object]) -> list[str]:
    paragraphs = chain.from_iterable(article["paragraphs"] for article in articles)  # type: ignore[index]
    return [one["question"] for paragraph in paragraphs for one in paragraph["qas"]]


def questions(data: Path, name: str, *, answered: bool) -> list[str]:
    lines = (data / "questions" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [one["question"] for one in map(json.loads, lines) if bool(one["gold"]) == answered]


def nonsense(count: int) -> list[str]:
    """Return texts of one to four words of random letters."""
    draw = random.Random(SEED)
    word = lambda: "".join(draw.choices(LETTERS, k=draw.randint(3, 9)))  # noqa: E731
    return [" ".join(word() for _ in range(draw.randint(1, 4))) for _ in range(count)]


def some(texts: Sequence[str], count: int) -> list[str]:
    return list(texts) if len(texts) <= count else random.Random(SEED).sample(texts, count)


def table(workspace: Workspace, mode: str, base: str, kinds: Mapping[str, Sequence[str]]) -> None:
    """Ask a base all questions and print a row for each evidence threshold."""
    evidence = {kind: measured(workspace, base, texts, MODES[mode]) for kind, texts in kinds.items()}
    heads = [f"{kind} ({len(values)})" for kind, values in evidence.items()]
    print(f"\n{mode}\n| least evidence, {base} | {' | '.join(heads)} |\n|---{'|---' * len(heads)}|")
    for least in LEAST:
        shares = (sum(value < least for value in values) / max(len(values), 1) for values in evidence.values())
        mark = "**" if least == confidence.LEAST else ""
        print(f"| {mark}{least}{mark} | {' | '.join(f'{share:.3f}' for share in shares)} |", flush=True)


def measured(workspace: Workspace, base: str, texts: Iterable[str], options: SearchOptions) -> list[float]:
    """Return the evidence of an answer to each question; questions that can't be asked are left out."""
    values: list[float] = []
    evidence = confidence.evidence

    def recorded(store: Store, ranking: Ranking) -> float:
        values.append(evidence(store, ranking))
        return inf

    confidence.evidence = recorded
    try:
        for text in dict.fromkeys(texts):
            try:
                workspace.search(text, filters=Filters(bases=(base,)), **options)
            except QueryError:
                continue
    finally:
        confidence.evidence = evidence
    return values


if __name__ == "__main__":
    main()

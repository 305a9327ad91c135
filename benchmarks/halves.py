"""Search over two kinds of bases: half of the notes in one by meaning and words, half in one by words only.

python -m benchmarks.halves [DATA] [--workspace DIR] [--embedder bundled] [--reranker none] : DATA holds vaults/NAME and
questions/NAME.jsonl. A passage is met by a hit that holds its beginning, or stands in it.
"""

import argparse
import shutil
import tempfile
from collections import defaultdict
from pathlib import Path
from random import Random
from statistics import fmean

from benchmarks.quality import vaults
from core.features.evaluation.question_files import parse
from core.model import Gold, Hit
from core.workspace import Workspace

KINDS = ("vector", "literal")
_BEGINNING = 60
"""Characters of a passage that stand in a chunk which holds it."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, nargs="?", default=Path("../shared/data"))
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--embedder", default="bundled")
    parser.add_argument("--reranker", default="none")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, Workspace(given.workspace or Path(scratch) / "work") as workspace:
        if not workspace.bases.all():
            fill(workspace, given.data, Path(scratch), given.embedder)
        kind = {card.path: card.base for card in workspace.notes.all()}
        ranks = defaultdict[str, list[float]](list)
        for name in vaults(given.data):
            file = given.data / "questions" / f"{name}.jsonl"
            for question in parse(file.read_bytes(), file.name):
                hits = workspace.search(question.text, level="simple", reranker=given.reranker, limit=10).hits
                places = [rank for rank, hit in enumerate(hits, 1) if any(meets(hit, gold) for gold in question.gold)]
                if question.gold:
                    ranks[kind[question.gold[0].path]].append(1 / places[0] if places else 0.0)
        ranks["both"] = [rank for each in KINDS for rank in ranks[each]]
        for name, reciprocal in ranks.items():
            first = fmean(rank == 1 for rank in reciprocal)
            print(f"{name:<10}{len(reciprocal):>4} questions   hit@1 {first:.3f}   MRR@10 {fmean(reciprocal):.3f}")


def fill(workspace: Workspace, data: Path, scratch: Path, embedder: str) -> None:
    """Import each note into one of the two bases."""
    random = Random(5)
    workspace.bases.add("vector", kind="vector", embedder=embedder)
    workspace.bases.add("literal", kind="literal")
    for name in vaults(data):
        vault = data / "vaults" / name
        for note in sorted(vault.rglob("*.md")):
            copy = scratch / random.choice(KINDS) / name / note.relative_to(vault)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(note, copy)
        for kind in KINDS:
            workspace.notes.apply(workspace.notes.plan_folder(scratch / kind / name, kind))


def meets(hit: Hit, gold: Gold) -> bool:
    """Whether a hit is what was asked for."""
    text, quote = (" ".join(one.split()) for one in (hit.chunk.text, gold.quote))
    return hit.note.path == gold.path and (quote[:_BEGINNING] in text or text in quote)


if __name__ == "__main__":
    main()

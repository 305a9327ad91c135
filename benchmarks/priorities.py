"""What a weight of priorities does where they say nothing, and where they point at what is asked for.

python -m benchmarks.priorities [DATA] : DATA holds vaults/NAME and questions/NAME.jsonl. *Random* gives every note a
priority of 0 to 3 by chance; *telling* gives 3 to three of four notes that hold an answer, and to one of four others.
"""

import argparse
import tempfile
from collections.abc import Callable, Collection
from pathlib import Path
from random import Random

from benchmarks.quality import imported, measured_set, vaults
from benchmarks.retrieval import told
from core.model import Pipeline, SearchSettings
from core.workspace import Workspace

WEIGHTS = (0.0, 0.02, 0.05, 0.1, 0.2, 0.5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, nargs="?", default=Path("../shared/data"))
    data = parser.parse_args().data
    sets = vaults(data)
    random = Random(7)
    kinds: dict[str, Callable[[bool], int]] = {
        "random": lambda _: random.randint(0, 3),
        "telling": lambda answers: 3 * (random.random() < (0.75 if answers else 0.25)),
    }
    with tempfile.TemporaryDirectory() as scratch, Workspace(Path(scratch)) as workspace:
        bases = {name: imported(workspace, data / "vaults" / name, "bundled") for name in sets}
        for kind, priority in kinds.items():
            for name, base in bases.items():
                _give(workspace, base, _answering(workspace, data, name, base), priority)
            for weight in WEIGHTS:
                pipeline = Pipeline(search=SearchSettings(priority_weight=weight))
                measured = [measured_set(workspace, data, name, base, pipeline) for name, base in bases.items()]
                print(f"{kind:<10}{weight:<8}{told([one for each in measured for one in each.questions])}", flush=True)


def _answering(workspace: Workspace, data: Path, name: str, base: str) -> set[str]:
    """Return the paths of the notes that hold an answer of the set."""
    file = data / "questions" / f"{name}.jsonl"
    questions = workspace.question_sets.read(base, file.read_bytes(), file.name)
    return {gold.path for question in questions for gold in question.gold}


def _give(workspace: Workspace, base: str, answering: Collection[str], priority: Callable[[bool], int]) -> None:
    """Give every note of a base a priority."""
    for card in workspace.notes.all(workspace.searching.filters(bases=[base])):
        workspace.notes.set_fields([card.id], priority=priority(card.path in answering))


if __name__ == "__main__":
    main()

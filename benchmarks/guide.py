"""Check whether the notes of the guide answer users' questions: python -m benchmarks.guide

Prints, for each language, for how many of the questions in data/questions the right note is among the first five.
"""

import json
import tempfile
from pathlib import Path

from core.workspace import Workspace

QUESTIONS = Path(__file__).parents[1] / "data" / "questions"
MOST_MISSED = 2
"""Maximum number of missed questions out of twenty."""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, Workspace(Path(folder)) as workspace:
        for name in ("guide", "guide-zh"):
            workspace.packs.install(name)
            base = next(pack.base for pack in workspace.packs.installed() if pack.name == name)
            rows = [json.loads(line) for line in (QUESTIONS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
            missed = [row["question"] for row in rows if not _is_right(workspace, base, row)]
            verdict = f"  MISSED: at most {MOST_MISSED} of these: {missed}" if len(missed) > MOST_MISSED else ""
            right = len(rows) - len(missed)
            print(f"{name:<10} right among the first five: {right} of {len(rows)}{verdict}", flush=True)


def _is_right(workspace: Workspace, base: str, row: dict[str, object]) -> bool:
    hits = workspace.search(str(row["question"]), bases=[base], limit=5).hits
    return row["gold"][0]["path"] in [hit.note.path for hit in hits]  # type: ignore[index]


if __name__ == "__main__":
    main()

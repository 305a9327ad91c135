"""Run by test_switching: a change of embedder in a process of its own that is killed, or taken up again.

python tests/killed_switch.py FOLDER WORKSPACE embedding|committing|resume
"""

import os
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
os.environ |= {"TESSERA_EMBEDDER": "old", "TESSERA_SEARCH__RERANKER": "none"}

from core import embedding
from core.workspace import Workspace
from tests.fakes import WordLengths
from tests.indexing.test_switching import NOTES, Words, answers, base, status, stored


def kill(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


embedding.EMBEDDERS._built |= {"old": WordLengths(), "new": Words()}
folder, place, moment = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
with Workspace(place) as workspace:
    if moment != "resume":
        workspace.notes.apply(workspace.notes.plan_folder(folder))
        workspace.bases.begin_switch("vault", "new")
        if moment == "committing":
            workspace.store.bases.switch_index = kill  # type: ignore[method-assign]
            workspace.bases.run_switch("vault")
        workspace.bases.run_switch("vault", progress=lambda done, total, what: kill() if done > total / 2 else None)
    assert base(workspace).embedder == "old"
    assert len(answers(workspace)) == 10
    assert status(workspace).switch is not None
    workspace.bases.run_switch("vault")
    assert base(workspace).embedder == "new"
    assert len(answers(workspace)) == 10
    assert stored(workspace) == {"first-letters": NOTES}
    names = {found.name for found in workspace.store.index._opened().list_collections()}
    assert names == {workspace.store.index.name(base(workspace))}

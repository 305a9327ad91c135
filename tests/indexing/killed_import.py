"""Run by test_waiting: an import in a process of its own that is killed, or taken up again.

python tests/indexing/killed_import.py FOLDER writing|embedding|linking|resume MOMENT_OF_THE_KILL
"""

import os
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
os.environ |= {"TESSERA_EMBEDDER": "watched", "TESSERA_SEARCH__RERANKER": "none"}

from core import embedding
from core.indexing import waiting as module
from core.workspace import Workspace
from tests.indexing.test_waiting import NOTES, Watched, found, synced, waiting, whole, write

AT = {"writing": 0.02, "embedding": 0.5, "linking": 2.0}


def kill(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def progress(done: float, total: float, what: object) -> None:
    if done / total > AT[moment]:
        kill()


module._BLOCK = 8
embedding.EMBEDDERS._built["watched"] = Watched()
place, step, moment = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
folder = place / "vault"
if step != "resume":
    folder.mkdir()
    for number in range(NOTES):
        write(folder, number, f"number{number} says {'w' * (number % 7 + 1)}")
with Workspace(place / "workspace") as workspace:
    if step == "resume":
        workspace.store.open_index()
        assert whole(workspace)
        by_words, left = len(found(workspace, "says")), waiting(workspace)
        assert {"writing": by_words == left > 0, "embedding": 0 < left < NOTES == by_words, "linking": left == NOTES}[
            moment
        ]
        assert len(found(workspace, "says", "semantic")) == by_words - left
        synced(workspace, folder)
        assert (len(found(workspace, "says", "semantic")), waiting(workspace)) == (NOTES, 0)
        assert whole(workspace)
    else:
        if step == "linking":
            workspace.store.pending.embed = kill  # type: ignore[method-assign]
        synced(workspace, folder, progress=progress)

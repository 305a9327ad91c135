"""One text of 1,000 is refused by its model, at each place of a batch: at an import, a change of model, a splitting.

Each time 999 are embedded and one is named, nothing is sent again by itself, and the text that is mended is the only
one that is sent. `count` are the places; a batch has eight.
"""

import os
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from benchmarks.drills import vault
from benchmarks.drills.given import Given
from benchmarks.drills.tally import Tally
from core.model import KnowledgeBase
from core.settings.config import Settings
from core.settings.sections import SearchSection
from core.workspace import Workspace
from tests.model_server import ModelServer

_NOTES = 1_000
_BATCH = 8
_BAD = "poison"
_MODEL = "openai_compatible"


def drill(tally: Tally, given: Given) -> None:
    """Try `count` places, from the first of a batch in the middle of the notes."""
    for place in range(given.count):
        if given.goes_on:
            with tempfile.TemporaryDirectory() as scratch, ModelServer() as server:
                server.refuses = _BAD
                values = {"BASE_URL": server.url, "MODEL": "m", "BATCH_SIZE": str(_BATCH), "RETRIES": "0"}
                os.environ.update({f"TESSERA_EMBEDDINGS__{name}": value for name, value in values.items()})
                _place(tally, Path(scratch), server, _NOTES // 2 // _BATCH * _BATCH + place)


def _place(tally: Tally, scratch: Path, server: ModelServer, bad: int) -> None:
    folder = scratch / "vault"
    for number in range(_NOTES):
        vault.write(folder, number, 1)
    path = folder / f"{bad}.md"
    path.write_text(f"{_BAD} {path.read_text()}")
    search = SearchSection(reranker="none")
    with Workspace(settings=Settings(workspace=scratch / "workspace", embedder=_MODEL, search=search)) as workspace:

        def imported() -> KnowledgeBase:
            workspace.notes.apply(workspace.notes.plan_folder(folder))
            return workspace.bases.get("vault")

        def judge(kind: str, texts: int, *, refused: int = 1) -> None:
            windows = workspace.bases.status(workspace.bases.get("vault")).windows
            names = [one.path for one in workspace.chunks.refused("vault")]
            took = time.monotonic() - began
            sent = {text for request in server.requests if request.body for text in request.body["input"]}
            sent = {text for text in sent if vault.TOKEN.search(text)}
            print(f"{kind}, place {bad}: {windows} embedded, {names} refused, {len(sent)} texts sent, {took:.1f} s")
            right = (windows, names, len(sent)) == (_NOTES - refused, [path.name] * refused, texts)
            tally.count(kind, lost="" if right else f"place {bad}: {windows} {names} {len(sent)}")
            server.requests.clear()

        began = time.monotonic()
        base = imported()
        judge("import", _NOTES)
        began = time.monotonic()
        imported()
        workspace.chunks.embed("vault")
        judge("import again", 0)
        began = time.monotonic()
        workspace.bases.begin_switch("vault", f"{_MODEL}:other")
        workspace.bases.run_switch("vault")
        judge("change of model", _NOTES)
        began = time.monotonic()
        workspace.chunks.rechunk("vault", options=replace(base.chunking, chunk_size=2 * base.chunking.chunk_size))
        workspace.chunks.embed("vault")
        judge("splitting again", 0)
        vault.write(folder, bad, 2)
        began = time.monotonic()
        imported()
        judge("mended", 1, refused=0)

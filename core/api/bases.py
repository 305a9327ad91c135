"""The knowledge bases: listed, made, changed, split again, indexed, deleted."""

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from fastapi import APIRouter
from starlette.responses import Response

from core import data
from core.api import jobs
from core.api.answers import answer
from core.api.shared import Body, Chunking, Opened, Search, Text, documented, or_404
from core.model import BaseFields, BaseKind, KnowledgeBase, Progress, Rechunked, SearchSettings, SyncReport
from core.operations.examples import BASE, JOB
from core.workspace import Workspace

router = APIRouter(tags=["bases"])


class Changes(Body):
    """Settings of a base that change nothing that is indexed; what isn't given stays."""

    description: Text = ""
    search: Search = Search()
    embed_at_once: bool = True
    write_files: bool = False
    watch: bool = False

    def fields(self, own: SearchSettings) -> BaseFields:
        """Return the values that are given; those of `search` over a base's own."""
        values = {name: value for name, value in self.given().items() if name in BaseFields.__annotations__}
        if "search" in values:
            values["search"] = SearchSettings.of(self.search.given()).over(own)
        return cast(BaseFields, values)


class NewBase(Changes):
    """A base to make; what isn't given is as the settings say."""

    name: Text
    embedder: Text = ""
    chunking: Chunking = Chunking()
    kind: BaseKind = "vector"


class BaseChange(Changes):
    """Other settings of a base."""

    name: Text = ""


class Folder(Body):
    """A folder of this machine; a sync that would remove much is refused unless `allow_removals`."""

    folder: Text
    allow_removals: bool = False


@router.get("/bases", **documented({"bases": [BASE]}))
def every(workspace: Opened) -> Response:
    """List the bases, each with its size and settings."""
    return answer({"bases": [_values(workspace, base) for base in workspace.bases.all()]})


@router.post("/bases", **documented(BASE, 201, takes={"name": "work", "description": "Plans and decisions"}))
def make(workspace: Opened, new: NewBase) -> Response:
    """Make an empty base."""
    chunking = replace(workspace.bases.usual(new.kind).chunking, **new.chunking.given())
    fields = new.fields(SearchSettings())
    base = workspace.bases.add(new.name, embedder=new.embedder, chunking=chunking, kind=new.kind, **fields)
    return answer(_values(workspace, base), 201)


@router.post("/bases/{base:path}/import", **documented(JOB, 202, takes={"folder": "/home/ada/notes"}))
def import_(workspace: Opened, base: Text, source: Folder) -> Response:
    """Begin to bring a base up to date with a folder; a base of a new name is made. Then its notes are indexed."""

    def work(progress: Progress) -> SyncReport:
        plan = workspace.notes.plan_folder(Path(source.folder), base)
        report = workspace.notes.apply(plan, confirmed=source.allow_removals, embed=False, progress=progress)
        workspace.start_indexing()
        return report

    return jobs.start_job(workspace, "import", work, base=base)


@router.post("/bases/{base:path}/rechunk", **documented(JOB, 202, takes={"chunk_size": 256}))
def rechunk(workspace: Opened, base: Text, splitting: Chunking) -> Response:
    """Begin to split the notes of a base again; what is given becomes the base's, and edits of chunks stay."""
    known, given = or_404(lambda: workspace.bases.get(base)), splitting.given()
    options = replace(known.chunking, **given) if given else None

    def work(progress: Progress) -> Rechunked:
        return workspace.chunks.rechunk(base, options=options, progress=progress)

    return jobs.start_job(workspace, "rechunk", work)


@router.get("/bases/{base:path}", **documented(BASE))
def one(workspace: Opened, base: Text) -> Response:
    """Show a base."""
    return answer(_values(workspace, or_404(lambda: workspace.bases.get(base))))


@router.patch("/bases/{base:path}", **documented(BASE, takes={"search": {"limit": 5}}))
def change(workspace: Opened, base: Text, changes: BaseChange) -> Response:
    """Change settings of a base, or rename it; what isn't given stays."""
    known = or_404(lambda: workspace.bases.get(base))
    changed = workspace.bases.update(base, **changes.fields(known.search))
    if changes.name:
        changed = workspace.bases.rename(base, changes.name)
    return answer(_values(workspace, changed))


@router.delete("/bases/{base:path}", **documented({"base": "work", "deleted": True}))
def delete(workspace: Opened, base: Text) -> Response:
    """Put a base with its notes into the trash, from which it can be restored on the page Bases."""
    or_404(lambda: workspace.bases.get(base))
    workspace.bases.delete(base)
    return answer({"base": base, "deleted": True})


def _values(workspace: Workspace, base: KnowledgeBase) -> dict[str, Any]:
    return data.of_base(workspace.bases.status(base))

"""The knowledge bases: listed, made, changed, split again, indexed, deleted."""

from dataclasses import replace
from typing import Any, cast

from fastapi import APIRouter
from starlette.responses import Response

from core import data
from core.api.answers import answer
from core.api.examples import BASE
from core.api.shared import Body, Chunking, Opened, Search, Text, gives, there
from core.model import BaseFields, BaseKind, KnowledgeBase, SearchSettings
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


@router.get("/bases", **gives({"bases": [BASE]}))
def every(workspace: Opened) -> Response:
    """List the bases, each with its size and settings."""
    return answer({"bases": [_values(workspace, base) for base in workspace.bases.all()]})


@router.post("/bases", **gives(BASE, 201, takes={"name": "work", "description": "Plans and decisions"}))
def make(workspace: Opened, new: NewBase) -> Response:
    """Make an empty base."""
    chunking = replace(workspace.bases.usual().chunking, **new.chunking.given())
    fields = new.fields(SearchSettings())
    base = workspace.bases.add(new.name, embedder=new.embedder, chunking=chunking, kind=new.kind, **fields)
    return answer(_values(workspace, base), 201)


@router.get("/bases/{base:path}", **gives(BASE))
def one(workspace: Opened, base: str) -> Response:
    """Show a base."""
    return answer(_values(workspace, there(lambda: workspace.bases.get(base))))


@router.patch("/bases/{base:path}", **gives(BASE, takes={"search": {"limit": 5}}))
def change(workspace: Opened, base: str, changes: BaseChange) -> Response:
    """Change settings of a base, or rename it; what isn't given stays."""
    known = there(lambda: workspace.bases.get(base))
    changed = workspace.bases.change(base, **changes.fields(known.search))
    if changes.name:
        changed = workspace.bases.rename(base, changes.name)
    return answer(_values(workspace, changed))


@router.delete("/bases/{base:path}", **gives({"base": "work", "deleted": True}))
def delete(workspace: Opened, base: str) -> Response:
    """Put a base with its notes into the trash, from which it can be restored on the page Bases."""
    there(lambda: workspace.bases.get(base))
    workspace.archives.delete(base)
    return answer({"base": base, "deleted": True})


def _values(workspace: Workspace, base: KnowledgeBase) -> dict[str, Any]:
    return data.of_base(workspace.bases.status(base))

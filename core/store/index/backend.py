"""Places of the vector index: a folder, a server of Chroma, or none."""

from collections.abc import Sequence
from dataclasses import field, replace
from pathlib import Path

from core.base.frozen import frozen
from core.base.messages import Message
from core.model import IndexState, KnowledgeBase, Matrix, Progress, no_progress


class NoIndex:
    """The index of a workspace without one: every search compares with every vector."""

    state: IndexState = "none"
    problem: Message | None = None
    ready = False

    def open(self, progress: Progress = no_progress, *, heal: bool = True) -> None: ...
    def rebuild(self, progress: Progress = no_progress) -> None: ...
    def close(self) -> None: ...
    def follow(self, base: KnowledgeBase, ids: Sequence[str]) -> None: ...
    def build(self, base: KnowledgeBase) -> None: ...
    def drop(self, base: KnowledgeBase) -> None: ...

    def nearest(self, base: KnowledgeBase, query: Matrix, count: int) -> dict[str, float] | None:
        """Return None: the store compares exactly."""
        return None

    def ids(self, base: KnowledgeBase) -> set[str]:
        """Return no id."""
        return set()

    def names(self) -> set[str]:
        """Return no name."""
        return set()


@frozen
class Address:
    """Address of the collections of `owner`, a workspace, on a server of Chroma. `token` goes into the header."""

    url: str
    owner: str
    database: str = "default_database"
    tenant: str = "default_tenant"
    token: str = field(default="", repr=False)


Place = Path | Address


def rebuild_address(address: Address) -> Address:
    """Return the address for rebuilding these collections; no workspace has such a name."""
    return replace(address, owner=f"new-{address.owner}")

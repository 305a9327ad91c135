"""Places of the vector index: a directory of Chroma, a server of Chroma, or none."""

from collections.abc import Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Protocol, Self

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


class Backend(Protocol):
    """Collections of entries by name, an entry is an id and a vector of unit length. Failures raise StoreError.

    IndexDamaged says that a collection has to be built again, any other error that the backend can't be used now.
    """

    def open(self, *, empty: bool = False) -> bool:
        """Open it, made `empty` or as it is; return whether it is as a sound index was left."""

    def close(self, *, sealed: bool) -> None:
        """Close it if it is open; `sealed` says that it is sound."""

    def names(self) -> set[str]:
        """Return the names of the collections."""

    def search(self, name: str, query: Matrix, count: int) -> dict[str, float]:
        """Return the best entries with their cosine; fewer than `count` is normal."""

    def ids(self, name: str) -> set[str]:
        """Return the ids of all entries."""

    def vectors(self, name: str, ids: Sequence[str]) -> dict[str, Matrix]:
        """Return the vectors of some entries as the graph holds them."""

    def reach(self, name: str) -> float:
        """Return the share of the entries that a search for all of them returns."""

    def add(self, name: str, ids: Sequence[str], vectors: Matrix) -> None:
        """Add entries; those with a stored id stay as they are."""

    def remove(self, name: str, ids: Sequence[str]) -> None:
        """Remove entries; unknown ids are ignored."""

    def create(self, name: str) -> None:
        """Make an empty collection."""

    def drop(self, name: str) -> None:
        """Delete a collection if it is there."""

    def rebuild_backend(self) -> Self:
        """Return the backend in which this one is built again."""

    def take_over(self, fresh: Self) -> None:
        """Put what another backend holds in the place of this one's; both are closed afterwards."""

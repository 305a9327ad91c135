"""Places of the vector index: a folder, or a server of Chroma."""

from dataclasses import field, replace
from pathlib import Path

from core.base.frozen import frozen


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

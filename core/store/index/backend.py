"""Places of the vector index: a folder, or a server of Chroma."""

from dataclasses import field, replace
from pathlib import Path

from core.base.frozen import frozen


@frozen
class Address:
    """Address of a workspace's collections on a Chroma server. `owner` names the workspace."""

    url: str
    owner: str
    database: str = "default_database"
    tenant: str = "default_tenant"
    token: str = field(default="", repr=False)


Place = Path | Address


def rebuild_address(address: Address) -> Address:
    """Return the address where new collections are built; the prefix never occurs in a workspace's owner name."""
    return replace(address, owner=f"new-{address.owner}")

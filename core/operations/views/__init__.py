"""Operation results whose fields differ from those of the classes in `core.model`."""

from core.base.frozen import frozen


@frozen
class Deletion:
    """The id of a deleted item, or of a note that was moved to the trash."""

    id: str
    deleted: bool = True

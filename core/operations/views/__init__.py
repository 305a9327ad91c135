"""What operations on the stages of the pipeline return where a noun has other fields than are shown."""

from core.base.frozen import frozen


@frozen
class Deletion:
    """The id of what is gone, or of a note that is in the trash."""

    id: str
    deleted: bool = True

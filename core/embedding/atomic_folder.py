"""Atomic writing of a model's folder: it is written under a temporary name, then renamed."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from core.base.errors import ModelError
from core.base.messages import Message


@contextmanager
def create_folder(folder: Path, cannot_write: Message, *, mark: str) -> Iterator[Path]:
    """Yield a temporary folder; rename it to `folder` on success, delete it on an error.

    Safe in several processes at once: if another process has written `folder` first, recognised by the file `mark`,
    that folder stays. Raises ModelError if the disk refuses: `cannot_write`, with the fields `folder` and `why`.
    """

    def refused(error: OSError) -> ModelError:
        return ModelError(replace(cannot_write, fields={"folder": str(folder), "why": error.strerror or str(error)}))

    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    except OSError as error:
        raise refused(error) from error
    try:
        yield temporary
        temporary.chmod(0o755)  # mkdtemp makes it 0o700, but a shared folder must be readable
        temporary.rename(folder)
    except OSError as error:
        # Another process may have been first. Its folder came by rename, so it is complete.
        if not (folder / mark).is_file():
            raise refused(error) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)

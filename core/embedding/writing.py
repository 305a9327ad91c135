"""Atomic writing of a model's folder: it is written under a temporary name, then renamed."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from core.errors import ModelError
from core.messages import Message


@contextmanager
def beside(folder: Path, cannot_write: Callable[[Path, OSError], Message], *, mark: str = "") -> Iterator[Path]:
    """Yield a temporary folder; rename it to `folder` on success, delete it on an error.

    Safe in several processes at once: if another process has written `folder` first, recognised by the file `mark`,
    that folder stays. Raises ModelError with the message of `cannot_write` if the disk refuses.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    except OSError as error:
        raise ModelError(cannot_write(folder, error)) from error
    try:
        yield temporary
        temporary.chmod(0o755)  # mkdtemp makes it 0o700, but a shared folder must be readable
        temporary.rename(folder)
    except OSError as error:
        # Another process may have been first. Its folder came by rename, so it is complete.
        if not mark or not (folder / mark).is_file():
            raise ModelError(cannot_write(folder, error)) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)

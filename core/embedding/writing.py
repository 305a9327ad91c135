"""A model's folder, written beside its place and renamed: whole or not there."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from core.errors import ModelError


@contextmanager
def beside(folder: Path, cannot_write: Callable[[Path, OSError], str], *, mark: str = "") -> Iterator[Path]:
    """Give a folder to write into that becomes `folder` when all went well, and is deleted otherwise.

    Safe in several processes at once: who comes second keeps the first one's, known by the file `mark`. Raises
    ModelError, in the words of `cannot_write`, where the disk refuses.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    except OSError as error:
        raise ModelError(cannot_write(folder, error)) from error
    try:
        yield made
        made.chmod(0o755)  # mkdtemp makes it 0o700, and a shared folder must be readable
        made.rename(folder)
    except OSError as error:
        # Another process may have been first: a folder in place is whole, since it came by rename.
        if not mark or not (folder / mark).is_file():
            raise ModelError(cannot_write(folder, error)) from error
    finally:
        shutil.rmtree(made, ignore_errors=True)

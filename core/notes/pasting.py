"""Pictures that a person pastes into a note: one file each, beside the notes of a folder and never outside of it."""

import hashlib
import os
import re
from contextlib import suppress
from pathlib import Path, PurePosixPath

from core.base.errors import EditError
from core.base.faults import FULL
from core.base.swapping import rename_free, sync_folder, written_beside
from core.notes import attachments

MOST = 20_000_000
"""Bytes of a picture: a photo of a telephone has less, and a larger one is slow to show."""
FOLDER = "attachments"
_SUFFIXES = {
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
    "image/webp": ".webp",
    "image/avif": ".avif",
    "image/bmp": ".bmp",
}
"""Types of pictures that are taken, by their first bytes; an SVG could hold a script."""
_NAME = 40
"""Characters of a name that stay."""


def save(top: Path, name: str, data: bytes) -> str:
    """Write a picture into the folder of pictures in `top`, whole or not at all; return its path from `top`.

    Its name ends with a part of its hash, so the same picture is stored once. Raises EditError.
    """
    if len(data) > MOST:
        raise EditError(
            "The picture has more than {limit} MB. Make it smaller, then put it in again.", limit=MOST // 1_000_000
        )
    suffix = _SUFFIXES.get(attachments.picture_type(data))
    if suffix is None:
        raise EditError("Only pictures can be put in: PNG, JPEG, GIF, WebP, AVIF and BMP. This file is none of them.")
    digest = hashlib.sha256(data).hexdigest()
    folder = top / FOLDER
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not folder.resolve().is_relative_to(top.resolve()):
            raise EditError("The folder {folder} leads elsewhere. The picture wasn't stored.", folder=str(folder))
        for length in (8, len(digest)):
            file = folder / f"{_stem(name)}-{digest[:length]}{suffix}"
            if _written(file, data):
                return f"{FOLDER}/{file.name}"
    except (OSError, RuntimeError) as error:
        why = getattr(error, "strerror", "") or str(error)
        if getattr(error, "errno", None) in FULL:
            raise EditError("There is no space left for the picture ({why}).", why=why) from error
        raise EditError("The picture can't be written into {folder} ({why}).", folder=str(folder), why=why) from error
    raise EditError("There is another file in the place of the picture: {path}.", path=str(file))


def _written(file: Path, data: bytes) -> bool:
    """Write a new file; return whether it holds the data, which another file of the name doesn't."""
    if os.path.lexists(file):
        return file.is_file() and not file.is_symlink() and file.read_bytes() == data
    rights = file.parent.stat().st_mode & 0o666
    new = written_beside(file, data, lambda path: path.chmod(rights))
    try:
        rename_free(new, file)
        sync_folder(file.parent)
    except FileExistsError:
        return file.read_bytes() == data
    finally:
        with suppress(OSError):
            new.unlink()
    return True


def _stem(name: str) -> str:
    """Return a name that every system can hold and that stands in a link as it is."""
    words = re.sub(r"[^\w-]+", "-", PurePosixPath(name.replace("\\", "/")).stem[:_NAME]).strip("-_")
    return f"picture-{words}" if words.isdigit() or len(words) < 4 else words

"""The contents of a backup: the workspace's files, and a manifest with the files' digests.

Backups may be encrypted in the age format. The passphrase encrypts a private key once, and is never stored. Backups are
encrypted with the public key, so the passphrase is needed only to read a backup, not to create one. Every encrypted
backup contains the encrypted private key, so the `age` program can read the backup, too.
"""

import io
import json
import lzma
import os
import sqlite3
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import IO, Literal

from pydantic import NonNegativeInt, TypeAdapter

from core.base import codec, files
from core.base.codec import assemble, decode
from core.base.errors import ConfigError, MissingDependency, SourceError
from core.base.faults import BACKUPS, DATABASE, FILES, translate_errors
from core.base.frozen import attributes, frozen
from core.base.messages import message
from core.model import Backup, BackupReason

# Exceptions that may be raised while reading a damaged backup.
DAMAGE = (
    *codec.DAMAGE,
    OSError,
    EOFError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    sqlite3.DatabaseError,
)
FILE = "manifest.json"
# Names of the encrypted private key and of the encrypted zip file in an encrypted backup.
KEY = "key.age"
CONTENT = "content.age"
# Workspace files and folders to back up in addition to the database.
BELONGING = (
    "preferences.json",
    "synonyms.txt",
    "vocabulary.txt",
    "backup-key.json",
    "trash",
    f"{BACKUPS}/trash",
    FILES,
)
# Files of earlier versions. Old backups may contain them. They are deleted when a workspace is opened for writing.
OBSOLETE = ("floors.json", "bars.json")
# Maps each file's path in a backup to the file's size and SHA-256.
Digests = Mapping[str, tuple[int, str]]


@frozen
class _Manifest:
    tessera: Literal["backup"]
    version: Literal[1]
    made_at: datetime
    reason: BackupReason
    workspace: str
    program: str
    schema: NonNegativeInt
    bases: NonNegativeInt
    notes: NonNegativeInt
    encrypted: bool
    files: dict[str, tuple[NonNegativeInt, str]]


_MANIFEST = TypeAdapter(_Manifest)
_OF_BACKUP = ("reason", "workspace", "program", "schema", "bases", "notes", "encrypted")
_MOST = 16 << 20
_BLOCK = 1 << 20


def write(archive: zipfile.ZipFile, backup: Backup, digests: Digests) -> None:
    about = {
        "tessera": "backup",
        "version": 1,
        "made_at": backup.made_at.isoformat(),
        **attributes(backup, _OF_BACKUP),
        "files": digests,
    }
    with archive.open(FILE, "w") as stream:  # no modification time, because zip files can't store times before 1980
        # A folder name may contain lone surrogates.
        stream.write(json.dumps(about, ensure_ascii=False, indent=1).encode("utf-8", "surrogatepass"))


def read(file: Path) -> tuple[Backup, Digests]:
    """Return a backup and its files' digests. Raises SourceError if the file isn't an intact backup."""
    try:
        with zipfile.ZipFile(file) as archive, archive.open(FILE) as stream:
            stored = _MANIFEST.validate_python(json.loads(stream.read(_MOST)))
        if not all(map(belongs, stored.files)) or (CONTENT if stored.encrypted else DATABASE) not in stored.files:
            raise ValueError("other files")
        return assemble(
            Backup, stored, file=file, made_at=stored.made_at.astimezone(UTC), bytes=file.stat().st_size
        ), stored.files
    except DAMAGE as error:
        raise SourceError(str(file), "This file is damaged, or isn't a Tessera backup.") from error


def belongs(name: str) -> bool:
    """Return whether a backup may contain a file with this path.

    Other programs may leave files whose names a zip file can't store, because they contain a backslash or a lone
    surrogate. Such files are left out of backups.
    """
    whole = name in (DATABASE, KEY, CONTENT, *BELONGING, *OBSOLETE)
    inside = any(name.startswith(f"{item}/") for item in BELONGING)
    sound = "\\" not in name and name == name.encode(errors="ignore").decode()
    return whole or (inside and sound and not {"", ".", ".."} & {*name.split("/")})


def list_backups(*places: Path) -> list[Backup]:
    """Return the backups in the given folders, newest first. An unreadable backup has a `problem`."""
    backups = {file: read_backup(file) for place in places for file in _files(place)}
    return sorted(backups.values(), key=lambda backup: (backup.made_at, backup.name), reverse=True)


def _files(place: Path) -> Iterator[Path]:
    with suppress(OSError):  # a folder that can't be read
        # Before migrations, earlier versions created backups that contain only a copy of the database.
        for pattern in ("*.zip", "notes-schema-*.db"):
            yield from (file for file in place.glob(pattern) if file.is_file() and not file.name.startswith("."))


def read_backup(file: Path) -> Backup:
    """Return a backup, with a `problem` if its contents are invalid. Raises SourceError if the file can't be read."""
    try:
        status = file.stat()
    except OSError as error:
        raise files.unreadable(file, error) from error
    plain = Backup(file, datetime.fromtimestamp(status.st_mtime, UTC), status.st_size)
    if file.suffix == ".db":
        return replace(plain, reason="migration")
    try:
        return read(file)[0]
    except SourceError as error:
        return replace(plain, problem=error.reason)


def copy_stream(source: IO[bytes], target: IO[bytes] | None) -> tuple[int, str]:
    """Copy a stream to `target`, and return the stream's size and SHA-256. If `target` is None, nothing is written."""
    size = 0
    digest = sha256()
    while block := source.read(_BLOCK):
        size += len(block)
        digest.update(block)
        if target:
            target.write(block)
    return size, digest.hexdigest()


def unpack(file: Path, folder: Path | None, names: Digests) -> None:
    """Unpack a backup's files to `folder`, or only verify them if `folder` is None.

    Raises SourceError if a file differs from its digest.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            if {*archive.namelist()} != {*names, FILE}:
                raise ValueError("other files")
            for name, known in names.items():
                with archive.open(name) as stream:
                    if archive.getinfo(name).file_size != known[0] or _written(stream, folder, name) != known:
                        raise SourceError(
                            str(file),
                            "'{name}' in the backup has changed since the backup was made. Choose another backup.",
                            name=name,
                        )
    except DAMAGE as error:
        raise damage_error(file) from error


def damage_error(file: Path) -> SourceError:
    return SourceError(str(file), "This backup is damaged. Choose another backup.")


def _written(stream: IO[bytes], folder: Path | None, name: str) -> tuple[int, str]:
    if folder is None:
        return copy_stream(stream, None)
    place = folder / name
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with place.open("xb") as target:
        with suppress(OSError):  # the file system may not support permissions
            place.chmod(0o600)
        result = copy_stream(stream, target)
        target.flush()
        os.fsync(target.fileno())
    return result


KEY_FILE = "backup-key.json"
LEAST = 8


@frozen
class BackupKey:
    """The public key for encrypting backups (`recipient`), and the passphrase-encrypted private key (`identity`)."""

    recipient: str
    identity: str


def key(folder: Path) -> BackupKey | None:
    """Return a workspace's key, or None if its backups aren't encrypted. Raises SourceError if the key is damaged."""
    file = folder / KEY_FILE
    try:
        return decode(BackupKey, files.parse_json(files.read(file)))  # type: ignore[no-any-return]
    except FileNotFoundError:
        return None
    except DAMAGE as error:
        raise _key_error(file) from error


def _key_error(file: Path) -> SourceError:
    return SourceError(
        str(file),
        (
            "This file can't be read. No backup was made because it would not have been encrypted. Set the "
            "passphrase again."
        ),
    )


def unprotect(folder: Path) -> None:
    """Stop encrypting a workspace's backups. Earlier backups stay encrypted."""
    with translate_errors(folder):
        files.delete(folder / KEY_FILE)


def protect(folder: Path, passphrase: str) -> None:
    """Encrypt a workspace's backups from now on. Raises ConfigError if the passphrase is too short."""
    if len(passphrase) < LEAST:
        raise ConfigError("A passphrase needs at least {n} characters.", n=LEAST)
    with translate_errors(folder):
        age = _age()
        identity = age.x25519.Identity.generate()
        sealed = age.passphrase.encrypt(str(identity).encode(), passphrase, armored=True)
        files.replace(folder / KEY_FILE, json.dumps(asdict(BackupKey(str(identity.to_public()), sealed.decode()))))


def encrypt_backup(folder: Path, file: Path, backup: Backup) -> Backup:
    """Encrypt a backup file in place if the workspace's backups are encrypted, and return the resulting backup."""
    if (own := key(folder)) is None:
        return backup
    age = _age()
    content = file.with_name(CONTENT)
    try:
        recipient = age.x25519.Recipient.from_str(own.recipient)
    except age.RecipientError as error:
        raise _key_error(folder / KEY_FILE) from error
    age.encrypt_file(str(file), str(content), [recipient])
    sealed = replace(backup, file=file, bytes=0, bases=0, notes=0, encrypted=True)
    digests = {}
    with zipfile.ZipFile(file, "w") as archive:
        for name, stream in ((KEY, io.BytesIO(own.identity.encode())), (CONTENT, content.open("rb"))):
            with stream, archive.open(name, "w", force_zip64=True) as target:
                digests[name] = copy_stream(stream, target)
        write(archive, sealed, digests)
    content.unlink()
    return sealed


def decrypt_backup(file: Path, folder: Path, digests: Digests, passphrase: str) -> Path:
    """Decrypt a backup into a folder, and return the decrypted backup file.

    Raises ConfigError if the passphrase is wrong, and SourceError if the backup is damaged.
    """
    age = _age()
    unpack(file, folder, digests)
    sealed = folder / KEY
    content = folder / CONTENT
    try:
        secret = age.passphrase.decrypt(files.read(sealed), passphrase)
    except age.DecryptError as error:
        raise ConfigError("This isn't the passphrase for this backup. Check it, then try again.") from error
    except (FileNotFoundError, files.Unfit) as error:
        raise damage_error(file) from error
    plain = folder / "content.zip"
    try:
        age.decrypt_file(str(content), str(plain), [age.x25519.Identity.from_str(secret.decode())])
    except (age.DecryptError, age.IdentityError, ValueError) as error:
        raise damage_error(file) from error
    content.unlink()
    sealed.unlink()
    return plain


def _age() -> ModuleType:
    try:
        return import_module("pyrage")
    except ImportError as error:
        raise MissingDependency(message("An encrypted backup"), "pyrage", "encryption") from error

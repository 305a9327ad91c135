"""Encrypted backups in the age format. The passphrase is needed to read a backup, but not to make one.

The passphrase encrypts a private key once. Later backups are encrypted for its public key, so no passphrase is stored.
Every backup contains the encrypted key, so the `age` program can read it too.
"""

import io
import json
import zipfile
from dataclasses import asdict, replace
from importlib import import_module
from pathlib import Path
from types import ModuleType

from core.base import files
from core.base.codec import DAMAGE, decode
from core.base.errors import ConfigError, MissingDependency, SourceError
from core.base.faults import translate_errors
from core.base.frozen import frozen
from core.base.messages import message
from core.model import Backup
from core.store.backups import manifest

FILE = "backup-key.json"
LEAST = 8
"""Minimum length of a passphrase, in characters."""


@frozen
class BackupKey:
    """The public key for encrypting backups (`recipient`), and the private key, encrypted with the passphrase."""

    recipient: str
    identity: str


def key(folder: Path) -> BackupKey | None:
    """Return the key of a workspace, None if its backups aren't encrypted; raises SourceError for a damaged file."""
    file = folder / FILE
    try:
        return decode(BackupKey, files.parse_json(files.read(file)))  # type: ignore[no-any-return]
    except FileNotFoundError:
        return None
    except (OSError, *DAMAGE) as error:
        raise _key_error(file) from error


def _key_error(file: Path) -> SourceError:
    return SourceError(
        str(file), "can't be read, so no backup was made: it would not be encrypted. Set the passphrase again."
    )


def unprotect(folder: Path) -> None:
    """Stop encrypting the backups of a workspace; earlier ones stay encrypted."""
    with translate_errors(folder):
        files.delete(folder / FILE)


def protect(folder: Path, passphrase: str) -> None:
    """Encrypt the backups of a workspace from now on; raises ConfigError for a short passphrase."""
    if len(passphrase) < LEAST:
        raise ConfigError("A passphrase needs at least {n} characters.", n=LEAST)
    with translate_errors(folder):
        age = _age()
        identity = age.x25519.Identity.generate()
        sealed = age.passphrase.encrypt(str(identity).encode(), passphrase, armored=True)
        made = BackupKey(str(identity.to_public()), sealed.decode())
        files.replace(folder / FILE, json.dumps(asdict(made)))


def encrypt_backup(folder: Path, file: Path, backup: Backup) -> Backup:
    """Replace a plain backup with an encrypted one if the workspace encrypts its backups; return the result."""
    own = key(folder)
    if own is None:
        return backup
    age, content = _age(), file.with_name(manifest.CONTENT)
    try:
        recipient = age.x25519.Recipient.from_str(own.recipient)
    except age.RecipientError as error:
        raise _key_error(folder / FILE) from error
    age.encrypt_file(str(file), str(content), [recipient])
    sealed = replace(backup, file=file, bytes=0, bases=0, notes=0, encrypted=True)
    digests = {}
    with zipfile.ZipFile(file, "w") as archive:
        for name, stream in ((manifest.KEY, io.BytesIO(own.identity.encode())), (manifest.CONTENT, content.open("rb"))):
            with stream, archive.open(name, "w", force_zip64=True) as target:
                digests[name] = manifest.copy_stream(stream, target)
        manifest.write(archive, sealed, digests)
    content.unlink()
    return sealed


def decrypt_backup(file: Path, folder: Path, passphrase: str) -> Path:
    """Decrypt a backup into a folder, and return the plain backup file.

    Raises ConfigError for a wrong passphrase, and SourceError for a damaged backup.
    """
    age = _age()
    _, digests = manifest.read(file)
    manifest.unpack(file, folder, digests)
    sealed, content = folder / manifest.KEY, folder / manifest.CONTENT
    try:
        secret = age.passphrase.decrypt(files.read(sealed), passphrase)
    except age.DecryptError as error:
        raise ConfigError("This is not the passphrase for the backup.") from error
    except (FileNotFoundError, files.Unfit) as error:
        raise manifest.damage_error(file) from error
    plain = folder / "content.zip"
    try:
        age.decrypt_file(str(content), str(plain), [age.x25519.Identity.from_str(secret.decode())])
    except (age.DecryptError, age.IdentityError, ValueError) as error:
        raise manifest.damage_error(file) from error
    content.unlink()
    sealed.unlink()
    return plain


def _age() -> ModuleType:
    try:
        return import_module("pyrage")
    except ImportError as error:
        raise MissingDependency(message("An encrypted backup"), "pyrage", "encryption") from error

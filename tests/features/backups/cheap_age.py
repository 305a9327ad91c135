"""A passphrase that encrypts at little cost; pyrage takes about a second for it, on any machine, and as long to read.

The format is https://age-encryption.org/v1: what is written here is read by pyrage as any other.
"""

import hashlib
import hmac
import os
from base64 import b64encode

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

_COST = 4
"""The logarithm of scrypt's cost to the base 2."""
_NO_NONCE, _LAST_CHUNK = bytes(12), bytes(11) + b"\1"


def encrypt(plaintext: bytes, passphrase: str, armored: bool = False) -> bytes:
    """Do as `pyrage.passphrase.encrypt` for a text of one chunk."""
    file_key, salt, nonce = os.urandom(16), os.urandom(16), os.urandom(16)
    wrapping = hashlib.scrypt(
        passphrase.encode(), salt=b"age-encryption.org/v1/scrypt" + salt, n=1 << _COST, r=8, p=1, dklen=32
    )
    wrapped = ChaCha20Poly1305(wrapping).encrypt(_NO_NONCE, file_key, None)
    head = b"age-encryption.org/v1\n-> scrypt %s %d\n%s\n---" % (_base64(salt), _COST, _base64(wrapped))
    mac = hmac.digest(_derived(file_key, b"", b"header"), head, "sha256")
    payload = ChaCha20Poly1305(_derived(file_key, nonce, b"payload")).encrypt(_LAST_CHUNK, plaintext, None)
    made = b"%s %s\n%s%s" % (head, _base64(mac), nonce, payload)
    return _armored(made) if armored else made


def _armored(made: bytes) -> bytes:
    text = b64encode(made)
    lines = [text[at : at + 64] for at in range(0, len(text), 64)]
    return b"\n".join([b"-----BEGIN AGE ENCRYPTED FILE-----", *lines, b"-----END AGE ENCRYPTED FILE-----", b""])


def _derived(key: bytes, salt: bytes, info: bytes) -> bytes:
    return HKDF(hashes.SHA256(), 32, salt, info).derive(key)


def _base64(data: bytes) -> bytes:
    return b64encode(data).rstrip(b"=")

"""What of the extras of this package is installed, without importing it."""

from functools import cache
from importlib.util import find_spec

from core.base.errors import SourceError

_EXTRAS = {
    "pypandoc": "documents",
    "pdfplumber": "documents",
    "pypdfium2": "documents",
    "rapidocr": "ocr",
}
"""A module that a converter imports -> the extra that brings it."""


_MODULES = {
    "pandoc": "pypandoc",
    "uncommented": "pypandoc",
    "pdf": "pdfplumber",
    "pdftext": "pypdfium2",
    "ocr": "rapidocr",
}
"""What each converter of Tessera needs."""


@cache
def has(module: str) -> bool:
    """Return whether a module of an extra is installed."""
    return find_spec(module) is not None


def need(module: str) -> None:
    """Raise SourceError, with the command that installs it, where a module is missing."""
    if not has(module):
        raise SourceError(
            "",
            "can be read once its converter is installed: pip install 'tessera-notes[{extra}]'",
            extra=_EXTRAS[module],
        )


def installed(converter: str) -> bool:
    """Return whether a converter's requirements are installed; packages bring their own."""
    module = _MODULES.get(converter)
    return module is None or has(module)


def fingerprint() -> str:
    """Return what tells whether other documents can be read now than before."""
    return " ".join(module for module in _EXTRAS if has(module))

"""Places outside of every workspace: the program's own files, and the person's."""

from pathlib import Path

_AROUND = Path(__file__).parents[1]
_INSTALLED = _AROUND / "tessera_app"

PROGRAM = _INSTALLED if _INSTALLED.is_dir() else _AROUND
"""The folder of `app.py`, `pages`, `.streamlit`, `data`: the checkout, or `tessera_app` beside an installed `core`."""

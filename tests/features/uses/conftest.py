"""The fixtures of notes."""

from tests.notes.conftest import model, workspace

__all__ = ["model", "workspace"]

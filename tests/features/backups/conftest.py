"""A workspace with a bit of everything that a backup holds."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.workspace import Workspace
from tests import samples
from tests.features.backups import cheap_age


@pytest.fixture(autouse=True)
def _settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    monkeypatch.setenv("TESSERA_INDEX__KIND", "none")
    monkeypatch.setenv("TESSERA_SEARCH__RERANKER", "none")


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "workspace") as opened:
        opened.imports.apply(opened.imports.plan_folder(samples.write(tmp_path / "vault"), "vault"))
        opened.preferences.set("language", "en")
        opened.vocabulary.write("recipe: bread\n")
        opened.notes.add("deleted", "In the trash", title="Trash", embed=False)
        opened.bases.delete("deleted")
        yield opened


@pytest.fixture
def cheap_passphrases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passphrases that encrypt and are read at once; skips without the extra that encrypts."""
    monkeypatch.setattr(pytest.importorskip("pyrage").passphrase, "encrypt", cheap_age.encrypt)

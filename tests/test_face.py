"""The face of the library: what `core` gives, settings from a program, and models of other packages."""

import ast
import logging
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import invalidate_caches
from pathlib import Path

import pytest
from typer.testing import CliRunner

import core
from core import Settings, TesseraError, Workspace
from core.base.errors import ModelError, UnknownChoice
from core.documents import CONVERTERS
from core.doors.cli import app
from core.embedding import EMBEDDERS, Embedder
from core.embedding.contract import EmbedderContract
from core.indexing.models import Models
from core.indexing.models.cards import needs
from core.reranking import RERANKERS, Reranker
from core.reranking.contract import RerankerContract
from core.settings.config import settings
from tests.model_server import ModelServer

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")

LETTERS = '''
import numpy as np

class Letters:
    """Counts letters: dimension i holds how often the i-th letter is in a text."""

    fingerprint, dimension, input_tokens = "letters", 64, 50

    def __init__(self, argument=""):
        self.argument = argument

    def tokens(self, text):
        places = [at for at, letter in enumerate(text) if not letter.isspace()]
        return np.array([(at, at + 1) for at in places], dtype=np.int32).reshape(-1, 2)

    def embed(self, texts, *, role):
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(rows, texts):
            row[0] = 1
            for letter in text:
                row[ord(letter) % self.dimension] += 1
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def warm(self):
        pass

class Shared:
    """Scores by the share of a question's letters that a text has."""

    fingerprint, reads_bits = "shared", False

    def score(self, query, candidates):
        wanted = set(query)
        return [len(wanted & set(one.text)) / max(1, len(wanted)) for one in candidates]

    def warm(self):
        pass

class Half(Letters):
    dimension = "sixty-four"
    warm = None

def broken():
    raise RuntimeError("no such file")
'''
ENTRIES = """
[tessera.embedders]
letters = letters_model:Letters
half = letters_model:Half
broken = letters_model:broken
gone = letters_model:Nothing
absent = no_such_module_at_all:Model
tfidf = letters_model:Letters

[tessera.rerankers]
shared = letters_model:Shared

[tessera.converters]
torn = letters_model:broken
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An installed distribution with models, some of which are broken."""
    place = tmp_path / "site"
    info = place / "letters_model-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: letters-model\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRIES)
    (place / "letters_model.py").write_text(LETTERS)
    monkeypatch.syspath_prepend(place)
    invalidate_caches()
    with pytest.MonkeyPatch.context() as patch:
        for table in (EMBEDDERS, RERANKERS, CONVERTERS):
            patch.setattr(table, "_complete", False)
            patch.setattr(table, "_built", {})
        yield place
        for table in (EMBEDDERS, RERANKERS, CONVERTERS):
            for name in [name for name in table if table[name].package]:
                del table[name]
    sys.modules.pop("letters_model", None)


def test_importing_core_loads_nothing_heavy() -> None:
    code = "import sys, core; print([name for name in sys.modules if name.startswith(('core.', 'pydantic', 'numpy'))])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_the_wheel_gives_the_face_as_tessera(tmp_path: Path) -> None:
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"][
        "wheel"
    ]
    [source] = [file for file, name in wheel["force-include"].items() if name == "tessera.py"]
    shutil.copy(ROOT / source, tmp_path / "tessera.py")
    code = """
import sys, tessera
print([name for name in sys.modules if name.startswith(("core.", "pydantic", "numpy"))])
import core
print(tessera.__all__ == core.__all__, all(getattr(tessera, name) is getattr(core, name) for name in core.__all__))
"""
    paths = {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ | paths
    )
    assert ran.stdout == "[]\nTrue True\n"


def test_the_face_holds_what_the_page_uses_and_the_page_uses_the_face_only() -> None:
    assert [getattr(core, name).__name__ for name in core.__all__] == core.__all__
    with pytest.raises(AttributeError, match="no attribute 'Store'"):
        core.Store  # noqa: B018
    imported = set()
    for example in re.findall(r"```py(?:thon)?\n(.*?)```", PAGE, re.DOTALL):
        for node in ast.walk(ast.parse(example)):
            if isinstance(node, ast.ImportFrom) and str(node.module).partition(".")[0] in ("core", "tessera"):
                assert node.module == "tessera" or str(node.module).endswith(".contract")
                imported |= {name.name for name in node.names}
    assert imported >= {"Workspace", "Settings", "Conflict", "NoteNotFound"}
    assert all(name in PAGE for name in core.__all__)


def test_given_settings_hold_while_the_workspace_is_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESSERA_KEEP_VERSIONS", "77")
    before = settings().embeddings.base_url
    with ModelServer() as server:
        given = Settings(embedder="openai_compatible", trash_days=3, embeddings={"base_url": server.url, "model": "m"})
        with Workspace(tmp_path / "one", settings=given) as workspace:
            assert (workspace.settings.keep_versions, workspace.trash.stays.days) == (77, 3)
            note = workspace.notes.add("work", "Consumers lag behind.")
            assert workspace.bases.get("work").embedder == "openai_compatible"
            assert workspace.search("consumers", mode="semantic").hits[0].note.id == note.id
    assert settings().embeddings.base_url == before
    assert EMBEDDERS.get_built("openai_compatible") is None
    with Workspace(tmp_path / "two") as workspace:
        assert workspace.settings.trash_days == 30
    with pytest.raises(TesseraError, match=r"'trash_days' is not valid: it must be at least 1 \(in Settings\(\)\)"):
        Settings(trash_days=0)


def test_a_deleted_base_is_in_the_trash_and_one_deleted_for_good_is_not(tmp_path: Path) -> None:
    with Workspace(tmp_path, settings=Settings(embedder="tfidf")) as workspace:
        for name in ("kept", "lost"):
            workspace.notes.add(name, "Consumers lag behind.")
        workspace.bases.delete("kept")
        workspace.bases.delete_for_good("lost")
        assert workspace.bases.find("kept") is workspace.bases.find("lost") is None
        assert [base.name for base in workspace.archives.trash()] == ["kept"]
        workspace.archives.restore_deleted("kept")
        assert [note.base for note in workspace.notes.all()] == ["kept"]
        assert workspace.notes.find("nothing") is None


def test_models_of_a_package_are_used_as_the_built_in_ones(tmp_path: Path, package: Path) -> None:
    with Workspace(tmp_path / "w", settings=Settings(embedder="letters")) as workspace:
        first = workspace.notes.add("work", "zzz zzz")
        workspace.notes.add("work", "aaa aaa")
        result = workspace.search("zz", mode="semantic", reranker="shared")
        assert result.hits[0].note.id == first.id
        assert result.hits[0].scores["rerank"].score == 1.0
        assert "shared" in workspace.models.rerankers()
    assert EMBEDDERS.make("letters:large").argument == "large"
    assert str(needs("letters")) == "The model comes with the Python package letters-model."


def test_a_package_that_cannot_be_used_is_named_in_the_list_of_models(
    package: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        cards = {card.name: card for card in Models.without_bases()}
    problems = {name: str(cards[name].problem) for name in ("half", "broken", "gone", "absent")}
    assert problems["half"].startswith(
        "The model for searching by meaning 'half' from the Python package letters-model is missing dimension"
    )
    assert "RuntimeError: no such file" in problems["broken"]
    assert "AttributeError" in problems["gone"]
    assert "ModuleNotFoundError" in problems["absent"]
    assert all("letters-model" in text and "Update or remove the package." in text for text in problems.values())
    assert (cards["letters"].problem, cards["shared"].problem, cards["letters"].dimension) == (None, None, 64)
    assert EMBEDDERS["tfidf"].package == "", "a package takes no name of Tessera's"
    assert "letters-model registers 'tfidf'" in caplog.text
    with pytest.raises(ModelError, match="is missing dimension"):
        EMBEDDERS.build("half")
    with pytest.raises(UnknownChoice, match="Did you mean 'letters'"):
        EMBEDDERS.build("leters")
    shown = CliRunner().invoke(app, ["models", "list"])
    assert shown.exit_code == 0
    assert "RuntimeError: no such file" in " ".join(shown.output.split())


def test_a_converter_that_cannot_be_used_is_named_and_stops_no_other(tmp_path: Path, package: Path) -> None:
    with Workspace(tmp_path / "w", settings=Settings(embedder="tfidf")) as workspace:
        (torn,) = (card for card in workspace.documents.converters() if card.problem)
        assert str(torn.problem).startswith(
            "The converter 'torn' from the Python package letters-model can't be loaded"
        )
        plan = workspace.imports.plan_upload([("prices.csv", b"fruit,price\napple,3\n")], "work")
        assert workspace.imports.apply(plan).added == 1
    shown = CliRunner().invoke(app, ["document", "converters", "--workspace", str(tmp_path / "w")]).output
    (row,) = (line for line in shown.splitlines() if line.startswith("torn "))
    assert "The converter 'torn' from the Python package" in row


class TestLetters(EmbedderContract):
    """The contract of embedders, as the author of a package runs it."""

    @pytest.fixture
    def embedder(self, package: Path) -> Embedder:
        return EMBEDDERS.build("letters")


class TestShared(RerankerContract):
    """The contract of rerankers, as the author of a package runs it."""

    @pytest.fixture
    def reranker(self, package: Path) -> Reranker:
        return RERANKERS.build("shared")

import json
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from core.base.errors import TesseraError
from core.base.registry import Entry
from core.embedding import EMBEDDERS
from core.intake import watching
from core.workspace import Workspace
from pages.ui.shared import shell
from tests import samples
from tests.waiting import PATIENCE

MAIN = Path(__file__).parents[2] / "pages" / "main.py"


class Screen:
    """The app in one browser tab: pages by name, what it shows as text.

    It begins with the page that is opened first, or with the start page where something of the app is wanted before.
    """

    def __init__(self, locale: str = "en-US") -> None:
        self._app = AppTest.from_file(str(MAIN), default_timeout=PATIENCE)
        self._app.context["locale"] = locale
        self._drawn = False
        self.toasts: list[str] = []
        with suppress(TesseraError):  # the first page says why
            shell.open_workspace()

    @property
    def app(self) -> AppTest:
        if not self._drawn:
            self._drawn = True
            self._app.run()
        return self._app

    @property
    def workspace(self) -> Workspace:
        return shell._opened()[0]

    def open(self, page: str, **address: str) -> "Screen":
        self._drawn = True
        self.app.switch_page(shell.PAGES[page][0])
        for name, value in address.items():
            self.app.query_params[name] = value
        self.app.run()
        assert not self.app.exception, self.app.exception
        return self

    @property
    def tabs(self) -> list[str]:
        """The labels of the tabs of the page, of which the open one is drawn."""
        return [tab.label for tab in self._tabs().children.values()]

    def tab(self, label: str, *unfolded: str) -> "Screen":
        """Open a tab of the page, with the content of the expanders of these keys."""
        for key in unfolded:
            self.app.session_state[key] = True
        self.app.session_state[self._tabs().proto.id.split("-", 2)[2]] = label
        self.app.run()
        assert not self.app.exception, self.app.exception
        return self

    def _tabs(self) -> Any:
        return next(one for one in self.app.get("tab_container") if one.proto.id)

    def press(self, key: str) -> "Screen":
        """Press the button with this key, or that begins with it."""
        next(button for button in self.app.button if (button.key or "").startswith(key)).click().run()
        assert not self.app.exception, self.app.exception
        self.toasts += [toast.value for toast in self.app.toast]
        return self

    def explain(self) -> "Screen":
        """Open the reasons of every hit."""
        for key in [button.key for button in self.app.button if re.fullmatch(r"why_\d+", button.key or "")]:
            self.press(str(key))
        return self

    def finish(self, job: str = "import") -> "Screen":
        """Wait for a job and draw the page as it is then."""
        self.workspace.jobs.wait(job, 30)
        if not self._drawn:
            return self
        self.app.run()
        assert not self.app.exception, self.app.exception
        self.toasts += [toast.value for toast in self.app.toast]
        return self

    @property
    def text(self) -> str:
        """Everything the page says, HTML as it is written."""
        kinds = ("title", "subheader", "markdown", "caption", "info", "warning", "error", "success", "code")
        said = [element.value for kind in kinds for element in getattr(self.app, kind)]
        said += [element.proto.body for element in self.app.get("html") if "<style>" not in element.proto.body]
        said += [box.label for box in self.app.expander]
        said += [button.label for button in self.app.button]
        return "\n".join(said)

    @property
    def document(self) -> str:
        """The HTML of the note that is open, which its component draws; "" without one."""
        for element in self.app.get("bidi_component"):
            if element.proto.component_name == "document":
                return str(json.loads(element.proto.json)["html"])
        return ""

    @property
    def errors(self) -> str:
        return "\n".join(error.value for error in self.app.error)


@pytest.fixture(scope="session", autouse=True)
def _scanned_once() -> Iterator[None]:
    """Streamlit looks through every installed package for components each time that an app begins."""
    manifests = manifest_scanner.scan_component_manifests()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", lambda: manifests)
        yield


@pytest.fixture(scope="session")
def _imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with three notes and the workspace in which they were imported once; its tests get copies."""
    folder = tmp_path_factory.mktemp("imported")
    samples.write(folder / "vault")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(EMBEDDERS, "words", Entry("tests.fakes:WordLengths"))
        patch.setenv("TESSERA_EMBEDDER", "words")
        patch.setenv("TESSERA_INDEX__KIND", "none")
        with Workspace(folder / "workspace") as workspace:
            workspace.imports.apply(workspace.imports.plan_folder(folder / "vault"))
    shutil.copytree(folder / "vault", folder / "untouched")
    return folder


@pytest.fixture
def vault(_imported: Path) -> Path:
    """The folder of the three notes, as it was when they were imported."""
    folder = _imported / "vault"
    shutil.rmtree(folder, ignore_errors=True)
    return Path(shutil.copytree(_imported / "untouched", folder))


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A workspace of its own for each test, with an embedder that needs no model, and without an index (`indexed`)."""
    folder = tmp_path / "workspace"
    # A page leaves its script there, which a child of a later test would run.
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    monkeypatch.setitem(EMBEDDERS, "words", Entry("tests.fakes:WordLengths"))
    monkeypatch.setattr(shell, "WARM_AFTER", 0)
    monkeypatch.setattr(watching, "_TICK", 3600.0)  # a test says itself when folders are looked at
    monkeypatch.setenv("TESSERA_EMBEDDER", "words")
    monkeypatch.setenv("TESSERA_INDEX__KIND", "none")  # Chroma would take longer than most pages
    monkeypatch.setenv("TESSERA_SEARCH__RERANKER", "none")  # the default one would load the bundled model
    monkeypatch.setenv("TESSERA_WORKSPACE", str(folder))
    st.cache_resource.clear()
    yield folder
    try:
        shell._opened()[0].close()
    finally:
        st.cache_resource.clear()
        st.cache_data.clear()


@pytest.fixture
def indexed(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An index in Chroma, as workspaces have it unless somebody chose otherwise."""
    monkeypatch.setenv("TESSERA_INDEX__KIND", "chroma")


@pytest.fixture
def filled(place: Path, vault: Path, _imported: Path) -> Screen:
    """The app with the three notes imported and its model ready."""
    shutil.copytree(_imported / "workspace", place)
    screen = Screen()
    return screen.finish("warm")


@pytest.fixture
def long(place: Path, tmp_path: Path) -> str:
    """The id of a note of 30 sections, which are its chunks; it is alone in its base."""
    folder = tmp_path / "long"
    folder.mkdir()
    (folder / "long.md").write_text(samples.long_note(30))
    with Workspace(place) as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(folder))
        return workspace.notes.all()[0].id

"""Use the program as it is without features: `python -m tests.without_feature FOLDER NAME…`."""

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import pytest

import core.features

TRACES = {"learning": "Suggest notes from logs", "packs": "Packs", "related": "Concepts"}
"""What pages show with a feature."""


class Removal(MetaPathFinder):
    """Refuses to import a package."""

    def __init__(self, package: str) -> None:
        self._package = package

    def find_spec(self, name: str, _: Sequence[str] | None = None, __: ModuleType | None = None) -> ModuleSpec | None:
        if f"{name}.".startswith(f"{self._package}."):
            raise ModuleNotFoundError(f"'{name}' was removed", name=name)
        return None


def remove(feature: str) -> None:
    """Take a feature out of the program, as if its folder and its line were deleted."""
    core.features.FEATURES = tuple(name for name in core.features.FEATURES if name != feature)
    sys.meta_path.insert(0, Removal(f"core.features.{feature}"))


def use_workspace(folder: Path) -> None:
    from core.workspace import Workspace
    from tests import samples

    with Workspace(folder / "workspace") as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(samples.write(folder / "vault")))
        assert workspace.search("restore", mode="keyword").hits
        assert workspace.answers.ask("how to check a restore").query
        for title in ("Kept", "Dropped"):
            workspace.proposals.add("vault", f"# {title}\n\nText.")
        kept, dropped = workspace.proposals.all()
        workspace.proposals.accept([kept])
        workspace.proposals.reject([dropped], reason="no use")
        assert [card.title for card in workspace.notes.all(text="Kept")] == ["Kept"]
        workspace.archives.export("vault", folder / "vault.zip")
        assert workspace.archives.restore(folder / "vault.zip", "again").base.name == "again"
        workspace.bases.delete("again")


def use_doors(folder: Path) -> None:
    from core.doors import cli
    from core.doors.api.app import make
    from core.doors.assistants import server
    from core.doors.registry import OPERATIONS

    for command in (["--help"], ["status", "--workspace", str(folder / "workspace")]):
        with pytest.raises(SystemExit, match="0"):
            cli.main(command)
    assert make(lambda: None).openapi()["paths"]  # type: ignore[arg-type,return-value]
    assert {operation.tool for operation in OPERATIONS.values() if operation.tool} <= {*server._DESCRIBED}


def open_pages(features: Sequence[str]) -> None:
    from pages.ui.shared import shell
    from tests.pages.conftest import Screen

    screen = Screen()
    for page in shell.PAGES:
        text = screen.open(page).text
        assert not [feature for feature in features if TRACES[feature] in text]
    screen.workspace.close()


if __name__ == "__main__":
    folder, names = Path(sys.argv[1]), sys.argv[2:]
    for name in names:
        remove(name)
    use_workspace(folder)
    use_doors(folder)
    open_pages(names)

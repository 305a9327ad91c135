"""Every form of a base, exported, imported into an empty workspace and exported again: the same bytes?

A zip is imported once more before: the base of an archive has no folders any more, and from then on it is the same.

python -m benchmarks.roundtrip DATA : DATA holds vaults/NAME. Exits 1 if any bytes differ.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import get_args

from benchmarks.quality import vaults
from core.features.archives.collection import Form
from core.workspace import Workspace


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    given = parser.parse_args()
    sys.stdout.write("| vault | form | files | bytes | export | import | the same |\n|---|---|---|---|---|---|---|\n")
    same = [row for name in vaults(given.data) for row in _rows(given.data / "vaults" / name)]
    sys.exit(not all(same))


def _rows(vault: Path) -> list[bool]:
    """Print a row for each form of a vault; return whether the bytes are the same."""
    with tempfile.TemporaryDirectory() as scratch, Workspace(Path(scratch) / "first") as workspace:
        workspace.notes.apply(workspace.notes.plan_folder(vault, vault.name), embed=False)
        return [_row(workspace, vault, Path(scratch), form) for form in get_args(Form)]


def _row(workspace: Workspace, vault: Path, place: Path, form: str) -> bool:
    first, second = place / f"{vault.name}.{form}", place / f"again.{form}"
    started = time.perf_counter()
    workspace.archives.export(vault.name, first, form)
    exported = time.perf_counter()
    with Workspace(place / f"empty-{form}") as empty:
        if form == "zip":
            with Workspace(place / "detached") as detached:
                detached.archives.restore(first, vault.name)
                first = detached.archives.export(vault.name, place / "detached.zip", form)
        started_import = time.perf_counter()
        empty.archives.restore(first, vault.name)
        imported = time.perf_counter() - started_import
        empty.archives.export(vault.name, second, form)
    before, after = _contents(first), _contents(second)
    same = before == after and (form != "markdown" or before == _notes(vault, before))
    size = sum(map(len, before.values()))
    sys.stdout.write(
        f"| {vault.name} | {form} | {len(before)} | {size} | {exported - started:.2f} s | {imported:.2f} s |"
        f" {'yes' if same else 'NO'} |\n"
    )
    return same


def _contents(place: Path) -> dict[str, bytes]:
    if place.is_file():
        return {"": place.read_bytes()}
    return {str(file.relative_to(place)): file.read_bytes() for file in place.rglob("*") if file.is_file()}


def _notes(vault: Path, names: dict[str, bytes]) -> dict[str, bytes]:
    """Return the vault's own files of these names."""
    return {name: (vault / name).read_bytes() for name in names}


if __name__ == "__main__":
    main()

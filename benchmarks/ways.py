"""How many functions of `core` a file, a question and a save pass through, which a reader of the code has to follow.

python -m benchmarks.ways [--list NAME] [--embedder tfidf]

Counts the calls, the modules, the distinct functions in the order of their first calls, and how often the package
changes between neighbours in that order: for `all` functions that run, and for those on the `way`. The way consists of
the functions in packages that pass a note or a question on, and of the functions in other packages that these call, but
not of what those call in turn. Lambdas and generator expressions belong to their functions. Models and caches are warm:
what only a first call does isn't counted. `--list` prints the functions on one way (file, question, save).
"""

import argparse
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from types import FrameType

import core
from core.workspace import Workspace

ROOT = f"{Path(core.__file__).parent}/"
ROOMS = {"workspace.py", "notes", "intake", "indexing", "retrieval", "models"}
"""Packages that pass a note or a question on; the others do one thing for them."""
QUESTION = "how do I bake bread in a clay pot tag:kitchen"
TEXT = """---
tags: [kitchen]
---
# {title}

Bake the bread in a clay pot, as [[Dough]] says, until the {word} is brown.

## Afterwards

Let it cool on a rack for an hour before you cut it. #bread
"""


class Way:
    """The functions of `core` in the order of their first calls, in all threads; `on_it` excludes the first one."""

    def __init__(self) -> None:
        self.calls = 0
        self.all: dict[str, None] = {}
        self.on_it: dict[str, None] = {}

    @contextmanager
    def followed(self) -> Iterator[None]:
        _wait_for_index()
        threading.setprofile(self._called)
        sys.setprofile(self._called)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)  # type: ignore[arg-type]
            _wait_for_index()

    def _called(self, frame: FrameType, event: str, _: object) -> None:
        if event != "call" or frame.f_code.co_name.startswith(("<", "__del__")) or not (function := _function(frame)):
            return
        self.calls += 1
        self.all.setdefault(function)
        caller = frame.f_back
        while caller and not _function(caller):
            caller = caller.f_back
        if caller and {_room(function), _room(_function(caller))} & ROOMS:
            self.on_it.setdefault(function)


def _wait_for_index() -> None:
    """Wait until the index has followed, so that its thread is either wholly on a way or not at all."""
    for thread in threading.enumerate():
        if thread.name == "index-follows":
            thread.join()


def _function(frame: FrameType) -> str:
    """Return module and name of a function of `core`, "" for other code."""
    file = frame.f_code.co_filename
    return f"{file.removeprefix(ROOT)}: {frame.f_code.co_qualname}" if file.startswith(ROOT) else ""


def _room(function: str) -> str:
    return function.partition(":")[0].partition("/")[0]


def _figures(functions: Iterable[str]) -> str:
    packages = ["core" if room.endswith(".py") else room for room in map(_room, functions)]
    return f"{len(packages):>5} /{sum(one != other for one, other in pairwise(packages)):>4}"


def ways(folder: Path, embedder: str) -> dict[str, Way]:
    vault = folder / "vault"
    vault.mkdir()
    with Workspace(folder / "workspace") as workspace:
        workspace.bases.add("notes", **({"embedder": embedder} if embedder else {}))

        def from_file(name: str) -> None:
            (vault / f"{name}.md").write_text(TEXT.format(title=name, word=f"crust-{name}"), "utf-8")
            workspace.imports.apply(workspace.imports.plan_folder(vault, "notes"))

        def from_question(name: str) -> None:
            workspace.search(f"{QUESTION} {name}")

        def from_save(name: str) -> None:
            note = workspace.notes.get(written.id)
            workspace.notes.update(note.id, body=f"{note.body}\n\n{name} again.", expected_version=note.version)

        written = workspace.notes.add("notes", TEXT.format(title="Here", word="top"))
        return {
            name: _followed(way)
            for name, way in {"file": from_file, "question": from_question, "save": from_save}.items()
        }


def _followed(way: Callable[[str], None]) -> Way:
    for name in ("first", "second"):
        way(name)
    followed = Way()
    with followed.followed():
        way("third")
    return followed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", help="the way whose functions are printed")
    parser.add_argument("--embedder", default="", help="the model of the base (default the settings')")
    given = parser.parse_args()
    print(f"{'functions / changes of package':<32}{'all':>11}{'on the way':>15}{'modules':>10}{'calls':>9}")
    with tempfile.TemporaryDirectory() as folder:
        for name, way in ways(Path(folder), given.embedder).items():
            modules = {function.partition(":")[0] for function in way.all}
            print(f"{name:<32}{_figures(way.all)}{_figures(way.on_it):>15}{len(modules):>10}{way.calls:>9,}")
            if name == given.list:
                print("\n".join(f"    {function}" for function in way.on_it))


if __name__ == "__main__":
    main()

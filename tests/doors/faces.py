"""The faces of the doors: the schema of HTTP, the help of commands, the tools, the forms of answers in JSON.

`python -m tests.doors.faces` writes them into `frozen`; a test compares. A change there is a change of what others rely
on, and belongs into CHANGELOG.md.
"""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

FROZEN = Path(__file__).with_name("frozen")


def openapi() -> str:
    from core.doors.api.app import make

    return _json(make(lambda: None).openapi())  # type: ignore[arg-type,return-value]


def commands() -> str:
    """Return the help of every command, 100 columns wide."""
    import typer.main

    from core.doors import cli

    return "\n\n".join(_helps(typer.main.get_command(cli.app), "tessera")) + "\n"


def _helps(command: Any, name: str) -> Iterator[str]:
    context = command.make_context(name, [], resilient_parsing=True, terminal_width=100, max_content_width=100)
    yield f"$ {name} --help\n{command.get_help(context).rstrip()}"
    for inner in getattr(command, "commands", {}).values():
        yield from _helps(inner, f"{name} {inner.name}")


def tools() -> str:
    from core.doors.assistants.server import _DESCRIBED, _INSTRUCTIONS

    described = [tool.model_dump(mode="json", exclude_none=True) for tool in _DESCRIBED.values()]
    return _json({"instructions": _INSTRUCTIONS, "tools": described})


COMMANDS = (
    "import {vault} --base mine",
    "import {vault} --base mine --dry-run",
    "index --base mine",
    "search words --base mine --explain",
    "search words --why-not a.md",
    "context words",
    "chunks {vault}/a.md --compare recursive --embedder tfidf",
    "rechunk --base mine --chunk-size 300",
    "status",
    "rebuild",
    "version",
    "base new other --description Other",
    "base list",
    "base show other",
    "base set other --limit 3",
    "base rename other another",
    "base delete another --yes",
    "base empty-trash --yes",
    "note new mine --body Words --title Written",
    "note show Written",
    "note export Written",
    "note edit Written --body Others",
    "note set Written --tag one",
    "note history Written",
    "note diff Written",
    "note revert Written 1",
    "note archive Written",
    "note restore Written",
    "note list",
    "note waiting",
    "note delete Written",
    "note list --trash",
    "note copy a.md",
    "packs list",
    "packs install guide",
    "packs remove guide",
    "models list",
    "evaluate {vault}/questions.jsonl --base mine",
    "export mine --to {vault}/mine.zip",
    "restore {vault}/mine.zip --base third",
    "restore",
)
"""Commands in an order in which each has what it needs; every one answers with JSON."""


def answers() -> str:
    """Return the form of what each of COMMANDS answers in JSON: names and kinds of values, not the values."""
    with tempfile.TemporaryDirectory() as folder:
        vault = Path(folder, "vault")
        vault.mkdir()
        (vault / "a.md").write_text(
            "---\ntags: [one]\ntype: plan\n---\n# Words\n\nSome words of a note.\n\n## Part\n\nMore.\n"
        )
        (vault / "b.md").write_text("# Other\n\nNothing of it.\n")
        (vault / "questions.jsonl").write_text(
            '{"id": "q1", "question": "words", "gold": [{"path": "a.md", "quote": "Some words"}]}\n'
        )
        forms = {}
        for line in COMMANDS:
            command = [*line.format(vault=vault).split(), "--workspace", f"{folder}/workspace", "--json"]
            forms[line] = _form(json.loads(_printed(command)))
        return _json(forms)


def _printed(command: list[str]) -> str:
    from core.doors import cli

    printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(printed):
        try:
            cli.main(command)
        except SystemExit as end:
            if end.code:
                raise RuntimeError(f"{command} ended with {end.code}") from end
    printed.flush()
    return printed.buffer.getvalue().decode("utf-8")


def _form(value: object) -> object:
    """Return a JSON value with kinds in place of values; of a list the form of its first item."""
    if isinstance(value, Mapping):
        return {name: _form(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_form(value[0])] if value else []
    return "null" if value is None else {"bool": "true or false", "str": "text"}.get(type(value).__name__, "number")


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


FACES: Mapping[str, Callable[[], str]] = {
    "openapi.json": openapi,
    "commands.txt": commands,
    "tools.json": tools,
    "answers.json": answers,
}


def current() -> dict[str, str]:
    """Return every face, made in a process of its own: texts of commands are translated when they are imported."""
    chosen = {"TESSERA_LANGUAGE": "en", "TESSERA_EMBEDDER": "tfidf", "TESSERA_SEARCH__RERANKER": "none"}
    chosen |= {"TESSERA_INDEX__KIND": "none"}
    command = [sys.executable, "-m", "tests.doors.faces", "--print"]
    done = subprocess.run(command, env=os.environ | chosen, capture_output=True, check=True, text=True)
    faces: dict[str, str] = json.loads(done.stdout)
    return faces


if __name__ == "__main__":
    if "--print" in sys.argv:
        sys.stdout.write(json.dumps({name: make() for name, make in FACES.items()}))
    else:
        for file, text in current().items():
            (FROZEN / file).write_text(text, encoding="utf-8")

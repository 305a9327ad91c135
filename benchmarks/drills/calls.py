"""Every command of the program with what it takes, found in it, and with a text from outside in the place of each."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks.drills import guests
from benchmarks.drills.guests import Guests
from core.doors import cli

ALWAYS = {
    "base delete": ("yes",),
    "base empty-trash": ("yes",),
    "base set": ("yes",),
    "models server": ("name",),
    "models switch": ("embedder", "yes"),
    "note edit": ("body",),
    "note new": ("body",),
    "note set": ("title",),
    "restore": ("base",),
}
"""What some commands take that isn't required, so that they go on to their end."""


@dataclass(frozen=True)
class Call:
    """A command line; `works` says that it is called with what it takes."""

    command: str
    arguments: tuple[str, ...]
    works: bool


def _values(host: Guests) -> dict[str, str]:
    """Return what works, by the parameter, or by the command and the parameter."""
    return {
        "folder": str(host.folder),
        "base": host.base,
        "query": f"{guests.WORD} -nothing",
        "file": str(host.file),
        "questions": host.questions,
        "to": str(host.place / f"{guests.WORD}.zip"),
        "place": str(host.archive),
        "source": str(host.place / "pack"),
        "out": str(host.place / "report.md"),
        "settings": str(host.place / "tessera.toml"),
        "host": "127.0.0.1",
        "embedder": "tfidf",
        "keep": "off",
        "mode": "keyword",
        "level": "simple",
        "fusion": "weighted",
        "phrase": "boost",
        "reranker": "none",
        "strategy": "markdown",
        "status": "archived",
        "expires_at": "2031-01-01",
        "after": "2020-01-01",
        "before": "2031-01-01",
        "path": "**",
        "filters": "status:active",
        "why_not": host.note,
        "number": "1",
        "expected_version": "2",
        "port": "18501",
        "kind": "lines",
        "metric": "mrr@10",
        "grid": "limit=3,5",
        "evaluate compare": "limit=3",
        "chunks compare": "none",
        "chunks form": "html",
        "fail_under": "hit@5=0",
        "note": host.note,
        "notes": host.note,
        "chunk_size": "256",
        "chunk_overlap": "8",
        "max_single_chunk_size": "1500",
        "export form": "zip",
        "base new name": f"{host.base} new",
        "models switch embedder": "bundled",
        "models path name": "bundled",
        "models download name": "bundled",
        "note restore notes": host.deleted,
        "note accept notes": host.waiting,
        "note reject notes": host.waiting,
        "note new path": "new.md",
        "related": host.note,
        "new_name": f"{host.base} again",
        "base empty-trash key": host.key,
        "restore base": f"{host.base} again",
        "restore deleted": host.key,
        "models name": "tfidf",
        "models server name": "llm",
        "url": "http://127.0.0.1:9/v1",
        "packs remove pack": host.pack,
        "name": f"{guests.WORD} more",
        "chunk": host.chunk,
        "chunk add text": guests.WORD,
        "chunk edit text": guests.WORD,
        "at": "1",
        "question_set": host.question_set,
        "run": host.run,
    }


class _Command:
    """A command of the program, called on a workspace."""

    def __init__(self, words: tuple[str, ...], command: Any, host: Guests) -> None:
        self._words, self._host = words, host
        self._name = " ".join(words)
        params = (one for one in command.params if one.name not in ("workspace", "as_json", "help"))
        self._options = {one.name: one for one in params}
        self._works = {name: self._value(name) for name in self._options}
        always = ALWAYS.get(self._name, ())
        self._needed = {name for name, one in self._options.items() if one.required or name in always}

    def calls(self) -> Iterator[Call]:
        """Yield it as it works, with each option, then with the text as each; and what is no call of it."""
        yield from self._called({}, works=True)
        for name, option in self._options.items():
            yield from self._called({name: self._works[name]}, works=True)
            if not getattr(option, "is_flag", False):
                yield from self._called({name: self._host.text}, works=False)
        for wrong in (
            (*self._words, f"--{self._host.text}"),
            (*self._words, "--help"),
            (*self._words[:-1], self._host.text),
        ):
            yield Call(self._name, wrong, works=False)

    def _called(self, given: dict[str, str], *, works: bool) -> Iterator[Call]:
        """Yield a call in lines, and in JSON."""
        given = {name: self._works[name] for name in self._needed} | given
        options = ["--workspace", str(self._host.workspace)]
        arguments = []
        for name, option in self._options.items():
            if name in given and option.param_type_name == "argument":
                arguments.append(given[name])
            elif name in given:
                options += [option.opts[0], *([] if option.is_flag else [given[name]])]
        for form in ([], ["--json"]):
            yield Call(self._name, (*self._words, *form, *options, "--", *arguments), works=works)

    def _value(self, name: str) -> str:
        """Return a value with which an option works; of an unknown one a number, or the text."""
        values = _values(self._host)
        keys = (f"{self._name} {name}", f"{self._words[0]} {name}", name)
        number = self._options[name].type_descriptor.annotation in (int, float)
        return next((values[key] for key in keys if key in values), "1" if number else self._host.text)


def every(host: Guests) -> Iterator[Call]:
    """Yield every call of every command."""
    for words, command in _commands(cli.app):
        yield from _Command(words, command, host).calls()


def _commands(group: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield every command with the words that call it."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command, (*words, name))
        else:
            yield (*words, name), command

"""Hostile archives, exports, question files and packs: each is let in, if it is, and then used as a person uses it.

Each is made of a real one by a few changes, and is known by its kind, the seed and its number: `again(kind, seed,
number)` makes it. It is brought into a copy of a workspace, in a process of its own that may open no file outside of it
and ask for no network. What is let in gets every power that a person can give it; then it is searched, listed, changed,
exported, deleted and brought back, and the workspace is opened again. A fault is a file outside that is opened or
changed, a request, any exception but a TesseraError, a use that fails, more than SECONDS of the processor for its
coming in or for one use, and more than MEGABYTES in all.
"""

import json
import os
import resource
import shutil
import signal
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

from benchmarks.drills.fuzzing.guests import KINDS, Files
from benchmarks.drills.given import Given
from benchmarks.drills.tally import Tally
from benchmarks.drills.verbs import Outcome, run
from core.base.errors import ArchiveError, TesseraError
from core.base.places import user_path
from core.model import Filters
from core.workspace import Workspace

SECONDS, MEGABYTES = 10.0, 500
HANG = 60
Use = Callable[[Workspace, str], None]
_WORDS = ("database", "缓存", "text")
_SOURCE = Path(__file__).parents[2]
_PACK = _SOURCE / "data/packs/sample"
_NOTES = 6
_OWN = ("/proc/", "/dev/null", "/dev/urandom", "/dev/shm/", "/etc/localtime", "/etc/mime.types", "/usr/share/")
_NETWORK = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.bind", "socket.sendto")
_PROBE = ("socket.bind", ("::1", 0))
"""urllib3 binds this address when it is imported, to learn whether the machine has IPv6; nothing is sent."""


def drill(tally: Tally, given: Given) -> None:
    """Try archives of all kinds in turn until there are `count`, or until the deadline."""
    os.environ |= {"TESSERA_EMBEDDER": "tfidf", "TESSERA_INDEX__KIND": "none", "TESSERA_SEARCH__RERANKER": "none"}
    with tempfile.TemporaryDirectory(prefix="guests") as scratch:
        place = Path(scratch).resolve()
        seeds = _seeds(place)
        for number in range(given.count):
            if not given.goes_on:
                break
            kind = [*KINDS][number % len(KINDS)]
            made = made_by(kind, given.seed, number, seeds)
            _count(tally, kind, f"seed {given.seed}, number {number}", _tried(kind, made, place))
            if number % 100 == 99:
                print(f"{number + 1} of {given.count}, {len(tally.faults)} faults", file=sys.stderr, flush=True)


def again(kind: str, seed: int, number: int) -> tuple[Files, Outcome]:
    """Make one archive once more and try it; return it and what came of it."""
    os.environ |= {"TESSERA_EMBEDDER": "tfidf", "TESSERA_INDEX__KIND": "none", "TESSERA_SEARCH__RERANKER": "none"}
    with tempfile.TemporaryDirectory(prefix="guests") as scratch:
        place = Path(scratch).resolve()
        made = made_by(kind, seed, number, _seeds(place))
        return made, _tried(kind, made, place)


def made_by(kind: str, seed: int, number: int, seeds: dict[str, Files]) -> Files:
    """Return a hostile archive, or the files of a folder."""
    of, change = KINDS[kind]
    return change(Random(f"{kind} {seed} {number}"), seeds[of])


def _seeds(place: Path) -> dict[str, Files]:
    """Make a workspace with everything that an export holds; return its exports, and leave one with files beside it."""
    vault = place / "mine"
    for file in _sample():
        (vault / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(_PACK / file, vault / file)
    with Workspace(place / "workspace") as workspace:
        workspace.notes.apply(workspace.notes.plan_folder(vault, "mine"))
        workspace.bases.update("mine", write_files=True, trusts_programs=True)
    with Workspace(place / "made") as workspace:
        workspace.notes.apply(workspace.notes.plan_folder(vault, "vault"))
        _lived_in(workspace)
        exports = {form: workspace.archives.exported("vault", form) for form in ("zip", "json", "yaml", "markdown")}
        rows = workspace.question_sets.export(workspace.question_sets.all("vault")[0])
    shutil.rmtree(place / "made")
    table = "id,question,path,quote\n" + "".join(
        f"q{number},why?,{file},{_quote(vault / file)}\n" for number, file in enumerate(_sample())
    )
    seeds: dict[str, Files] = {form: {f"x.{form.replace('markdown', 'zip')}": data} for form, data in exports.items()}
    files = {str(file): (_PACK / file).read_bytes() for file in (*_sample(), Path("pack.toml"))}
    return seeds | {"jsonl": {"x.jsonl": rows}, "csv": {"x.csv": table.encode()}, "pack": files}


def _sample() -> list[Path]:
    return sorted(file.relative_to(_PACK) for file in _PACK.rglob("*.md"))[:_NOTES]


def _quote(file: Path) -> str:
    longest = max(file.read_text(encoding="utf-8").splitlines(), key=len)
    return f'"{longest.replace(chr(34), chr(34) * 2)}"'


def _lived_in(workspace: Workspace) -> None:
    """Write, change, edit, delete, ask and judge, so that every kind of record is there."""
    notes, chunks = workspace.notes, workspace.chunks
    note = notes.add("vault", "one database", title="Written", tags=["a"], expires_at="2030-01-31", author="person")
    notes.update(note.id, body="# Two\n\ntwo database\n", priority=3, type="guide", author="person")
    workspace.proposals.update(note.id, body="three", tags=["b"])
    gone = notes.add("vault", "gone database", title="Gone", author="person")
    notes.delete(gone.id)
    first = next(card for card in notes.all() if card.source == "folder")
    chunks.update(chunks.all(first.id)[0].id, "My own text of a database.")
    chunks.add(first.id, "An added text.")
    quote = max(notes.get(first.id).body.splitlines(), key=len)
    row = {"id": "q1", "question": "why?", "gold": [{"path": first.path, "quote": quote}], "kind": "k"}
    made = workspace.question_sets.add_file("vault", "set", json.dumps(row).encode(), "x.jsonl")
    workspace.runs.run(made, [workspace.runs.own_pipeline("vault")])
    hit = workspace.search("database", bases="vault").hits[0]
    workspace.uses.judge("database", hit.note.id, hit.chunk.id, "helpful")
    workspace.bases.update("vault", write_files=True, watch=True, trusts_programs=True, description="d")


# one archive


def _tried(kind: str, made: Files, place: Path) -> Outcome:
    """Bring an archive into a copy of the workspace and use it; return what came of it, faults as its answer."""
    own = place / "own"
    shutil.copytree(place / "workspace", own)
    mine = _contents(place / "mine")
    try:
        outcome = run(partial(_watched, kind, made, own, place))
        if _contents(place / "mine") != mine:
            return Outcome(died="a file of the person was changed")
        return outcome
    finally:
        shutil.rmtree(own)
        shutil.rmtree(place / "temporary", ignore_errors=True)


def _contents(folder: Path) -> dict[Path, bytes]:
    return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def _watched(kind: str, made: Files, own: Path, place: Path) -> str:
    """Use an archive while all that is opened and asked for is watched; return what is wrong."""
    temporary = place / "temporary"
    temporary.mkdir()
    tempfile.tempdir = str(temporary)
    installed = [sys.prefix, sys.base_prefix, *sysconfig.get_paths().values()]
    installed += map(os.path.realpath, [*installed])
    inside = (str(own), str(temporary), str(_SOURCE), str(user_path("")), *_OWN, *installed)
    if kind.startswith("questions"):  # they are put to the person's own base, whose files its notes link to
        inside += (str(place / "mine"),)
    outside: list[str] = []

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event in _NETWORK and (event, *arguments[1:]) != _PROBE:
            outside.append(f"{event} {arguments[1:]}"[:200])
        if event == "open" and isinstance(arguments[0], str | bytes | Path):
            path = os.path.realpath(os.fsdecode(arguments[0]))
            if not path.startswith(inside):
                outside.append(f"{path} is opened")

    def hung(signal: int, frame: FrameType | None) -> None:
        raise SystemError(f"not done after {HANG} s")

    signal.signal(signal.SIGALRM, hung)
    signal.alarm(HANG)
    sys.addaudithook(hook)
    told, wrong = "", ""
    try:
        wrong = _opened(kind, made, own, temporary)
    except TesseraError as error:
        told = str(error)
    if (peak := resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024) > MEGABYTES:
        outside.append(f"{peak} MB")
    wrong = "; ".join([*outside, *([wrong] if wrong else [])])
    if told and not wrong:
        raise TesseraError("{told}", told=told)
    return wrong


def _opened(kind: str, made: Files, own: Path, temporary: Path) -> str:
    """Let an archive in, use it, and open the workspace again; raises TesseraError where it isn't let in."""
    refused: TesseraError | None = None
    wrong, base = "", "mine"
    with Workspace(own) as workspace:
        try:
            with _in_time("its coming in"):
                base = _let_in(workspace, kind, made, temporary)
        except TesseraError as error:
            refused = error
        except TimeoutError as error:
            return str(error)
        else:
            wrong = _used(workspace, base, _USES if base != "mine" else _READING)
    with Workspace(own) as workspace:
        names = {one.name for one in workspace.bases.all()}
        if not workspace.search("database", bases="mine").hits or "mine" not in names:
            return "the person's own notes aren't found any more"
        if refused is None and not wrong:
            workspace.search(_WORDS[0], bases=base)
            return _away_and_back(workspace, base) if base != "mine" else ""
        if refused is not None and names != {"mine"} and kind != "packs":
            return f"refused, and there: {names}"
    if refused is not None and not wrong:
        raise refused
    return wrong


def _let_in(workspace: Workspace, kind: str, made: Files, temporary: Path) -> str:
    """Bring an archive in as its kind is; return the base that has it."""
    if kind == "packs":
        folder = temporary / "pack"
        for name, data in made.items():
            with suppress(OSError):  # a name that no folder can hold
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(data)
        workspace.packs.install(folder, embed=False)
        return workspace.packs.installed()[0].base
    ((name, data),) = made.items()
    if kind.startswith("questions"):
        questions = workspace.question_sets.add_file("mine", "theirs", data, name)
        workspace.runs.run(questions, [workspace.runs.own_pipeline("mine")])
        return "mine"
    file = temporary / name
    file.write_bytes(data)
    return workspace.archives.restore(file, "theirs").base.name


def _used(workspace: Workspace, base: str, uses: Mapping[str, Use]) -> str:
    """Use a base in several ways; return what fails."""
    for doing, use in uses.items():
        try:
            with _in_time(doing):
                use(workspace, base)
        except (TesseraError, TimeoutError) as error:
            return f"{doing}: {error}"
    return ""


@contextmanager
def _in_time(doing: str) -> Iterator[None]:
    """Raise TimeoutError for work of more than SECONDS of the processor, whether it is refused or not."""
    started = time.process_time()
    try:
        yield
    finally:
        if (seconds := time.process_time() - started) > SECONDS:
            raise TimeoutError(f"{doing} took {seconds:.1f} s")


def _empower(workspace: Workspace, base: str) -> None:
    files = not workspace.bases.get(base).plain
    workspace.bases.update(base, write_files=files, watch=True, trusts_programs=True)
    workspace.chunks.embed(base)


def _search(workspace: Workspace, base: str) -> None:
    for word in _WORDS:
        for mode in ("keyword", "hybrid"):
            workspace.search(word, bases=base, mode=mode, explain=True)  # type: ignore[arg-type]
    workspace.search("has:code", bases=base)
    workspace.context("database", bases=base)
    workspace.status()


def _read(workspace: Workspace, base: str) -> None:
    links = workspace.notes.links()
    for card in workspace.notes.all(Filters(bases=(base,)))[:8]:
        note = workspace.notes.get(card.id)
        links.resolve(note, note.links)
        for version in workspace.notes.history(card.id)[:5]:
            workspace.notes.at(card.id, version.number)
        for target in ("/etc/passwd", "../../mine", "x.png", note.path or ""):
            workspace.notes.attachment(card.id, target)
        for warning in card.warnings:
            str(warning)
    workspace.notes.expiring(days=1)
    workspace.notes.switch("data", 5)
    workspace.notes.lines(base, "data")
    for trashed in workspace.notes.trash(base)[:3]:
        workspace.notes.restore([trashed.version.note_id])


def _update(workspace: Workspace, base: str) -> None:
    for waiting in workspace.proposals.all(base)[:3]:
        workspace.proposals.difference(waiting)
        workspace.proposals.accept([waiting], over=waiting.note.version)
    for card in workspace.notes.all(Filters(bases=(base,)))[:5]:
        body = workspace.notes.get(card.id).body
        workspace.proposals.update(card.id, body=f"{body[:1000]}\nchanged", tags=["changed"])
        workspace.notes.revert(card.id, workspace.notes.history(card.id)[-1].number)


def _evaluate(workspace: Workspace, base: str) -> None:
    for one in workspace.question_sets.all(base):
        workspace.questions.all(one)
        workspace.question_sets.export(one)
    runs = workspace.runs.all(base)
    for done in runs[:3]:
        workspace.runs.results(done.id)
    if runs:
        workspace.runs.side_by_side(workspace.runs.measured([done.id for done in runs[:2]]))


def _export(workspace: Workspace, base: str) -> None:
    for form in ("zip", "json", "yaml"):
        workspace.archives.exported(base, form)
    with suppress(ArchiveError):  # a note with front matter that can't be read and a field that a person set
        workspace.archives.exported(base, "markdown")


_READING: Mapping[str, Use] = {"search": _search, "reading": _read, "evaluation": _evaluate, "export": _export}
_USES: Mapping[str, Use] = {
    "switches": _empower,
    **_READING,
    "change": _update,
    "search after a change": _search,
    "export after a change": _export,
}


def _away_and_back(workspace: Workspace, base: str) -> str:
    """Delete a base and bring it back; return whether it is another one then."""
    before = workspace.archives.exported(base, "zip")
    workspace.bases.delete(base)
    workspace.archives.restore_deleted(base)
    return "" if workspace.archives.exported(base, "zip") == before else "the base is another one after the trash"


def _count(tally: Tally, kind: str, at: str, outcome: Outcome) -> None:
    tally.count(
        kind,
        told=bool(outcome.told),
        died=outcome.died and f"{at}: {outcome.died}",
        lost=f"{at}: {outcome.answer}" if outcome.answer else "",
    )

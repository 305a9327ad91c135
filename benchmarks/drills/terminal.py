"""Texts from outside that control terminals, through every command and every option; nothing of them may arrive.

The commands and what they take are found in the program. Each is called with what works, in lines and in JSON, then
with the text in the place of each argument and option in turn; `--count` calls in all, of the families in an order by
the seed. A fault is a control character in what a command prints (but line ends and tabs), a traceback, and JSON that
can't be read. The commands that work and show no text from outside are named at the end.
"""

import json
import os
import pty
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from io import BytesIO, TextIOWrapper
from pathlib import Path
from unittest.mock import patch

from typer.main import get_command

from benchmarks.drills import calls, guests
from benchmarks.drills.calls import Call
from benchmarks.drills.escapes import FAMILIES
from benchmarks.drills.given import Given
from benchmarks.drills.guests import Guests
from benchmarks.drills.tally import Tally
from core.base import app_paths
from core.doors import cli

OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb]")
SETTINGS = {
    "TESSERA_EMBEDDER": "tfidf",
    "TESSERA_SEARCH__RERANKER": "none",
    "TESSERA_INDEX__KIND": "none",
    "HF_ENDPOINT": "http://127.0.0.1:9",
    "TESSERA_KNOWLEDGE__ENABLED": "true",
    "TESSERA_LANGUAGE": "en",
}
SERVING = (
    "uvicorn.run",
    "runpy.run_module",
    "core.doors.cli.terminal.take_wire",
    "core.doors.assistants.stdio.serve",
    "core.workspace.Workspace.start_watching",
    "core.doors.remote.calls.Calls.close_at_signals",
    "core.indexing.models.Models.start_warming",
)
"""What would not end: it is left out of the commands that serve, after which they print nothing more."""


def drill(tally: Tally, given: Given) -> None:
    """Make calls with families of texts until there are `count` of them or the time is up."""
    families = list(FAMILIES)
    chance = random.Random(given.seed)
    chance.shuffle(families)
    shown: dict[str, bool] = {}
    made = 0
    with _settings() as place:
        for number, family in enumerate(families, 1):
            host = guests.made(place / str(number), FAMILIES[family])
            _in_a_terminal(tally, host, family)
            lines = [*calls.every(host)]
            chance.shuffle(lines)
            for call in lines:
                if made == given.count or not given.goes_on:
                    return
                made += 1
                _count(tally, host, call, family, shown)
            shutil.rmtree(host.place)
            shutil.rmtree(place / guests.TEXTS)
            print(f"{number} of {len(families)}, {made} calls, {len(tally.faults)} faults", file=sys.stderr, flush=True)
    silent = sorted(command for command, texts in shown.items() if not texts)
    print(f"commands that show no text from outside: {', '.join(silent) or 'none'}")


def _count(tally: Tally, host: Guests, call: Call, family: str, shown: dict[str, bool]) -> None:
    host.fresh()
    (host.place / "tessera.toml").touch()
    for left in ("report.md", f"{guests.WORD}.zip"):
        (host.place / left).unlink(missing_ok=True)
    code, out, err, died = _run(call.arguments)
    lost = _harm(out + err) or (_no_json(out) if "--json" in call.arguments else "")
    if "Traceback" in err:
        died = died or err.strip().splitlines()[-1]
    if call.works and not code:
        shown[call.command] = shown.get(call.command, False) or guests.WORD in out + err
    about = f"{family}: {call.arguments!r}: "
    tally.count(call.command, told=bool(code), died=died and about + died, lost=lost and about + lost)


def _in_a_terminal(tally: Tally, host: Guests, family: str) -> None:
    """Import the notes in a process with a terminal, which shows progress; that redraws its line and no more."""
    ours, theirs = pty.openpty()
    command = [
        sys.executable,
        "-m",
        "core.doors.cli",
        "import",
        host.folder,
        "--base",
        host.base,
        "--workspace",
        host.workspace,
    ]
    if "\0" in host.text:
        command[6] = guests.WORD
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    printed = b""
    with suppress(OSError):  # its end
        while part := os.read(ours, 65536):
            printed += part
    os.close(ours)
    text = printed.decode("utf-8", "surrogateescape").replace("\r\x1b[K", "").replace("\r\n", "\n")
    died = text if process.wait() not in (0, 1) or "Traceback" in text else ""
    tally.count(
        "import, in a terminal",
        told=bool(process.returncode),
        died=died,
        lost=_harm(text) and f"{family}: {_harm(text)}",
    )


def _run(arguments: tuple[str, ...]) -> tuple[int, str, str, str]:
    """Return what a command ends with and prints on each stream, and how it died."""
    out, err = (TextIOWrapper(BytesIO(), "utf-8", line_buffering=True) for _ in range(2))
    entered = TextIOWrapper(BytesIO(b"guest\n"), "utf-8")
    code, died = 0, ""
    with ExitStack() as patches:
        patches.callback(os.chdir, Path.cwd())  # `mcp` works where its settings are
        for name, stream in (("stdout", out), ("stderr", err), ("stdin", entered), ("argv", ["tessera", *arguments])):
            patches.enter_context(patch.object(sys, name, stream))
        try:
            cli.main([*arguments])
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(bool(end.code))
        except Exception as error:  # noqa: BLE001 this is what the drill looks for
            died = f"{type(error).__name__}: {error}"[:200]
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode("utf-8", "surrogateescape"))  # type: ignore[attr-defined]
    return code, *texts, died  # type: ignore[return-value]


def _harm(printed: str) -> str:
    """Return what a terminal would obey of what is printed, with what stands around it."""
    found = OBEYED.search(printed) or re.search("[\udc80-\udcff]", printed)
    return f"prints {printed[max(0, found.start() - 30) : found.end() + 10]!r}" if found else ""


def _no_json(out: str) -> str:
    """Return why what is printed is no JSON; it may be nothing, or a page of HTML."""
    try:
        if out and not out.startswith("<!doctype html>"):
            json.loads(out)
    except ValueError as error:
        return f"no JSON: {error}"
    return ""


@contextmanager
def _settings() -> Iterator[Path]:
    """Yield a folder to work in, with settings of its own, and without what serves."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="terminal") as scratch, ExitStack() as patches:
        own = SETTINGS | {
            "TESSERA_KNOWLEDGE__BASE_DIR": str(Path(scratch, guests.TEXTS)),
            app_paths.VARIABLE: str(Path(scratch, "config")),
            "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
        }
        patches.enter_context(patch.dict(os.environ, own))
        for name in SERVING:
            patches.enter_context(patch(name))
        patches.enter_context(patch.object(cli, "app", get_command(cli.app)))  # built once, and not for each call
        os.chdir(scratch)
        try:
            yield Path(scratch).resolve()
        finally:
            os.chdir(before)

"""The tools of assistants over both transports beside the open app: their time, and what a thousand calls leave behind.

python -m benchmarks.assistants DATA [--workspace DIR] [--embedder bundled] [--calls 1000] : DATA holds vaults/NAME and
questions/NAME.jsonl; a kept workspace saves embedding them again. The real client makes `--calls` calls over stdio and
as many over HTTP, every tool in turn. Then each question is asked of the library, over stdio and over HTTP, one after
the other, so that all three meet the same load; no question is asked twice of one of them, for results are cached. The
median of a search may be 10 ms above the library's. Exits with 1 for what is over its bound.
"""

import argparse
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import httpx
import httpx2
from anyio.from_thread import start_blocking_portal
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from benchmarks.drills.processes import Holds, held_by
from benchmarks.quality import imported, vaults
from core.features.evaluation.question_files import parse
from core.workspace import Workspace

ABOVE = 10.0
"""Milliseconds that a search through a tool may take more than the library's."""
MORE = Holds(files=2, threads=1, memory=24)
"""Growth between two parts of the calls that is no leak: caches of SQLite and of results still fill."""
EARLY, LATE = (0.4, 0.6), (0.8, 1.0)
"""The parts of the calls that are compared."""
AGAIN = ("", "?", " please")
"""What makes another question of one."""
TOOLS: list[tuple[str, str]] = [
    ("knowledge_list", ""),
    ("knowledge_text_search", "keyword"),
    ("knowledge_semantic_search", "query"),
    ("knowledge_query", "query"),
    ("knowledge_context", "query"),
    ("note_list", "text"),
    ("note_add", "text"),
    ("note_read", "note"),
    ("note_update", "note"),
]
"""The tools in turn, each with the argument that differs from call to call."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--embedder", default="bundled")
    parser.add_argument("--calls", type=int, default=1000)
    given = parser.parse_args()
    names = vaults(given.data)
    files = [given.data / "questions" / f"{name}.jsonl" for name in names]
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as stack:
        folder = given.workspace or Path(scratch) / "workspace"
        with Workspace(folder) as workspace:
            workspace.set_program_access(True)
            token = workspace.access.token
            bases = [imported(workspace, given.data / "vaults" / name, given.embedder) for name in names]
        questions = [
            (base, question.text)
            for base, file in zip(bases, files, strict=True)
            for question in parse(file.read_bytes(), file.name)
        ]
        server = stack.enter_context(app(folder))
        clients = {
            "http": stack.enter_context(connected(by_http(f"{server}/mcp", token))),
            "stdio": stack.enter_context(connected(by_stdio(folder))),
        }
        over = [called(way, call, questions, given.calls) for way, call in clients.items()]
        library = stack.enter_context(Workspace(folder, readonly=True))
        over.append(compared(library, clients, [(base, text + more) for more in AGAIN for base, text in questions]))
    sys.exit(any(over))


def called(way: str, call: Any, questions: list[tuple[str, str]], count: int) -> bool:
    """Make calls of every tool in turn, print their times and what the processes held; return whether anything grew."""
    times, held = defaultdict[str, list[float]](list), defaultdict[int, list[tuple[float, Holds]]](list)
    note = ""
    for number, (tool, varied) in enumerate(islice(cycle(TOOLS), count)):
        base, text = questions[number // len(TOOLS) % len(questions)]
        values = {"keyword": text[:6], "query": text, "text": f"# {way} {number}\n\n{text}", "note": note, "": ""}
        arguments = {varied: values[varied]} if varied else {}
        if tool.startswith("knowledge_") and tool not in ("knowledge_list", "knowledge_context"):
            arguments["knowledge_base"] = base
        if tool == "note_add":
            arguments["base"] = base
        if tool == "note_update":
            arguments["text"] = f"# {way} {number}\n\n{text} again"
        started = time.perf_counter()
        result = call(tool, arguments)
        times[tool].append(1000 * (time.perf_counter() - started))
        assert not result.is_error, result.content[0].text
        note = result.structured_content["id"] if tool == "note_add" else note
        if number % max(1, count // 100) == 0:
            for pid in children():
                held[pid].append((number / count, held_by(pid)))
    print(f"\n{count} calls over {way}, median ms:", end=" ")
    print(", ".join(f"{tool} {statistics.median(each):.1f}" for tool, each in times.items()))
    early = sum(any(EARLY[0] <= share <= EARLY[1] for share, _ in looks) for looks in held.values())
    late = sum(any(LATE[0] <= share <= LATE[1] for share, _ in looks) for looks in held.values())
    print(f"processes: {early} to {late}")
    grew = [grown(pid, looks) for pid, looks in held.items()]
    return late > early or any(grew)


def grown(pid: int, looks: list[tuple[float, Holds]]) -> bool:
    """Print the least that a process held early and late; return whether it is more."""
    parts = [[holds for share, holds in looks if a <= share <= b] for a, b in (EARLY, LATE)]
    if not all(parts):
        return False
    first, last = (Holds(*map(min, zip(*part, strict=True))) for part in parts)
    print(f"  {name_of(pid)}: {first.files} to {last.files} files, {first.threads} to {last.threads} threads,", end=" ")
    print(f"{first.memory:.0f} to {last.memory:.0f} MB")
    return any(getattr(last, what) > getattr(first, what) + getattr(MORE, what) for what in Holds._fields)


def compared(library: Workspace, clients: dict[str, Any], questions: list[tuple[str, str]]) -> bool:
    """Ask the library and both transports in turn; print the medians, return whether one is too far above."""
    times = defaultdict[str, list[float]](list)
    for base, text in questions:
        started = time.perf_counter()
        library.search(text, limit=10, filters=library.searching.filters(bases=[base]))
        times["library"].append(1000 * (time.perf_counter() - started))
        for way, call in clients.items():
            started = time.perf_counter()
            call("knowledge_query", {"knowledge_base": base, "query": text, "limit": 10})
            times[way].append(1000 * (time.perf_counter() - started))
    medians = {way: statistics.median(each[5:]) for way, each in times.items()}
    print(f"\n{len(questions)} searches, median:", ", ".join(f"{way} {each:.1f} ms" for way, each in medians.items()))
    return any(each > medians["library"] + ABOVE for each in medians.values())


@contextmanager
def app(folder: Path) -> Iterator[str]:
    """The open app, by its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "core.doors.cli", "app", "--no-browser", "--port", str(port)]
    environment = os.environ | {"TESSERA_WORKSPACE": str(folder)}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    url, ends = f"http://127.0.0.1:{port}", time.monotonic() + 120
    try:
        while True:
            try:
                httpx.get(f"{url}/_stcore/health", trust_env=False)
                break
            except httpx.TransportError:
                if time.monotonic() > ends:
                    raise
                time.sleep(0.2)
        yield url
    finally:
        process.terminate()
        process.wait()


@contextmanager
def connected(transport: Any) -> Iterator[Any]:
    """A function that calls a tool through the real client."""
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(Client(transport)) as client:
        yield lambda tool, arguments: portal.call(client.call_tool, tool, arguments)


def by_stdio(folder: Path) -> Any:
    arguments = ["-m", "core.doors.cli", "mcp", "--workspace", str(folder)]
    return stdio_client(StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ)))


@asynccontextmanager
async def by_http(url: str, token: str) -> Any:
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=300, trust_env=False) as http,
        streamable_http_client(url, http_client=http) as streams,
    ):
        yield streams


def children() -> list[int]:
    """Return the processes that this one started, and theirs."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if state != "Z":
            parents[int(stat.parent.name)] = int(parent)
    family = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= more
    return sorted(family - {os.getpid()})


def name_of(pid: int) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    except OSError:
        return str(pid)
    return next((word for word in ("app", "mcp", "core.store.index.chroma_worker") if word in words), str(pid))


if __name__ == "__main__":
    main()

"""Reads the fixture files (`title`, `.`, input, `.`, expected, `.`) and draws chunks as they do."""

from dataclasses import dataclass
from pathlib import Path

from core.chunking import build
from core.model import Chunk, ChunkingOptions
from tests.chunking.fakes import chunks_of


@dataclass(frozen=True, slots=True)
class Case:
    line: int
    title: str
    options: dict[str, int]
    body: str
    expected: str


def cases(name: str) -> list[Case]:
    """Return the cases of a file of `fixtures/`.

    A title is the last line before the first dot; `[chunk_size=20]` at its end gives options.
    An input line `.` can't be written. `→` stands for a tab and `␍` for a carriage return.
    """
    text = (Path(__file__).parent / "fixtures" / name).read_text(encoding="utf-8")
    found, fields, start = [], [""], 1
    for number, line in enumerate(text.split("\n"), start=1):
        if line != ".":
            fields[-1] += line + "\n"
            continue
        if len(fields) == 1:
            start = number
        fields.append("")
        if len(fields) == 4:
            title, given = fields[0].strip().splitlines()[-1], ""
            if title.endswith("]"):
                title, _, given = title[:-1].rpartition(" [")
            options = {key: int(value) for key, value in (pair.split("=") for pair in given.split())}
            body = fields[1].replace("→", "\t").replace("␍\n", "\r\n").replace("␍", "\r")
            found.append(Case(start, title, options, body, fields[2]))
            fields = [""]
    return found


def drawn(chunks: list[Chunk]) -> str:
    """Draw chunks: a line of breadcrumb and marks, then the text."""
    text = ""
    for chunk in chunks:
        marks = [f"{chunk.hierarchy_level}", chunk.language]
        marks += ["of " + " + ".join(chunk.sections)] if len(chunk.sections) > 1 else []
        marks += ["has code"] if chunk.has_code else []
        marks += [f"shares {chunk.overlap_tokens}"] if chunk.overlap_tokens else []
        marks += ["lead " + " ⏎ ".join(chunk.lead.splitlines())] if chunk.lead else []
        text += f"=== {' / '.join(chunk.section)} ({', '.join(marks)})\n{chunk.text}\n".replace("\r\n", "␍\n")
    return text


def cut(case: Case, strategy: str) -> list[Chunk]:
    defaults = {"chunk_size": 32, "chunk_overlap": 0, "max_single_chunk_size": 48}
    options = ChunkingOptions(strategy=strategy, **{**defaults, **case.options})
    return chunks_of(build(options), case.body)

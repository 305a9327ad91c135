"""Hostile archives, exports, question files and packs, made of real ones by a few changes."""

import io
import json
import re
import stat
import struct
import warnings
import zipfile
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from benchmarks.drills.fuzzing import texts

Files = Mapping[str, bytes]
"""An archive, a document or a folder: the bytes of its files by their names."""

_LATEST = "9999-12-31T23:59:59-14:00"
_RAW = {
    "DIGITS": "1" * 5000,
    "MANY": "9" * 19,
    "NAN": "NaN",
    "INFINITE": "-Infinity",
    "HUGE": "1e999",
    "DEEP": "[" * 5000 + "]" * 5000,
    "TWICE": '1, "title": "again", "title": "once more"',
}
"""What JSON can say and no JSON writer writes."""
_VALUES: tuple[object, ...] = (
    *(None, True, False, -1, 0, 1, 255, 2**31, 2**53, 2**63 - 1, 2**63, -(2**63), 10**30, 0.5, 1e308, "", " ", "\n"),
    *("\ud800", "\0", "a\0b", "\x1b]52;c;eA==\x07", "\u202e", "\u2028", "x" * 300, "x" * 100_000, "\n" * 50_000),
    *("../../x", "/", "/etc/passwd", "/etc", "~", "C:\\x", "\\\\host\\share", "a\\b.md", "a.md/b.md", ".", "..", "x/"),
    *(
        _LATEST,
        "0001-01-01T00:00:00+14:00",
        "9999-12-31",
        "9999-12-31T23:59:59+00:00",
        "0001-01-01",
        "yesterday",
        "24:00",
    ),
    *(
        "sentence:evil/model",
        "openai_compatible:evil",
        "cross-encoder:evil/model",
        "rerank-api",
        "llm",
        "bundled",
        "none",
    ),
    *(
        "sentence:/etc",
        "sentence:pkg:numpy",
        "onnx:evil/model",
        "auto",
        "tfidf:x",
        "literal",
        "lines",
        "vector",
        "folder",
    ),
    *(
        "delete",
        "pending",
        "archived",
        "{text}",
        "{n:>999999999}",
        "{0.__class__}",
        "javascript:alert(1)",
        "---\na: 1\n---\n",
    ),
    *([], {}, [[]], [None], ["x"] * 5000, list(range(5000)), {"aliases": 5}, {"aliases": ["x", 5]}, {"x": {"y": [1]}}),
    *({"text": "{n:>999999999}", "fields": {"n": 1}}, {"text": "{a.b}", "fields": {}}, {"": ""}, {"\ud800": 1}),
    *(f"RAW {name}" for name in _RAW),
)
_FIELDS = (
    *(
        "source_ref",
        "source",
        "path",
        "write_files",
        "trusts_programs",
        "watch",
        "embedder",
        "wish",
        "extra",
        "priority",
    ),
    *(
        "created_at",
        "expires_at",
        "id",
        "base_id",
        "note_id",
        "version",
        "overridden",
        "warnings",
        "left_out",
        "body_start",
        "front",
    ),
    *("search", "chunking", "mtime_ns", "size", "content_hash", "status", "kind", "tags", "links", "folder", "unknown"),
)
_NAMES = (
    *(
        "../x.md",
        "/etc/x.md",
        "C:\\x.md",
        "a\\b.md",
        "a//b.md",
        "notes.jsonl",
        "base.json",
        "words/synonyms.txt",
        "x\0.md",
    ),
    *(
        "words/../x",
        "x" * 300 + ".md",
        "a.md/b.md",
        "a.md",
        ".git/x.md",
        "words/x",
        "tessera.json",
        "a\n.md",
        "__MACOSX/x",
    ),
)
_TEXTS = (
    *(
        "&a [*a, *a]",
        "*a",
        "!!python/object/apply:os.system [id]",
        "!!binary x",
        "!!int 0x" + "f" * 400,
        "1:1:1:1:1:1",
        "? x",
    ),
    *(
        "[" * 3000,
        "{" * 3000,
        "- " * 3000,
        "\t",
        "\ufeff",
        "'",
        '"',
        "|\n",
        ">\n",
        "---\n",
        "...\n",
        "<<: {}",
        "%YAML 9.9\n",
    ),
    *(
        "\x00",
        "\x85",
        "\u2028",
        "\U0001f600",
        "1" * 5000,
        "1e999",
        "=1+1",
        "@x",
        "\r\n",
        "notes:\n",
        '"notes": [',
        "]",
        "}",
        ",,,",
    ),
)


def of_records(chance: Random, seed: Files) -> Files:
    """Change values of records, their fields and their number in a zip with everything."""
    (name, data), *_ = seed.items()
    files = _unzipped(data)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
        kind = chance.choice([one for one, text in files.items() if one.endswith((".jsonl", "base.json")) and text])
        lines = files[kind].decode("utf-8", "surrogatepass").splitlines()
        if chance.random() < 0.2:
            lines = _other_lines(chance, lines)
        elif lines:
            at = chance.randrange(len(lines))
            try:
                lines[at] = _dumped(_changed(chance, json.loads(lines[at])))
            except (ValueError, RecursionError):
                continue
        files[kind] = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")
    return {name: _zipped(files)}


def of_structure(chance: Random, seed: Files) -> Files:
    """Change the names, links, packing, sizes and bytes of a zip."""
    (name, data), *_ = seed.items()
    packed = io.BytesIO()
    with warnings.catch_warnings(action="ignore"), zipfile.ZipFile(packed, "w") as zipped:
        for one, text in _unzipped(data).items():
            member = zipfile.ZipInfo(chance.choice(_NAMES) if chance.random() < 0.05 else one)
            if chance.random() < 0.1:
                member.compress_type = chance.choice((0, 8, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))
                member.external_attr = chance.choice((stat.S_IFLNK | 0o777, stat.S_IFDIR, stat.S_IFIFO)) << 16
            zipped.writestr(member, text, member.compress_type or 8)
        if chance.random() < 0.1:
            zipped.writestr(chance.choice(_NAMES), chance.choice((b"\n", b"a\n", b"x")) * 12_000_000, 8)
        zipped.comment = chance.choice((b"", b"x" * 1000, b"PK\x05\x06" + b"\0" * 18))
    data = packed.getvalue()
    return {name: _scratched(chance, data)}


def of_text(chance: Random, seed: Files) -> Files:
    """Change the text of a document, a table or a note here and there."""
    name = chance.choice([*seed])
    text = seed[name].decode("utf-8", "surrogatepass")
    for _ in range(chance.choice((1, 1, 2, 5))):
        start = chance.randrange(len(text) + 1)
        end = min(len(text), start + chance.choice((0, 0, 1, 5, 80, 2000)))
        piece = chance.choice(
            (chance.choice(_TEXTS), chance.choice(texts.ODD), text[start:end] * chance.choice((2, 300)), "")
        )
        text = text[:start] + piece + text[end:]
    encoded = text.encode(chance.choice(("utf-8",) * 8 + ("utf-16", "utf-8-sig")), "surrogatepass")
    return {**seed, name: encoded}


def of_values(chance: Random, seed: Files) -> Files:
    """Change values of a JSON document or of JSON lines."""
    name = chance.choice([*seed])
    lines = seed[name].decode().splitlines() if name.endswith(".jsonl") else [seed[name].decode()]
    for _ in range(chance.choice((1, 1, 2, 5))):
        at = chance.randrange(len(lines))
        try:
            lines[at] = _dumped(_changed(chance, json.loads(lines[at])))
        except (ValueError, RecursionError):
            break
    return {**seed, name: "\n".join(lines).encode("utf-8", "surrogatepass")}


def of_yaml(chance: Random, seed: Files) -> Files:
    """Change values of a YAML document, as its text, and its text."""
    (name, data), *_ = seed.items()
    text = data.decode()
    for _ in range(chance.choice((1, 1, 3))):
        fields = [*re.finditer(r"^( *(?:- )?[a-z_]+: )(.*)$", text, re.MULTILINE)]
        field, value = chance.choice(fields), chance.choice(_VALUES)
        typed = value if isinstance(value, str) and chance.random() < 0.5 else _dumped(value)
        text = text[: field.start(2)] + typed.replace("RAW DIGITS", _RAW["DIGITS"]) + text[field.end(2) :]
    made = {name: text.encode("utf-8", "surrogatepass")}
    return of_text(chance, made) if chance.random() < 0.2 else made


def of_folder(chance: Random, seed: Files) -> Files:
    """Change the files of a folder: their names and texts."""
    files = dict(of_text(chance, seed))
    if chance.random() < 0.3:
        files[chance.choice(_NAMES).replace("\0", "0").lstrip("/").replace("..", "dots")] = chance.randbytes(300)
    return files


def of_notes_zip(chance: Random, seed: Files) -> Files:
    """Change the notes of a zip of Markdown, and the zip."""
    (name, data), *_ = seed.items()
    made = {name: _zipped(of_text(chance, _unzipped(data)))}
    return of_structure(chance, made) if chance.random() < 0.4 else made


KINDS: dict[str, tuple[str, Callable[[Random, Files], Files]]] = {
    "archives, records": ("zip", of_records),
    "archives, structure": ("zip", of_structure),
    "JSON, values": ("json", of_values),
    "JSON, text": ("json", of_text),
    "YAML": ("yaml", of_yaml),
    "Markdown zip": ("markdown", of_notes_zip),
    "questions, JSONL": ("jsonl", of_values),
    "questions, CSV": ("csv", of_text),
    "packs": ("pack", of_folder),
}
"""Kind -> the real files it is made of, and what changes them."""


def _changed(chance: Random, value: Any) -> Any:
    """Return a value of JSON in which one place is another one."""
    if isinstance(value, dict) and value and chance.random() < 0.9:
        name = chance.choice([*value])
        if chance.random() < 0.15:
            del value[name]
        elif chance.random() < 0.2:
            value[chance.choice(_FIELDS)] = chance.choice(_VALUES)
        elif isinstance(value[name], dict | list) and value[name] and chance.random() < 0.8:
            value[name] = _changed(chance, value[name])
        else:
            value[name] = _other(chance, value[name])
        return value
    if isinstance(value, list) and value and chance.random() < 0.9:
        at = chance.randrange(len(value))
        if chance.random() < 0.15:
            return value * chance.choice((2, 50))
        value[at] = _changed(chance, value[at])
        return value
    return chance.choice(_VALUES)


def _other(chance: Random, value: object) -> object:
    """Return another value, of the same kind more often than not: else most are refused for their kind alone."""
    same = [one for one in _VALUES if type(one) is type(value) and not str(one).startswith("RAW")]
    return chance.choice(same if same and chance.random() < 0.6 else _VALUES)


def _dumped(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    for name, raw in _RAW.items():
        text = text.replace(f'"RAW {name}"', raw)
    return text


def _other_lines(chance: Random, lines: list[str]) -> list[str]:
    return chance.choice(
        (
            lambda: lines * chance.choice((2, 20)),
            lambda: [*lines, "", ""],
            lambda: [""] * 100_000,
            lambda: lines[:-1],
            lambda: [*lines, "x"],
            lambda: [*lines, "[" * 100_000],
            lambda: [*lines, json.dumps(chance.choice(_VALUES))],
            lambda: [],
        )
    )()


def _scratched(chance: Random, data: bytes) -> bytes:
    """Return a zip with other bytes in its lists and its data, cut, or with something before it."""
    made = bytearray(data)
    for _ in range(chance.choice((0, 1, 1, 3))):
        at = chance.choice([match.start() for match in re.finditer(b"PK[\1\3\5]", data)] or [0])
        place = at + chance.choice((4, 6, 8, 10, 14, 18, 20, 22, 24, 26, 28, 30, 42))
        if place + 4 <= len(made):
            made[place : place + 4] = struct.pack("<L", chance.choice((0, 1, 9, 99, 0xFFFF, 0xFFFFFFFF, 2**31)))
    for _ in range(chance.choice((0, 0, 0, 5))):
        made[chance.randrange(len(made))] = chance.randrange(256)
    cut = chance.choice((0,) * 8 + (chance.randrange(len(made)),))
    return chance.choice((b"",) * 9 + (b"x" * 1000,)) + bytes(made[: len(made) - cut])


def _unzipped(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _zipped(files: Files) -> bytes:
    packed = io.BytesIO()
    with warnings.catch_warnings(action="ignore"), zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return packed.getvalue()

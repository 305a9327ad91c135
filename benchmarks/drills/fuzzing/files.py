"""Question files, archives and uploads at random."""

import io
import json
import stat
import warnings
import zipfile
from random import Random

from benchmarks.drills.fuzzing import texts

_CELLS = (
    *("q1", "q2", "", "why?", "a.md", "quote", "true", "false", "maybe", "1", "-1", "9" * 30, '"', '""', "'=1", "=1"),
    *("\ud800", "\0", "是"),
)
_COLUMNS = ("id", "question", "kind", "any", "path", "quote", "note", "suggested", "start", "own", "ID", " id ", "")
_KEYS = ("id", "question", "gold", "path", "quote", "start", "any", "kind", "note", "suggested", "own")
_ENCODINGS = (
    "utf-8",
    "utf-8",
    "utf-8",
    "utf-8-sig",
    "utf-16",
    "utf-16-le",
    "utf-32",
    "gb18030",
    "latin-1",
    "shift_jis",
    "utf-7",
)
_NAMES = (
    "a.md",
    "b.md",
    "a/b.md",
    "缓存.md",
    "c.txt",
    "d.markdown",
    "picture.png",
    "A.MD",
    ".hidden.md",
    ".git/x.md",
    "x",
)
_ODD_NAMES = (
    *("../x.md", "a/../../x.md", "/etc/x.md", "C:\\x.md", "C:x.md", "a\\b.md", "//host/x.md", "a//b.md", "./a.md"),
    *("a/./b.md", " .md", "a /b.md", "..md", ". ./x.md", "a\n.md", "a\0.md", "a\x7f.md", "\ud800.md", "\u202edm.md"),
    *("CON.md", "a.md/b.md", "x" * 300 + ".md", "d/" * 200 + "a.md", "é.md", "e\u0301.md", "", "/", ".", "..", "*.md"),
    *("?.md", "<b>.md", "{x}.md", "$HOME.md"),
)
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)


def table(chance: Random) -> bytes:
    """Return a CSV of random columns and rows, of any length and in any encoding, sometimes damaged."""
    columns = list(_COLUMNS[:6])
    for _ in range(chance.choice((0, 0, 0, 0, 1, 3))):
        columns.insert(chance.randrange(len(columns) + 1), chance.choice(_COLUMNS))
        del columns[chance.randrange(len(columns)) :: max(1, chance.randrange(40))]
    rows = [columns]
    for number in range(chance.randrange(5)):
        row = (f"q{number}", "why?", "", "", "a.md", "quote", "", "")[: len(columns)]
        rows.append([chance.choice(_CELLS) if chance.random() < 0.1 else cell for cell in row])
        if chance.random() < 0.1:
            rows[-1] = chance.choices(_CELLS, k=chance.randrange(12))
    sign, end = chance.choice(",,,;\t|"), chance.choice(("\n", "\n", "\r\n", "\r", "\n\n"))
    lines = (sign.join(f'"{cell}"' if chance.random() < 0.2 else cell for cell in row) for row in rows)
    return _damaged(chance, _encoded(chance, end.join(lines)))


def json_lines(chance: Random) -> bytes:
    """Return JSON lines of random keys and values, sometimes damaged."""
    lines = []
    for number in range(chance.randrange(1, 6)):
        row: object = {"id": f"q{number}", "question": "why?", "gold": [{"path": "a.md", "quote": "x"}]}
        if isinstance(row, dict) and chance.random() < 0.3:
            row[chance.choice(_KEYS)] = _json(chance, 0)
        if chance.random() < 0.1:
            row = _json(chance, 0)
        line = json.dumps(row, ensure_ascii=chance.random() < 0.5)
        lines.append("[" * chance.choice((0,) * 20 + (5000,)) + line)
    return _damaged(
        chance, chance.choice(("\n", "\r\n", "\n\n", "\r", "")).join(lines).encode("utf-8", "surrogatepass")
    )


def archive(chance: Random) -> bytes:
    """Return a zip of random members: odd names, links, encryption, bombs, other archives; sometimes damaged."""
    packed = io.BytesIO()
    with warnings.catch_warnings(action="ignore"), zipfile.ZipFile(packed, "w") as zipped:  # of names that are repeated
        for _ in range(chance.randrange(6)):
            member = zipfile.ZipInfo(_name(chance).replace("\ud800", "\ufffd"))
            member.compress_type = chance.choice(_METHODS)
            member.external_attr = chance.choice((0o644, 0o644, stat.S_IFLNK | 0o777, stat.S_IFDIR, stat.S_IFIFO)) << 16
            member.date_time = chance.choice(((2024, 1, 1, 0, 0, 0), (1980, 0, 0, 0, 0, 0), (2107, 15, 31, 31, 63, 62)))
            data = _content(chance)
            if chance.random() < 0.002:
                data = b"word " * chance.choice((200_000, 5_000_000))
            zipped.writestr(member, data)
        zipped.comment = chance.choice((b"", b"x" * 1000, b"PK\x05\x06" + b"\0" * 18))
    data = packed.getvalue()
    if chance.random() < 0.2:
        # Bit 0 of the flags of the first directory entry: encrypted.
        at = data.find(b"PK\x01\x02")
        data = data[: at + 8] + b"\x01" + data[at + 9 :] if at >= 0 else data
    return _damaged(chance, data)


def upload(chance: Random) -> list[tuple[str, bytes]]:
    """Return up to four files with random names, encodings and content."""
    return [(_name(chance), _content(chance)) for _ in range(chance.randrange(1, 5))]


def _name(chance: Random) -> str:
    return chance.choice(_NAMES if chance.random() < 0.9 else _ODD_NAMES)


def _content(chance: Random) -> bytes:
    if chance.random() < 0.1:
        return chance.randbytes(chance.randrange(300))
    body = texts.markdown(chance)
    text = f"---\n{texts.front_matter(chance)}\n---\n{body}" if chance.random() < 0.5 else body
    return _damaged(chance, _encoded(chance, text))


def _encoded(chance: Random, text: str) -> bytes:
    encoding = chance.choice(_ENCODINGS)
    try:
        return text.encode(encoding, "surrogatepass" if encoding.startswith("utf") else "replace")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def _damaged(chance: Random, data: bytes) -> bytes:
    """Return the data as they are, cut, or with some bytes changed."""
    kind = chance.random()
    if kind < 0.15:
        return data[: chance.randrange(len(data) + 1)]
    if kind < 0.35 and data:
        changed = bytearray(data)
        for _ in range(chance.randrange(1, 6)):
            changed[chance.randrange(len(data))] = chance.randrange(256)
        return bytes(changed)
    return data


def _json(chance: Random, depth: int) -> object:
    kind = chance.randrange(9 if depth < 4 else 7)
    if kind == 7:
        return [_json(chance, depth + 1) for _ in range(chance.randrange(4))]
    if kind == 8:
        return {chance.choice(_KEYS): _json(chance, depth + 1) for _ in range(chance.randrange(4))}
    return (None, True, chance.randrange(-5, 5), 1e308 * chance.random(), float("inf"), 10**30, chance.choice(_CELLS))[
        kind
    ]

"""Brings the pack `guide` and the vectors of both guides in step with docs/guide.md: python -m tests.guide_pack

Each section is a note. The notes of the pack `guide-zh` are written by hand, one for each of these, at the same paths,
with the same commands and settings; what they lack is listed.
"""

import posixpath
import re
import sys
from pathlib import Path

import numpy as np
from markdown_it import MarkdownIt

from core import embedding
from core.base.text import digest
from core.embedding import shipped
from pages.ui import guide
from tests.sample_vectors import store

ROOT = Path(__file__).parents[1]
GUIDE = ROOT / "docs" / "guide.md"
PACK = ROOT / "data" / "packs" / "guide"
CHINESE = PACK.with_name("guide-zh")
_CODE = re.compile(r"`(tessera [a-z]+(?: [a-z]+)?|--[a-z-]+|TESSERA_[A-Z_]+|[a-z]+_[a-z_]+)")


def notes() -> dict[str, str]:
    """Return the texts of the notes by their paths."""
    texts: dict[str, str] = {}
    part = ""
    for level, title, body in sections(GUIDE.read_text(encoding="utf-8")):
        if level == 2:
            part = title
        if body.strip():
            path = slug(part) if level == 2 else f"{slug(part)}/{slug(title)}"
            head = title if level == 2 else f"{part}: {title}"
            texts[f"{path}.md"] = f"# {head}\n\n{unwrapped(body.strip())}\n"
    paths = {posixpath.basename(path).removesuffix(".md"): path for path in texts}
    return {path: linked(text, path, paths) for path, text in texts.items()}


def unwrapped(text: str) -> str:
    """Return a text with each paragraph on one line: the app's reader keeps the ends of lines, as Obsidian does."""
    lines = text.split("\n")
    for token in reversed(MarkdownIt("commonmark").enable("table").parse(text)):
        if token.type == "paragraph_open" and token.map:
            start, end = token.map
            lines[start:end] = [" ".join([lines[start], *(line.strip() for line in lines[start + 1 : end])])]
    return "\n".join(lines)


def linked(text: str, path: str, paths: dict[str, str]) -> str:
    """Return a note whose links to sections of the guide lead to their notes."""

    def link(match: re.Match[str]) -> str:
        return f"]({posixpath.relpath(paths[match[1]], posixpath.dirname(path) or '.')})"

    return re.sub(r"\]\(#([a-z0-9-]+)\)", link, text)


def sections(text: str) -> list[tuple[int, str, str]]:
    """Return level, title and own text of each section of level 2 or 3; a `#` in a fence is none."""
    parts: list[tuple[int, str, list[str]]] = []
    fenced = False
    for line in text.splitlines():
        fenced ^= line.startswith("```")
        heading = None if fenced else re.match(r"(#{2,3}) (.+)", line)
        if heading:
            parts.append((len(heading[1]), heading[2], []))
        elif parts:
            parts[-1][2].append(line)
    return [(level, title, "\n".join(lines)) for level, title, lines in parts]


def slug(title: str) -> str:
    return "-".join(re.findall(r"[a-z0-9]+", title.lower()))


def stale() -> list[str]:
    """Return a line for each English note that differs from the guide."""
    texts = notes()
    stored = {file.relative_to(PACK).as_posix(): file.read_text(encoding="utf-8") for file in PACK.rglob("*.md")}
    differing = sorted(path for path in texts.keys() | stored.keys() if texts.get(path) != stored.get(path))
    return [f"{PACK.name}/{path} differs from docs/guide.md: run python -m tests.guide_pack" for path in differing]


def lacking() -> list[str]:
    """Return a line for each Chinese note to write, complete or remove."""
    texts = notes()
    lines = []
    for path, text in sorted(texts.items()):
        file = CHINESE / path
        if not file.is_file():
            lines.append(f"write {CHINESE.name}/{path}, the Chinese of {PACK.name}/{path}")
            continue
        chinese = file.read_text(encoding="utf-8")
        codes = sorted({code for code in _CODE.findall(text) if code not in chinese})
        if codes:
            lines.append(f"{CHINESE.name}/{path} lacks {', '.join(codes)}")
        if not re.match(r"# .*[一-鿿]", chinese):
            lines.append(f"{CHINESE.name}/{path} has no Chinese title")
    paths = {file.relative_to(CHINESE).as_posix() for file in CHINESE.rglob("*.md")}
    return [
        *lines,
        *(f"remove {CHINESE.name}/{path}: the guide has no such section" for path in sorted(paths - texts.keys())),
    ]


def passages() -> list[str]:
    """Return the texts that Help compares with questions, in all languages."""
    return [text for language in guide.PACKS for text in guide.embedded_texts(language)]


def write_vectors() -> None:
    """Write the vectors of the passages; only new ones are computed."""
    embedder = embedding.build("bundled")
    by_key = {digest(text): text for text in passages()}
    known = shipped.find(embedder.fingerprint, by_key, shipped.GUIDE)
    vectors = dict(zip(known.keys, known.vectors, strict=True)) if known else {}
    for key in by_key.keys() - vectors.keys():
        (vectors[key],) = embedder.embed([by_key[key]], role="note")
    no_bits = np.zeros((0, embedder.dimension // 8), np.uint8)
    stacked = np.stack([vectors[key] for key in by_key]).astype(np.float16)
    store(embedder.fingerprint, shipped.ShippedVectors([*by_key], stacked, [no_bits] * len(by_key)), shipped.GUIDE)


def main() -> None:
    texts = notes()
    for file in PACK.rglob("*.md"):
        if file.relative_to(PACK).as_posix() not in texts:
            file.unlink()
    for path, text in texts.items():
        (PACK / path).parent.mkdir(parents=True, exist_ok=True)
        (PACK / path).write_text(text, encoding="utf-8")
    write_vectors()
    sys.stdout.writelines(f"{line}\n" for line in lacking())


if __name__ == "__main__":
    main()

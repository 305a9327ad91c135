"""Brings the notes of the pack `guide` in step with docs/guide.md: python -m tests.guide_pack

Each section is a note. The notes of the pack `guide-zh` are written by hand, one for each of these, at the same paths.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
GUIDE = ROOT / "docs" / "guide.md"
PACK = ROOT / "data" / "packs" / "guide"
CHINESE = PACK.with_name("guide-zh")


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
            texts[f"{path}.md"] = f"# {head}\n\n{body.strip()}\n"
    return texts


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


def main() -> None:
    texts = notes()
    for file in PACK.rglob("*.md"):
        if file.relative_to(PACK).as_posix() not in texts:
            file.unlink()
    for path, text in texts.items():
        (PACK / path).parent.mkdir(parents=True, exist_ok=True)
        (PACK / path).write_text(text, encoding="utf-8")
    for path in sorted(texts):
        if not (CHINESE / path).is_file():
            sys.stdout.write(f"not in {CHINESE.name}: {path}\n")


if __name__ == "__main__":
    main()

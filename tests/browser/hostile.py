"""A workspace whose every text and name is hostile to a browser, made by chance."""

import json
import random
from dataclasses import dataclass
from pathlib import Path

from core.base.errors import TesseraError
from core.model import Pipeline
from core.workspace import Workspace

RUN = "localStorage.ran=1;document.title='ran'"
"""What a payload does where it runs; unlike a variable the first is still there on the next page."""
WORD = "zanzibar"
"""Stands in every text and name."""
_QUOTE = f"The only <img src=x onerror={RUN}> of a note."

LINES = (
    f"<img src=EVIL/i onerror={RUN}>",
    f"<svg onload={RUN}><image href=EVIL/s>",
    f"<script>{RUN}</script>",
    f'"><script src=EVIL/x.js></script><b onmouseover="{RUN}">',
    f"' onfocus={RUN} autofocus '",
    f'<iframe srcdoc="<script>top.{RUN}</script>"></iframe>',
    "</span></div></details></table><h1 class=evil>HOSTILEHTML</h1>",
    "<style>body{outline:9px solid rgb(255,0,0)}</style>",
    "<base href=EVIL/><meta http-equiv=refresh content='0;url=EVIL/r'>",
    f"<form action=EVIL/f><button autofocus formaction='javascript:{RUN}'>",
    f"<details open ontoggle={RUN}><summary>x</summary>",
    "<link rel=stylesheet href=EVIL/l.css><object data=EVIL/o></object>",
    "![p](EVIL/p.png) ![p][r]",
    "[![n](EVIL/n.png)](EVIL/n)",
    f"[j](javascript:{RUN}) [v](vbscript:x) [d](data:text/html,<script>{RUN}</script>)",
    "[f](file:///etc/passwd) [b](blob:EVIL/b) [u](d&#97;ta:x) <data:x> <file:///x>",
    "EVIL/auto www.evil.example //evil.example",
    ":red[HOSTILERED] :rainbow-background[HOSTILERED]",
    ":material/skull: :skull:",
    "$\\text{KATEXED}$ $$\\text{KATEXED}$$",
    "**HOSTILEBOLD** __HOSTILEBOLD__ ~~x~~ # x",
    "| a | b |\n|---|---|\n| c | d |",
    "{{constructor.constructor('alert(1)')()}} ${alert(1)} <%= x %>",
    "\u202egnp.exe\u202c \u2066\u2067\u2069 \u200b\u200d\ufeff",
    "W" * 400,
    "e" + "\u0301" * 60,
    "&lt;script&gt;alert(1)&lt;/script&gt; &#60;img&#62;",
    "<!-- --> ]]> --> %0d%0aSet-Cookie:x",
    "``` ` ~~~ \\ \\` [[x|<img src=EVIL/w>]] [^1]",
    "🔥👩\u200d👩\u200d👧 缓存 ＜img src=EVIL/z＞",
)
"""Payloads on one line, for names, titles, tags, questions and paragraphs; EVIL is the address of another server."""

BLOCKS = (
    '```mermaid\nflowchart LR\n  A@{ img: "EVIL/m.png", label: "x" } --> B\n```',
    '> ~~~ mer&#109;aid\n> flowchart LR\n>  A@{ img: "EVIL/e.png" }\n> ~~~',
    '- ```mermaid\n  flowchart LR\n    A["<img src=EVIL/h.png>"]\n    click A href "javascript:alert(1)"\n  ```',
    '```html\n<img src=EVIL/c.png onerror=alert(1)>\n```\n```vega-lite\n{"data": {"url": "EVIL/v.json"}}\n```',
    ">" * 9_000 + " deep",
    "- " * 4_000 + "deep",
    "*" * 3_000 + "deep" + "*" * 3_000,
    "[" * 6_000 + "deep" + "]" * 6_000,
    "$$" + "{" * 4_000 + "}" * 4_000 + "$$",
    "# " + "W" * 5_000,
    "a b " * 9_000,
    "| a | b |\n|---|---|\n| <img src=EVIL/t> | ![x](EVIL/t.png) |",
    "$$\\includegraphics{EVIL/k.png} \\href{javascript:alert(1)}{x} \\htmlData{x=y}{z} \\url{EVIL}$$",
    "[r]: EVIL/r.png\n[s]: data:text/html,x\n\n![r] ![x][r] [click][s]",
    "x[^1]\n\n[^1]: ![f](EVIL/f.png)",
    ":::danger\n<img src=EVIL/d>\n:::\n::leaf[x]{onclick=alert(1)}",
    "<picture><source srcset=EVIL/q><img srcset='EVIL/q 2x'></picture>\n<video poster=EVIL/v src=EVIL/v></video>",
    "<div style='position:fixed;inset:0;background:url(EVIL/bg)'>over all</div>",
    "%%\nhidden ![c](EVIL/c.png)\n%%\n<!--\n![c](EVIL/c.png)",
    "---\ntitle: again\n---",
)
"""Payloads of several lines, for the texts of notes."""
_ENDS = ("\n", "\n", "\r", "\r\n")


@dataclass(frozen=True)
class Hostile:
    """What a browser opens of a hostile workspace: the ids of its notes, and its questions."""

    notes: tuple[str, ...]
    questions: tuple[str, ...]


class Writer:
    """Writes hostile texts by chance, with the address of another server in them."""

    def __init__(self, chance: random.Random, evil: str) -> None:
        self._chance, self._evil = chance, evil

    def line(self, most: int = 400) -> str:
        """Return a text on one line."""
        parts = self._chance.sample(LINES, self._chance.randint(1, 3))
        return " ".join(f"{WORD} {' '.join(parts)}".replace("EVIL", self._evil).split())[:most]

    def file_name(self) -> str:
        """Return a name that file systems take."""
        return self.line(60).replace("/", "\u2215").encode()[:180].decode(errors="ignore") + ".md"

    def note(self) -> str:
        """Return the text of a note with front matter, whose lines end in one of the ways there are."""
        fields = {name: self.line() for name in ("title", "category", "type", "project", "source_url", self.line(60))}
        front = [f"{json.dumps(name)}: {json.dumps(text)}" for name, text in fields.items()]
        front.append(f"tags: {json.dumps([self.line(80) for _ in range(3)])}")
        blocks = [f"# {self.line()}", *self._chance.sample(BLOCKS, 4), *(self.line() for _ in range(4)), _QUOTE]
        self._chance.shuffle(blocks)
        text = "\n".join(["---", *front, "---", f"# {self.line()}", "", "\n\n".join(blocks)])
        return text.replace("EVIL", self._evil).replace("\n", self._chance.choice(_ENDS))


def workspace(place: Path, seed: int, evil: str, notes: int = 6) -> Hostile:
    """Make a workspace with hostile notes, names, edits, questions, runs and a history."""
    writer = Writer(random.Random(seed), evil)
    folder = place.with_name(f"{place.name}-notes") / "<svg onload=alert(1)>"
    folder.mkdir(parents=True)
    for number in range(notes):
        (folder / f"{number}{writer.file_name()}").write_bytes(writer.note().encode())
    base, name = writer.line(60), writer.line(60)
    with Workspace(place) as opened:
        opened.imports.apply(opened.imports.plan_folder(folder.parent, base))
        cards = opened.notes.all()
        for card in cards[:2]:
            opened.chunks.update(opened.chunks.all(card.id)[0].id, writer.line())
        asked: list[str] = []
        while len(asked) < 3:
            text = writer.line()
            try:
                opened.search(text)
            except TesseraError:
                continue  # No question, for a quotation mark or a field of it isn't closed.
            asked.append(text)
        rows = [
            {"id": str(n), "question": text, "note": writer.line(), "gold": [{"path": card.path, "quote": _QUOTE}]}
            for n, (text, card) in enumerate(zip(asked, cards, strict=False))
        ]
        data = "\n".join(map(json.dumps, rows)).encode()
        questions = opened.question_sets.add_file(base, name, data, "questions.jsonl")
        for _ in range(2):
            opened.runs.run(questions, [Pipeline()])
        return Hostile(tuple(card.id for card in cards), tuple(asked))

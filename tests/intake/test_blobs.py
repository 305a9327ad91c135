"""Pasted pictures, keys, compressed drawings and minified code are shown, and neither cut, found nor quoted."""

import base64
import random
import re
import sqlite3
import textwrap
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from core.base.blobs import blank_blobs, blobs
from core.chunking.reading import Shortened
from core.embedding.tfidf import Tfidf
from core.model import Matrix, Role, Spans
from core.workspace import Workspace

ORDINARY = {
    "pets.md": "# Pets\n\nThe vet comes on Monday. The key of the stable is under the pot.\n",
    "boiler.md": "# Boiler\n\nThe boiler room is behind the kitchen. Call the landlord about the boiler.\n",
}


def encoded(size: int, seed: int = 1) -> str:
    return base64.b64encode(random.Random(seed).randbytes(size)).decode()


def lines(text: str, width: int) -> str:
    return "\n".join(textwrap.wrap(text, width))


SVG = "<svg xmlns='http://www.w3.org/2000/svg'><path d='M10 10'/></svg>"
SCRIPT = "!function(e,t){var n=e.querySelector(t);return n&&(n.hidden=!1)}(document,'#gas');" * 40
STYLE = ".bus{color:#fff;margin:0 auto}.api{display:none;padding:1px 2px}" * 40
DRAWING = '{"type":"excalidraw","elements":[{"id":"Xk2","type":"rectangle","strokeColor":"#1e1e1e"}]}'
BLOBS = {
    "pasted": f"Before it.\n\n![map of the zoo](data:image/png;base64,{encoded(90_000)})\n\nAfter it.\n",
    "in-a-sentence": f"Before it ![map](data:image/png;base64,{encoded(3_000, 2)}) after it.\n",
    "in-html": f'Before it <img src="data:image/jpeg;base64,{encoded(3_000, 3)}" width=9> after it.\n',
    "referred": f"Before it ![x][image1] after it.\n\n[image1]: <data:image/png;base64,{encoded(3_000, 4)}>\n",
    "wrapped": f"Before it.\n\n<img src='data:image/png;base64,{lines(encoded(3_000, 5), 76)}'>\n\nAfter it.\n",
    "drawn as text": f"Before it ![](data:image/svg+xml;utf8,{SVG}) after it.\n",
    "percents": f"Before it <img src='data:image/svg+xml,%3Csvg%20width={'%20gas' * 300}%3E'> after it.\n",
    "certificate": (
        "Before it.\n\n-----BEGIN CERTIFICATE-----\n"
        f"{lines(encoded(1_500, 6), 64)}\n-----END CERTIFICATE-----\n\nAfter it.\n"
    ),
    "short-key": (
        f"Before it.\n\n-----BEGIN PRIVATE KEY-----\n{encoded(48, 7)}\n-----END PRIVATE KEY-----\n\nAfter it.\n"
    ),
    "quoted-key": f"Before it.\n\n> {lines(encoded(1_500, 8), 64)}\n\nAfter it.\n".replace("\n", "\n> "),
    "run": f"Before it.\n\n{encoded(3_000, 9)}\n\nAfter it.\n",
    "hexadecimal": f"Before it.\n\n{random.Random(10).randbytes(900).hex()}\n\nAfter it.\n",
    "compressed": (
        "Before it.\n%%\n## Drawing\n```compressed-json\n"
        + "\n\n".join(textwrap.wrap(encoded(3_000, 11), 256))
        + "\n```\n%%\nAfter it.\n"
    ),
    "drawing": f"Before it.\n%%\n## Drawing\n```json\n{DRAWING}\n```\n%%\nAfter it.\n",
    "script": f"Before it.\n\n```js\n{SCRIPT}\n```\n\nAfter it.\n",
    "style": f"Before it.\n\n{STYLE}\n\nAfter it.\n",
    "heading": f"# ![](data:image/png;base64,{encoded(3_000, 12)}) Before it\n\nAfter it.\n",
    "table": f"| Before it | ![](data:image/png;base64,{encoded(900, 13)}) |\n|---|---|\n| After it | b |\n",
}
ONLY = {
    "only a picture.md": f"![](data:image/png;base64,{encoded(3_000, 14)})\n",
    "only a small picture.md": f"![](data:image/gif;base64,{encoded(60, 15)})\n",
    "only data.md": encoded(3_000, 16),
}
HASH = "9fceb02d0ae598e95dc970b74767f19372d61af8"
LONG_HASH = random.Random(17).randbytes(64).hex()
WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
LANGUAGE = {
    "hash": f"Fixed in commit {HASH}, sum {LONG_HASH} of the file.",
    "hashes": "\n".join(random.Random(number).randbytes(32).hex() for number in range(9)),
    "isbn": "ISBN 978-3-16-148410-0",
    "address": f"https://example.org/shop/very/long/path-of-words/{'another-part/' * 30}garden?utm_source=letter&id=12",
    "identifier": "the_very_long_name_of_a_function_that_someone_wrote_" * 5 + "once",
    "names": "ThisIsAnIdentifierOfManyCapitals" * 7,
    "german": f"Die {WORD} tagt.",
    "chinese": "缓存雪崩是大量的键同时过期请求全部落到数据库上" * 60 + "知识库",
    "thai": "กุญแจอยู่ในลิ้นชักของโต๊ะทำงานในห้องสมุด" * 40,
    "json": '{"name":"Anna","city":"Rome","note":"vet"},' * 60,
    "csv": ",".join(f"Anna{number}" for number in range(300)),
    "rule": "=" * 300 + "\n" + "-" * 300 + "\n| a |\n|" + "-" * 300 + "|\n",
    "letters": "a" * 3_000,
    "digits": "3.14159" + "26535897932384626433" * 20,
    "genes": "ACGT" * 200,
    "code": "```python\ndef find(word: str) -> list[str]:\n    return [one for one in WORDS if word in one]\n```",
    "about": "A picture can be written as data:image/png;base64, and the picture itself. It is `data:` in short.",
    "query": "https://example.org/?" + "&".join(f"field{number}=value{number}" for number in range(200)),
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = tmp_path_factory.mktemp("notes")
    named = {f"{name}.md": text for name, text in (*BLOBS.items(), *LANGUAGE.items())}
    for name, text in (*ORDINARY.items(), *named.items(), *ONLY.items()):
        (folder / name).write_text(text, encoding="utf-8")
    with Workspace(tmp_path_factory.mktemp("workspace")) as workspace:
        workspace.settings.embedder = "tfidf"
        workspace.imports.apply(workspace.imports.plan_folder(folder, "notes"))
        yield workspace


def of(workspace: Workspace, path: str) -> str:
    return next(card.id for card in workspace.notes.all() if card.path == path)


@pytest.mark.parametrize("name", BLOBS)
def test_what_is_no_language_is_in_no_passage(workspace: Workspace, name: str) -> None:
    note = workspace.notes.get(of(workspace, f"{name}.md"))
    assert note.body == BLOBS[name]
    chunks = workspace.chunks.all(note.id)
    assert all(note.body[chunk.start : chunk.end] == chunk.text for chunk in chunks)
    text = " ".join(f"{blank_blobs(chunk.text)} {chunk.lead} {chunk.section_title}" for chunk in chunks) + note.title
    assert "Before it" in text
    assert "After it" in text or "after it" in text
    assert not re.search(r"[A-Za-z0-9+/]{60}|%20|xmlns|querySelector|rectangle|margin", text)
    assert sum(len(chunk.text) for chunk in chunks) < 1_000
    (warning,) = note.warnings
    assert str(warning).startswith("1 part, such as a pasted picture")


@pytest.mark.parametrize("name", BLOBS)
def test_no_word_of_it_is_found(workspace: Workspace, name: str) -> None:
    (start, end), *_ = blobs(BLOBS[name])
    inside = [word for word in re.findall(r"\w{2,}", BLOBS[name][start:end]) if word != "data"]
    for word in random.Random(1).sample(inside, min(4, len(inside))):
        notes = {hit.note.path for hit in workspace.search(word[:100], mode="keyword", as_typed=True).hits}
        assert f"{name}.md" not in notes, word


def test_the_words_around_it_are_found(workspace: Workspace) -> None:
    for question in ("map of the zoo", "certificate", "drawing"):
        assert workspace.search(question, mode="keyword").hits, question


@pytest.mark.parametrize("path", ONLY)
def test_a_note_of_nothing_else_is_found_by_its_title(workspace: Workspace, path: str) -> None:
    title = path.removesuffix(".md")
    assert workspace.notes.get(of(workspace, path)).title == title
    for mode in ("keyword", "semantic"):
        assert path in {hit.note.path for hit in workspace.search(title, mode=mode).hits}


def test_it_is_no_answer_and_no_concept(workspace: Workspace) -> None:
    for question in ("When does the vet come?", "Where is the key?", "What is gas?", "Who wrote the api?"):
        for quote in workspace.answers.answer_result(workspace.search(question, mode="keyword")).quotes:
            assert not re.search(r"[A-Za-z0-9+/]{60}", quote.text), question
    text = " ".join(blob for body in BLOBS.values() for blob in (body[start:end] for start, end in blobs(body)))
    for concept in workspace.related.concepts.all():
        assert concept.name in "before it after it drawing" or concept.name not in text.lower()


def test_the_workspace_is_sound(workspace: Workspace) -> None:
    assert [check.name for check in workspace.doctor.examine().checks if check.level == "broken"] == []


def test_a_picture_costs_no_text_to_embed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    embedded: list[str] = []

    original = Tfidf.embed

    def embed(self: Tfidf, texts: Sequence[str], *, role: Role) -> Matrix:
        embedded.extend(texts)
        return original(self, texts, role=role)

    monkeypatch.setattr(Tfidf, "embed", embed)
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    (tmp_path / "notes").mkdir()
    picture = f"![scan](data:image/png;base64,{encoded(1_500_000)})"
    (tmp_path / "notes" / "clip.md").write_text(f"The boiler room.\n\n{picture}\n\nEnd.\n")
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(tmp_path / "notes", "notes"))
    texts = [text for text in embedded if "boiler" in text or "End" in text]
    assert len(texts) == 2
    assert sum(map(len, embedded)) < 2_000


def test_a_picture_costs_no_tokens_and_little_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tokenized: list[str] = []

    original = Tfidf.tokens

    def tokens(self: Tfidf, text: str) -> Spans:
        tokenized.append(text)
        return original(self, text)

    monkeypatch.setattr(Tfidf, "tokens", tokens)
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    (tmp_path / "notes").mkdir()
    text = f"# Boiler\n\nThe room.\n\n![scan](data:image/png;base64,{encoded(300_000)})\n\n## 锅炉\n\nThe end.\n"
    (tmp_path / "notes" / "clip.md").write_text(text)
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(tmp_path / "notes", "notes"))
        note = workspace.notes.all()[0]
        assert workspace.store.versions.note(note.id, 1).body == text
        spans = [(chunk.start, chunk.end, chunk.language) for chunk in workspace.store.chunks.for_note(note.id)]
    assert [text[start:end] for start, end, _ in spans] == ["# Boiler\n\nThe room.\n\n![scan", "## 锅炉\n\nThe end."]
    assert [language for *_, language in spans] == ["en", "mixed"]
    assert sum(map(len, tokenized)) < 2_000
    packed = sqlite3.connect(tmp_path / "workspace" / "notes.db").execute("SELECT length(body) FROM versions")
    assert packed.fetchone()[0] < len(zlib.compress(text.encode()))


@pytest.mark.parametrize("place", [0, 1, 300, 5_000])
def test_places_in_a_text_without_blobs_are_those_of_the_text(place: int) -> None:
    blob = encoded(900)
    text = f"{'word ' * place}{blob} one\n{blob}\ntwo {blob}"
    short = Shortened(text, blobs(text))
    words = [match.start() for match in re.finditer(r"\w+", short.text)]
    assert [text[at : at + 3] for at in short.offsets(np.array(words, np.int32))] == ["wor"] * place + ["one", "two"]


@pytest.mark.parametrize("name", LANGUAGE)
def test_language_is_no_blob(name: str) -> None:
    inside = [LANGUAGE[name][start:end] for start, end in blobs(LANGUAGE[name])]
    assert inside == (["data:image/png;base64,"] if name == "about" else [])


@pytest.mark.parametrize(
    ("name", "question"),
    [
        ("hash", HASH),
        ("hash", LONG_HASH),
        ("isbn", "978-3-16-148410-0"),
        ("address", "garden"),
        ("german", WORD),
        ("chinese", "知识库"),
        ("thai", "ห้องสมุด"),
        ("json", "Anna"),
        ("csv", "Anna17"),
        ("identifier", "once"),
        ("query", "field17"),
    ],
)
def test_language_is_found(workspace: Workspace, name: str, question: str) -> None:
    hits = workspace.search(question, mode="keyword", as_typed=True).hits
    assert f"{name}.md" in {hit.note.path for hit in hits}

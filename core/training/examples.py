"""What people have -> questions with their right passage: question-passage files, a vault, questions on it."""

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from core.embedding import Embedder, tokens
from core.embedding.tfidf import Tfidf
from core.embedding.windows import breadcrumb
from core.errors import SourceError
from core.model import Bits, Chunk, Filters, KnowledgeBase, Matrix, NoteCard, Question
from core.store import Store
from core.store.chunks import parse_window_id

SHORTEST = 60
"""Characters of a passage below which it answers nothing."""

PASSAGE = 2000
"""Characters of a passage that are kept, as many as a search shows a reranker."""

_HEADINGS = re.compile(r"\A(?:[ \t]*(?:#{1,6}[ \t][^\n]*)?(?:\n|\Z))+")
_FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
_SENTENCE = re.compile(
    r"(?:\A|(?<=\n\n)|(?<=[.!?]\s)|(?<=[。！？]))"
    r"\w(?:[^。！？!?.\n#|`$\\{}<]|\n(?!\s*\n)){18,140}(?:[。！？]|[!?.](?=\s|\Z))"
)


@dataclass(frozen=True, slots=True)
class Passage:
    """A text that may answer; `note` names what is held back together, and one `section` is one answer.

    `bits` are those of its tokens, where a base keeps them.
    """

    text: str
    note: str
    section: str
    bits: Bits | None = None


@dataclass(frozen=True, slots=True)
class Example:
    """A question and the number of the passage that answers it, `hidden` taken out of its text."""

    question: str
    right: int
    hidden: str = ""


Judge = Callable[[int, Sequence[int]], list[float] | None]
"""The number of an example and of some passages -> how near late interaction finds each, where bits are kept."""


@dataclass(frozen=True, slots=True)
class Source:
    """Passages with a vector each, and examples over them, whose questions have a vector each too."""

    name: str
    passages: Sequence[Passage]
    examples: Sequence[Example]
    passage_vectors: Matrix
    question_vectors: Matrix
    judge: Judge | None = None

    def where(self, keep: Callable[[str], bool]) -> "Source":
        """The same with the examples whose note is kept."""
        rows = [row for row, one in enumerate(self.examples) if keep(self.passages[one.right].note)]
        examples = [self.examples[row] for row in rows]
        own = self.judge
        judge = None if own is None else lambda example, passages: own(rows[example], passages)
        return Source(self.name, self.passages, examples, self.passage_vectors, self.question_vectors[rows], judge)


def squad(file: Path) -> Source:
    """Read a file of questions on paragraphs in the format of SQuAD; raises SourceError."""
    try:
        articles = json.loads(file.read_text(encoding="utf-8-sig"))["data"]
        passages, examples = _paragraphs(articles)
    except OSError as error:
        raise SourceError(str(file), f"can't be read: {error.strerror or error}.") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise SourceError(
            str(file),
            "isn't a file of questions: either the format of SQuAD (JSON with data, paragraphs, context and qas) or"
            " JSON lines with id, question and gold, in a file named .jsonl.",
        ) from error
    words = Tfidf()
    return Source(
        file.name,
        passages,
        examples,
        words.embed([one.text for one in passages], role="note"),
        words.embed([one.question for one in examples], role="query"),
    )


def _paragraphs(articles: Sequence[Any]) -> tuple[list[Passage], list[Example]]:
    passages: list[Passage] = []
    examples: list[Example] = []
    for article in articles:
        title = str(article.get("title") or "")
        for paragraph in article["paragraphs"]:
            text = str(paragraph["context"])
            if not text.strip():
                continue
            note = title or text[:SHORTEST]
            passages.append(Passage(text[:PASSAGE], note, f"{len(passages)}"))
            examples += [
                Example(str(asked["question"]), len(passages) - 1)
                for asked in paragraph["qas"]
                if str(asked["question"]).strip() and _answered(asked)
            ]
    return passages, examples


def _answered(asked: Any) -> bool:
    """Whether the passage holds the answer's place; a file without answers is believed."""
    answers = asked.get("answers")
    return answers is None or any(0 <= int(answer["answer_start"]) < PASSAGE for answer in answers)


def vault(store: Store, base: KnowledgeBase, embedder: Embedder) -> Source:
    """Return what a base gives for free: headings, and sentences, each with the section it was taken out of."""
    passages, vectors, chunks = _sections(store, base)
    often = Counter(section.rpartition("\n")[2] for section in {passage.section for passage in passages})
    examples: list[Example] = []
    seen: set[str] = set()
    for number, (passage, chunk) in enumerate(zip(passages, chunks, strict=True)):
        if chunk.section_title and passage.section not in seen:
            seen.add(passage.section)
            examples.append(Example(_asked(chunk, often), number))
        sentences = _SENTENCE.findall(_FENCE.sub("", passage.text))
        if len(sentences) > 1:
            taken = sentences[len(sentences) // 2]
            examples.append(Example(" ".join(taken.split()), number, taken))
    return _source(base.name, passages, examples, vectors, store, base, embedder)


def own(store: Store, base: KnowledgeBase, embedder: Embedder, questions: Sequence[Question], name: str) -> Source:
    """Return a person's own questions on a base, whose right passages are placed in its notes."""
    passages, vectors, chunks = _sections(store, base)
    examples = []
    for question in questions:
        for gold in question.spans:
            shared = [
                (min(gold.end, chunk.end) - max(gold.start, chunk.start), -number)
                for number, chunk in enumerate(chunks)
                if chunk.note_id == gold.note_id
            ]
            if shared and max(shared)[0] > 0:
                examples.append(Example(question.text, -max(shared)[1]))
    return _source(name, passages, examples, vectors, store, base, embedder)


def _sections(store: Store, base: KnowledgeBase) -> tuple[list[Passage], Matrix, list[Chunk]]:
    """A base's chunks as passages without their headings, each with the vector of its first window."""
    cards = {card.id: card for card in store.notes.cards(Filters(bases=(base.name,)))}
    rowids: list[int] = []
    rows: list[Matrix] = []
    for ids, matrix in store.chunks.windows(base):
        chunk_of = store.chunks.of_windows(ids)
        for key, vector in zip(ids, matrix, strict=True):
            if parse_window_id(key)[3] == 0 and key in chunk_of:
                rowids.append(chunk_of[key])
                rows.append(vector)
    chunks = store.chunks.by_rowid(rowids)
    bits = store.encoded.bits(rowids, base.fingerprint)
    passages, vectors, kept = [], [], []
    for rowid, vector in sorted(zip(rowids, rows, strict=True), key=lambda pair: pair[0]):
        chunk = chunks[rowid]
        text = _HEADINGS.sub("", chunk.text).strip()
        if len(text) >= SHORTEST:
            passages.append(_passage(cards[chunk.note_id], chunk, text, bits.get(rowid)))
            vectors.append(vector)
            kept.append(chunk)
    return passages, np.array(vectors, np.float32).reshape(len(vectors), base.dimension), kept


def _passage(card: NoteCard, chunk: Chunk, text: str, bits: Bits | None) -> Passage:
    place = breadcrumb(card.title, chunk.parent_sections)
    section = "\n".join((card.id, *chunk.section))
    return Passage(f"{place}\n{text}"[:PASSAGE], card.id, section, bits)


def _asked(chunk: Chunk, often: Counter[str]) -> str:
    """A heading as a question: alone where it says enough, else behind the one above it."""
    if often[chunk.section_title] == 1 or not chunk.parent_sections:
        return chunk.section_title
    return f"{chunk.parent_sections[-1]} {chunk.section_title}"


def _source(
    name: str,
    passages: Sequence[Passage],
    examples: Sequence[Example],
    vectors: Matrix,
    store: Store,
    base: KnowledgeBase,
    embedder: Embedder,
) -> Source:
    """Embed the questions; where bits are kept, late interaction says how near it finds each passage."""
    asked, telling, centre = [one.question for one in examples], tokens.of(embedder), None
    if telling is not None:
        centre = store.encoded.centre(embedder.fingerprint)
    if telling is None or centre is None:
        questions = embedder.embed(asked, role="query") if asked else np.empty((0, base.dimension), np.float32)
        return Source(name, passages, examples, vectors, questions)
    against: Matrix = centre
    questions, token_vectors = telling.embed_tokens([*asked, ""], role="query")

    def judge(example: int, candidates: Sequence[int]) -> list[float] | None:
        bits = [one for number in candidates if (one := passages[number].bits) is not None]
        if len(bits) < len(candidates):
            return None
        return tokens.interaction(token_vectors[example], against, bits)

    return Source(name, passages, examples, vectors, questions[:-1], judge)

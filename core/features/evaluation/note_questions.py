"""Questions made from the notes themselves, without a model: titles, sentences with a gap, headings, and more."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, zip_longest

from core.base.blobs import Span
from core.base.text import digest, fold, is_chinese, query_keywords
from core.features.evaluation.golds import gold_at
from core.markdown.outline import Section, sections_of, sentences_of
from core.model import Note, Question
from core.notes.links import NoteLinks
from core.query.phrasing import NAVIGATION, Casing, definition_question, is_self_contained

KINDS = ("title", "sentence", "heading", "definition", "identifier", "link")
"""Sources of questions, in the order in which a note's questions are taken."""
OF_NOTE = 6
"""Maximum number of questions about a note."""
_OPENING = 200
"""Maximum length in characters of a section's opening, the right passage of a question about the section."""
_OPENINGS = 20
"""Maximum number of a note's sections that are right passages of one question."""
_SHORTEST, _LONGEST = 30, 200
"""Maximum characters of a quoted sentence."""
_SHORTEST_CHINESE = 14
_GAP = "…"
_PLAIN = re.compile(r"[^\w\s.'’-]|(?<!\w)[-.]|[-.](?!\w)")
_IDENTIFIER = re.compile(
    r"(?<![\w:/.-])(?:[A-Za-z]\w*(?:::\w+)+|[A-Za-z][a-z0-9]*(?:_[A-Za-z0-9]+)+|[a-z]+[A-Z]\w*|[A-Z]{1,5}-?\d{3,})(?![\w/])"
)
_LINKED = re.compile(
    r"\[\[(?P<wiki>[^\[\]|#\n]+)(?:#[^\[\]|\n]*)?\|(?P<alias>[^\]\n]{3,80})\]\]"
    r"|(?<!!)\[(?P<text>[^\]\n]{3,80})\]\((?P<address>[^()\s:#]+)(?:#[^()\s]*)?\)"
)


Draw = tuple[str, str, tuple[Span, ...]]
"""A possible question: its kind, its text, and its right passages, any of which is enough."""


def note_questions(notes: Sequence[Note], links: NoteLinks) -> list[Question]:
    """Return questions about notes: the first questions about all notes, then the second ones, and so on.

    Hashes determine the order, so that an edit of one note doesn't change the questions about others. Equal questions
    about several notes become one, with the passages of all.
    """
    notes = sorted(notes, key=lambda note: digest(note.id))
    holding = Counter(word for note in notes for word in set(query_keywords(note.body, limit=len(note.body))))
    linked = _link_texts(notes, links)
    by_note = [_choose(note, list(_draws(note, holding, linked.get(note.id, ())))) for note in notes]
    questions: dict[str, Question] = {}
    for question in filter(None, chain.from_iterable(zip_longest(*by_note))):
        known = questions.setdefault(fold(question.text), question)
        if known is not question:
            questions[fold(question.text)] = replace(known, gold=known.gold + question.gold)
    return list(questions.values())


def plain_question(text: str) -> str:
    """Return a text as a question: without signs that have a meaning in the search syntax."""
    return " ".join(_PLAIN.sub(" ", text).split())


def _choose(note: Note, draws: Sequence[Draw]) -> list[Question]:
    """Return up to OF_NOTE questions about a note, alternating between kinds; within a kind, hashes select them."""
    by_kind = {kind: sorted((d for d in draws if d[0] == kind), key=lambda d: digest(d[1])) for kind in KINDS}
    turns = [by_kind[kind][turn] for turn in range(2) for kind in KINDS if turn < len(by_kind[kind])]
    unique: dict[str, Draw] = {}
    for draw in turns:
        unique.setdefault(fold(draw[1]), draw)
    return [
        Question(
            digest(f"{kind}/{fold(text)}").hex()[:12],
            text,
            tuple(gold_at(note, *span) for span in spans),
            kind=kind,
        )
        for kind, text, spans in list(unique.values())[:OF_NOTE]
    ]


def _draws(note: Note, holding: Mapping[str, int], linked: Sequence[str]) -> Iterator[Draw]:
    parts = sections_of(note)
    casing = Casing(" ".join(note.body[block.start : block.end] for part in parts for block in part.blocks))
    openings = tuple(_opening(part) for part in parts if part.blocks)[:_OPENINGS]
    if openings and fold(note.title) not in NAVIGATION and query_keywords(note.title):
        yield "title", plain_question(note.title), openings
    for part in parts:
        own = fold(part.heading) not in (fold(note.title), *NAVIGATION) and len(query_keywords(part.heading)) > 1
        if own and part.blocks:
            yield "heading", plain_question(part.heading), (_opening(part),)
        yield from _sentences(note, part, casing, holding)
    for match in _IDENTIFIER.finditer(note.body):
        name = match.group()
        if 4 <= len(name) <= 60 and all(holding[word] == 1 for word in query_keywords(name)[:1]):
            yield "identifier", plain_question(name), (match.span(),)
    if openings:
        for text in linked:
            yield "link", plain_question(text), openings


def _opening(part: Section) -> Span:
    block = part.blocks[0]
    return block.start, min(block.end, block.start + _OPENING)


def _sentences(note: Note, part: Section, casing: Casing, holding: Mapping[str, int]) -> Iterator[Draw]:
    for block in part.blocks:
        if block.kind != "paragraph":
            continue
        for start, end in sentences_of(note.body, block):
            text = " ".join(note.body[start:end].split())
            if (question := definition_question(text, part.heading, casing)) is not None:
                yield "definition", plain_question(question), ((start, end),)
            least = _SHORTEST_CHINESE if is_chinese(text) else _SHORTEST
            if least <= len(text) <= _LONGEST and is_self_contained(text, first=start == block.start):
                yield "sentence", _make_cloze(text, holding), ((start, end),)


def _make_cloze(sentence: str, holding: Mapping[str, int]) -> str:
    """Return a sentence with a gap for the word that the fewest notes contain."""
    words = query_keywords(sentence)
    folded = sentence.casefold()
    inside = [word for word in words if word in folded]
    rare = min(inside, key=lambda word: (holding.get(word, 1), -len(word)), default="")
    at = folded.find(rare)
    if rare and len(folded) == len(sentence):
        sentence = f"{sentence[:at]} {_GAP} {sentence[at + len(rare) :]}"
    return plain_question(sentence)


def _link_texts(notes: Sequence[Note], links: NoteLinks) -> dict[str, list[str]]:
    """Return for each note the texts of links to it in other notes; texts that link to several notes are left out."""
    places: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for note in notes:
        for match in _LINKED.finditer(note.body):
            text = " ".join((match["alias"] or match["text"] or "").split())
            target = links.target(note, match["wiki"] or match["address"])
            if target and target != note.id and len(query_keywords(text)) > 1:
                places[fold(text)][target] = text
    texts: defaultdict[str, list[str]] = defaultdict(list)
    for named in places.values():
        if len(named) == 1:
            ((target, text),) = named.items()
            texts[target].append(text)
    return texts

"""Questions made from the notes themselves, without a model: titles, sentences with a gap, headings, and more."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from core.base.text import digest, fold, is_chinese, query_keywords
from core.markdown.outline import Section, sections_of, sentences_of
from core.model import PROBE_KINDS, Note, Probe, ProbeKind
from core.notes.links import NoteLinks
from core.query.phrasing import NAVIGATION, Casing, definition_question, heading_question, is_self_contained

OF_NOTE = 6
"""Most questions of a note."""
ALIKE = 0.8
"""Share of its lines that a note has in common with a copy."""

_LINE = 20
"""Fewest characters of a line that is compared."""
_SHORTEST, _LONGEST = 30, 200
"""Characters of a sentence."""
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

Draw = tuple[ProbeKind, str, str]
"""What a question is made from, its text, and its source."""


@dataclass
class Shelf:
    """The questions of a base's notes, by the id of their note, in the order in which they are asked.

    `copies` are the notes that are copies of others, with the first one of each: they have no questions of their own.
    """

    probes: dict[str, list[Probe]] = field(default_factory=dict)
    copies: dict[str, str] = field(default_factory=dict)
    headings: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def in_turns(self) -> list[Probe]:
        """Return all questions: the first one of each note, then the second ones, in an order that stays."""
        notes = sorted(self.probes, key=digest)
        return [self.probes[note][turn] for turn in range(OF_NOTE) for note in notes if turn < len(self.probes[note])]


def shelf(notes: Sequence[Note], links: NoteLinks) -> Shelf:
    """Make the questions of notes. A text that several notes give makes none, for each of them would be right."""
    copies = find_copies(notes)
    own = [note for note in notes if note.id not in copies]
    holding = Counter(word for note in own for word in set(query_keywords(note.body, limit=len(note.body))))
    linked = _link_texts(own, links)
    parts = {note.id: sections_of(note) for note in notes}
    draws = {note.id: list(_draws(note, parts[note.id], holding, linked.get(note.id, []))) for note in own}
    sharing = Counter(text for draw in draws.values() for text in {fold(text) for _, text, _ in draw})
    probes = {
        note_id: _choose(note_id, [draw for draw in item if sharing[fold(draw[1])] == 1])
        for note_id, item in draws.items()
    }
    headings = {
        note_id: tuple(dict.fromkeys(section.heading for section in part[1:])) for note_id, part in parts.items()
    }
    return Shelf(probes, copies, headings)


def find_copies(notes: Sequence[Note]) -> dict[str, str]:
    """Return the notes that have ALIKE of their lines in common with an earlier one, each with that one."""
    lines = {note.id: _lines(note.body) for note in notes}
    holders: defaultdict[bytes, list[str]] = defaultdict(list)
    copies: dict[str, str] = {}
    by_age = sorted(notes, key=lambda note: (str(note.created_at or ""), note.id))
    for note in by_age:
        own = lines[note.id]
        common = Counter(other for line in own for other in holders[line])
        alike = (other for other, n in common.most_common(3) if n >= ALIKE * max(len(own), len(lines[other])))
        if (first := next(alike, None)) is not None:
            copies[note.id] = first
            continue
        for line in own:
            holders[line].append(note.id)
    return copies


def plain_question(text: str) -> str:
    """Return a text as a question: without marks that a search would read as more than words."""
    return " ".join(_PLAIN.sub(" ", text).split())


def _lines(body: str) -> set[bytes]:
    folded = [" ".join(line.split()) for line in fold(body).splitlines()]
    long = {digest(line) for line in folded if len(line) >= _LINE}
    whole = " ".join(folded).strip()
    return long or ({digest(whole)} if whole else set())


def _choose(note_id: str, draws: Sequence[Draw]) -> list[Probe]:
    """Return up to OF_NOTE questions of a note, each kind in turn; the hash of a text decides within a kind."""
    by_kind = {kind: sorted((d for d in draws if d[0] == kind), key=lambda d: digest(d[1])) for kind in PROBE_KINDS}
    turns = [
        by_kind[kind][turn] for turn in range(OF_NOTE) for kind in PROBE_KINDS if turn < min(2, len(by_kind[kind]))
    ]
    unique = {fold(text): (kind, text, source) for kind, text, source in reversed(turns)}
    order = [draw for draw in turns if unique.get(fold(draw[1])) == draw][:OF_NOTE]
    return [
        Probe(digest(f"{note_id}/{kind}/{fold(text)}").hex()[:12], note_id, kind, text, source)
        for kind, text, source in order
    ]


def _draws(note: Note, parts: Sequence[Section], holding: Mapping[str, int], linked: Sequence[Draw]) -> Iterator[Draw]:
    if fold(note.title) not in NAVIGATION and query_keywords(note.title):
        yield "title", plain_question(note.title), note.title
    prose = " ".join(note.body[block.start : block.end] for part in parts for block in part.blocks)
    casing = Casing(prose)
    for part in parts:
        if fold(part.heading) != fold(note.title) and fold(part.heading) not in NAVIGATION:
            yield from _headed(part, casing, note)
        yield from _sentences(note, part, casing, holding)
    for name in dict.fromkeys(_IDENTIFIER.findall(note.body)):
        if 4 <= len(name) <= 60 and all(holding[word] == 1 for word in query_keywords(name)[:1]):
            yield "identifier", plain_question(name), name
    yield from linked


def _headed(part: Section, casing: Casing, note: Note) -> Iterator[Draw]:
    text = heading_question(part.heading, casing, chinese=is_chinese(note.body[:2000])) or part.heading
    if part.heading in note.body and len(query_keywords(part.heading)) > 1:
        yield "heading", plain_question(text), part.heading


def _sentences(note: Note, part: Section, casing: Casing, holding: Mapping[str, int]) -> Iterator[Draw]:
    for block in part.blocks:
        if block.kind != "paragraph":
            continue
        for start, end in sentences_of(note.body, block):
            sentence = note.body[start:end]
            text = " ".join(sentence.split())
            if (question := definition_question(text, part.heading, casing)) is not None:
                yield "definition", plain_question(question), sentence
            least = _SHORTEST_CHINESE if is_chinese(text) else _SHORTEST
            if least <= len(text) <= _LONGEST and is_self_contained(text, first=start == block.start):
                yield "sentence", _make_cloze(text, holding), sentence


def _make_cloze(sentence: str, holding: Mapping[str, int]) -> str:
    """Return a sentence without the word of it that the fewest notes hold."""
    words = query_keywords(sentence)
    folded = sentence.casefold()
    inside = [word for word in words if word in folded]
    rare = min(inside, key=lambda word: (holding.get(word, 1), -len(word)), default="")
    at = folded.find(rare)
    if rare and len(folded) == len(sentence):
        sentence = f"{sentence[:at]} {_GAP} {sentence[at + len(rare) :]}"
    return plain_question(sentence)


def _link_texts(notes: Sequence[Note], links: NoteLinks) -> dict[str, list[Draw]]:
    """Return the texts by which links of other notes name each note, those that name one note only."""
    places: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for note in notes:
        for match in _LINKED.finditer(note.body):
            text = " ".join((match["alias"] or match["text"] or "").split())
            target = links.target(note, match["wiki"] or match["address"])
            if target and target != note.id and len(query_keywords(text)) > 1:
                places[fold(text)][target] = text
    texts: defaultdict[str, list[Draw]] = defaultdict(list)
    for named in places.values():
        if len(named) == 1:
            ((target, text),) = named.items()
            texts[target].append(("link", plain_question(text), text))
    return texts

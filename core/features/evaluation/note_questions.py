"""Questions made from notes, each with the passages that answer it, by rules or by a language model.

Suggestions read like questions of a user; a check asks everything that should lead to a note: titles, sentences with a
gap, headings, and more.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice, zip_longest

from core.base.blobs import Span
from core.base.text import digest, fold, is_chinese, line_starts, one_line, query_keywords
from core.features.evaluation.golds import gold_at, only_place
from core.markdown.outline import Section, sections_of, sentences_of
from core.model import GoldSpan, Note, Progress, Question, no_progress
from core.notes.links import NoteLinks
from core.providers.chat import Chat, values
from core.query.phrasing import (
    NAVIGATION,
    Casing,
    definition_question,
    heading_question,
    instructs,
    is_self_contained,
)

SHORTEST, LONGEST = 40, 400
"""Minimum and maximum length of a right passage, in characters."""

MOST_READ = 5_000_000
"""Maximum number of characters to read from notes, which takes a few seconds; a hash selects the notes."""

MOST_OF_NOTE = 50
"""Maximum number of passages to consider per note."""

TASK = """You write questions that someone's notes answer, to test how well the notes can be searched.
You are given JSON: "notes", each with a "number", a "title" and a "text", and "most", the largest number of \
questions.
Each question is one that the person may type months later, in the language of its note but in other words than \
those of the answer, and is answered by one passage of one note. Take the questions from different notes.
Quote that passage letter by letter from the text, 40 to 400 characters of prose that stand there once.
Reply with one JSON list only, such as [{"note": 1, "question": "...", "quote": "..."}]."""

SHORTEST_QUESTION, LONGEST_QUESTION = 4, 200
"""Minimum and maximum length of a language model's question, in characters."""

_TOGETHER, _OF_NOTE = 4, 2
"""Number of notes per request, and of requested questions per note."""

KINDS = ("title", "sentence", "heading", "definition", "identifier", "link")
"""Sources of questions, in the order in which a note's questions are taken."""
OF_NOTE = 6
"""Maximum number of questions per note."""
_OPENING = 200
"""Maximum length in characters of a section's opening, the right passage of a question about the section."""
_OPENINGS = 20
"""Maximum number of a note's sections that are right passages of one question."""
_SHORTEST_SENTENCE, _LONGEST_SENTENCE = 30, 200
"""Minimum and maximum length of a quoted sentence, in characters."""
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


Candidate = tuple[str, str, tuple[Span, ...]]
"""A possible question: its kind, its text, and its right passages, any of which is enough."""


def merge(by_note: Iterable[Sequence[Question]]) -> list[Question]:
    """Return the first questions about all notes, then the second ones, and so on.

    Equal questions about several notes become one, with the passages of all.
    """
    questions: dict[str, Question] = {}
    for question in filter(None, chain.from_iterable(zip_longest(*by_note))):
        known = questions.setdefault(fold(question.text), question)
        if known is not question:
            questions[fold(question.text)] = replace(known, gold=known.gold + question.gold)
    return list(questions.values())


def _casing(note: Note, sections: Sequence[Section]) -> Casing:
    return Casing(" ".join(note.body[block.start : block.end] for section in sections for block in section.blocks))


def _definitions(note: Note, section: Section, casing: Casing) -> Iterator[Candidate]:
    """Yield the questions that definitions answer, with passages of at least SHORTEST characters if possible."""
    for block in section.blocks:
        sentences = list(sentences_of(note.body, block)) if block.kind == "paragraph" else []
        for number, (start, end) in enumerate(sentences):
            text = definition_question(" ".join(note.body[start:end].split()), section.heading, casing)
            if text is not None:
                long_enough = (further for _, further in sentences[number:] if further - start >= SHORTEST)
                yield "definition", text, ((start, next(long_enough, end)),)


# Questions of a check.


def note_questions(notes: Sequence[Note], links: NoteLinks) -> list[Question]:
    """Return questions about notes, in the order of `merge`.

    Hashes determine the order, so that an edit of one note doesn't change the questions about others.
    """
    notes = sorted(notes, key=lambda note: digest(note.id))
    holding = Counter(word for note in notes for word in set(query_keywords(note.body, limit=len(note.body))))
    linked = _link_texts(notes, links)
    return merge(_choose(note, list(_draws(note, holding, linked.get(note.id, ())))) for note in notes)


def plain_question(text: str) -> str:
    """Return a text as a question, without characters that have a meaning in the search syntax."""
    return " ".join(_PLAIN.sub(" ", text).split())


def _choose(note: Note, draws: Sequence[Candidate]) -> list[Question]:
    """Return up to OF_NOTE questions about a note, alternating between kinds; within a kind, hashes select them."""
    by_kind = {kind: sorted((d for d in draws if d[0] == kind), key=lambda d: digest(d[1])) for kind in KINDS}
    turns = [by_kind[kind][turn] for turn in range(2) for kind in KINDS if turn < len(by_kind[kind])]
    unique: dict[str, Candidate] = {}
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


def _draws(note: Note, holding: Mapping[str, int], linked: Sequence[str]) -> Iterator[Candidate]:
    parts = sections_of(note)
    casing = _casing(note, parts)
    openings = tuple(_opening(part) for part in parts if part.blocks)[:_OPENINGS]
    if openings and fold(note.title) not in NAVIGATION and query_keywords(note.title):
        yield "title", plain_question(note.title), openings
    for part in parts:
        own = fold(part.heading) not in (fold(note.title), *NAVIGATION) and len(query_keywords(part.heading)) > 1
        if own and part.blocks:
            yield "heading", plain_question(part.heading), (_opening(part),)
        for kind, question, spans in _definitions(note, part, casing):
            yield kind, plain_question(question), spans
        yield from _sentences(note, part, holding)
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


def _sentences(note: Note, part: Section, holding: Mapping[str, int]) -> Iterator[Candidate]:
    for block in part.blocks:
        for start, end in sentences_of(note.body, block) if block.kind == "paragraph" else ():
            text = " ".join(note.body[start:end].split())
            least = _SHORTEST_CHINESE if is_chinese(text) else _SHORTEST_SENTENCE
            if least <= len(text) <= _LONGEST_SENTENCE and is_self_contained(text, first=start == block.start):
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
    """Return the texts of links to each note from other notes, except texts that link to several notes."""
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


# Suggestions by rules.


def suggest(notes: Iterable[Note], count: int) -> list[Question]:
    """Return up to `count` questions from definitions and headings in notes, with the passages that answer them.

    They are from as many notes as possible, and deterministic. If several notes define a term, one question has all
    their passages; repeated headings are skipped.
    """
    shelf = [(note, sections_of(note)) for note in _spread(notes)]
    often = Counter(fold(section.heading) for _, sections in shelf for section in sections)
    return merge([_suggestions(note, sections, often) for note, sections in shelf])[:count]


def _suggestions(note: Note, sections: Sequence[Section], often: Counter[str]) -> list[Question]:
    """Return the suggestions from a note, alternating between definitions and headings."""
    casing = _casing(note, sections)
    turns = zip_longest(
        chain.from_iterable(_definitions(note, section, casing) for section in sections),
        chain.from_iterable(
            _headed(note, section, casing) for section in sections if often[fold(section.heading)] == 1
        ),
    )
    return [
        _suggested(text, kind, gold_at(note, *span))
        for kind, text, (span,) in islice(filter(None, chain.from_iterable(turns)), MOST_OF_NOTE)
        if SHORTEST <= span[1] - span[0] <= LONGEST and only_place(note.body, note.body[slice(*span)]) == span
    ]


def _headed(note: Note, section: Section, casing: Casing) -> Iterator[Candidate]:
    """Yield a question from a section's heading if the first block below answers it alone."""
    if not section.blocks or section.blocks[0].kind not in ("paragraph", "list"):
        return
    block = section.blocks[0]
    start, end = block.start, block.end
    text = heading_question(section.heading, casing, chinese=is_chinese(note.body[start:end]))
    if text is None:
        return
    if block.kind == "paragraph":
        end = start
        for first, last in sentences_of(note.body, block):
            if last - start > LONGEST or not is_self_contained(note.body[first:last], first=first == start):
                break
            end = last
    if text == section.heading or instructs(note.body[start:end]):
        yield "heading", text, ((start, end),)


def _spread(notes: Iterable[Note]) -> list[Note]:
    """Return a sample of notes from the whole base, with up to MOST_READ characters, in the order of a hash."""
    chosen: list[Note] = []
    read = 0
    for note in sorted(notes, key=lambda note: digest(note.id)):
        read += len(note.body)
        if chosen and read > MOST_READ:
            break
        chosen.append(note)
    return chosen


def _suggested(text: str, kind: str, gold: GoldSpan) -> Question:
    """Return a suggested question, with a hash of the note and the text as its id."""
    name = f"s-{digest(f'{gold.note_id}/{fold(text)}').hex()[:10]}"
    return Question(name, text, (gold,), kind=kind, suggested=True)


# Suggestions by a language model.


def suggest_by_model(
    notes: Iterable[Note], chat: Chat, count: int, *, characters: int = 16_000, progress: Progress = no_progress
) -> list[Question]:
    """Return up to `count` questions about notes from a language model, with the passages that it quotes as answers.

    There are at most `count` requests, each with `characters` of notes. Questions without an exact quote are dropped.
    Raises ProviderError if the model fails, or if no reply has the requested form.
    """
    questions: dict[str, Question] = {}
    understood = False
    shelf = [note for note in _spread(notes) if note.body.strip()][: count * _TOGETHER]
    for first in range(0, len(shelf), _TOGETHER):
        if len(questions) >= count:
            break
        batch = shelf[first : first + _TOGETHER]
        progress(len(questions), count, batch[0].title)
        material = {
            "most": min(_OF_NOTE * len(batch), count - len(questions)),
            "notes": [
                {"number": number, "title": note.title, "text": _excerpt(note, characters // _TOGETHER)}
                for number, note in enumerate(batch, start=1)
            ],
        }
        lists = values(chat.ask(TASK, material), r"\[")
        rows: list[dict[str, object]] = next(
            (rows for rows in lists if rows and all(isinstance(row, dict) for row in rows)), []
        )
        understood = understood or bool(rows)
        for question in _build_questions(rows, batch):
            if len(questions) < count:
                questions.setdefault(fold(question.text), question)
    if shelf and not understood:
        raise chat.server.unusable("didn't return a list of questions with quotes")
    return list(questions.values())


def _excerpt(note: Note, length: int) -> str:
    """Return an excerpt of a note that begins with a line chosen by a hash."""
    lines = [at for at in line_starts(note.body) if at <= len(note.body) - length] or [0]
    start = lines[int.from_bytes(digest(note.id)) % len(lines)]
    return note.body[start : start + length]


def _build_questions(rows: Sequence[Mapping[str, object]], notes: Sequence[Note]) -> Iterator[Question]:
    """Yield the questions in a reply whose quotes occur exactly once in their notes."""
    for row in rows:
        number, text, quote = row.get("note"), row.get("question"), row.get("quote")
        if type(number) is not int or not 0 < number <= len(notes) or not isinstance(text, str):
            continue
        text = one_line(text)
        note = notes[number - 1]
        place = only_place(note.body, quote) if isinstance(quote, str) else None
        if place and SHORTEST <= place[1] - place[0] <= LONGEST and SHORTEST_QUESTION < len(text) <= LONGEST_QUESTION:
            yield _suggested(text, "model", gold_at(note, *place))

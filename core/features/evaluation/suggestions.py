"""Suggested questions from notes, each with the passage that answers it, made by rules or by a language model."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice, zip_longest
from typing import Any

from core.base.blobs import Span
from core.base.text import digest, fold, is_chinese, line_starts, one_line
from core.features.evaluation.golds import gold_at, only_place
from core.markdown.outline import Section, sections_of, sentences_of
from core.model import GoldSpan, Note, Progress, Question, no_progress
from core.providers.chat import Chat, values
from core.query.phrasing import Casing, definition_question, heading_question, instructs, is_self_contained

SHORTEST, LONGEST = 40, 400
"""Minimum and maximum length of a right passage, in characters."""

MOST_READ = 5_000_000
"""Maximum number of characters to read from notes, which takes a few seconds; a hash selects the notes."""

MOST_OF_NOTE = 50
"""Maximum number of passages to consider per note."""

DEFINITION, HEADING, MODEL = "definition", "heading", "model"
"""Kinds of questions: from a definition, from a heading, and from a language model."""

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

_Candidate = tuple[str, str, Span]
"""A question, its kind, and the span of its answer."""


def suggest(notes: Iterable[Note], count: int) -> list[Question]:
    """Return up to `count` questions from definitions and headings in notes, with the passages that answer them.

    They are from as many notes as possible, and deterministic. If several notes define a term, one question has all
    their passages; repeated headings are skipped.
    """
    shelf = [(note, sections) for note in _spread(notes) if (sections := sections_of(note))]
    often = Counter(fold(section.heading) for _, sections in shelf for section in sections)
    by_note = [_note_questions(note, sections, often) for note, sections in shelf]
    by_text: dict[str, list[Question]] = {}
    for question in chain.from_iterable(by_note):
        by_text.setdefault(fold(question.text), []).append(question)
    chosen: dict[str, Question] = {}
    for candidate in chain.from_iterable(zip_longest(*by_note)):
        if len(chosen) >= count:
            break
        if candidate is not None and (text := fold(candidate.text)) not in chosen:
            chosen[text] = replace(candidate, gold=tuple(chain.from_iterable(same.gold for same in by_text[text])))
    return list(chosen.values())


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
        raise chat.server.unusable("didn't give a list of questions with quotes")
    return list(questions.values())


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


def _excerpt(note: Note, length: int) -> str:
    """Return an excerpt of a note that begins with a line chosen by a hash."""
    lines = [at for at in line_starts(note.body) if at <= len(note.body) - length] or [0]
    start = lines[int.from_bytes(digest(note.id)) % len(lines)]
    return note.body[start : start + length]


def _build_questions(rows: Sequence[dict[str, Any]], notes: Sequence[Note]) -> Iterator[Question]:
    """Yield the questions in a reply whose quotes occur exactly once in their notes."""
    for row in rows:
        number, text, quote = row.get("note"), row.get("question"), row.get("quote")
        if type(number) is not int or not 0 < number <= len(notes) or not isinstance(text, str):
            continue
        text = one_line(text)
        note = notes[number - 1]
        place = only_place(note.body, quote) if isinstance(quote, str) else None
        if place and SHORTEST <= place[1] - place[0] <= LONGEST and SHORTEST_QUESTION < len(text) <= LONGEST_QUESTION:
            yield _suggested(text, MODEL, gold_at(note, *place))


def _note_questions(note: Note, sections: Sequence[Section], often: Counter[str]) -> list[Question]:
    """Return the questions from a note, alternating between definitions and headings."""
    prose = (note.body[block.start : block.end] for section in sections for block in section.blocks)
    casing = Casing(" ".join(prose))
    single = [section for section in sections if often[fold(section.heading)] == 1]
    turns = zip_longest(
        chain.from_iterable(_definitions(note, section, casing) for section in sections),
        chain.from_iterable(_headed(note, section, casing) for section in single),
    )
    candidates = islice((candidate for turn in turns for candidate in turn if candidate), MOST_OF_NOTE)
    return [
        _suggested(text, kind, gold_at(note, *span))
        for text, kind, span in candidates
        if SHORTEST <= span[1] - span[0] <= LONGEST and only_place(note.body, note.body[slice(*span)]) == span
    ]


def _definitions(note: Note, section: Section, casing: Casing) -> Iterator[_Candidate]:
    for block in section.blocks:
        sentences = list(sentences_of(note.body, block)) if block.kind == "paragraph" else []
        for number, (start, end) in enumerate(sentences):
            text = definition_question(" ".join(note.body[start:end].split()), section.heading, casing)
            if text is not None:
                long_enough = (further for _, further in sentences[number:] if further - start >= SHORTEST)
                yield text, DEFINITION, (start, next(long_enough, end))


def _headed(note: Note, section: Section, casing: Casing) -> Iterator[_Candidate]:
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
        yield text, HEADING, (start, end)

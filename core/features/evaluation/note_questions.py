"""Generate questions from notes, and check whether searching for the questions finds the notes.

Each question comes with the passages that answer it. Suggested questions read like a user's questions. A check searches
for anything that should lead to a note, such as titles, headings, and sentences with a word left out.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain, islice, zip_longest
from threading import Lock
from typing import TYPE_CHECKING

from core.base.blobs import Span
from core.base.call_log import log_bases, log_call
from core.base.datetimes import utc_now
from core.base.errors import ConfigError, UnknownChoice
from core.base.frozen import TextValues, ValueMap, Values
from core.base.jobs import Jobs
from core.base.messages import language_of, message, render, terminal_language
from core.base.text import digest, fold, is_chinese, line_starts, one_line, query_keywords
from core.features.evaluation.golds import find_note, gold_at, only_place
from core.markdown.outline import Section, sections_of, sentences_of
from core.model import (
    Filters,
    GoldSpan,
    KnowledgeBase,
    Note,
    Pipeline,
    Progress,
    Question,
    QuestionResult,
    QuestionSet,
    Run,
    SearchSettings,
    no_progress,
)
from core.notes.links import NoteLinks
from core.notes.texts import blank_hidden
from core.providers.chat import Chat, values
from core.query.phrasing import (
    NAVIGATION,
    Casing,
    definition_question,
    heading_question,
    instructs,
    is_self_contained,
)
from core.reranking import NONE
from core.settings.preferences import CHECK_AFTER_IMPORT, Preferences, Switchable
from core.store import Store

if TYPE_CHECKING:
    from core.features.evaluation.runs import Runs

# Minimum and maximum length of a correct passage, in characters.
SHORTEST, LONGEST = 40, 400

# Maximum number of characters to read from notes.
#
# Reading this many takes a few seconds. The notes are selected by hash.
MOST_READ = 5_000_000

# Maximum number of passages to consider per note.
MOST_OF_NOTE = 50

TASK = """You write questions that someone's notes answer, to test how well the notes can be searched.
You are given JSON: "notes", each with a "number", a "title" and a "text", and "most", the largest number of \
questions.
Each question is one that the person may type months later, in the language of its note but in other words than \
those of the answer, and is answered by one passage of one note. Take the questions from different notes.
Quote that passage letter by letter from the text, 40 to 400 characters of prose that stand there once.
Reply with one JSON list only, such as [{"note": 1, "question": "...", "quote": "..."}]."""

# Minimum (exclusive) and maximum length, in characters, of a question written by a language model.
SHORTEST_QUESTION, LONGEST_QUESTION = 4, 200

# Number of notes in a request, and number of questions to request for each note.
_TOGETHER = 4
_OF_NOTE = 2

# Kinds of questions, named after their sources. A note's questions are chosen in this order.
KINDS = ("title", "sentence", "heading", "definition", "identifier", "link")
# Maximum number of questions per note.
OF_NOTE = 6
# Maximum length, in characters, of a section's opening, which is the correct passage for questions about the section.
_OPENING = 200
# Maximum number of section openings in a note that count as correct passages for one question.
_OPENINGS = 20
# Minimum and maximum length of a quoted sentence, in characters.
_SHORTEST_SENTENCE = 30
_LONGEST_SENTENCE = 200
_SHORTEST_CHINESE = 14
_GAP = "…"
_IDENTIFIER = re.compile(
    r"(?<![\w:/.-])(?:[A-Za-z]\w*(?:::\w+)+|[A-Za-z][a-z0-9]*(?:_[A-Za-z0-9]+)+|[a-z]+[A-Z]\w*|[A-Z]{1,5}-?\d{3,})(?![\w/])"
)
_LINKED = re.compile(
    r"\[\[(?P<wiki>[^\[\]|#\n]+)(?:#[^\[\]|\n]*)?\|(?P<alias>[^\]\n]{3,80})\]\]"
    r"|(?<!!)\[(?P<text>[^\]\n]{3,80})\]\((?P<address>[^()\s:#]+)(?:#[^()\s]*)?\)"
)


# The kind, text and correct passages of a possible question. A search has to find only one of the passages.
Candidate = tuple[str, str, tuple[Span, ...]]


Candidates = Iterator[Candidate]
# The number of notes that contain each word.
Holding = Mapping[str, int]


def merge(by_note: Iterable[Sequence[Question]]) -> list[Question]:
    """Merge the notes' lists of questions.

    Each note's first question comes before any note's second question, and so on. Identical questions about several
    notes become one question with all the passages.
    """
    questions: dict[str, Question] = {}
    for question in filter(None, chain.from_iterable(zip_longest(*by_note))):
        known = questions.setdefault(fold(question.text), question)
        if known is not question:
            questions[fold(question.text)] = replace(known, gold=known.gold + question.gold)
    return list(questions.values())


def _casing(note: Note, sections: Sequence[Section]) -> Casing:
    return Casing(" ".join(note.body[block.start : block.end] for section in sections for block in section.blocks))


def _definitions(note: Note, section: Section, casing: Casing) -> Candidates:
    """Yield questions that a section's definitions answer. If possible, a passage has at least SHORTEST characters."""
    for block in section.blocks:
        sentences = list(sentences_of(note.body, block)) if block.kind == "paragraph" else []
        for number, (start, end) in enumerate(sentences):
            text = definition_question(" ".join(note.body[start:end].split()), section.heading, casing)
            if text is not None:
                end = next((further for _, further in sentences[number:] if further - start >= SHORTEST), end)
                yield "definition", text, ((start, end),)


# Generate questions for checks.


def plain_question(text: str) -> str:
    """Return text as a question. Characters with a meaning in the query syntax are removed."""
    return " ".join(re.sub(r"[^\w\s.'’-]|(?<!\w)[-.]|[-.](?!\w)", " ", text).split())


def _note_questions(note: Note, holding: Holding, linked: Sequence[str]) -> list[Question]:
    """Return up to OF_NOTE questions about a note. Kinds alternate, and within a kind, questions are chosen by hash."""
    draws = sorted(_draws(note, holding, linked), key=lambda draw: digest(draw[1]))
    by_kind = [[draw for draw in draws if draw[0] == kind][:2] for kind in KINDS]
    questions: dict[str, Question] = {}
    for kind, text, spans in filter(None, chain.from_iterable(zip_longest(*by_kind))):
        questions.setdefault(
            fold(text),
            Question(
                digest(f"{kind}/{fold(text)}").hex()[:12],
                text,
                tuple(gold_at(note, *span) for span in spans),
                kind=kind,
            ),
        )
    return list(questions.values())[:OF_NOTE]


def _draws(note: Note, holding: Holding, linked: Sequence[str]) -> Candidates:
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


def _sentences(note: Note, part: Section, holding: Holding) -> Candidates:
    """Yield a section's sentences as questions. The word that occurs in the fewest notes is replaced by a gap."""
    for block in part.blocks:
        for start, end in sentences_of(note.body, block) if block.kind == "paragraph" else ():
            text = " ".join(note.body[start:end].split())
            least = _SHORTEST_CHINESE if is_chinese(text) else _SHORTEST_SENTENCE
            if not least <= len(text) <= _LONGEST_SENTENCE or not is_self_contained(text, first=start == block.start):
                continue
            folded = text.casefold()
            inside = [word for word in query_keywords(text) if word in folded]
            rare = min(inside, key=lambda word: (holding.get(word, 1), -len(word)), default="")
            if rare and len(folded) == len(text):
                at = folded.find(rare)
                text = f"{text[:at]} {_GAP} {text[at + len(rare) :]}"
            yield "sentence", plain_question(text), ((start, end),)


def _link_texts(notes: Sequence[Note], links: NoteLinks) -> dict[str, list[str]]:
    """Return the texts of links to each note from other notes, except single words and texts that link to several
    notes."""
    places = defaultdict[str, TextValues](dict)
    for note in notes:
        for match in _LINKED.finditer(note.body):
            text = " ".join((match["alias"] or match["text"] or "").split())
            target = links.target(note, match["wiki"] or match["address"])
            if target and target != note.id and len(query_keywords(text)) > 1:
                places[fold(text)][target] = text
    texts = defaultdict(list)
    for named in places.values():
        if len(named) == 1:
            ((target, text),) = named.items()
            texts[target].append(text)
    return texts


# Suggest questions by rules.


def suggest(notes: Iterable[Note], count: int) -> list[Question]:
    """Generate up to `count` questions from definitions and headings in notes, with the passages that answer them.

    The choice is deterministic, and covers as many notes as possible. If several notes define the same term, their
    passages share one question. Headings that occur more than once are skipped.
    """
    shelf = [(note, sections_of(note)) for note in _spread(notes)]
    often = Counter(fold(section.heading) for _, sections in shelf for section in sections)
    by_note = []
    for note, sections in shelf:
        casing = _casing(note, sections)
        # Alternate between definitions and headings.
        turns = zip_longest(
            chain.from_iterable(_definitions(note, section, casing) for section in sections),
            chain.from_iterable(
                _headed(note, section, casing) for section in sections if often[fold(section.heading)] == 1
            ),
        )
        by_note.append(
            [
                _suggested(text, kind, gold_at(note, *span))
                for kind, text, (span,) in islice(filter(None, chain.from_iterable(turns)), MOST_OF_NOTE)
                if SHORTEST <= span[1] - span[0] <= LONGEST and only_place(note.body, note.body[slice(*span)]) == span
            ]
        )
    return merge(by_note)[:count]


def _headed(note: Note, section: Section, casing: Casing) -> Candidates:
    """Yield a question based on a section's heading, if the section's first block answers the question on its own."""
    if not section.blocks or section.blocks[0].kind not in ("paragraph", "list"):
        return
    block = section.blocks[0]
    start = block.start
    end = block.end
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
    """Return a sample of the notes, ordered by hash.

    The sample has at most MOST_READ characters, or is a single note.
    """
    chosen = list[Note]()
    read = 0
    for note in sorted(notes, key=lambda note: digest(note.id)):
        read += len(note.body)
        if chosen and read > MOST_READ:
            break
        chosen.append(note)
    return chosen


def _suggested(text: str, kind: str, gold: GoldSpan) -> Question:
    """Return a suggested question. Its id is a hash of the note's id and the question's text."""
    name = f"s-{digest(f'{gold.note_id}/{fold(text)}').hex()[:10]}"
    return Question(name, text, (gold,), kind=kind, suggested=True)


# Suggest questions with a language model.


def suggest_by_model(
    notes: Iterable[Note], chat: Chat, count: int, *, characters: int = 16_000, progress: Progress = no_progress
) -> list[Question]:
    """Have a language model write up to `count` questions about notes, with quotes of the passages that answer them.

    At most `count` requests are sent, each with up to `characters` characters from notes. Questions without a usable
    quote are dropped. Raises ProviderError if the model fails, or if no reply has the requested format.
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
        rows: list[Values] = next((rows for rows in lists if rows and all(isinstance(row, dict) for row in rows)), [])
        understood |= bool(rows)
        for question in _build_questions(rows, batch):
            questions.setdefault(fold(question.text), question)
    if shelf and not understood:
        raise chat.server.unusable("didn't return a list of questions with quotes")
    return list(questions.values())[:count]


def _excerpt(note: Note, length: int) -> str:
    """Return an excerpt from a note, starting at a line chosen by hash."""
    lines = [at for at in line_starts(note.body) if at <= len(note.body) - length] or [0]
    start = lines[int.from_bytes(digest(note.id)) % len(lines)]
    return note.body[start : start + length]


def _build_questions(rows: Sequence[ValueMap], notes: Sequence[Note]) -> Iterator[Question]:
    """Yield the usable questions in a reply. A question's quote must occur in its note exactly once."""
    for row in rows:
        number = row.get("note")
        text = row.get("question")
        quote = row.get("quote")
        if type(number) is not int or not 0 < number <= len(notes) or not isinstance(text, str):
            continue
        text = one_line(text)
        note = notes[number - 1]
        place = only_place(note.body, quote) if isinstance(quote, str) else None
        if place and SHORTEST <= place[1] - place[0] <= LONGEST and SHORTEST_QUESTION < len(text) <= LONGEST_QUESTION:
            yield _suggested(text, "model", gold_at(note, *place))


# Maximum number of notes from which to generate questions. The notes are selected by hash.
MOST_NOTES = 2_000
MOST_QUESTIONS = 1_000
# Number of a base's latest checks whose evaluation runs are kept.
RETAINED = 5
# The name of the question set generated for checks.
NAME = message("Questions from the notes")

# Pipeline for checks.
#
# It produces no answers and doesn't rerank, because reranking only changes the order of the hits.
FOUND = Pipeline(search=SearchSettings(reranker=NONE, level="simple"), answers="none")
BY_MEANING = replace(FOUND, search=replace(FOUND.search, mode="semantic"))


@dataclass(eq=False)
class NoteChecks(Switchable):
    """Checks whether a base's notes can be found, by running a question set generated from the notes.

    If enabled, bases are checked after every import.
    """

    _store: Store
    _runs: "Runs"
    _preferences: Preferences
    _jobs: Jobs

    _switch = CHECK_AFTER_IMPORT

    def __post_init__(self) -> None:
        self._checking = Lock()

    def start_due(self) -> bool:
        """If checks are on, start the job `evaluate` for bases that an import has changed since their last check.

        Return whether the job was started.
        """
        due = []
        for base in self._store.bases.all() if self.enabled else ():
            runs = self._stored(base, FOUND)
            changed = next(
                (
                    sync.at
                    for sync in self._store.bases.syncs(base)
                    if any(map(sync.report.get, ("added", "changed", "removed")))
                ),
                None,
            )
            if changed and not (runs and runs[0].started_at > changed):
                due.append(base.name)

        def work(progress: Progress) -> None:
            for name in due:
                with suppress(ConfigError, UnknownChoice):  # the base or its notes were deleted in the meantime
                    self.check(name, progress)

        return bool(due) and not self._store.readonly and self._jobs.start("evaluate", work, quiet=True)

    @log_call("findability.check")
    def check(self, base: str, progress: Progress = no_progress, *, language: str = "") -> list[Run]:
        """Check whether a base's notes can be found, and return the evaluation runs.

        The base is searched by words and meaning and, if it has vectors, by meaning alone. `language` is the language
        of a new question set's name. It defaults to the language in the preferences or, if none is set, the terminal's.
        Raises ConfigError if no question can be generated from the notes, and the same errors as a run.
        """
        with self._checking:
            named = self._store.bases.named(base)
            log_bases([named])
            chosen = language or self._preferences.get("language")
            question_set = self._draw(
                named, render(NAME, language_of(chosen) if chosen else terminal_language()), progress
            )
            runs = self._runs.run(question_set, [FOUND, BY_MEANING] if named.has_vectors else [FOUND], progress)
            for run in runs:
                self._runs.delete_for_good(old.id for old in self._stored(named, run.pipeline)[RETAINED:])
            return runs

    def results(self, base_id: str) -> tuple[datetime | None, dict[str, list[QuestionResult]]]:
        """Return the time of a base's latest check, and the check's results by the id of the note to find.

        If there is no check yet, the time is None.
        """
        if (newest := next(iter(self._stored(self._store.base(base_id), FOUND)), None)) is None:
            return None, {}

        def by_note() -> dict[str, list[QuestionResult]]:
            found = defaultdict(list)
            for result in self._runs.results(newest.id):
                for note_id in {gold.note_id for gold in result.golds}:
                    found[note_id].append(result)
            return dict(found)

        return newest.started_at, self._store.remembered.get(("check", newest.id, newest.asked), by_note)

    def unreached(self, base_id: str, note_id: str) -> datetime | None:
        """Return the time of a base's latest check if it asked about a note but didn't find it, or None otherwise."""
        at, by_note = self.results(base_id)
        found = any(hit.note_id == note_id for result in by_note.get(note_id, ()) for hit in result.hits)
        return at if note_id in by_note and not found else None

    # helpers

    def _stored(self, base: KnowledgeBase, pipeline: Pipeline) -> list[Run]:
        """Return the evaluation runs of a base's checks with the given pipeline, newest first."""
        return [run for run in self._runs.all(base.name) if (run.set_id, run.pipeline) == (_set_id(base), pipeline)]

    def _draw(self, base: KnowledgeBase, name: str, progress: Progress) -> QuestionSet:
        """Generate a base's question set from its notes, and return the set.

        Raises ConfigError if no question is found.
        """
        cards = self._store.notes.cards(Filters(bases=(base.name,)), answering=True)
        notes = []
        # Notes are ordered by hash, so that editing one note doesn't change the questions about other notes.
        for card in sorted(cards, key=lambda card: digest(card.id))[:MOST_NOTES]:
            progress(0, 0, card.title)
            if note := find_note(self._store, card.id):
                notes.append(blank_hidden(note, self._store.chunks.hidden(card.id)))
        holding = Counter(word for note in notes for word in set(query_keywords(note.body, limit=len(note.body))))
        linked = _link_texts(notes, NoteLinks(self._store))
        questions = merge(_note_questions(note, holding, linked.get(note.id, ())) for note in notes)[:MOST_QUESTIONS]
        if not questions:
            raise ConfigError(
                "No questions could be made from the notes in '{base}'. Import more notes first.", base=base.name
            )
        table = self._store.questions
        taken = {item.name for item in table.sets(base)}
        if (known := table.find(_set_id(base))) is None:
            while name in taken:
                name += " +"
            known = QuestionSet(_set_id(base), base.id, name, utc_now())
            table.put_set(known, questions)
        else:
            table.delete(known, [question.id for question in table.for_set(known)])
            table.add(known, questions)
        return known


def _set_id(base: KnowledgeBase) -> str:
    """Return the id of the question set generated from a base's notes.

    A question set created by the user never has this id.
    """
    return digest(f"notes/{base.id}").hex()[:12]

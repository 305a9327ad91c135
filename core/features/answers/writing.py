"""Answers that a language model writes from the hits, of which code proves each sentence as it comes."""

import json
import re
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import islice
from typing import Any

import httpx

from core.base.errors import Cancelled, ProviderError
from core.base.frozen import frozen
from core.base.text import CJK, find_quote, make_storable, one_line
from core.features.answers import names
from core.features.answers.choosing import place_in_note
from core.features.answers.proof import judge
from core.features.answers.wording import Source, sources
from core.model import Answer, Hit, Quote, Sentence, WrittenAnswer
from core.providers.chat import QUOTED, Chat, as_sent
from core.providers.connection import Stop, is_this_machine
from core.retrieval import llm_choice
from core.settings.sections import LlmSettings

# What a language model writes, as values: objects of JSON, each on a line, read as the text comes.

_MOST = 8_000
"""Characters of a line, and of an object that runs over several, at most."""
_DECODER = json.JSONDecoder()
_LIST = re.compile(r'\s*\{\s*"sentences"\s*:\s*\[')
"""The start of an object that holds all sentences in a list."""
_OPENING = 200
"""Characters of that start at most."""
_BETWEEN = " ,\r\n\t"
"""Characters between the objects of a list."""

LOCAL_TOKENS = 2_200
"""Tokens of passages for a server on this machine. Ollama and LM Studio read 4,096 tokens in all by default; what is
more, the first cuts away with the task, and the second refuses. The rest is for the task, the marks of JSON, and what
the model writes."""
LATIN, IDEOGRAPH = 0.27, 0.75
"""Tokens of a character, rather too many than too few: of any but CJK, and of CJK."""

_IDEOGRAPH = re.compile(f"[{CJK}]")


class StreamedLines:
    """The lines of a text that comes in pieces; text between <think> and </think> isn't read.

    An object whose only field `sentences` is a list counts as the objects of that list, each of which is read as soon
    as it is complete.
    """

    def __init__(self) -> None:
        self.thinking = False
        self._rest = self._begun = ""
        self._in_list = False

    def add(self, piece: str) -> Iterator[dict[str, object]]:
        """Yield the objects that a piece completes; a line break completes a line."""
        self._rest += piece
        goes_on = True
        while goes_on:
            if self._in_list or self._enters_list():
                yield from self._read_list()
                goes_on = not self._in_list
            else:
                line, end, after = self._rest.partition("\n")
                goes_on = bool(end)
                if goes_on:
                    self._rest = after
                    yield from self._line(line)
        if len(self._rest) >= _MOST:
            self._rest, self._in_list = "", False
        self.thinking = self.thinking or self._rest.lstrip().startswith("<think>")

    def _enters_list(self) -> bool:
        """Whether a list of sentences opens here; its objects are the rest then."""
        text = self._begun + self._rest
        opening = None if self.thinking or len(self._begun) > _OPENING else _LIST.match(text)
        if opening:
            self._rest, self._begun, self._in_list = text[opening.end() :], "", True
        return self._in_list

    def _read_list(self) -> Iterator[dict[str, object]]:
        """Yield the complete objects of a list, and leave the list where it ends."""
        self._rest = self._rest.lstrip(_BETWEEN)
        while self._rest.startswith("{"):
            try:
                value, end = _DECODER.raw_decode(self._rest)
            except (ValueError, RecursionError):
                return
            self._rest = self._rest[end:].lstrip(_BETWEEN)
            yield value
        self._in_list = not self._rest

    def _line(self, line: str) -> Iterator[dict[str, object]]:
        if self.thinking or line.lstrip().startswith("<think>"):
            _, end, after = line.rpartition("</think>")
            self.thinking = not end
            line = after if end else ""
        # An object within another one may have a line of its own.
        whole = [item for item in _objects(line) if "sentence" in item]
        found = whole or list(_objects(self._begun + line))
        if found:
            self._begun = ""
            yield from found
        elif len(self._begun) + len(line) < _MOST and (self._begun or line.lstrip(" [").startswith("{")):
            self._begun += f"{line}\n"
        else:
            self._begun = ""


def _objects(text: str) -> Iterator[dict[str, object]]:
    """Yield the objects in a text one after the other, from its first bracket on."""
    at = text.find("{")
    while at >= 0:
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            return
        yield value
        at = text.find("{", end)


TASK = """You answer a question from passages of someone's notes.
You are given JSON: "question", and "passages", each with a "number", a "place" and a "text".
Answer from the passages alone, in the language of the question, in at most six short sentences, the most important \
one first. Write each sentence as a line of its own, one JSON object such as
{"sentence": "...", "quotes": [{"passage": 2, "quote": "..."}]}
Prefer the notes' own words: where one sentence of a passage answers, copy that whole sentence. Take numbers, dates, \
units and names over as the passage writes them. A quote is copied from the text of its passage letter for letter, in \
the passage's own language: the 5 to 25 words that prove the sentence. Write nothing else, \
and no sentence without a quote. If no passage answers the question, write only {"sentence": "", "quotes": []}"""

LISTED = """
Your reply before this one couldn't be read. Reply with one JSON object alone, {"sentences": [...]}, whose list holds \
the objects of the sentences."""
"""End of the task that is set once more, with SCHEMA, because the reply to it had another form."""

SCHEMA: Mapping[str, object] = json.loads("""
{
  "type": "object",
  "properties": {
    "sentences": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "sentence": {
            "type": "string"
          },
          "quotes": {
            "type": "array",
            "items": {
              "type": "object",
              "properties": {
                "passage": {
                  "type": "integer"
                },
                "quote": {
                  "type": "string"
                }
              },
              "required": [
                "passage",
                "quote"
              ],
              "additionalProperties": false
            }
          }
        },
        "required": [
          "sentence",
          "quotes"
        ],
        "additionalProperties": false
      }
    }
  },
  "required": [
    "sentences"
  ],
  "additionalProperties": false
}
""")
"""The form of a whole answer, which a server can hold its model to."""

PASSAGES = 8
"""Most hits that a model is sent."""
SENTENCES, LETTERS, QUOTES = 12, 800, 4
"""Most sentences of an answer, repeated ones too, characters of one, and quotes of one; what is more isn't read."""
IDLE = 4_000
"""Characters without a sentence after which a model is stopped."""

_WITH_LEAD = 400
"""Most characters of a quote that begins with the lead-in of its list or the header of its table."""
_REFUSED = (400, 422)
"""Status of a request with a schema that the server can't apply."""

_MARKS = re.compile(r"[,，、]?\s*(?:\[\d{1,3}(?:\s*[,，、–-]\s*\d{1,3})*\]|【[^】]{0,20}】)")
"""Citations of a model's own: only code gives numbers."""

_TORN = re.compile(r"[A-Za-z\d_.,:%-]+\Z")
"""The word or number at the end of a text that is cut, which may go on after it."""


@frozen
class Material:
    """What a model is sent: the hits, and of each its title and as much of its text as is sent."""

    hits: Sequence[Hit]
    places: Sequence[str]
    texts: Sequence[str]

    @classmethod
    def from_hits(cls, hits: Sequence[Hit], characters: int) -> "Material":
        """Return the first hits, with at most so many characters of notes in all."""
        chosen = llm_choice.candidates(hits, characters)[:PASSAGES]
        whole = [hit.chunk.text for hit in chosen]
        pairs = zip(llm_choice.shares(whole, characters), whole, strict=True)
        return cls(
            chosen,
            [*map(llm_choice.place_of, chosen)],
            [part if part == text else _TORN.sub("", part) for part, text in pairs],
        )

    def asking(self, question: str) -> dict[str, object]:
        pairs = enumerate(zip(self.places, self.texts, strict=True), 1)
        return {"question": question, "passages": [{"number": n, "place": p, "text": text} for n, (p, text) in pairs]}


def write(chat: Chat, llm: LlmSettings, answer: Answer, stop: Stop) -> Iterator[Answer]:
    """Yield an answer as a language model writes it, with each sentence once more; the last one has `ended`.

    A sentence rests on the quotes that are found in the passages that it names. The quotes of an answer without any
    are those of `answer`, which the notes give alone. A failure of the server is the `problem` of the writing. A reply
    in another form is requested once more, with a schema.
    """
    question, hits = answer.result.understood.text or answer.query, answer.result.hits
    material = Material.from_hits(hits, characters(llm, hits[:PASSAGES]))
    asking = material.asking(question)
    draft = replace(answer, writing=WrittenAnswer(chat.server.model, ("", as_sent(asking))))
    proof = _Proof(material, question)
    ending: dict[str, object] = {}
    for task, schema in ((TASK, None), (f"{TASK}{LISTED}", SCHEMA)):
        draft = _with(draft, answer, proof, sent=(f"{task}\n{QUOTED}", as_sent(asking)))
        yield draft
        try:
            with closing(_values(chat, task, asking, stop, schema)) as values:
                for value in islice(values, SENTENCES):
                    sentence = proof.sentence(value)
                    if sentence and sentence not in draft.written:
                        draft = _with(draft, answer, proof, sentences=(*draft.written, sentence))
                        yield draft
        except Cancelled:
            ending = {"stopped": True}
        except ProviderError as error:
            # A server that refuses the schema has answered before; its answer is the problem.
            ending = {} if schema and error.status in _REFUSED else {"problem": error.message}
        if ending or proof.read:
            break
    if not ending and not proof.read:
        ending = {"problem": chat.server.unusable("didn't answer in the requested form").message}
    yield _with(draft, answer, proof, ended=True, **ending)


def _with(draft: Answer, answer: Answer, proof: "_Proof", **changes: Any) -> Answer:
    assert draft.writing is not None, "a model writes it"
    writing = replace(draft.writing, **changes)
    return replace(draft, writing=writing, quotes=tuple(proof.quotes) if writing.sentences else answer.quotes)


def _values(
    chat: Chat, task: str, asking: Mapping[str, object], stop: Stop, schema: Mapping[str, object] | None
) -> Generator[dict[str, object]]:
    """Yield the objects that a model writes; it is stopped where too much else comes."""
    lines, idle = StreamedLines(), 0
    with closing(chat.stream(task, asking, stop, schema)) as pieces:
        for piece in _parts(pieces):
            idle += 0 if lines.thinking else len(piece)
            for value in lines.add(piece):
                idle = 0
                yield value
            if idle > IDLE:
                return
        yield from lines.add("\n")


def _parts(pieces: Iterable[str]) -> Iterator[str]:
    """Yield a text in parts of at most IDLE characters; a server may send all of it at once."""
    for piece in pieces:
        for start in range(0, len(piece), IDLE):
            yield piece[start : start + IDLE]


class _Proof:
    """The quotes of an answer so far, each with its number, and whether anything could be read."""

    def __init__(self, material: Material, question: str) -> None:
        self._material = material
        self._known = names.large("\n".join([*material.places, *material.texts, question]))
        self.quotes: list[Quote] = []
        self.read = False

    def sentence(self, value: Mapping[str, object]) -> Sentence | None:
        """Return the sentence of an object, None for an object that holds none."""
        text = value.get("sentence")
        if not isinstance(text, str) or len(text) > LETTERS:
            return None
        self.read = True
        text = one_line(make_storable(_MARKS.sub("", text)))
        if not text:
            return None
        found = list(self._locate_quotes(value.get("quotes")))
        if not found:
            return Sentence(text)
        texts = [self._material.texts[number] for number in sorted({number for number, _ in found})]
        pairs = [(source, self._material.places[number]) for number, source in found]
        verdict = judge(text, pairs, texts, self._known)
        if verdict.missing:
            return Sentence(text, missing=verdict.missing)
        numbers = [self._number(*item) for item in found]
        marks = tuple(
            (quote.number, start + source.start - at, end + source.start - at)
            for (_, source), (quote, at), spans in zip(found, numbers, verdict.theirs, strict=False)
            for start, end in spans
        )
        citations = tuple(dict.fromkeys(quote.number for quote, _ in numbers))
        return Sentence(text, citations, verbatim=verdict.copied, marks=verdict.ours, quote_marks=marks)

    def _locate_quotes(self, quotes: object) -> Iterator[tuple[int, Source]]:
        """Yield the whole sentences that quotes are of, with the numbers from 0 of the passages that they name."""
        for quote in quotes[:QUOTES] if isinstance(quotes, list) else ():
            if not isinstance(quote, dict):
                continue
            number, text = quote.get("passage"), quote.get("quote")
            if type(number) is int and 1 <= number <= len(self._material.texts) and isinstance(text, str):
                span = find_quote(text, self._material.texts[number - 1])
                if span:
                    yield from ((number - 1, source) for source in sources(self._material.texts[number - 1], span))

    def _number(self, passage: int, source: Source) -> tuple[Quote, int]:
        """Return the quote of a sentence, one for each place, and where its text begins in its passage."""
        hit = self._material.hits[passage]
        first = source.start
        if source.lead and source.end - source.lead[0] <= _WITH_LEAD:
            first = min(first, source.lead[0])
        start, end = place_in_note(hit.chunk, first, source.end)
        text = hit.chunk.text[first : source.end]
        for item in self.quotes:
            if (item.chunk.id, item.start, item.text) == (hit.chunk.id, start, text):
                return item, first
        self.quotes.append(Quote(len(self.quotes) + 1, hit.note, hit.chunk, "sentence", text, "", start, end))
        return self.quotes[-1], first


def characters(llm: LlmSettings, hits: Sequence[Hit]) -> int:
    """Return how many characters of the hits a request may hold: the setting, by default less on this machine."""
    if "input_characters" in llm.model_fields_set or not _is_here(llm.base_url):
        return llm.input_characters
    text = "".join(hit.chunk.text for hit in hits)
    share = len(_IDEOGRAPH.findall(text)) / max(1, len(text))
    return min(llm.input_characters, round(LOCAL_TOKENS / (share * IDEOGRAPH + (1 - share) * LATIN)))


def _is_here(url: str) -> bool:
    try:
        return is_this_machine(httpx.URL(url).host)
    except httpx.InvalidURL:  # in a file; the request says so
        return False

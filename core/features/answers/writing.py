"""Answers that a language model writes from the hits. Each sentence is checked against its quotes as it arrives."""

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

# The reply of a language model as JSON objects, one per line, parsed as the text arrives.

_MOST = 8_000
"""Maximum length in characters of a line, and of a JSON object that spans several lines."""
_DECODER = json.JSONDecoder()
_LIST = re.compile(r'\s*\{\s*"sentences"\s*:\s*\[')
"""The start of an object with a list of all sentences."""
_OPENING = 200
"""Maximum length of the text in which that start is searched for, in characters."""
_BETWEEN = " ,\r\n\t"
"""Characters between the objects of a list."""

LOCAL_TOKENS = 2_200
"""Maximum number of passage tokens for a server on this machine. By default Ollama and LM Studio process 4,096 tokens
in all. Of a longer request, Ollama cuts off the task, and LM Studio refuses it. The rest is for the task, the JSON
syntax, and the reply."""
LATIN, IDEOGRAPH = 0.27, 0.75
"""Estimated tokens per non-CJK character, and per CJK character. Rather too many, because longer requests fail."""

_IDEOGRAPH = re.compile(f"[{CJK}]")


class StreamedLines:
    """Parser of the objects in a reply that arrives in pieces; text between <think> and </think> is skipped.

    From an object with a list `sentences`, the objects in the list are read, each as soon as it is complete.
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
        """Whether the text begins with a list of sentences; its start is removed."""
        text = self._begun + self._rest
        opening = None if self.thinking or len(self._begun) > _OPENING else _LIST.match(text)
        if opening:
            self._rest, self._begun, self._in_list = text[opening.end() :], "", True
        return self._in_list

    def _read_list(self) -> Iterator[dict[str, object]]:
        """Yield the complete objects of a list, and leave the list at its end."""
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
        # A nested object may have its own line.
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
    """Yield the JSON objects in a text, until one is damaged."""
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
"""Text after the task when it is sent again with SCHEMA, because the first reply had another form."""

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
"""JSON schema of a whole answer, for servers that can enforce one."""

PASSAGES = 8
"""Maximum number of hits to send to a model."""
SENTENCES, LETTERS, QUOTES = 12, 800, 4
"""Maximum number of sentences per answer (with repeated ones), characters per sentence, and quotes per sentence."""
IDLE = 4_000
"""Number of characters without a sentence after which a model is stopped."""

_WITH_LEAD = 400
"""Maximum length in characters of a quote that includes the lead-in of its list or the header of its table."""
_REFUSED = (400, 422)
"""HTTP statuses of a server that doesn't support the schema."""

_MARKS = re.compile(r"[,，、]?\s*(?:\[\d{1,3}(?:\s*[,，、–-]\s*\d{1,3})*\]|【[^】]{0,20}】)")
"""Citations that a model wrote itself; they are removed, because only code numbers the quotes."""

_TORN = re.compile(r"[A-Za-z\d_.,:%-]+\Z")
"""The word or number at the end of a cut text, which may be incomplete."""


@frozen
class Material:
    """The hits to send to a model, each with its titles and text; long texts are cut."""

    hits: Sequence[Hit]
    places: Sequence[str]
    texts: Sequence[str]

    @classmethod
    def from_hits(cls, hits: Sequence[Hit], characters: int) -> "Material":
        """Return the first hits, with at most `characters` of text in all."""
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
    """Yield the growing answer as a language model writes it, after each sentence; the last one has `ended`.

    A sentence cites only quotes that its passages contain. Without sentences, the quotes of `answer` are kept. A
    failure of the server becomes the `problem` of the writing. If the reply has another form, it is requested once
    more, with a schema.
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
        ending = {"problem": chat.server.unusable("didn't answer in the requested format").message}
    yield _with(draft, answer, proof, ended=True, **ending)


def _with(draft: Answer, answer: Answer, proof: "_Proof", **changes: Any) -> Answer:
    assert draft.writing is not None, "a model writes it"
    writing = replace(draft.writing, **changes)
    return replace(draft, writing=writing, quotes=tuple(proof.quotes) if writing.sentences else answer.quotes)


def _values(
    chat: Chat, task: str, asking: Mapping[str, object], stop: Stop, schema: Mapping[str, object] | None
) -> Generator[dict[str, object]]:
    """Yield the objects that a model writes, and stop it after IDLE characters without one."""
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
    """Yield a text in parts of at most IDLE characters, because a server may send all of it at once."""
    for piece in pieces:
        for start in range(0, len(piece), IDLE):
            yield piece[start : start + IDLE]


class _Proof:
    """Checks sentences, and numbers the quotes of the answer so far; `read` is true once a sentence could be parsed."""

    def __init__(self, material: Material, question: str) -> None:
        self._material = material
        self._known = names.large("\n".join([*material.places, *material.texts, question]))
        self.quotes: list[Quote] = []
        self.read = False

    def sentence(self, value: Mapping[str, object]) -> Sentence | None:
        """Return the checked sentence of an object, None if it has no sentence."""
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
        """Yield the whole sentences around quotes, each with the number of its passage, from 0."""
        for quote in quotes[:QUOTES] if isinstance(quotes, list) else ():
            if not isinstance(quote, dict):
                continue
            number, text = quote.get("passage"), quote.get("quote")
            if type(number) is int and 1 <= number <= len(self._material.texts) and isinstance(text, str):
                span = find_quote(text, self._material.texts[number - 1])
                if span:
                    yield from ((number - 1, source) for source in sources(self._material.texts[number - 1], span))

    def _number(self, passage: int, source: Source) -> tuple[Quote, int]:
        """Return the numbered quote for a source sentence, and the start of its text in the passage."""
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
    """Return the maximum number of characters from hits in a request: the setting, or less for a local server."""
    if "input_characters" in llm.model_fields_set or not _is_here(llm.base_url):
        return llm.input_characters
    text = "".join(hit.chunk.text for hit in hits)
    share = len(_IDEOGRAPH.findall(text)) / max(1, len(text))
    return min(llm.input_characters, round(LOCAL_TOKENS / (share * IDEOGRAPH + (1 - share) * LATIN)))


def _is_here(url: str) -> bool:
    try:
        return is_this_machine(httpx.URL(url).host)
    except httpx.InvalidURL:  # from the settings file; the request reports it
        return False

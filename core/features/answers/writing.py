"""Have a language model write an answer from the hits. Each arriving sentence is checked against its quotes."""

import json
import re
from collections.abc import Container, Generator, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import islice
from typing import Any

import httpx

from core.base.blobs import Span
from core.base.errors import Cancelled, ProviderError
from core.base.frozen import Texts, ValueMap, Values, frozen
from core.base.text import CHINESE, find_quote, make_storable, one_line
from core.features.answers import figures
from core.features.answers.units import place_in_note
from core.features.answers.wording import Source, WordToken, is_copy, sources, tokens, turns
from core.model import Answer, Hit, Quote, Sentence, WrittenAnswer
from core.providers.chat import QUOTED, Chat, as_sent
from core.providers.connection import Stop, is_this_machine
from core.retrieval import llm_choice
from core.settings.sections import LlmSettings

# Minimum share of words that two sentences must have in common. Sentences with less aren't compared word by word.
_NEAR = 0.6
_FUNCTION_WORDS = frozenset(
    "a an the of to in on at by for with and is be been was it its 的 了 是 在 和 与 会 也 就".split()
)


Spans = tuple[Span, ...]


@frozen
class Verdict:
    """The result of comparing a written sentence with its sources.

    `missing` are the figures and names that the sources lack. `copied` says whether the sentence is a word-for-word
    copy. `ours` are the spans in the sentence that differ from the sources, and `theirs` are the differing spans in
    each source.
    """

    missing: Texts
    copied: bool
    ours: Spans = ()
    theirs: tuple[Spans, ...] = ()


def judge(
    sentence: str,
    sources: Sequence[tuple[Source, str]],
    passages: Sequence[str],
    known: Container[str] = (),
) -> Verdict:
    """Compare a sentence with its sources. A source is a sentence from a note, paired with the titles above it.

    For `passages` and `known`, see `figures.find_missing`.
    """
    if any(is_copy(sentence, source, place) for source, place in sources):
        return Verdict((), True)
    quotes = [f"{place}\n{source.before}\n{source.text}" for source, place in sources]
    missing = figures.find_missing(sentence, quotes, passages, known)
    ours, same = _compare(sentence, quotes)
    theirs = []
    for source, _ in sources:
        places, equal = _compare(source.text, [sentence])
        first = tokens(sentence)
        second = tokens(source.text)
        matcher = SequenceMatcher(None, [token.key for token in first], [token.key for token in second], autojunk=False)
        if matcher.ratio() >= _NEAR:
            for kind, start, end, begin, stop in matcher.get_opcodes():
                if kind != "equal":
                    ours += _places(first[start:end], same)
                    places += _places(second[begin:stop], equal)
        theirs.append(_joined(places, source.text))
    return Verdict(missing, False, _joined(ours, sentence), tuple(theirs))


def _compare(text: str, others: Sequence[str]) -> tuple[list[Span], list[Span]]:
    """Compare a text with other texts, and return two lists of spans in the text.

    The first list contains the figures, names and TURNING words that the other texts lack. The second contains the
    figures that the other texts contain too.
    """
    lacking, shared = figures.compare(text, others)
    said = {kind for other in others for kind in turns(other)}
    lacking += [span for kind, spans in turns(text).items() if kind not in said for span in spans]
    return lacking, shared


def _places(found: Sequence[WordToken], same: Sequence[Span]) -> Iterator[Span]:
    """Yield the spans of words, except function words, punctuation, and words within a span in `same`."""
    for token in found:
        if any(start <= token.start < end for start, end in same):
            continue
        if token.key not in _FUNCTION_WORDS and any(map(str.isalnum, token.key)):
            yield token.start, token.end


def _joined(spans: Sequence[Span], text: str) -> Spans:
    """Return the spans in order. Spans separated only by white space are merged."""
    joined = list[Span]()
    for start, end in sorted(spans):
        if joined and not text[joined[-1][1] : start].strip():
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return tuple(joined)


# Parse the JSON objects in a language model's reply as it arrives.

# Maximum length of a JSON object in characters.
_MOST = 8_000
_DECODER = json.JSONDecoder()
_THOUGHT = "</think>"

# Maximum number of tokens in passages sent to a model on this machine.
#
# Ollama and LM Studio process 4,096 tokens by default. If a request is longer, Ollama cuts off the task, and LM
# Studio refuses the request. The remaining tokens are needed for the task, the JSON syntax and the reply.
LOCAL_TOKENS = 2_200
# Estimated tokens per non-CJK and per CJK character.
#
# The estimates are high on purpose, because requests that are too long fail.
LATIN, IDEOGRAPH = 0.27, 0.75


class StreamedLines:
    """Parses sentences from a reply that arrives in pieces. Text from <think> to </think> is skipped.

    A sentence is a JSON object with the key `sentence`. It may be on one line, span several lines, or be in a list.
    """

    def __init__(self) -> None:
        self.thinking = False
        self._rest = ""

    def add(self, piece: str) -> Iterator[Values]:
        """Add a piece of the reply, and yield the sentences completed by it."""
        self._rest = (self._rest + piece)[-_MOST:]
        if self.thinking or self._rest.lstrip().startswith("<think>"):
            _, closed, after = self._rest.rpartition(_THOUGHT)
            self.thinking = not closed
            self._rest = after if closed else self._rest[-len(_THOUGHT) :]
            if self.thinking:
                return
        at = self._rest.find("{")
        while at >= 0:
            try:
                value, end = _DECODER.raw_decode(self._rest, at)
            except (ValueError, RecursionError):
                value = {}
            if "sentence" in value:
                self._rest = self._rest[end:]
                at = -1
                yield value
            at = self._rest.find("{", at + 1)


TASK = """You answer a question from passages of someone's notes.
You are given JSON: "question", and "passages", each with a "number", a "place" and a "text".
Answer from the passages alone, in the language of the question, in at most six short sentences, the most important \
one first. Write each sentence as a line of its own, one JSON object such as
{"sentence": "...", "quotes": [{"passage": 2, "quote": "..."}]}
Prefer the notes' own words: where one sentence of a passage answers, copy that whole sentence. Take numbers, dates, \
units and names over as the passage writes them. A quote is copied from the text of its passage letter for letter, in \
the passage's own language: the 5 to 25 words that prove the sentence. Write nothing else, \
and no sentence without a quote. If no passage answers the question, write only {"sentence": "", "quotes": []}"""

# Text appended to the task in the second request.
#
# That request is sent, with SCHEMA, if the first reply can't be read.
LISTED = """
Your reply before this one couldn't be read. Reply with one JSON object alone, {"sentences": [...]}, whose list holds \
the objects of the sentences."""

# JSON schema for a whole answer. Some servers can make a model follow this schema.
SCHEMA: ValueMap = json.loads("""
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

# Maximum number of hits to send to a model.
PASSAGES = 8
# Maximum number of sentences per answer (repeated ones count), characters per sentence, and quotes per sentence.
SENTENCES, LETTERS, QUOTES = 12, 800, 4
# Number of characters without a complete sentence after which the model is stopped.
IDLE = 4_000

# Maximum length, in characters, of a quote that includes its list's lead-in or its table's header.
_WITH_LEAD = 400

# Citations written by the model. They are removed, because Tessera numbers the quotes itself.
_MARKS = re.compile(r"[,，、]?\s*(?:\[\d{1,3}(?:\s*[,，、–-]\s*\d{1,3})*\]|【[^】]{0,20}】)")

# The last word or number in truncated text. It may be incomplete.
_TORN = re.compile(r"[A-Za-z\d_.,:%-]+\Z")


def write(chat: Chat, llm: LlmSettings, answer: Answer, stop: Stop) -> Iterator[Answer]:
    """Yield the answer so far after each sentence written by a language model. The last answer has `ended` set.

    A sentence cites only quotes that are found in the passages. If the model writes no sentence, the quotes in `answer`
    are kept. A server failure is stored as the writing's `problem`. If the reply can't be read, a second request with a
    schema is sent.
    """
    question = answer.result.understood.text or answer.query
    hits = answer.result.hits
    proof = _Proof(hits, characters(llm, hits[:PASSAGES]), question)
    sent = as_sent(proof.asking)
    draft = replace(answer, writing=WrittenAnswer(chat.server.model, ("", sent)))
    ending: Values = {}

    def updated(**changes: Any) -> Answer:
        assert draft.writing is not None, "a model writes it"
        writing = replace(draft.writing, **changes)
        return replace(draft, writing=writing, quotes=tuple(proof.quotes) if writing.sentences else answer.quotes)

    for task, schema in ((TASK, None), (f"{TASK}{LISTED}", SCHEMA)):
        draft = updated(sent=(f"{task}\n{QUOTED}", sent))
        yield draft
        try:
            with closing(_values(chat, task, proof.asking, stop, schema)) as values:
                for value in islice(values, SENTENCES):
                    sentence = proof.sentence(value)
                    if sentence and sentence not in draft.written:
                        draft = updated(sentences=(*draft.written, sentence))
                        yield draft
        except Cancelled:
            ending = {"stopped": True}
        except ProviderError as error:
            # If the server doesn't support schemas, the problem to report is that the first reply couldn't be read.
            ending = {} if schema and error.status in (400, 422) else {"problem": error.message}
        if ending or proof.read:
            break
    else:
        ending = {"problem": chat.server.unusable("didn't answer in the requested format").message}
    yield updated(ended=True, **ending)


def _values(chat: Chat, task: str, asking: ValueMap, stop: Stop, schema: ValueMap | None) -> Generator[Values]:
    """Yield the JSON objects written by a model. The model is stopped after IDLE characters without an object."""
    lines = StreamedLines()
    idle = 0
    with closing(chat.stream(task, asking, stop, schema)) as pieces:
        for piece in pieces:
            for start in range(0, len(piece), IDLE):  # a server may send the whole reply at once
                part = piece[start : start + IDLE]
                idle += 0 if lines.thinking else len(part)
                for value in lines.add(part):
                    idle = 0
                    yield value
                if idle > IDLE:
                    return


class _Proof:
    """Selects the passages for a model, checks its sentences against them, and numbers the quotes.

    Long passages are truncated to `characters` in total. `read` becomes True once a sentence has been parsed.
    """

    def __init__(self, hits: Sequence[Hit], characters: int, question: str) -> None:
        self._hits = llm_choice.candidates(hits, characters)[:PASSAGES]
        whole = [hit.chunk.text for hit in self._hits]
        self._texts = [
            part if part == text else _TORN.sub("", part)
            for part, text in zip(llm_choice.shares(whole, characters), whole, strict=True)
        ]
        self._places = list(map(llm_choice.place_of, self._hits))
        self.asking: Values = {
            "question": question,
            "passages": [
                {"number": number, "place": place, "text": text}
                for number, (place, text) in enumerate(zip(self._places, self._texts, strict=True), 1)
            ],
        }
        self._known = figures.large("\n".join([*self._places, *self._texts, question]))
        self.quotes = list[Quote]()
        self.read = False

    def sentence(self, value: ValueMap) -> Sentence | None:
        """Check the sentence in an object written by the model. Return None if there is no usable sentence."""
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
        verdict = judge(
            text,
            [(source, self._places[number]) for number, source in found],
            [self._texts[number] for number in sorted({number for number, _ in found})],
            self._known,
        )
        if verdict.missing:
            return Sentence(text, missing=verdict.missing)
        numbers = [self._number(*item) for item in found]
        marks = tuple(
            (quote.number, start + source.start - at, end + source.start - at)
            for (_, source), (quote, at), spans in zip(found, numbers, verdict.theirs, strict=False)
            for start, end in spans
        )
        return Sentence(
            text,
            tuple(dict.fromkeys(quote.number for quote, _ in numbers)),
            verbatim=verdict.copied,
            marks=verdict.ours,
            quote_marks=marks,
        )

    def _locate_quotes(self, quotes: object) -> Iterator[tuple[int, Source]]:
        """Yield the whole sentences that contain quotes, each with the index of its passage."""
        for quote in quotes[:QUOTES] if isinstance(quotes, list) else ():
            if not isinstance(quote, dict):
                continue
            number = quote.get("passage")
            text = quote.get("quote")
            if type(number) is int and 1 <= number <= len(self._texts) and isinstance(text, str):
                passage = self._texts[number - 1]
                if span := find_quote(text, passage):
                    chunk = self._hits[number - 1].chunk
                    yield from ((number - 1, source) for source in sources(passage, span, chunk.fence))

    def _number(self, passage: int, source: Source) -> tuple[Quote, int]:
        """Return the numbered quote for a source sentence, and the position in the passage where the quote starts."""
        hit = self._hits[passage]
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
    """Return the maximum number of characters from hits to send.

    A server on this machine may get fewer than the setting.
    """
    here = False
    with suppress(httpx.InvalidURL):  # the URL is from the settings file; the request reports the error
        here = is_this_machine(httpx.URL(llm.base_url).host)
    if "input_characters" in llm.model_fields_set or not here:
        return llm.input_characters
    text = "".join(hit.chunk.text for hit in hits)
    share = len(CHINESE.findall(text)) / max(1, len(text))
    return min(llm.input_characters, round(LOCAL_TOKENS / (share * IDEOGRAPH + (1 - share) * LATIN)))

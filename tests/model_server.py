"""A model server on 127.0.0.1 over real sockets: it answers as such servers do, or as a test scripts it.

Left alone it embeds a text as numbers of its hash, and scores a passage by its share of the question's
words, as a reranker in one of three styles and as a chat model. As a chat model it also chooses among
sections, and answers with the first lines of passages. With a `dialect` it lists its models, streams and separates
reasoning as that server does.
"""

import json
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SHUT_RDWR
from types import TracebackType
from typing import Any, Literal

from tests.waiting import PATIENCE

DIMENSION = 16

REASONING = {
    "Ollama": "reasoning",
    "LM Studio": "reasoning_content",
    "llama.cpp": "reasoning_content",
    "vLLM": "reasoning",
}
"""The field of a message with the model's reasoning, in each dialect."""
_OWNERS = {"Ollama": "library", "LM Studio": "organization_owner", "llama.cpp": "llamacpp", "vLLM": "vllm"}


@dataclass(frozen=True)
class Request:
    """What the server was sent."""

    path: str
    headers: dict[str, str]
    body: Any


@dataclass(frozen=True)
class Answer:
    """What it sends: `body` as it is where it is bytes, else as JSON, after `delay` seconds.

    `missing` bytes are announced and never sent.
    """

    body: Any = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    missing: int = 0


Script = Callable[["Handler"], None]
"""Writes to the connection itself."""


class ModelServer:
    """Serves while its `with` lasts. `answers` are given first, in order; then it answers by itself.

    It refuses to embed texts that hold `refuses`, with the status `refusal`. In a `dialect` it lists `models`, writes
    `reasoning` before an answer, and keeps to the form of answers only where it gets a schema (`rambles`), which it
    applies, refuses with 400, or ignores. Its list comes after `delay` seconds.
    """

    refuses: str = ""
    refusal: int = 400
    reasoning: str = ""
    rambles: bool = False
    delay: float = 0.0
    schema: Literal["applied", "refused", "ignored"] = "applied"

    def __init__(
        self, *answers: Answer | Script, style: str = "cohere", dialect: str = "", models: Sequence[str] = ("qwen3:8b",)
    ) -> None:
        self.answers = deque(answers)
        self.style = style
        self.dialect = dialect
        self.models = models
        self.requests: list[Request] = []
        self.at_once = 0
        self.stopped = threading.Event()
        self._now = 0
        self._counting = threading.Lock()
        self._http = _Server(("127.0.0.1", 0), Handler)
        self._http.models = self
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)

    def __enter__(self) -> "ModelServer":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stopped.set()
        self._http.shutdown()
        self._http.server_close()
        for connection in self._http.connections:
            try:
                connection.shutdown(SHUT_RDWR)
            except OSError:
                continue  # closed already

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def port(self) -> int:
        return int(self._http.server_address[1])

    def serve(self, handler: "Handler", request: Request) -> None:
        with self._counting:
            self.requests.append(request)
            self._now += 1
            self.at_once = max(self.at_once, self._now)
            answer = self.answers.popleft() if self.answers else None
        try:
            if answer is None:
                answer = self._own(request)
            if isinstance(answer, Answer):
                self.stopped.wait(answer.delay)
                handler.send(answer)
            else:
                answer(handler)
        finally:
            with self._counting:
                self._now -= 1

    def _own(self, request: Request) -> "Answer | Script":
        kind = request.path.rpartition("/")[2]
        if request.body is None:
            expected = "/api/tags" if self.dialect == "Ollama" else "/v1/models"
            listed = self.dialect and request.path == expected
            answer = Answer(listing(self.dialect, self.models), delay=self.delay)
            return answer if listed else Answer({"error": "not found"}, 404)
        if kind == "embeddings":
            if self.refuses and any(self.refuses in text for text in request.body["input"]):
                return Answer({"error": {"message": "input is too long"}}, self.refusal)
            return Answer(embeddings([vector(text, request.body.get("dimensions")) for text in request.body["input"]]))
        if kind == "rerank":
            return self._rerank(request.body)
        if kind == "completions":
            material = json.loads(request.body["messages"][-1]["content"])
            if "earlier" in material:
                return Answer(
                    chat(json.dumps({"question": f"{material['earlier'][0]['question']} {material['question']}"}))
                )
            if self.dialect and request.body["stream"]:
                return self._written(request.body, material["passages"])
            if request.body["stream"]:
                return stream(*(f"{line}\n" for line in sentences(material["passages"])))
            if "sections" in material:
                return Answer(chat(json.dumps(choice(material["question"], material["sections"]))))
            scores = {
                str(passage["number"]): round(10 * overlap(material["question"], passage["text"]))
                for passage in material["passages"]
            }
            return Answer(chat(json.dumps(scores)))
        return Answer({"error": "not found"}, 404)

    def _written(self, body: dict[str, Any], passages: list[dict[str, Any]]) -> "Answer | Script":
        """An answer in the server's dialect, in small pieces."""
        form = body.get("response_format")
        if form and self.schema == "refused":
            return Answer({"error": {"message": "response_format isn't supported"}}, 400)
        field = REASONING[self.dialect]
        if form and self.schema == "applied":
            assert form["type"] == "json_schema"
            assert form["json_schema"]["schema"]["required"] == ["sentences"]
            text = json.dumps({"sentences": [json.loads(line) for line in sentences(passages)]})
            if self.dialect == "LM Studio" and self.reasoning:  # the schema holds for the reasoning, which is the end
                return stream(deltas=[{field: part} for part in parts(text)], usage=True)
        elif self.rambles:
            text = "Well, let me tell you about your notes. " * 5
        else:
            text = "".join(f"{line}\n" for line in sentences(passages))
        first = {"role": "assistant", "content": None if self.dialect == "llama.cpp" else ""}
        blank = {"content": ""} if self.dialect == "Ollama" else {}
        thoughts = [{**blank, field: part} for part in parts(self.reasoning)]
        return stream(deltas=[first, *thoughts, *({"content": part} for part in parts(text))], usage=True)

    def _rerank(self, body: dict[str, Any]) -> Answer:
        texts = body.get("texts" if self.style == "tei" else "documents")
        kind = dict if self.style == "jina" else str
        if not isinstance(texts, list) or not all(isinstance(text, kind) for text in texts):
            return Answer({"error": "Failed to deserialize the JSON body"}, 422)
        scores = [overlap(body["query"], text["text"] if kind is dict else text) for text in texts]
        best_first = sorted(range(len(texts)), key=lambda index: -scores[index])
        if self.style == "tei":
            return Answer([{"index": index, "score": scores[index]} for index in best_first])
        rows = [{"index": index, "relevance_score": scores[index], "document": texts[index]} for index in best_first]
        return Answer({"results": rows})


class _Server(ThreadingHTTPServer):
    models: ModelServer

    def __init__(self, *arguments: Any) -> None:
        self.connections: list[Any] = []
        super().__init__(*arguments)

    def process_request(self, request: Any, client_address: Any) -> None:
        self.connections.append(request)
        super().process_request(request, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is what many tests are about."""


class Handler(BaseHTTPRequestHandler):
    """One connection; a script writes to it with `write` and `head`."""

    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        self.server.models.serve(self, Request(self.path, dict(self.headers), None))

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        request = Request(self.path, dict(self.headers), json.loads(body))
        self.server.models.serve(self, request)

    def send(self, answer: Answer) -> None:
        body = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        headers = {"Content-Length": len(body) + answer.missing, **answer.headers}
        lines = [f"HTTP/1.1 {answer.status} X", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
        self.write("\r\n".join(lines).encode() + body)
        self.close_connection = bool(answer.missing)

    def write(self, data: bytes) -> None:
        self.wfile.write(data)

    def trickle(self, data: bytes, seconds: float) -> None:
        """Write the same again and again, until the server stops or the client goes away, no longer than PATIENCE."""
        for _ in range(int(PATIENCE / seconds)):
            if self.server.models.stopped.wait(seconds):
                break
            self.write(data)
        self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is printed."""


def vector(text: str, dimension: int | None = None) -> list[float]:
    """Numbers from -1 to 1 out of the text's hash: another text, another vector."""
    numbers = [byte / 127.5 - 1 for byte in sha256(text.encode()).digest()]
    return numbers[: dimension or DIMENSION]


def embeddings(vectors: list[Any]) -> dict[str, Any]:
    """The answer of `/embeddings`, in an order of its own, as it is allowed."""
    rows = [{"object": "embedding", "index": index, "embedding": row} for index, row in enumerate(vectors)]
    return {"object": "list", "data": rows[::-1]}


def overlap(question: str, text: str) -> float:
    """The share of the question's words that the text has."""
    words = set(question.lower().split())
    return len(words & set(text.lower().split())) / max(1, len(words))


def choice(question: str, sections: list[dict[str, Any]]) -> dict[str, Any]:
    """The sections with the most of the question's words, at most two, the last of equal ones first."""
    share = {section["number"]: overlap(question, section["text"]) for section in sections}
    numbers = sorted((number for number in share if share[number]), key=lambda number: (-share[number], -number))[:2]
    return {"chosen": numbers, "answer": f"An answer from {len(numbers)} of {len(sections)} sections."}


def chat(answer: object) -> dict[str, Any]:
    """The answer of `/chat/completions`."""
    return {"choices": [{"index": 0, "message": {"role": "assistant", "content": answer}, "finish_reason": "stop"}]}


def listing(dialect: str, models: Sequence[str], **more: Any) -> dict[str, Any]:
    """The list of the models of a server, each with the fields `more`."""
    if dialect == "Ollama":
        details = {"parent_model": "", "format": "gguf", "family": "qwen3", "families": ["qwen3"]}
        row = {"modified_at": "2026-05-01T12:00:00Z", "size": 5_225_387_677, "digest": "500a1f06", "details": details}
        return {"models": [{"name": name, "model": name, **row, **more} for name in models]}
    row = {"object": "model", "owned_by": _OWNERS[dialect]}
    listed: dict[str, Any] = {"object": "list", "data": [{"id": name, **row, **more} for name in models]}
    if dialect == "llama.cpp":  # it adds a list in the form of Ollama
        listed["models"] = [{"name": name, "model": name, "details": {"family": ""}} for name in models]
    return listed


def parts(text: str, size: int = 7) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


def stream(
    *pieces: str,
    end: str = "stop",
    between: float = 0.0,
    deltas: Sequence[dict[str, Any]] = (),
    usage: bool = False,
) -> Script:
    """An answer of `/chat/completions` that comes as events; without an `end` the server breaks off.

    `deltas` come before the pieces; with `usage` the last event has no choice.
    """

    def write(handler: Handler) -> None:
        handler.write(b"HTTP/1.1 200 X\r\nContent-Type: text/event-stream; charset=utf-8\r\nConnection: close\r\n\r\n")
        handler.close_connection = True
        for delta in (*deltas, *({"content": piece} for piece in pieces)):
            handler.write(event({"delta": delta, "finish_reason": None}))
            if handler.server.models.stopped.wait(between):
                return
        if end:
            last = b'data: {"choices": [], "usage": {"total_tokens": 9}}\n\n' if usage else b""
            handler.write(event({"delta": {}, "finish_reason": end}) + last + b"data: [DONE]\n\n")

    return write


def event(choice: dict[str, Any]) -> bytes:
    return b"data: %s\n\n" % json.dumps({"choices": [{"index": 0, **choice}]}).encode()


def sentence(text: object, *quotes: tuple[object, object]) -> str:
    """A sentence as a model is to write it, with pairs of a passage and a quote."""
    return json.dumps({"sentence": text, "quotes": [{"passage": one, "quote": words} for one, words in quotes]})


def sentences(passages: list[dict[str, Any]]) -> list[str]:
    """The first line of each of the first passages, as a sentence that rests on itself."""
    firsts = [(one["number"], one["text"].strip().splitlines()[0]) for one in passages[:3] if one["text"].strip()]
    return [sentence(line, (number, line)) for number, line in firsts]

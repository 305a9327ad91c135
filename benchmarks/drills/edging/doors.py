"""The doors of the program: each takes values in once, and says what was wrong beside a refusal."""

import io
import json
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from random import Random
from typing import TYPE_CHECKING, Any, get_args, get_type_hints
from unittest.mock import patch

from benchmarks.drills.edging import values
from core.base.errors import TesseraError
from core.doors import cli
from core.doors.assistants import server
from core.intake import notefile
from core.model import NOTE_FIELDS, NoteDraft, Pipeline, SearchSettings, Use
from core.model.settings import PARTS

if TYPE_CHECKING:
    from benchmarks.drills.edges import Bench

BODY = "a heron stands in the water"
"""What every note says, so that one question finds all of them."""


HOME = "http://127.0.0.1:8501"


class Refused(TesseraError):
    """A door refused a value with a sentence."""


def fields(chance: Random, *, typed: bool = False) -> dict[str, Any]:
    """Return some fields of a note; `typed`: each of the kind that the field has."""
    made: dict[str, Any] = {}
    for name in chance.sample([*NOTE_FIELDS], chance.randrange(1, 4)):
        if not typed and chance.random() < 0.1:
            made[name] = values.anything(chance)
        elif name in ("tags", "supersedes", "related", "depends_on"):
            made[name] = values.several(chance)
        elif name == "priority":
            made[name] = values.number(chance)
        elif name == "expires_at":
            made[name] = values.moment(chance) if typed and chance.random() < 0.5 else values.date(chance)
        elif name == "status":
            made[name] = chance.choice(("active", "pending", "archived", values.text(chance)))
        else:
            made[name] = values.text(chance)
    return made


def settings(chance: Random, *, typed: bool = False) -> dict[str, Any]:
    """Return some ways to search; `typed`: each of the kind that the part has."""
    names = chance.sample(list(PARTS), chance.randrange(3))
    return {name: _part(name, chance) if typed else values.anything(chance) for name in names}


def _part(name: str, chance: Random) -> Any:
    kinds = get_args(_HINTS[name])
    return values.whole(chance) if int in kinds else values.figure(chance) if float in kinds else values.text(chance)


_HINTS = get_type_hints(SearchSettings)


# the library


def library(bench: "Bench", chance: Random) -> str:
    chance.choice(_LIBRARY)(bench, chance)
    return ""


def _add(bench: "Bench", chance: Random) -> None:
    path = values.text(chance) if chance.random() < 0.3 else ""
    body = BODY + values.text(chance)
    bench.workspace.notes.add(bench.base, body, path=path, author="person", embed=False, **fields(chance, typed=True))


def _set(bench: "Bench", chance: Random) -> None:
    bench.workspace.notes.set_fields([bench.note(chance)], **fields(chance, typed=True))


def _search(bench: "Bench", chance: Random) -> None:
    text = values.text(chance) if chance.random() < 0.5 else f"heron after:{values.date(chance)}"
    mode = chance.choice(("keyword", "keyword", "hybrid"))
    bench.workspace.search(text, mode=mode, bases=[bench.base], explain=chance.random() < 0.2)


def _figures(bench: "Bench", chance: Random) -> None:
    name = chance.choice([part for part in PARTS if part != "reranker"])
    bench.workspace.search("heron", **{name: _part(name, chance)})  # type: ignore[arg-type]


def _filter(bench: "Bench", chance: Random) -> None:
    name = chance.choice(("after", "before"))
    filters = bench.workspace.searching.filters(
        **{name: values.date(chance)}, tags=values.several(chance), path=values.text(chance)
    )
    bench.workspace.notes.all(filters, text=values.text(chance))
    moments = {name: values.moment(chance), "before": values.moment(chance)}
    bench.workspace.search("heron", filters=type(filters)(**moments), mode="keyword")


def _look(bench: "Bench", chance: Random) -> None:
    notes, note = bench.workspace.notes, bench.note(chance)
    look: Callable[[], object] = chance.choice(
        (
            lambda: notes.at(note, values.whole(chance)),
            lambda: notes.expiring(days=values.whole(chance)),
            lambda: notes.switch(values.text(chance), 5),
            lambda: notes.resolve(values.text(chance)),
            lambda: notes.lines(bench.base, values.text(chance)),
            lambda: notes.attachment(note, values.text(chance)),
            lambda: notes.revert(note, values.whole(chance)),
            lambda: notes.update(note, body=BODY + values.text(chance), expected_version=values.whole(chance)),
            lambda: bench.workspace.context("heron", budget=values.whole(chance), mode="keyword"),
        )
    )
    look()


def _base(bench: "Bench", chance: Random) -> None:
    name = values.text(chance)
    made = bench.workspace.bases.add(name, description=values.text(chance), embed_at_once=False)
    bench.workspace.bases.update(made.name, search=SearchSettings.from_values(settings(chance, typed=True)))


def _usage(bench: "Bench", chance: Random) -> None:
    workspace, text = bench.workspace, values.text(chance)
    workspace.searches.add(text)
    workspace.searches.save(text, values.text(chance))
    workspace.uses.judge(text, bench.note(chance), values.text(chance), "helpful")
    workspace.store.uses.put(Use(bench.note(chance), "search", text, values.moment(chance), 1, chunk_id="x"))
    draft = NoteDraft(f"new {chance.random()}", bench.base, 1, text, text, {"fields": {}}, values.moment(chance))
    workspace.drafts.put(draft)
    made = workspace.question_sets.add(bench.base, text)
    workspace.store.questions.rename_set(made, values.text(chance))


def _question_file(bench: "Bench", chance: Random) -> None:
    rows = [{"id": values.text(chance), "question": values.anything(chance), "relevant": values.anything(chance)}]
    data = "".join(f"{_json(row)}\n" for row in rows).encode("utf-8", "surrogatepass")
    bench.workspace.question_sets.add_file(bench.base, values.text(chance), data, "x.jsonl")
    Pipeline(name=values.text(chance), search=SearchSettings.from_values(settings(chance, typed=True)))


_LIBRARY = (
    _add,
    _add,
    _add,
    _set,
    _set,
    _search,
    _search,
    _figures,
    _filter,
    _look,
    _look,
    _base,
    _usage,
    _question_file,
)


# the command line


def command_line(bench: "Bench", chance: Random) -> str:
    arguments = [values.written(one) for one in chance.choice(_COMMANDS)(bench, chance)]
    if chance.random() < 0.5:
        arguments.append("--json")
    out, error = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    stdin = io.TextIOWrapper(io.BytesIO(values.text(chance).encode("utf-8", "surrogatepass")))
    code: object = 0
    with patch("core.workspace.Workspace", lambda *_, **__: nullcontext_of(bench)), patch.object(sys, "stdin", stdin):
        try:
            with redirect_stdout(out), redirect_stderr(error):
                cli.main([argument for argument in arguments if "\0" not in argument])
        except SystemExit as end:
            code = end.code or 0
    said = error.getvalue()
    if "Traceback" in said or code not in (0, 1, 2):
        return f"{arguments}"[:300] + said[-500:]
    if code:
        raise Refused(said.strip()[:300] or "nothing was said")
    return ""


class nullcontext_of:  # noqa: N801 as those of contextlib
    """The workspace of the bench, which a command leaves open."""

    def __init__(self, bench: "Bench") -> None:
        self._workspace = bench.workspace

    def __enter__(self) -> Any:
        return self._workspace

    def __exit__(self, *_: object) -> None:
        pass

    @property
    def unreadable(self) -> tuple[object, ...]:
        return self._workspace.unreadable


def _options(chance: Random) -> list[Any]:
    names = {"expires_at": "expires", "tags": "tag", "depends_on": "depends-on"}
    given: list[Any] = []
    for name, value in fields(chance).items():
        for one in value if isinstance(value, list) else [value]:
            given += [f"--{names.get(name, name)}", one]
    return given


def _new(bench: "Bench", chance: Random) -> list[Any]:
    return ["note", "new", bench.base, "--body", BODY + values.text(chance), *_options(chance)]


def _set_by_command(bench: "Bench", chance: Random) -> list[Any]:
    return ["note", "set", bench.note(chance), *_options(chance)]


def _search_by_command(bench: "Bench", chance: Random) -> list[Any]:
    figure = chance.choice(("--limit", "--expand", "--after", "--before", "--filter", "--path", "--tag", "--level"))
    text = values.text(chance) if chance.random() < 0.5 else "heron"
    return ["search", text, "--base", bench.base, "--mode", "keyword", figure, values.anything(chance)]


def _look_by_command(bench: "Bench", chance: Random) -> list[Any]:
    note, form = bench.note(chance), chance.choice(("json", "markdown", values.text(chance)))
    return chance.choice(  # type: ignore[no-any-return]
        (
            ["note", "show", note, "--version", values.number(chance)],
            ["note", "show", values.text(chance)],
            ["note", "diff", note, values.number(chance), values.number(chance)],
            ["note", "revert", note, values.number(chance)],
            ["note", "edit", note, "--body", BODY, "--version", values.number(chance)],
            ["note", "list", values.text(chance)],
            ["note", "list", "--base", values.text(chance)],
            ["note", "history", values.text(chance)],
            ["note", "delete", values.text(chance)],
            ["context", "heron", "--budget", values.number(chance)],
            ["base", "set", bench.base, "--description", values.text(chance)],
            ["restore", values.text(chance)],
            ["export", bench.base, "--to", values.text(chance).strip("/.~") or "x", "--as", form],
            ["status"],
        )
    )


_COMMANDS = (_new, _new, _set_by_command, _set_by_command, _search_by_command, _look_by_command)


# HTTP


def http(bench: "Bench", chance: Random) -> str:
    method, path, query, body = chance.choice(_REQUESTS)(bench, chance)
    headers = {"Content-Type": "application/json"}
    if method == "PATCH" and chance.random() < 0.3:
        headers["If-Match"] = f'"{values.written(values.number(chance))[:5000]}"'.encode("ascii", "replace").decode()
    content = None if body is None else _json(body).encode("utf-8", "surrogatepass")
    answer = bench.client.request(
        method, f"{HOME}/v1{path}", params=query, data=content, headers=headers, allow_redirects=False
    )
    if answer.status_code == 500:
        return f"{method} {path} {query} {_json(body)}"[:600]
    if answer.status_code >= 400:
        told = answer.json().get("detail") if "json" in answer.headers["content-type"] else ""
        if not told:
            return f"no sentence: {answer.status_code} {method} {path} {query} {_json(body)}"[:600]
        raise Refused(str(told)[:300])
    answer.json()
    return ""


def _json(value: Any) -> str:
    """Return JSON, also of what JSON has no place for."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        return json.dumps(value, default=str, ensure_ascii=len(str(value)) % 2 == 0)
    finally:
        sys.set_int_max_str_digits(before)


_Request = tuple[str, str, dict[str, str], Any]


def _post_note(bench: "Bench", chance: Random) -> _Request:
    body = {"base": bench.base, "body": BODY + values.text(chance)} | fields(chance)
    if chance.random() < 0.2:
        body["path"] = values.text(chance)
    return "POST", "/notes", {}, body


def _patch_note(bench: "Bench", chance: Random) -> _Request:
    return "PATCH", f"/notes/{bench.note(chance)}", {}, fields(chance)


def _post_search(bench: "Bench", chance: Random) -> _Request:
    body: dict[str, Any] = {"query": "heron", "bases": [bench.base], "mode": "keyword"} | settings(chance)
    name = chance.choice(("query", "after", "before", "tags", "path", "filters", "limit", "budget", "explain"))
    body[name] = values.anything(chance)
    return "POST", chance.choice(("/search", "/context")), {}, body


def _get(bench: "Bench", chance: Random) -> _Request:
    from urllib.parse import quote

    name = quote(values.text(chance)[:2000].encode("utf-8", "surrogatepass"), safe="")
    figure = quote(values.written(values.number(chance))[:2000].encode("utf-8", "surrogatepass"), safe="")
    note = bench.note(chance)
    key = chance.choice(("limit", "offset", "text", "filter", "base"))
    value = values.written(values.anything(chance))[:2000].encode("utf-8", "replace").decode()
    path = chance.choice((f"/notes/{name}", f"/notes/{note}/versions/{figure}", f"/bases/{name}", "/notes", "/trash"))
    return "GET", path, {key: value}, None


def _post_base(bench: "Bench", chance: Random) -> _Request:
    body = {"name": values.text(chance), "description": values.text(chance), "embed_at_once": False}
    if chance.random() < 0.5:
        body["search"] = settings(chance)
    if chance.random() < 0.3:
        body["chunking"] = {"chunk_size": values.anything(chance), "chunk_overlap": values.anything(chance)}
    return "POST", "/bases", {}, body


_REQUESTS = (_post_note, _post_note, _patch_note, _patch_note, _post_search, _post_search, _get, _post_base)


# tools of assistants


def tools(bench: "Bench", chance: Random) -> str:
    name, arguments = chance.choice(_TOOLS)(bench, chance)
    answer = server.run(lambda: bench.workspace, name, arguments)
    said = getattr(answer.content[0], "text", "")
    answer.model_dump_json()
    if "logged it" in said:
        return f"{name} {_json(arguments)}"[:600]
    if answer.is_error:
        raise Refused(said[:300] or "nothing was said")
    return ""


_Call = tuple[str, dict[str, Any]]


def _note_add(bench: "Bench", chance: Random) -> _Call:
    return "note_add", {"text": BODY + values.text(chance), "base": bench.base, "fields": _of_assistants(chance)}


def _note_update(bench: "Bench", chance: Random) -> _Call:
    given = {"note": bench.note(chance), "fields": _of_assistants(chance)}
    return "note_update", given | ({"expected_version": values.number(chance)} if chance.random() < 0.3 else {})


def _of_assistants(chance: Random) -> dict[str, Any]:
    return {name: value for name, value in fields(chance).items() if name != "status"}


def _tool_search(bench: "Bench", chance: Random) -> _Call:
    text, figure = values.text(chance), values.anything(chance)
    if chance.random() < 0.5:
        text = "heron"
    return chance.choice(  # type: ignore[no-any-return]
        (
            ("knowledge_text_search", {"knowledge_base": bench.base, "keyword": text, "max_lines": figure}),
            ("knowledge_query", {"knowledge_base": bench.base, "query": text, "limit": figure}),
            ("knowledge_query", {"knowledge_base": bench.base, "keywords": values.several(chance)}),
            ("knowledge_context", {"query": text, "budget": figure, "filters": values.several(chance)}),
            ("note_list", {"text": text, "limit": figure, "filters": [f"after:{values.date(chance)}"]}),
            ("note_read", {"note": values.anything(chance)}),
            ("knowledge_list", {}),
        )
    )


_TOOLS = (_note_add, _note_add, _note_update, _note_update, _tool_search)


# files


def front_matter(bench: "Bench", chance: Random) -> str:
    lines = [f"{name}: {_scalar(value, chance)}" for name, value in fields(chance).items()]
    for key in chance.sample(("created", "updated", "expires", "date", "aliases", "url", "own"), 3):
        value = values.date(chance) if chance.random() < 0.7 else values.anything(chance)
        lines.append(f"{key}: {_scalar(value, chance)}")
    data = "\n".join(("---", *lines, "---", BODY, values.text(chance))).encode("utf-8", "surrogatepass")
    notefile.read(data, "edge.md")
    bench.file(data)
    return ""


def _scalar(value: Any, chance: Random) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_scalar(one, chance) for one in value)}]"
    text = values.written(value)
    return _json(text) if chance.random() < 0.6 else text.replace("\n", " ")


def document(bench: "Bench", chance: Random) -> str:
    """A base as JSON in which one note has other values."""
    whole = json.loads(bench.exported)
    note = dict(whole["notes"][0]) | {"path": "edge.md", "body": BODY}
    for name in chance.sample(list(note), chance.randrange(1, 4)):
        dated = name.endswith("_at") and chance.random() < 0.8
        note[name] = values.date(chance) if dated else values.anything(chance)
    if chance.random() < 0.2:
        name = chance.choice(list(whole["base"]))
        whole["base"][name] = values.anything(chance)
    whole["notes"] = [note]
    data = _json(whole).encode("utf-8", "surrogatepass")
    bench.workspace.archives.restore_data(data, "edge.json", f"edge {bench.next()}")
    return ""


DOORS: dict[str, Callable[["Bench", Random], str]] = {
    "library": library,
    "command line": command_line,
    "HTTP": http,
    "assistants": tools,
    "front matter": front_matter,
    "archive": document,
}

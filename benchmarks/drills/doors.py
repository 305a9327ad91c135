"""Requests of strangers and of careless programs at the front door, as raw as they come off the wire.

Each is one of SHAPES: a path out of a folder, another origin or host, a long head, a version, a key that is sent twice,
a text that is none. What is answered must be what the door promises; a text of SECRET in an answer is a loss.
"""

import json
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import unquote

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Mount
from starlette.types import ASGIApp

import app as front
from benchmarks.drills.wire import HOST, Got, Wire
from core.doors.api import PLACE
from core.doors.api.entrance import Entrance
from core.doors.api.limits import MOST_HEAD
from core.doors.api.server import api
from core.workspace import Workspace
from pages.ui.notes import editor, files

SECRET = b"the secret of the drill"
_TOKEN = "token-of-the-drill"
_PICTURE = b"\x89PNG\r\n\x1a\n"
_BASE = "door"

_PLACES = (
    *(
        "..",
        ".",
        "~",
        "etc",
        "passwd",
        "secret.txt",
        "key",
        "pic.png",
        "loop",
        "out.png",
        ".hidden",
        "door.md",
        "",
        " ",
    ),
    *(
        "%2e%2e",
        "%2f",
        "..%2f",
        "%5c..%5c",
        "\\..\\",
        "%00",
        "%0a",
        "%ed%a0%80",
        "%c0%ae%c0%ae",
        "%252e",
        "C:",
        "a" * 300,
    ),
)
_LOCAL = "http://127.0.0.1:9", "http://localhost:8501", "https://127.0.0.1:8502"
_ORIGINS = ("null", "", "http://evil.example", "http://127.0.0.1:8501.evil.example", "x", *_LOCAL)
_HOSTS = ("evil.example", "0.0.0.0", "127.0.0.1.evil.example", "localhost@evil.example", "", "[::1]", "127.0.0.1 evil")
_LARGE_VERSIONS = '"999999999"', '"9999999999"'
_VERSIONS = ('"1"', '"2"', "*", "", '"0"', "1", 'W/"1"', '"1", "2"', '"-1"', "x", "é", '"1', '""', *_LARGE_VERSIONS)
_LONG = "x" * 10_001, "*a" * 50_000, "path:" + "a," * 4000, "9" * 5000
_TEXTS: tuple[Any, ...] = (
    *("\ud800", "a\0b", "\udcff" * 3, "", " ", "\x1b]52;c;x\x07", "../../etc/passwd", *_LONG),
    *(["tag:a"] * 2000, ["\ud800"], {"\ud800": 1}, [[["x"]]], None, True, -1, 1 << 70, 1e308),
)
_KINDS = "application/json", "application/json; boundary=1", 'application/json; boundary="a"', "text/plain"
_COOKIES = "", "tessera-8501=", f"tessera-8502={_TOKEN}", "tessera-8501=x; ;=\xff", f"token={_TOKEN}"


class Doors:
    """The front door of a workspace, as `app.py` builds it; `locked` needs the token of the pages too."""

    def __init__(self, workspace: Workspace, folder: Path) -> None:
        self._workspace = workspace
        others = [Mount(PLACE, api(lambda: workspace, programs_only=True))]
        routes = [*files.routes(lambda: workspace), editor.routes(lambda: workspace)[0], *others]
        self._open = Starlette(routes=routes, middleware=front.middleware)
        entrance = Middleware(Entrance, token=_TOKEN, others=others)
        self._locked = Starlette(routes=routes, middleware=[*front.middleware, entrance])
        for one in (self._open, self._locked):
            one.router.redirect_slashes = False  # the app of Streamlit has a page for every other path
        self._wire = Wire()
        self._secret = folder / "secret.txt"
        self._secret.write_bytes(SECRET)
        self._vault = _vault(folder / "door", self._secret)
        self._note = ""
        self._keys = 0
        schema = self._ask(self._open, "GET", b"/api/openapi.json", self._shown()).body
        self._operations = _operations(json.loads(schema))

    def close(self) -> None:
        self._wire.close()

    def attempt(self, random: Random) -> tuple[str, Got]:
        """Send one request of a shape; return its shape, and what came of it."""
        self._fill()
        shape = random.choice([*SHAPES])
        got = SHAPES[shape](self, random)
        return shape, Got(got.status, got.body, "the secret" if SECRET in got.body else got.wrong)

    def _fill(self) -> None:
        """Have the note with a picture in the workspace, where a request deleted it."""
        cards = self._workspace.notes.cards_of([self._note])
        if not cards:
            plan = self._workspace.notes.plan_folder(self._vault, _BASE)
            self._workspace.notes.apply(plan, embed=False)
            filters = self._workspace.searching.filters(bases=[_BASE])
            self._note = self._workspace.notes.all(filters)[0].id

    # shapes

    def traversal(self, random: Random) -> Got:
        """Ask for a file beside a note; only the one that is linked to is there, at the address of this run."""
        linked = files.address(self._note, "pic.png")
        place = "/".join(random.choices(_PLACES, k=random.randint(1, 5)))
        seal = random.choice(
            (linked.split("/")[2], files.address(self._note, unquote(place)).split("/")[2], "0" * 64, "")
        )
        note = random.choice((self._note, self._note, "..", "x", "%2e%2e", ""))
        path = f"/attachment/{seal}/{note}/{place}" if random.random() < 0.9 else linked
        got = self._ask(self._open, "GET", path.encode("latin-1", "replace"), {})
        inside = {_PICTURE, (self._vault / "door.md").read_bytes(), b"the key"}
        sealed = path == linked or seal not in ("", "0" * 64)
        allowed = got.status == 404 or (got.status == 200 and got.body in inside and sealed)
        return _judged(got, allowed, path)

    def script(self, random: Random) -> Got:
        """Ask for another file beside the editor's script."""
        place = "/".join(random.choices(_PLACES, k=random.randint(1, 5)))
        path = random.choice((f"/editor/{place}", f"{editor.ADDRESS}/{place}", f"{editor.ADDRESS}%00", editor.ADDRESS))
        got = self._ask(self._open, "GET", path.encode("latin-1", "replace"), {})
        return _judged(got, got.status == (200 if path == editor.ADDRESS else 404), path)

    def origin(self, random: Random) -> Got:
        """Ask as a page of another origin, with the token."""
        headers = self._shown() | {"Origin": random.choice(_ORIGINS)}
        if random.random() < 0.3:
            headers = self._shown() | {
                "Sec-Fetch-Site": random.choice(("cross-site", "same-site")),
                "Sec-Fetch-Mode": "cors",
            }
        method = random.choice(("GET", "POST", "PATCH", "DELETE", "OPTIONS"))
        got = self._ask(self._open, method, self._anywhere(random), headers)
        return _judged(got, got.status == 403, str(headers))

    def host(self, random: Random) -> Got:
        """Ask for another host."""
        headers = self._shown() | {"Host": random.choice(_HOSTS)}
        got = self._ask(self._open, "GET", self._anywhere(random), headers)
        return _judged(got, got.status == 400, str(headers))

    def head(self, random: Random) -> Got:
        """Ask with a long head."""
        size = random.choice((1000, MOST_HEAD // 2, MOST_HEAD + 1, 70_000, 300_000))
        where = random.choice(("header", "headers", "query", "path"))
        path, headers = b"/api/v1/bases", self._shown()
        if where == "header":
            headers["X"] = "x" * size
        elif where == "headers":
            headers |= {f"X-{number}": "x" * 100 for number in range(size // 100)}
        else:
            path += (b"?x=" if where == "query" else b"/") + b"x" * size
        got = self._ask(self._open, "GET", path, headers)
        return _judged(got, (got.status == 431) == (size > MOST_HEAD), f"{where} of {size}")

    def version(self, random: Random) -> Got:
        """Change a note with some If-Match; a version that it hasn't changes nothing."""
        note = self._workspace.notes.add(_BASE, "# Of a version\n", author="person", embed=False)
        if random.random() < 0.5:
            note = self._workspace.notes.update(note.id, body="# Later\n", embed=False)
        version = random.choice(_VERSIONS)
        headers = self._shown() | {"If-Match": version, "Content-Type": "application/json"}
        body = json.dumps({"body": f"# Changed {random.random()}\n"}).encode()
        got = self._ask(self._open, "PATCH", f"/api/v1/notes/{note.id}".encode(), headers, body)
        holds = version in ("", "*", f'"{note.version}"')
        now = self._workspace.notes.get(note.id)
        allowed = got.status < 300 if holds else got.status in (412, 422) and now.version == note.version
        self._workspace.notes.delete(note.id)
        return _judged(got, allowed, version)

    def key(self, random: Random) -> Got:
        """Send two creations with one key; the second is the first, or it is refused."""
        self._keys += 1
        kind = random.choice(_KINDS)
        names = [f"a{self._keys}", random.choice((f"a{self._keys}", f"a{self._keys}1", f"aa{self._keys}"))]
        headers = self._shown() | {"Idempotency-Key": f"drill-{self._keys}", "Content-Type": kind}
        first, second = (
            self._ask(self._open, "POST", b"/api/v1/bases", headers, json.dumps({"name": name}).encode())
            for name in names
        )
        same = first.body == second.body and first.status == second.status
        allowed = same if names[0] == names[1] or first.status != 201 else second.status == 422
        with ExitStack() as after:
            for base in self._workspace.bases.all():
                if base.name in names:
                    after.callback(self._workspace.bases.delete_for_good, base.name)
        return _judged(second, allowed or first.status == second.status == 422, f"{kind} {names}")

    def text(self, random: Random) -> Got:
        """Put a text that is none, or another kind of value, into a body that the schema's example fills."""
        method, path, example, names = random.choice(self._operations)
        path = path.replace("{note}", self._note).replace("{base}", _BASE)
        body = dict(example)
        for name in random.sample(names, min(len(names), random.randint(1, 2))):
            body[name] = random.choice(_TEXTS)
        if random.random() < 0.1:
            body[str(random.choice(_TEXTS[:8]))] = 1
        headers = self._shown() | {"Content-Type": "application/json"}
        got = self._ask(self._open, method.upper(), f"/api{path}".encode(), headers, json.dumps(body).encode())
        return _judged(got, got.status < 500 or got.status == 503, f"{method} {path} {json.dumps(body)[:300]}")

    def stranger(self, random: Random) -> Got:
        """Ask for a page, where the pages need a token, without it."""
        cookie = random.choice(_COOKIES)
        path = random.choice((self._anywhere(random), b"/?token=", b"/?token=x", b"/?token=%ff"))

        got = self._ask(self._locked, random.choice(("GET", "POST")), path, {"Cookie": cookie})
        programs = path.startswith(b"/api/")
        return _judged(got, got.status == (401 if programs else 403), path.decode())

    # asking

    def _anywhere(self, random: Random) -> bytes:
        places = [
            "/",
            "/notes",
            "/api/v1/notes",
            "/api/none",
            editor.ADDRESS,
            files.address(self._note, "pic.png"),
        ]
        return random.choice(places).encode()

    def _shown(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._workspace.access.token}"}

    def _ask(self, app: ASGIApp, method: str, path: bytes, headers: Mapping[str, str], body: bytes = b"") -> Got:
        return self._wire.ask(app, method, path, {"Host": HOST, **headers}, body)


SHAPES: Mapping[str, Callable[[Doors, Random], Got]] = {
    "a path under /attachment": Doors.traversal,
    "a path under /editor": Doors.script,
    "another origin": Doors.origin,
    "another host": Doors.host,
    "a long head": Doors.head,
    "If-Match": Doors.version,
    "a key sent twice": Doors.key,
    "a text in a body": Doors.text,
    "a page without its token": Doors.stranger,
}
"""Each kind of request, by the name of its row."""


def _judged(got: Got, allowed: bool, request: str) -> Got:
    return got if allowed else Got(got.status, got.body, f"{got.status} for {request[:500]}")


def _vault(folder: Path, secret: Path) -> Path:
    """Make a folder with one note that links to a picture, and with what nobody may see beside it."""
    (folder / ".hidden").mkdir(parents=True)
    (folder / "door.md").write_text("# Door\n\n![p](pic.png)\n", encoding="utf-8")
    (folder / "pic.png").write_bytes(_PICTURE)
    (folder / "key").write_bytes(b"the key")
    (folder / ".hidden" / "key").write_bytes(SECRET)
    (folder / "loop").symlink_to("loop")
    (folder / "out.png").symlink_to(secret)
    return folder


def _operations(schema: dict[str, Any]) -> list[tuple[str, str, dict[str, Any], list[str]]]:
    """Return the operations that take JSON: method, path, an example, and the names in its body."""
    found = []
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            content = operation.get("requestBody", {}).get("content", {}).get("application/json")
            if content:
                model = schema["components"]["schemas"][content["schema"]["$ref"].rpartition("/")[2]]
                found.append((method, path, content.get("example") or {}, [*model["properties"]]))
    return found

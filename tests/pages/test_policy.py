"""The headers are on an answer that no route gave, too."""

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.testclient import TestClient

from pages.ui.shared.server import HEADERS, Policy, failure


def fail(_: Request) -> Response:
    raise RuntimeError


def test_a_failure_carries_the_policy() -> None:
    app = Starlette(routes=[Route("/", fail)], middleware=[Middleware(Policy)], exception_handlers={Exception: failure})
    answer = TestClient(app, raise_server_exceptions=False).get("/")
    assert answer.status_code == 500
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS

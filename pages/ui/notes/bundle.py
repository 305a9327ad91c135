"""The route of the editor's script: one file, which a browser loads once per version."""

import hashlib
from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse
from starlette.routing import Route

FILE = Path(__file__).with_name("codemirror") / "codemirror.js"
ADDRESS = f"/editor/codemirror-{hashlib.sha256(FILE.read_bytes()).hexdigest()[:16]}.js"


async def _script(_: Request) -> FileResponse:
    return FileResponse(FILE, media_type="text/javascript", headers={"Cache-Control": "max-age=31536000, immutable"})


ROUTE = Route(ADDRESS, _script)

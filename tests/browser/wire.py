"""The WebSocket between a page and the server: what is said on it, held back or added by a test.

It is watched in the page itself: a route of Playwright's handles messages only while the test waits for the page.
"""

import base64
from pathlib import Path
from typing import Literal

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.browser.conftest import Tab

Way = Literal["sent", "heard"]


class Wire:
    """The messages that the page of a tab has sent and heard since it was opened."""

    def __init__(self, tab: Tab) -> None:
        self._page = tab.page
        self._page.add_init_script(path=Path(__file__).with_suffix(".js"))

    def hold(self, way: Way) -> None:
        """Hold back what the page sends, or what it is sent."""
        self._page.evaluate("way => { testWire.holds = way; }", way)

    def release(self) -> None:
        """Let through what is held back, in its order."""
        self._page.evaluate("testWire.release()")

    def held_back(self) -> list[BackMsg]:
        """The messages of the page that were held back."""
        return [BackMsg.FromString(said) for said, held in self._said("sent") if held]

    def heard(self) -> list[ForwardMsg]:
        """The messages of the server, those that are held back, too."""
        return [ForwardMsg.FromString(said) for said, _ in self._said("heard")]

    def _said(self, way: Way) -> list[tuple[bytes, bool]]:
        return [(base64.b64decode(said), held) for said, held in self._page.evaluate(f"testWire.{way}")]

    def say(self, message: bytes) -> None:
        """Send the server a message as the page does."""
        self._page.evaluate("bytes => testWire.say(bytes)", list(message))

    def hear(self, message: bytes) -> None:
        """Send the page a message as the server does."""
        self._page.evaluate("bytes => testWire.hear(bytes)", list(message))

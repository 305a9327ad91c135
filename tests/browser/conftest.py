import http
import io
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from playwright.sync_api import Browser, BrowserContext, FloatRect, Locator, Page, Response, expect, sync_playwright

from core.doors import cli
from pages.ui.shared.server import HEADERS
from tests.waiting import wait_until

ROOT = Path(__file__).parents[2]
NAMES = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 30_000
IMPORT = 120_000
MOVING = """document.getAnimations().some(one =>
  one.playState === 'running' && one.effect.getComputedTiming().endTime !== Infinity)"""
MOST_TABS = 80
"""Presses of Tab after which a control counts as out of reach."""


@dataclass
class Tab:
    """A browser tab, every address that it asked for, and what became of the policy in it."""

    page: Page
    url: str
    requests: list[str] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)
    """Addresses of the app that were answered without its headers."""
    violations: list[str] = field(default_factory=list)
    """What the browser said where the policy stopped something."""

    def watch(self) -> None:
        """Write down from now on what happens in the tab."""
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("websocket", lambda socket: self.requests.append(socket.url))
        self.page.on("response", self._answered)
        self.page.on(
            "console", lambda line: self.violations.append(line.text) if "Security Policy" in line.text else None
        )

    def _answered(self, response: Response) -> None:
        headers = {name.lower(): value for name, value in HEADERS.items()}
        if response.url.startswith(self.url) and not headers.items() <= response.headers.items():
            self.gaps.append(response.url)

    def open(self, path: str) -> None:
        self.page.goto(self.url + path)
        self.settle()

    def settle(self) -> None:
        """Wait for the script to have run; wait for an expected text first: this is true before it starts too."""
        self.page.wait_for_selector(
            '[data-testid="stApp"][data-test-connection-state="CONNECTED"][data-test-script-state="notRunning"]'
        )
        expect(self.page.locator('[data-stale="true"]')).to_have_count(0)  # the policy lets no function be polled

    def still(self, control: Locator) -> FloatRect:
        """Wait until neither what is drawn above a control nor an animation moves it; return its box."""
        boxes: list[FloatRect] = []

        def stays() -> bool:
            boxes.extend(box for box in [control.bounding_box()] if box)
            return len(boxes) > 1 and boxes[-1] == boxes[-2] and not self.page.evaluate(MOVING)

        expect(control).to_be_visible()
        self.settle()
        wait_until(stays, lambda _: self.page.wait_for_timeout(100))
        return boxes[-1]

    def await_keys(self) -> None:
        """Wait until the page takes the keys of the app."""
        self.wait_until(lambda: self.page.evaluate("Boolean(window.tesseraKeys)"))

    def wait_until(self, holds: Callable[[], object]) -> None:
        """Wait until something holds, while the page goes on."""
        wait_until(holds, lambda seconds: self.page.wait_for_timeout(1000 * seconds))

    def printed(self) -> str:
        """Return the text of the page as it is printed, one line for each that is in it."""
        document = pypdfium2.PdfDocument(self.page.pdf(format="A4", prefer_css_page_size=True))
        pages = [page.get_textpage().get_text_range() for page in document]
        return "\n".join(line.strip() for text in pages for line in text.splitlines() if line.strip())

    def reach(self, control: Locator) -> None:
        """Press Tab until a control has the focus."""
        expect(control).to_be_visible()
        for _ in range(MOST_TABS):
            if control.evaluate("one => one.getRootNode().activeElement === one"):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"Tab doesn't reach {control}")

    @property
    def outside(self) -> list[str]:
        """Question of anybody but the app."""
        own = (self.url, self.url.replace("http", "ws"), "data:", "blob:")
        return [address for address in self.requests if not address.startswith(own)]


@contextmanager
def importing(tab: Tab) -> Iterator[None]:
    """Wait for the end of the import that is begun meanwhile; the page may still show the ends of earlier ones."""
    ended = ".t-done[data-job^='import-']"
    earlier = tab.page.locator(ended).evaluate_all("all => all.map(job => job.dataset.job)")
    yield
    new = ended + "".join(f":not([data-job='{job}'])" for job in earlier)
    expect(tab.page.locator(new)).to_be_visible(timeout=IMPORT)


def import_folder(tab: Tab, folder: Path) -> None:
    """Import a folder through the page, as far as it is new, and wait for the model."""
    page = tab.page
    tab.open("/notes?import=1")
    page.get_by_role("textbox", name="Folder path").fill(str(folder))
    page.keyboard.press("Enter")
    expect(page.get_by_text("What will change")).to_be_visible()
    tab.settle()
    if (apply := page.get_by_role("button", name="Apply")).is_enabled():
        with importing(tab):
            apply.click()
    expect(page.get_by_text("Ready to search")).to_be_visible(timeout=IMPORT)


def tessera(*arguments: str) -> dict[str, Any]:
    """What a command answers; its start in a process of its own would take longer than the command."""
    interrupted = signal.getsignal(signal.SIGINT)
    try:
        with redirect_stdout(io.TextIOWrapper(io.BytesIO())) as printed, pytest.raises(SystemExit) as ended:
            cli.main([*arguments, "--json"])
    finally:
        signal.signal(signal.SIGINT, interrupted)
    assert not ended.value.code
    printed.seek(0)
    answer: dict[str, Any] = json.load(printed)
    return answer


@contextmanager
def light_workspace(folder: Path) -> Iterator[Path]:
    """The workspace in a folder, for commands and the app, with an embedder that needs no model."""
    with pytest.MonkeyPatch.context() as settings:
        settings.setenv("TESSERA_EMBEDDER", "tfidf")
        settings.setenv("TESSERA_SEARCH__RERANKER", "none")
        settings.setenv("TESSERA_WORKSPACE", str(folder / "workspace"))
        yield folder / "workspace"


@contextmanager
def vault_workspace(folder: Path) -> Iterator[Path]:
    """The same with the notes of the folder `vault` beside it as the base `vault`."""
    with light_workspace(folder) as place:
        tessera("import", str(folder / "vault"), "--base", "vault")
        yield place


def chromium_path() -> str | None:
    """Where Chromium is, None if it isn't installed."""
    return os.environ.get("CHROMIUM") or next((found for name in NAMES if (found := shutil.which(name))), None)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    path = chromium_path()
    if path is None:
        pytest.skip("There is no Chromium; install it or name it in CHROMIUM.")
    with sync_playwright() as playwright:
        expect.set_options(timeout=PATIENCE)
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The workspace of the app; it isn't there yet."""
    return tmp_path_factory.mktemp("app") / "workspace"


@pytest.fixture(scope="module")
def server(place: Path, chromium: Browser) -> Iterator[str]:
    with serving(place) as url:
        yield url


@contextmanager
def serving(place: Path, folder: Path = ROOT, *options: str, out: Path | None = None) -> Iterator[str]:
    """The app as a person starts it, in a folder; nothing has been asked of it yet. What it prints goes into `out`."""
    with running(app_of(place, folder, *options, out=out)) as server:
        yield server.url


@contextmanager
def started(*module: str, folder: Path, environment: Mapping[str, str], out: Path | None = None) -> Iterator[str]:
    """A server of Streamlit in a process of its own; its port comes last on its command line."""
    with running(Server(module, folder, environment, out)) as server:
        yield server.url


@contextmanager
def running(server: "Server") -> Iterator["Server"]:
    server.start()
    try:
        yield server
    finally:
        server.stop()


def app_of(place: Path, folder: Path = ROOT, *options: str, out: Path | None = None) -> "Server":
    """The app of a workspace, not started yet."""
    # One thread for the model: it shares the processor with the browser.
    environment = {"TESSERA_WORKSPACE": str(place), "OMP_NUM_THREADS": "1"}
    # The machine of the person who runs the tests may have model servers.
    environment |= {"TESSERA_LLM__DISCOVER": os.environ.get("TESSERA_LLM__DISCOVER", "false")}
    return Server(("core.doors.cli", "app", "--no-browser", *options, "--port"), folder, environment, out)


class Server:
    """A server of Streamlit in a process of its own, always at the same port, which comes last on its command line."""

    def __init__(
        self, module: tuple[str, ...], folder: Path, environment: Mapping[str, str], out: Path | None = None
    ) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self._command = [sys.executable, "-m", *module, str(port)]
        self._folder, self._environment = folder, os.environ | environment
        self._out = out or Path(os.devnull)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it answers."""
        with self._out.open("wb") as printed:
            self._process = subprocess.Popen(
                self._command,
                cwd=self._folder,
                env=self._environment,
                stdout=printed,
                stderr=subprocess.DEVNULL,
            )
        try:
            self._wait(self._process)
        except BaseException:
            self.stop()
            raise

    def kill(self) -> None:
        """End it as a crash does."""
        if self._process:
            self._process.kill()
            self._process.wait()

    def stop(self) -> None:
        """End it as a person does."""
        if self._process:
            self._process.terminate()
            try:
                self._process.wait(30)
            except subprocess.TimeoutExpired:
                self.kill()

    def _wait(self, process: "subprocess.Popen[bytes]") -> None:
        wait_until(lambda: self._answers() or process.poll() is not None)
        assert process.poll() is None, "The app did not start."

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=10):
                return True
        except urllib.error.HTTPError as error:
            return error.code == http.HTTPStatus.FORBIDDEN  # it answers, but not to everybody
        except OSError:
            return False


@contextmanager
def profile(chromium: Browser) -> Iterator[BrowserContext]:
    context = chromium.new_context(
        locale="en-US", viewport={"width": 1440, "height": 1000}, reduced_motion="reduce", color_scheme="light"
    )
    try:
        yield context
    finally:
        context.close()


@pytest.fixture(scope="module")
def visitor(chromium: Browser) -> Iterator[BrowserContext]:
    """A profile for all tests of a module, which keeps what was compiled of the app; `visiting` empties its storage."""
    with profile(chromium) as context:
        yield context


@pytest.fixture
def tab(server: str, visitor: BrowserContext) -> Iterator[Tab]:
    with visiting(visitor, server) as tab:
        yield tab


@contextmanager
def browsing(chromium: Browser, url: str) -> Iterator[Tab]:
    """A tab of a profile of its own."""
    with profile(chromium) as context, visiting(context, url) as tab:
        yield tab


@contextmanager
def visiting(context: BrowserContext, url: str) -> Iterator[Tab]:
    """A tab, in which nobody but the app is asked, the app always says its policy, and nothing offends against it."""
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Storage.clearDataForOrigin", {"origin": url, "storageTypes": "cookies,local_storage,indexeddb"})
    session.detach()
    page.set_default_timeout(PATIENCE)
    tab = Tab(page, url)
    tab.watch()
    try:
        yield tab
    finally:
        for one in context.pages:
            one.close()
    assert tab.outside == []
    assert tab.gaps == []
    assert tab.violations == []

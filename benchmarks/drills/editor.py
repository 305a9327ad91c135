"""A browser in which a person writes and leaves the editor by every way out: is each letter there afterwards?

A walk is a new note or the edit of one: typing, keys, completion, saves, and ways out between. What was typed is
compared letter by letter with the editor after every step, and with the database in the end. An attempt is a way out.
`told`: the text was in the editor at once, or offered; `lost`: letters are missing or stand elsewhere.
"""

import os
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Error, Page, expect

from benchmarks.drills.browser import ENVIRONMENT, chromium
from benchmarks.drills.given import Given
from benchmarks.drills.tally import Tally
from benchmarks.drills.typist import PATIENCE, Lost, Typist
from core.workspace import Workspace
from tests.browser.conftest import Server, app_of, running

_NOTES = 12
_ELSEWHERE = 15
"""Seconds after which a text is looked for where it is offered."""
_STEPS = 4
"""Ways out of a walk at most."""
END = "saved in the end"


class Walk:
    """A way through the editor; a fault says the seed and the steps."""

    def __init__(self, tally: Tally, context: BrowserContext, server: Server, place: Path, seed: str) -> None:
        self.tally, self.context, self.server, self.place, self.seed = tally, context, server, place, seed
        self.chance = random.Random(seed)
        self.page = self._tab()
        self.typist = Typist(self.page, self.chance)

    def run(self) -> None:
        """Write, leave and come back some times, and save."""
        way = "opening"
        try:
            self._begin()
            for _ in range(self.chance.randint(2, _STEPS)):
                for _ in range(self.chance.randint(1, 4)):
                    self.typist.act()
                way = self.chance.choice(list(WAYS))
                self.typist.done.append(way)
                self.typist.burst()
                WAYS[way](self)
                self.tally.count(way, told=True)
                way = "typing"
            way = END
            self._end()
            self.tally.count(way, told=True)
            if "Traceback" in (log := self._log()):
                self.tally.count("the log", died=f"{self._place()}: {log[log.index('Traceback') :][-1500:]}")
        except Lost as lost:
            self.tally.count(way, lost=f"{self._place()}: {lost}")
        except (Error, AssertionError) as error:
            self.tally.count(way, died=f"{self._place()}: {str(error)[:400]}")

    def _log(self) -> str:
        return "".join(file.read_text() for file in self.place.glob("logs/*.log"))

    def _place(self) -> str:
        try:
            says = self.page.locator(".st-key-writing_bar, [data-testid=stAlert]").all_inner_texts()
        except Error:
            says = []
        return f"seed {self.seed}, {', '.join(self.typist.done)}, the page says {says}"

    def _tab(self) -> Page:
        page = self.context.new_page()
        page.set_default_timeout(PATIENCE * 1000)
        return page

    def open(self, address: str) -> None:
        """Open a page of the app; a tab that found no server may look for it again at the same moment."""
        for _ in range(5):
            try:
                self.page.goto(self.server.url + address)
            except Error:
                self.page.wait_for_timeout(500)
            else:
                return
        raise Lost("the page doesn't open")

    def _begin(self) -> None:
        if self.chance.random() < 0.5:
            self.open("/notes")
            self.page.get_by_role("button", name="New note").click()
        else:
            with Workspace(self.place, readonly=True) as workspace:
                card = self.chance.choice([card for card in workspace.notes.all() if card.title.startswith("Shelf")])
                self.typist.text = workspace.notes.get(card.id).body
            self.open(f"/notes?note={card.id}")
            self.page.get_by_role("button", name="Edit").click()
        self.typist.arrive()

    def resume(self) -> None:
        """Go on with the text: it is in the editor, or offered as a draft, or saved."""
        now = time.monotonic()
        end, elsewhere = now + PATIENCE, now + _ELSEWHERE
        while not self.typist.box.is_visible():
            drafts = self._drafts()
            if time.monotonic() > elsewhere and (drafts or self._saved()):
                elsewhere = time.monotonic() + _ELSEWHERE
                self.open(self._address(drafts))  # Forward need not lead back to it, nor to a note that was made
            ways = [self.page.locator(f".st-key-resume_{key.replace(' ', '-')} button") for key in drafts]
            if self._saved():
                ways.append(self.page.get_by_role("button", name="Edit", exact=True))
            for way in ways:
                if way.count():
                    way.click()
                    self.typist.arrive()
                    return
            if time.monotonic() > end:
                raise Lost("the text is neither in the editor nor offered")
            self.page.wait_for_timeout(100)
        self.typist.arrive()

    def _drafts(self) -> list[str]:
        with Workspace(self.place, readonly=True) as workspace:
            return [draft.key for draft in workspace.drafts.all() if draft.body == self.typist.text]

    def _address(self, drafts: Sequence[str]) -> str:
        """Return where the text is offered, or can be edited."""
        note = drafts[0].split(" ")[0] if drafts else self._saved()
        return "/notes" if note.startswith("new") else f"/notes?note={note}"

    def _saved(self) -> str:
        """Return the id of a note with this text, empty if none has it."""
        with Workspace(self.place, readonly=True) as workspace:
            ids = (card.id for card in workspace.notes.all())
            return next((one for one in ids if workspace.notes.get(one).body == self.typist.text), "")

    def _end(self) -> None:
        self.typist.burst()
        self.page.keyboard.press("Control+s")
        saved = self.page.locator(".st-key-writing_state").get_by_text("Saved", exact=True)
        mine = self.page.get_by_role("button", name="Save mine over it")  # a save before a crash was another's for it
        expect(saved.or_(mine).first).to_be_visible()
        if mine.is_visible():
            mine.click()
        expect(saved).to_be_visible()
        self.typist.compare("after the last save")
        end = time.monotonic() + PATIENCE  # the page may still say what it said of the save before
        while not self._saved():
            if time.monotonic() > end:
                raise Lost(f"no note has the text {self.typist.text[-200:]!r}")
            self.page.wait_for_timeout(200)


def _done(walk: Walk) -> None:
    done = walk.page.locator(".st-key-writing_leave button")
    done.click()
    expect(walk.page.locator(".st-key-conflict, .st-key-new_note").first).to_be_visible()
    if done.is_visible():  # what can't be saved is shown before it is left as a draft
        done.click()
    expect(walk.typist.box).to_have_count(0)
    walk.resume()


def _menu(walk: Walk) -> None:
    name = walk.chance.choice(("Search", "Home", "Chunks", "Settings"))
    menu = walk.page.get_by_test_id("stSidebar")
    menu.get_by_role("link", name=name).click()
    expect(walk.typist.box).to_have_count(0)
    if walk.chance.random() < 0.5:
        walk.page.go_back()
    else:
        menu.get_by_role("link", name="Notes").click()
    walk.resume()


def _back(walk: Walk) -> None:
    walk.page.go_back()
    walk.page.wait_for_timeout(walk.chance.choice((0, 300, 1000)))
    walk.page.go_forward()
    walk.page.wait_for_timeout(300)
    if not walk.page.url.startswith(walk.server.url):
        walk.open("/notes")
    walk.resume()


def _reload(walk: Walk) -> None:
    walk.page.reload()
    walk.resume()


def _closed(walk: Walk) -> None:
    address = walk.page.url.removeprefix(walk.server.url)
    walk.page.close(run_before_unload=walk.chance.random() < 0.5)
    walk.page = walk.typist.page = walk._tab()
    walk.open(address)
    walk.resume()


def _killed(walk: Walk) -> None:
    seen = walk.typist.sight()
    walk.server.kill()
    for _ in range(walk.chance.randint(1, 3)):
        walk.typist.burst("typing while no server answers")
        walk.page.wait_for_timeout(walk.chance.choice((0, 500)))
    walk.server.start()
    for _ in range(walk.chance.randint(2, 6)):
        walk.typist.burst("typing while the server comes back")
        walk.page.wait_for_timeout(walk.chance.choice((0, 200)))
    walk.typist.arrive(after=seen.session if seen else "")


def _killed_and_reloaded(walk: Walk) -> None:
    address = walk.page.url.removeprefix(walk.server.url)
    walk.server.kill()
    walk.typist.burst("typing while no server answers")
    with suppress(Error):
        walk.page.reload()
    walk.server.start()
    walk.open(address)
    walk.resume()


def _another_tab(walk: Walk) -> None:
    """Go on in a second tab while the first one writes too: each text is saved, or a draft."""
    address, first, page = walk.page.url.removeprefix(walk.server.url), walk.typist, walk.page
    walk.page.wait_for_timeout(1200)
    walk.page = walk._tab()
    walk.typist = Typist(walk.page, walk.chance)
    walk.typist.text, walk.typist.done = first.text, first.done
    walk.open(address)
    walk.resume()
    walk.typist.burst("typing in the second tab")
    page.bring_to_front()
    first.focus()
    first.burst("typing in the first tab")
    page.wait_for_timeout(1200)
    page.close()
    walk.page.bring_to_front()
    walk.page.wait_for_timeout(1200)
    walk.typist.compare("in the second tab")
    with Workspace(walk.place, readonly=True) as workspace:
        texts = {draft.body for draft in workspace.drafts.all()}
        texts |= {workspace.notes.get(card.id).body for card in workspace.notes.all()}
    for text in (first.text, walk.typist.text):
        if text not in texts:
            raise Lost(f"{text[-100:]!r} is neither saved nor a draft: {[body[-100:] for body in texts]}")
    walk.typist.letters += first.letters


WAYS: dict[str, Callable[[Walk], None]] = {
    "Done": _done,
    "another page": _menu,
    "Back and Forward": _back,
    "reload": _reload,
    "tab closed": _closed,
    "server killed": _killed,
    "server killed, reload": _killed_and_reloaded,
    "two tabs": _another_tab,
}


def workspace(place: Path) -> None:
    """Make a workspace of a few notes."""
    with Workspace(place) as made:
        for number in range(_NOTES):
            made.notes.add("home", f"Shelf {number}\n", title=f"Shelf {number}", embed=False)
        made.notes.add("home", "Rules #kitchen\n", title="Rules of the house", embed=False)


def walk(tally: Tally, browser: Browser, server: Server, place: Path, seed: str) -> int:
    """Walk once, in a browser that knows nothing yet, and return how many letters were typed."""
    with browser.new_context(locale="en-US", viewport={"width": 1440, "height": 1000}) as context:
        going = Walk(tally, context, server, place, seed)
        going.run()
        return going.typist.letters


def drill(tally: Tally, given: Given) -> None:
    """Walk `count` times, 25 times in each workspace."""
    os.environ |= ENVIRONMENT
    letters = walks = 0
    expect.set_options(timeout=PATIENCE * 1000)
    with chromium() as browser:
        while walks < given.count and given.goes_on:
            with tempfile.TemporaryDirectory() as folder:
                place = Path(folder, "workspace")
                workspace(place)
                with running(app_of(place)) as server:
                    for _ in range(min(25, given.count - walks)):
                        told = len(tally.faults)
                        letters += walk(tally, browser, server, place, f"{given.seed}.{walks}")
                        walks += 1
                        print(f"walk {walks}, {letters:,} letters", *tally.faults[told:], sep="\n", flush=True)
                        if len(tally.faults) > told or not given.goes_on:
                            break  # what was left is in nobody's way
    print(f"{walks} walks, {letters:,} letters typed", flush=True)

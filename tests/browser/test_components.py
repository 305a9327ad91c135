"""Each script of a page alone in Chromium, under the app's policy and without Streamlit: what it draws and sends."""

import inspect
import json
import random
from collections.abc import Iterator, Mapping
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt
from playwright.sync_api import Browser, Locator, Page, Request, Route, expect
from streamlit.components.v2.types import ComponentRenderer

from pages.ui import map as map_view
from pages.ui.chunks import bands
from pages.ui.notes import actions, composer, editing, routes
from pages.ui.shared import language_and_look, shortcuts, tree, widgets
from pages.ui.shared.document import VIEW, VIEW_ATTRIBUTES, VIEW_ELEMENTS
from pages.ui.shared.server import HEADERS

pytestmark = pytest.mark.browser

HOME = "http://app.test/"
RUN = "localStorage.ran=1"
"""What a payload does where it runs."""
PICTURE = "<img src='/attachment/n/a.png'>"
PLAN = "<svg xmlns='http://www.w3.org/2000/svg' width='40' height='30'/>"
NAMES = "one => [...one.querySelectorAll('*')].map(one => [one.localName, one.getAttributeNames()])"


class Stage:
    """A page with one component, where time passes only when it is told to."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.requests: list[str] = []
        self.body = ""
        self.headers: Mapping[str, str] = {}
        page.add_init_script(path=Path(__file__).with_name("stage.js"))
        page.clock.install(time=0)
        page.clock.pause_at(1000)
        page.route("**/*", self._answer)
        page.on("request", self._note)

    def mount(self, component: ComponentRenderer, body: str = "", headers: Mapping[str, str] = HEADERS) -> "Stage":
        """Open a new page that has `body`, and put the component into it."""
        self.body, self.headers = body, headers
        self.page.goto(HOME)
        self.page.evaluate("localStorage.clear()")
        self.requests.clear()
        source = inspect.getclosurevars(component).nonlocals
        self.page.evaluate("source => mount(source)", {name: source[name] or "" for name in ("html", "css", "js")})
        return self

    def draw(self, **data: object) -> None:
        self.page.evaluate("data => draw(data)", data)

    def one(self, selector: str) -> Locator:
        return self.page.locator(selector)

    def later(self, milliseconds: int) -> None:
        self.page.clock.run_for(milliseconds)

    @property
    def sent(self) -> list[Any]:
        """What was triggered since the last look, each with its value."""
        values: list[Any] = self.page.evaluate("sent.splice(0)")
        return values

    @property
    def stored(self) -> dict[str, str]:
        values: dict[str, str] = self.page.evaluate("({ ...localStorage })")
        return values

    def focused(self) -> str:
        """The id of the element that has the focus."""
        return str(self.page.evaluate("document.activeElement.id"))

    def _answer(self, route: Route) -> None:
        if route.request.url.endswith(routes.SCRIPT_ADDRESS):
            route.fulfill(path=routes.SCRIPT, content_type="text/javascript")
            return
        if route.request.url.endswith("path=plan.png"):
            route.fulfill(body=PLAN, content_type="image/svg+xml")
            return
        route.fulfill(
            body=f"<!doctype html><title>t</title>{self.body}", content_type="text/html", headers={**self.headers}
        )

    def _note(self, request: Request) -> None:
        if not request.url.startswith("blob:"):
            self.requests.append(request.url)


@pytest.fixture(scope="module")
def stage(chromium: Browser) -> Iterator[Stage]:
    with chromium.new_context(viewport={"width": 900, "height": 700}) as context:
        yield Stage(context.new_page())


def folder(name: str, *notes: str, folders: tuple[object, ...] = (), rest: str = "") -> dict[str, object]:
    return {
        "name": name,
        "count": len(notes),
        "folders": folders,
        "notes": [[note, note.upper(), "3", "later" if note == "waiting" else ""] for note in notes],
        "rest": rest,
    }


def test_a_copy_is_told_where_it_is_wanted_and_says_so_for_a_while(stage: Stage) -> None:
    stage.mount(widgets.COPY)
    stage.page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: {writeText: async () => {}}})")
    data = {"label": "Copy", "done": "Copied", "text": "a heron"}
    for tells, sent in ((False, []), (True, [["copied", True]])):
        stage.draw(**data, tells=tells)
        stage.one("button").click()
        expect(stage.one("button")).to_have_text("Copied")
        assert stage.sent == sent
        stage.draw(**data, tells=tells)
        expect(stage.one("button")).to_have_text("Copied")
        stage.later(2000)
        expect(stage.one("button")).to_have_text("Copy")


class TestMap:
    HOSTILE = f"<img src=x onerror={RUN}>"

    @pytest.fixture
    def shown(self, stage: Stage) -> Stage:
        stage.mount(map_view.VIEW)
        stage.draw(
            points=[[0.25, 0.25, 0], [0.75, 0.75, -1]],
            ids=["first", "second"],
            titles=[self.HOSTILE, "Second"],
            links=[[0, 1]],
            regions=[[0.5, 0.5, self.HOSTILE, 2]],
            ramp=False,
            about="A map of 2 notes",
            help="Drag",
            stamp=1,
        )
        stage.later(100)
        expect(stage.one(".map")).to_have_attribute("data-drawn", "yes")
        return stage

    def at(self, stage: Stage, x: float, y: float) -> tuple[float, float]:
        """Where a place of the map is on the page."""
        place: tuple[float, float] = stage.one(".map").evaluate(
            "({ view }, [x, y]) => { const box = view.canvas.getBoundingClientRect(), unit = view.size * view.scale;"
            " return [box.left + view.x + x * unit, box.top + view.y + y * unit]; }",
            [x, y],
        )
        return place

    def test_a_click_on_a_point_opens_its_note_and_one_beside_it_none(self, shown: Stage) -> None:
        shown.page.mouse.click(*self.at(shown, 0.5, 0.25))
        assert shown.sent == []
        shown.page.mouse.move(*self.at(shown, 0.25, 0.25))
        expect(shown.one(".title")).to_have_text(self.HOSTILE)
        assert shown.one(".title *").count() == 0
        shown.page.mouse.click(*self.at(shown, 0.25, 0.25))
        assert shown.sent == [["open", "first"]]
        assert "ran" not in shown.stored

    def test_it_is_dragged_and_zoomed_and_points_stay_under_the_pointer(self, shown: Stage) -> None:
        left, top = self.at(shown, 0.75, 0.75)
        shown.page.mouse.move(left, top)
        shown.page.mouse.down()
        shown.page.mouse.move(left - 60, top - 40, steps=3)
        shown.page.mouse.up()
        shown.later(100)
        assert shown.sent == []
        assert self.at(shown, 0.75, 0.75) == pytest.approx([left - 60, top - 40])
        shown.page.mouse.wheel(0, -300)
        shown.later(100)
        assert self.at(shown, 0.75, 0.75) == pytest.approx([left - 60, top - 40])
        shown.page.mouse.click(left - 60, top - 40)
        assert shown.sent == [["open", "second"]]

    def test_it_is_seen_whole_in_a_window_of_another_size(self, shown: Stage) -> None:
        for width in (390, 1000):
            shown.page.set_viewport_size({"width": width, "height": 700})
            shown.later(100)
            left, top, wide, high = shown.one("canvas").evaluate(
                "one => (({ left, top, width, height }) => [left, top, width, height])(one.getBoundingClientRect())"
            )
            middle, reach = (left + wide / 2, top + high / 2), min(wide, high) / 2
            assert self.at(shown, 0.5, 0.5) == pytest.approx(middle)
            assert self.at(shown, 1, 1) == pytest.approx([place + reach for place in middle])

    def test_keys_move_it_and_open_what_is_in_the_middle(self, shown: Stage) -> None:
        canvas = shown.one("canvas")
        canvas.focus()
        before = self.at(shown, 0.25, 0.25)
        canvas.press("ArrowLeft")
        assert self.at(shown, 0.25, 0.25)[0] == before[0] + 60
        canvas.press("Enter")
        assert shown.sent == []
        expect(canvas).to_have_attribute("aria-label", "A map of 2 notes · Drag")


class TestTree:
    @pytest.fixture
    def shown(self, stage: Stage) -> Stage:
        return stage.mount(tree.VIEW)

    def draw(self, stage: Stage, *inner: object, stamp: str = "1", **data: object) -> None:
        whole = folder("", "top", folders=inner)
        standard = {"tree": whole, "chosen": None, "path": [], "all": False, "listing": []}
        stage.draw(**{**standard, "stamp": stamp, **data})

    def test_a_click_picks_a_note_in_a_folder_that_a_person_unfolds(self, shown: Stage) -> None:
        self.draw(shown, folder("rooms", "kitchen", "waiting", folders=(folder("below", "cellar"),)))
        expect(shown.one("button")).to_have_text(["TOP3"])
        shown.one("summary").click()
        expect(shown.one("button")).to_have_text(["KITCHEN3", "WAITING3", "TOP3"])
        shown.one("button").first.click()
        assert shown.sent == [["pick", "kitchen"]]
        expect(shown.one("i.pending")).to_have_count(1)
        expect(shown.one("i.pending")).to_have_attribute("title", "later")
        shown.one("summary").last.click()
        shown.one("[data-id=cellar]").click()
        assert shown.sent == [["pick", "cellar"]]

    def test_notes_are_dragged_onto_a_folder_together_with_those_that_are_marked(self, shown: Stage) -> None:
        self.draw(shown, folder("rooms", "kitchen", folders=(folder("below", "cellar"),)), movable=True)
        shown.one("summary").click()
        expect(shown.one("summary")).to_have_count(2)
        shown.one("summary").last.click()
        expect(shown.one("[data-id=cellar]")).to_be_visible()
        shown.one("[data-id=top]").drag_to(shown.one("summary").last)
        assert shown.sent == [["move", {"notes": ["top"], "path": ["rooms", "below"]}]]
        for name in ("cellar", "kitchen"):
            shown.one(f"[data-id={name}]").click(modifiers=["ControlOrMeta"])
        shown.one("[data-id=kitchen]").drag_to(shown.one("[data-id=top]"))
        assert shown.sent == [["move", {"notes": ["cellar", "kitchen"], "path": []}]]
        expect(shown.one(".marked")).to_have_count(0)
        expect(shown.one(".over")).to_have_count(0)

    def test_nothing_is_dragged_where_notes_may_not_be_moved(self, shown: Stage) -> None:
        self.draw(shown, folder("rooms", "kitchen"), movable=False)
        shown.one("[data-id=top]").drag_to(shown.one("summary"))
        assert shown.sent == []

    def test_a_folder_asks_for_its_notes_and_for_the_rest_of_them(self, shown: Stage) -> None:
        self.draw(shown, {"name": "large", "count": 900})
        shown.one("summary").click()
        expect(shown.one("details > div")).to_have_text("…")
        assert shown.sent == [["open", {"path": ["large"], "shown": 0}]]
        self.draw(shown, folder("large", "one", "two", rest="898 more"), stamp="2")
        expect(shown.one("details")).to_have_attribute("open", "")
        shown.one("button.rest").click()
        assert shown.sent == [["open", {"path": ["large"], "shown": 2}]]

    def test_the_chosen_note_is_revealed_once_and_a_folder_may_be_folded_again(self, shown: Stage) -> None:
        deep = folder("a", folders=(folder("b", *(f"n{number}" for number in range(60))),))
        chosen = {"chosen": "n50", "path": ["a", "b"]}
        self.draw(shown, deep, **chosen)
        expect(shown.one("button.on")).to_have_text("N503")
        expect(shown.one("button.on")).to_be_in_viewport()
        shown.one("summary").first.click()
        self.draw(shown, deep, **chosen)
        expect(shown.one("details").first).not_to_have_attribute("open", "")
        self.draw(shown, deep, **chosen, listing=["other"])
        expect(shown.one("button.on")).to_be_in_viewport()

    def test_all_folders_of_a_search_are_unfolded_and_none_of_it_is_remembered(self, shown: Stage) -> None:
        self.draw(shown, folder("rooms", "kitchen"), all=True)
        expect(shown.one("details")).to_have_attribute("open", "")
        self.draw(shown, folder("rooms", "kitchen"), stamp="2")
        expect(shown.one("details")).not_to_have_attribute("open", "")

    def test_names_are_text(self, shown: Stage) -> None:
        hostile = "<img src=x onerror=localStorage.ran=1>"
        self.draw(shown, folder(hostile, hostile, rest=hostile), all=True)
        expect(shown.one("summary")).to_contain_text(hostile)
        expect(shown.one("button").first).to_contain_text(hostile.upper())
        assert shown.one(".tree img").count() == 0
        assert shown.stored == {}


class TestBands:
    PIECES = (
        ["own", 0, "#111111", "#222222", "1 · First", "alpha\n", "", "", ""],
        ["both", 0, "#111111", "#222222", "shared", "overlap\n", "", "", ""],
        ["own", 1, "#222222", "#333333", "2", "beta\n", "only", "only here", "written instead"],
        ["gap", 2, "#333333", "#333333", "", "\n", "", "", ""],
        ["own", 2, "#333333", "#333333", "3", "<b>gamma</b>\n", "deleted", "hidden", ""],
    )

    @pytest.fixture
    def shown(self, stage: Stage) -> Stage:
        stage.mount(bands.VIEW)
        self.draw(stage)
        return stage

    def draw(self, stage: Stage, *, shown: int | None = None, editable: bool = True) -> None:
        stage.draw(pieces=self.PIECES, shown=shown, editable=editable, stamp="1")

    def test_each_stretch_is_drawn_in_its_colours_and_as_text(self, shown: Stage) -> None:
        expect(shown.one(".note > div")).to_have_text(
            ["1 · Firstalpha", "sharedoverlap", "2only herewritten insteadbeta", "", "3hidden<b>gamma</b>"]
        )
        expect(shown.one(".own").first).to_have_css("border-left-color", "rgb(17, 17, 17)")
        expect(shown.one(".both")).to_have_css(
            "border-image-source", "linear-gradient(rgb(17, 17, 17), rgb(34, 34, 34))"
        )
        expect(shown.one(".deleted > span")).to_have_css("text-decoration-line", "line-through")

    def test_a_click_picks_a_moment_later_and_a_double_click_opens_instead(self, shown: Stage) -> None:
        shown.one(".own").nth(1).click()
        assert shown.sent == []
        expect(shown.one(".own.on")).to_contain_text("beta")
        shown.later(300)
        assert shown.sent == [["pick", 1]]
        shown.one(".own").nth(2).dblclick()
        shown.later(300)
        assert shown.sent == [["edit", 2]]
        shown.one(".both").dblclick()
        shown.later(300)
        assert shown.sent == []

    def test_arrow_keys_move_and_enter_opens(self, shown: Stage) -> None:
        note = shown.one(".note")
        for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp"):
            note.press(key)
        shown.later(300)
        assert shown.sent == [["pick", 1]]
        note.press("Enter")
        assert shown.sent == [["edit", 1]]

    def test_what_cannot_be_edited_does_not_open(self, shown: Stage) -> None:
        self.draw(shown, shown=1, editable=False)
        expect(shown.one(".own.on")).to_contain_text("beta")
        shown.one(".note").press("Enter")
        shown.one(".own").first.dblclick()
        shown.later(300)
        assert shown.sent == []


class TestKeys:
    SEARCH = """<div class="st-key-q"><input id="box" value="typed"></div><input id="other">
        <div class="st-key-head_1"><a id="first" href="#">1</a></div>
        <div class="st-key-head_2"><a id="second" href="#">2</a></div>"""
    SWITCH = """<div class="st-key-switch_text"><input id="switcher"></div>
        <div class="st-key-switch_to_1"><button id="note">1</button></div><i data-listed=""></i>"""

    @pytest.mark.parametrize(
        ("key", "trigger"),
        [("/", "search"), ("Control+k", "search"), ("Control+o", "switch"), ("Alt+n", "new"), ("?", "keys")],
    )
    def test_shortcuts_are_sent_where_there_is_nothing_to_focus(self, stage: Stage, key: str, trigger: str) -> None:
        stage.mount(shortcuts.KEYS, "<input id=other>")
        stage.draw(searches=False, keys=shortcuts.EVERYWHERE)
        first = stage.page.evaluate_handle("tesseraKeys")
        stage.draw(searches=False, keys=shortcuts.EVERYWHERE)
        assert first.evaluate("listener => listener.signal.aborted")
        stage.page.keyboard.press(key)
        assert stage.sent == [[trigger, True]]

    def test_a_person_who_writes_types_a_slash_and_a_dialog_keeps_its_keys(self, stage: Stage) -> None:
        stage.mount(shortcuts.KEYS, "<input id=other><div role=dialog></div>")
        stage.draw(searches=False, keys=shortcuts.EVERYWHERE)
        stage.one("#other").press("/")
        stage.one("#other").press("?")
        stage.page.keyboard.press("Control+o")
        stage.page.keyboard.press("Control+Shift+k")
        stage.one("#other").blur()
        stage.page.keyboard.press("?")
        assert stage.sent == []
        expect(stage.one("#other")).to_have_value("/?")

    def test_arrows_lead_through_the_results_and_back_to_the_box(self, stage: Stage) -> None:
        stage.mount(shortcuts.KEYS, self.SEARCH)
        stage.draw(searches=False, keys=shortcuts.EVERYWHERE)
        places = []
        for key in ("/", "ArrowUp", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp", "ArrowUp", "ArrowDown", "Escape"):
            stage.page.keyboard.press(key)
            places.append(stage.focused())
        assert places == ["box", "box", "first", "second", "second", "first", "box", "first", "box"]
        assert stage.page.evaluate("getSelection().toString()") == "typed"
        stage.one("#other").press("ArrowDown")
        assert stage.focused() == "other"
        assert stage.sent == []

    def test_a_search_that_was_wanted_elsewhere_takes_the_focus_when_its_page_comes(self, stage: Stage) -> None:
        stage.mount(shortcuts.KEYS, "<main></main>")
        stage.draw(searches=False, keys=shortcuts.EVERYWHERE)
        stage.page.keyboard.press("/")
        stage.draw(searches=True, keys=shortcuts.EVERYWHERE)
        assert stage.focused() == ""
        stage.page.evaluate("document.querySelector('main').innerHTML = '<div class=st-key-q><input id=box></div>'")
        stage.later(50)
        assert stage.focused() == "box"

    def test_enter_in_the_switcher_opens_the_first_note_of_the_list_for_the_typed_text(self, stage: Stage) -> None:
        stage.mount(shortcuts.KEYS, self.SWITCH)
        stage.draw(searches=False, keys=shortcuts.EVERYWHERE)
        stage.one("#note").evaluate("note => { note.onclick = () => { localStorage.opened = 1; }; }")
        stage.one("#switcher").fill("ab")
        stage.one("#switcher").press("Enter")
        stage.later(1000)
        assert stage.stored == {}
        stage.one("[data-listed]").evaluate("list => { list.dataset.listed = 'ab'; }")
        stage.later(200)
        assert stage.stored == {"opened": "1"}

    def test_the_focus_in_the_switcher_follows_its_note_when_the_list_changes(self, stage: Stage) -> None:
        rows = "".join(f"<div class='st-key-switch_to_{n}'><button id=note{n}>{n}</button></div>" for n in "abc")
        stage.mount(shortcuts.KEYS, f"<div role=dialog><div class=st-key-switch_text><input></div>{rows}</div>")
        stage.draw(searches=False, keys=shortcuts.EVERYWHERE)
        stage.page.evaluate("addEventListener('click', event => { localStorage.opened = event.target.id; })")
        stage.one("input").press("ArrowDown")
        assert stage.focused() == "notea"
        for old, new in (("a", "d"), ("b", "a")):  # as Streamlit redraws a list: place by place
            stage.page.evaluate(
                "([old, new_]) => { const row = document.querySelector(`.st-key-switch_to_${old}`);"
                " row.className = `st-key-switch_to_${new_}`; row.firstChild.id = `note${new_}`; }",
                [old, new],
            )
            if new == "d":
                stage.page.keyboard.press("Enter")
        assert (stage.focused(), stage.stored) == ("notea", {})
        stage.page.keyboard.press("Enter")
        assert stage.stored == {"opened": "notea"}


class TestLook:
    SIDEBAR = '<div data-testid="stSidebar"><a href="/chunks">c</a><a href="/search">s</a></div>'
    KEYS = ("stActiveTheme-/-v2", "stActiveTheme-/chunks-v2", "stActiveTheme-/search-v2")

    @pytest.mark.parametrize(("chosen", "kept"), [("Dark", '"Dark"'), ("", None)])
    def test_the_choice_is_there_between_two_pages_only(self, stage: Stage, chosen: str, kept: str | None) -> None:
        stage.mount(language_and_look._START, self.SIDEBAR)
        stage.page.evaluate("key => localStorage.setItem(key, 'old')", self.KEYS[1])
        stage.draw(look=chosen)
        assert stage.stored == {}
        stage.page.goto(HOME)
        assert stage.stored == (dict.fromkeys(self.KEYS, kept) if kept else {})


class TestDocument:
    @pytest.fixture
    def shown(self, stage: Stage) -> Stage:
        return stage.mount(VIEW, headers={})  # no policy stands behind it

    def draw(self, stage: Stage, html: str, place: str = "", arrival: str = "") -> None:
        elements, attributes = sorted(VIEW_ELEMENTS), sorted(VIEW_ATTRIBUTES)
        stage.draw(html=html, stamp=html, elements=elements, attributes=attributes, place=place, arrival=arrival)

    HOSTILE = (
        (f"<script>{RUN}</script>a", "a"),
        (f"<img src=x onerror={RUN}>", "<img>"),
        ("<img src=http://evil.test/a.png srcset=http://evil.test/b.png>", "<img>"),
        (f"<svg onload={RUN}><a href=javascript:{RUN}>x</a></svg>", "<svg><a>x</a></svg>"),
        (
            f"<svg><use href=http://evil.test/s#x /><animate attributeName=href to=javascript:{RUN} /></svg>",
            "<svg></svg>",
        ),
        (f'<iframe srcdoc="<script>top.{RUN}</script>"></iframe>', ""),
        ("<object data=http://evil.test/></object><embed src=http://evil.test/>", ""),
        ("<style>@import 'http://evil.test/a.css'; *{color:red}</style><p style=color:red>p</p>", "<p>p</p>"),
        ("<form action=http://evil.test/><input type=checkbox checked formaction=/x></form>", ""),
        ("<template><img src=http://evil.test/></template><base href=http://evil.test/>", ""),
        (f"<a href=javascript:{RUN}>x</a>", "<a>x</a>"),
        (f"<a href=' java&#9;script:{RUN}'>x</a>", "<a>x</a>"),
        ("<a href=data:text/html,x>x</a><a href=//evil.test>y</a><a href=#p>z</a>", "<a>x</a><a>y</a><a>z</a>"),
        ('<a href="HTTPS://a.test" ping="http://evil.test/">x</a>', '<a href="HTTPS://a.test">x</a>'),
        ('<a href="?note=1" data-note="1" onclick="x">x</a>', '<a href="?note=1" data-note="1">x</a>'),
        (f"<math><mtext><table><mglyph><style><img src=x onerror={RUN}>", None),
        (f"<math><mi xlink:href='javascript:{RUN}' href='javascript:{RUN}'>x</mi></math>", "<math><mi>x</mi></math>"),
        ("<img src='data:image/png;base64,iVBO+/8='>", '<img src="data:image/png;base64,iVBO+/8=">'),
        ("<img src='data:image/svg+xml;base64,PHN2'>", "<img>"),
        ("<img src='data:image/png,x'>", "<img>"),
        (f"<noscript><p title='</noscript><img src=x onerror={RUN}>'>", None),
    )
    """What a document may hold, and what is shown of it: None where that is the parser's business."""

    def test_what_the_generator_never_writes_is_left_out(self, shown: Stage) -> None:
        drawn = shown.one(".document")
        for html, left in self.HOSTILE:
            self.draw(shown, html)
            assert left in (None, drawn.inner_html()), html
            for element, attributes in drawn.evaluate(NAMES):
                assert element in VIEW_ELEMENTS, html
                assert set(attributes) <= VIEW_ATTRIBUTES, html
        with shown.page.expect_request(f"{HOME}attachment/n/a.png"):
            self.draw(shown, PICTURE)
        assert set(shown.requests) == {f"{HOME}attachment/n/a.png"}
        assert shown.stored == {}

    def test_links_are_sent_and_those_outside_are_left_to_the_browser(self, shown: Stage) -> None:
        shown.page.evaluate(
            "addEventListener('click', event => { "
            "if (!event.defaultPrevented) sent.push('left'); event.preventDefault(); })"
        )
        links = {
            'href="#" data-note="n1" data-place="h2"': ["open", {"note": "n1", "place": "h2"}],
            'href="#" data-note="n2"': ["open", {"note": "n2", "place": ""}],
            'href="#" data-make="New"': ["make", "New"],
            'class="outside" href="https://a.test"': "left",
            'class="picture" href="https://a.test/b.png"': "left",
            'class="file" href="/attachment/n/b.pdf" download': "left",
        }
        for attributes, sent in links.items():
            self.draw(shown, f"<a {attributes}><em>link</em></a>")
            shown.one(".document em").click()
            assert shown.sent == [sent], attributes
        self.draw(shown, '<a href="?note=n1" data-note="n1">link</a>')
        shown.one(".document a").click(modifiers=["Control"])
        assert shown.sent == ["left"]

    def test_a_place_is_unfolded_and_scrolled_to_once_for_each_arrival(self, shown: Stage) -> None:
        end = '<details><summary>s</summary><p id="end">END</p></details>'
        html = '<a href="#" data-place="end">to the end</a>' + "<p>words</p>" * 80 + end
        self.draw(shown, html, place="end", arrival="1")
        expect(shown.one("p.at")).to_be_in_viewport()
        expect(shown.one("details")).to_have_attribute("open", "")
        shown.page.mouse.wheel(0, -100_000)
        expect(shown.one("p.at")).not_to_be_in_viewport()
        shown.later(2000)
        self.draw(shown, html, place="end", arrival="1")
        expect(shown.one("p.at")).not_to_be_in_viewport()
        shown.one("a").click()
        expect(shown.one("p.at")).to_be_in_viewport()
        assert shown.sent == []


LETTERS_LEFT = {"token": "t", "about": {"key": "new t"}, "number": 3, "text": "boots", "at": 5}


class TestLetters:
    @pytest.fixture
    def shown(self, stage: Stage) -> Stage:
        return stage.mount(composer.LETTERS)

    def draw(self, stage: Stage, **data: object) -> None:
        standard = {"open": "", "session": "s", "stored": {}, "place": "w", "readonly": False, "away": ""}
        stage.draw(**{**standard, **data})

    def leave(self, stage: Stage, name: str, text: str) -> None:
        stage.page.evaluate("([name, text]) => localStorage.setItem(name, text)", [name, text])

    def test_what_a_window_left_is_sent_until_it_is_stored(self, shown: Stage) -> None:
        self.leave(shown, "tessera-letters w t", json.dumps(LETTERS_LEFT))
        self.draw(shown)
        message = ["typed", {"items": [LETTERS_LEFT], "resume": ""}]
        assert shown.sent == [message]
        self.draw(shown)
        assert shown.sent == []
        shown.later(2000)
        assert shown.sent == [message]
        self.draw(shown, stored={"t": 2})
        assert shown.stored
        self.draw(shown, stored={"t": 3})
        assert shown.stored == {}
        shown.later(120_000)
        assert shown.sent == []

    def test_texts_of_another_workspace_and_what_no_editor_left_stay_where_they_are(self, shown: Stage) -> None:
        texts = {"tessera-letters other t": json.dumps(LETTERS_LEFT), "tessera-letters w x": "[{", "other": "[]"}
        for name, text in texts.items():
            self.leave(shown, name, text)
        self.draw(shown)
        assert shown.sent == []
        assert shown.stored == texts

    def test_nothing_is_sent_where_nothing_can_be_stored(self, shown: Stage) -> None:
        self.leave(shown, "tessera-letters w t", json.dumps(LETTERS_LEFT))
        self.draw(shown, readonly=True)
        shown.later(120_000)
        assert shown.sent == []
        assert shown.stored


def drawn(text: str) -> list[tuple[str, set[str]]]:
    """Each letter of a paragraph of Markdown, with the formats in which it is drawn."""
    letters, open_ones = [], list[str]()
    for token in MarkdownIt("commonmark").parseInline(text)[0].children or ():
        if token.type.endswith("_open"):
            open_ones.append(token.tag)
        elif token.type.endswith("_close"):
            open_ones.remove(token.tag)
        formats = {*open_ones, *(["code"] if token.type == "code_inline" else [])}
        letters += [(letter, {*formats}) for letter in token.content if letter.strip()]
    return letters


class EditorStage:
    """What tests of the editor share: it is drawn, written in and read."""

    APP = "<div data-testid='stApp' data-test-connection-state='CONNECTED'></div>"
    WORDS: Mapping[str, object] = {
        "label": "Text",
        "hint": "Write",
        "bar": "Formats",
        "live": "Live preview",
        "count": "{n} words",
        "selected": "{chosen} of {n} words",
        "phrases": {"Find": "Suchen", "replaced $ matches": "Ersetzt: $"},
        **{name: name.capitalize() for name in editing.FORMATS},
    }

    @pytest.fixture
    def shown(self, stage: Stage) -> Stage:
        stage.mount(editing.WRITE, self.APP)
        self.draw(stage)
        expect(stage.one(".cm-content")).to_have_text("boots")
        return stage

    def draw(self, stage: Stage, **data: object) -> None:
        numbers = {"number": 0, "at": 0, "taken": 0, "stored": 0, "actions": 0}
        about = {"key": "new t", "base": "b", "version": 0, "fields": {}}
        texts = {
            "token": "t",
            "predecessor": "",
            "text": "boots",
            "at": 0,
            "place": "w",
            "session": "",
            "script": routes.SCRIPT_ADDRESS,
            "pictures": "/picture/s?note=n",
        }
        notes = [["Hens", "", "farm"], ["coop", "The hen house", ""], ["hut", "A [small] hut", ""]]
        offered = {"notes": notes, "tags": [["garden", "3"]], "words": self.WORDS, "about": about}
        stage.draw(**{**numbers, **texts, **offered, **data})

    def write(self, shown: Stage, text: str, *keys: str) -> None:
        """Put a text into the editor, and press keys at its end."""
        shown.one(".cm-content").click()
        shown.page.keyboard.press("Control+a")
        shown.page.keyboard.press("Delete")
        shown.page.keyboard.insert_text(text)
        for key in keys:
            shown.page.keyboard.press(key)

    def open_another(self, shown: Stage, text: str) -> None:
        """Open an editor with a text in place of the one that is open."""
        shown.page.evaluate("[...tesseraShelf.editors.values()][0].close()")
        self.draw(shown, token="other", text=text)
        expect(shown.one(".cm-content")).to_have_count(1)

    def text(self, shown: Stage) -> str:
        return str(shown.page.evaluate("[...tesseraShelf.editors.values()][0].editor.text()"))


class TestEditor(EditorStage):
    def texts(self, stage: Stage) -> list[tuple[str, object]]:
        """Let a pause of a person pass; return what was sent: each text with its action."""
        stage.later(1_000)
        return [(message["text"], message.get("action")) for _, message in stage.sent]

    def kept(self, stage: Stage) -> list[str]:
        return [
            json.loads(text)["text"] for name, text in stage.stored.items() if name.startswith("tessera-letters w ")
        ]

    def test_what_is_typed_is_sent_until_it_came_and_lies_in_the_browser_until_it_is_stored(self, shown: Stage) -> None:
        shown.one(".cm-content").click()
        shown.page.keyboard.press("End")
        shown.page.keyboard.type(" and rain")
        typed = self.texts(shown)[-1]
        assert typed == ("boots and rain", None)
        assert self.kept(shown) == ["boots and rain"]
        shown.later(2_000)
        assert {message["text"] for _, message in shown.sent} == {"boots and rain"}, "no answer came"
        self.draw(shown, number=9, taken=9)
        shown.later(10_000)
        assert self.texts(shown) == [("boots and rain", "rest")], "the note is saved after a pause"
        self.draw(shown, number=9, taken=9, actions=1)
        shown.later(10_000)
        assert shown.sent == []
        assert self.kept(shown) == ["boots and rain"]
        self.draw(shown, number=9, taken=9, stored=9, actions=1)
        shown.page.wait_for_function("!localStorage.length")

    def test_what_is_written_here_is_later_than_what_another_window_wrote(self, shown: Stage) -> None:
        """The numbers of its letters are higher than those of this editor, and its last one is the draft by now."""
        shown.one(".cm-content").click()
        shown.page.keyboard.press("End")
        shown.page.keyboard.type("!")
        assert self.texts(shown)[-1] == ("boots!", None)
        self.draw(shown, number=6, taken=6, stored=6)
        shown.later(1_000)
        assert [(message["text"], message["number"]) for _, message in shown.sent][-1] == ("boots!", 7)
        assert self.kept(shown) == ["boots!"]

    def test_what_another_window_wrote_is_shown_where_nothing_was_written(self, shown: Stage) -> None:
        self.draw(shown, text="boots and rain", number=6, taken=6, stored=6)
        expect(shown.one(".cm-content")).to_have_text("boots and rain")
        assert self.texts(shown) == []
        shown.one(".cm-content").click()
        shown.page.keyboard.press("End")
        shown.page.keyboard.type("!")
        shown.later(1_000)
        assert [(message["text"], message["number"]) for _, message in shown.sent][-1] == ("boots and rain!", 7)

    @pytest.mark.parametrize("keys", ["Control+s", "Control+Enter"])
    def test_a_save_by_the_keys_is_an_action_with_the_text_that_is_typed(self, shown: Stage, keys: str) -> None:
        shown.one(".cm-content").click()
        shown.page.keyboard.press("End")
        shown.page.keyboard.type("!")
        shown.page.keyboard.press(keys)
        assert self.texts(shown)[-1] == ("boots!", "save")

    def paste(self, shown: Stage, **types: str) -> None:
        shown.one(".cm-content").evaluate(
            """(box, types) => {
              const clipboardData = new DataTransfer();
              for (const [type, text] of Object.entries(types)) clipboardData.setData(`text/${type}`, text);
              box.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
            }""",
            types,
        )

    @pytest.mark.parametrize(
        ("text", "keys", "made"),
        [
            ("dry boots", "Control+b", "dry **boots**"),
            ("dry **boots**", "ArrowLeft ArrowLeft ArrowLeft Control+b", "dry boots"),
            ("dry **boots**", "ArrowLeft ArrowLeft Control+i", "dry ***boots***"),
            ("dry **boots**", "ArrowLeft ArrowLeft Control+b End Space", "dry **boots** "),
            ("dry __boots__ and", "Control+a Control+b", "**dry boots and**"),
            ("- dry boots\n- wet **hats**", "Control+a Control+b Control+b", "- dry boots\n- wet hats"),
            ("see [dry](u_u)", "Control+a Control+i", "*see [dry](u_u)*"),
            ("`code` x", "Control+a Control+b", "**`code` x**"),
            ("```\nx y", "Control+b", "```\nx y"),
            ("dry boots dry hat", "Control+Home Control+d Control+d Control+b", "**dry** boots **dry** hat"),
            ("靴子", "Control+a Control+i", "*靴子*"),
            ("dry boots", "Control+e", "dry `boots`"),
            ("a\nb", "Control+a Control+e", "```\na\nb\n```"),
            ("dry boots", "Control+k", "dry [boots]()"),
            ("https://a.test/x", "Control+a Control+k", "[](https://a.test/x)"),
            ("- boots\n- hats", "Tab", "- boots\n    - hats"),
            ("1. boots\n    1. hats", "Shift+Tab", "1. boots\n1. hats"),
            ("```\nx", "Tab", "```\n    x"),
            ("boots", "Enter / t a b Enter", "boots\n\n|  |  |\n| --- | --- |\n|  |  |"),
            ("- boots\n- hats", "Enter Enter / t a b Enter", "- boots\n- hats\n\n|  |  |\n| --- | --- |\n|  |  |"),
        ],
    )
    def test_keys_give_a_text_its_formats(self, shown: Stage, text: str, keys: str, made: str) -> None:
        self.write(shown, text)
        for key in keys.split():
            if key == "Enter" and shown.one(".cm-tooltip-autocomplete").count():
                shown.later(200)
            shown.page.keyboard.press(key)
            if key in "/tab":
                shown.later(200)
                expect(shown.one(".cm-tooltip-autocomplete")).to_be_visible()
        assert self.text(shown) == made

    @pytest.mark.parametrize(("key", "mark"), [("b", "**"), ("i", "*")])
    def test_a_format_that_is_pressed_again_ends(self, shown: Stage, key: str, mark: str) -> None:
        self.write(shown, "", f"Control+{key}")
        shown.page.keyboard.type("one two")
        shown.page.keyboard.press(f"Control+{key}")
        shown.page.keyboard.type(" three")
        assert self.text(shown) == f"{mark}one two{mark} three"
        self.write(shown, "", f"Control+{key}", f"Control+{key}")
        assert self.text(shown) == ""

    def test_what_is_drawn_is_what_an_editor_with_formats_would_draw(self, shown: Stage) -> None:
        draw, words = random.Random(5), "one two 你好 four".split()
        letters = [(letter, set[str]()) for letter in "".join(words)]
        starts = [0, *accumulate(map(len, words))]
        self.write(shown, " ".join(words))
        for _ in range(14):
            first, last = sorted((draw.randrange(len(words)), draw.randrange(len(words))))
            chosen = letters[starts[first] : starts[last + 1]]
            key, name = draw.choice([("b", "strong"), ("i", "em"), ("e", "code")])
            self.select(shown, starts[first], starts[last + 1], back=draw.random() < 0.5)
            shown.page.keyboard.press(f"Control+{key}")
            off = all(name in formats for _, formats in chosen)
            for _, formats in chosen:
                (formats.discard if off else formats.add)(name)
            assert drawn(self.text(shown)) == letters

    def select(self, shown: Stage, first: int, last: int, *, back: bool) -> None:
        """Select letters by the arrows: those that are drawn, from one to before another."""
        places = [at for at, sign in enumerate(self.text(shown)) if sign not in "*` "]
        start, end = places[first], places[last - 1] + 1
        step = shown.page.keyboard.press
        step("Control+Home")
        for _ in range(end if back else start):
            step("ArrowRight")
        for _ in range(end - start):
            step("Shift+ArrowLeft" if back else "Shift+ArrowRight")

    @pytest.mark.parametrize(
        ("typed", "made"),
        [
            ("Hen", "[[Hens]]"),
            ("the hen", "[[coop|The hen house]]"),
            ("coo", "[[coop|The hen house]]"),
            ("hu", "[[hut]]"),
        ],
    )
    def test_a_link_that_is_completed_is_read_as_the_title_of_its_note(
        self, shown: Stage, typed: str, made: str
    ) -> None:
        self.write(shown, "")
        shown.page.keyboard.type(f"[[{typed}")
        shown.later(200)
        expect(shown.one(".cm-tooltip-autocomplete li[aria-selected]")).to_be_visible()
        shown.later(200)
        shown.page.keyboard.press("Enter")
        assert self.text(shown) == made

    def test_tab_indents_lists_and_escape_and_tab_leave_the_text(self, shown: Stage) -> None:
        self.write(shown, "- boots", "Tab")
        assert self.text(shown) == "    - boots"
        for key in ("Escape", "Tab"):
            shown.page.keyboard.press(key)
        expect(shown.one(".cm-content")).not_to_be_focused()
        assert self.text(shown) == "    - boots"

    @pytest.mark.parametrize("is_source", [False, True])
    @pytest.mark.parametrize(
        ("text", "keys", "made"),
        [
            ("{|}a | b\n--|--\nc | d", "Tab ! Tab ! Tab !", "a | b!\n--|--\nc! | d!"),
            ("| a{|} | b |\n|---|---|\n| | d |\n\nend", "Tab ! Tab ! Tab !", "| a | b! |\n|---|---|\n| !| d! |\n\nend"),
            ("| a | b |\n|---|---|\n|| {|}d |", "Shift+Tab ! Shift+Tab !", "| a | b! |\n|---|---|\n|!| d |"),
            ("| {|}a | b |\n|---|---|", "Shift+Tab ! Tab Tab !", "| !a | b |\n|---|---|\n| ! |  |"),
            ("| a | b |\n|-{|}--|---|\n| c | d |", "Tab ! Shift+Tab !", "| a | b! |\n|---|---|\n| c! | d |"),
            ("> | a | b |\n> |---|---|\n> | c | {|}d |\n\nend", "Tab !", None),
            ("- | a \\| [[x\\|y]] | b |\n  |---|---|\n  | c | {|}d |", "Tab !", None),
        ],
    )
    def test_tab_goes_through_the_cells_of_a_table(
        self, shown: Stage, text: str, keys: str, made: str | None, *, is_source: bool
    ) -> None:
        if is_source:
            shown.page.keyboard.press("Alt+p")
        before, _, after = text.partition("{|}")
        self.write(shown, before + after, *["ArrowLeft"] * len(after))
        for key in keys.split():
            shown.page.keyboard.press(key)
        added = {">": "| d |\n> | ! |  |", "-": "| d |\n  | ! |  |"}
        assert self.text(shown) == (made or (before + after).replace("| d |", added.get(text[0], "")))
        expect(shown.one(".cm-content")).to_be_focused()

    @pytest.mark.parametrize("keys", ["", "/ t a b l e Enter"])
    def test_a_new_table_is_filled_by_the_keyboard(self, shown: Stage, keys: str) -> None:
        self.write(shown, "boots\n\n", *keys.split()[:-1])
        if keys:
            shown.later(200)
            expect(shown.page.get_by_role("option", name="Table")).to_be_visible()
            shown.later(200)
            shown.page.keyboard.press("Enter")
        else:
            shown.page.get_by_role("button", name="Table").click()
        for key in "a Tab b Tab c Tab d Tab e".split():
            shown.page.keyboard.press(key)
        assert self.text(shown) == "boots\n\n| a | b |\n| --- | --- |\n| c | d |\n| e |  |"

    @pytest.mark.parametrize(
        ("text", "made"),
        [
            ("> a", "> a\n\nb"),
            ("> [!tip]\n> a", "> [!tip]\n> a\n\nb"),
            ("> > a", "> > a\n>\n> b"),
            ("- a\n  > b", "- a\n  > b\n\n  b"),
            ("a\n\n> ", "a\n\n\nb"),
            ("```\n> ", "```\n> \n\nb"),
            ("> ```\n> a\n> ```", "> ```\n> a\n> ```\n\nb"),
            ("- a", "- a\n\nb"),
            ("1. a\n2. c", "1. a\n2. c\n\nb"),
            ("- [ ] a", "- [ ] a\n\nb"),
            ("> - a", "> - a\n>\n> b"),
            ("- a\n    - c", "- a\n    - c\n- b"),
            ("```\n- ", "```\n- \n\nb"),
        ],
    )
    def test_enter_in_an_empty_line_of_a_quote_or_list_ends_it(self, shown: Stage, text: str, made: str) -> None:
        self.write(shown, text, "Enter", "Enter", "b")
        assert self.text(shown) == made

    def test_the_bar_gives_lines_their_formats(self, shown: Stage) -> None:
        self.write(shown, "boots\n\n- hats", "Control+a")
        for name, made in (
            ("Box", "- [ ] boots\n\n- [ ] hats"),
            ("List", "- boots\n\n- hats"),
            ("Quote", "> boots\n\n> hats"),
            ("Quote", "boots\n\nhats"),
            ("Heading", "# boots\n\n# hats"),
            ("Heading", "## boots\n\n## hats"),
        ):
            shown.page.get_by_role("button", name=name).click()
            assert self.text(shown) == made
        expect(shown.one(".cm-content")).to_be_focused()

    @pytest.mark.parametrize(
        ("before", "typed", "made"),
        [
            ("```\n    x\n", "    ```\nrest", "```\n    x\n```\nrest"),
            ("    indented\n", "    ```\nx", "    indented\n```\nx"),
            ("- boots\n", "    ```\nx", "- boots\n  ```\n  x"),
        ],
    )
    def test_a_fence_takes_no_indent_of_the_line_before(self, shown: Stage, before: str, typed: str, made: str) -> None:
        self.write(shown, before)
        shown.page.keyboard.type(typed)
        assert self.text(shown) == made

    def test_what_is_pasted_becomes_markdown(self, shown: Stage) -> None:
        self.write(shown, "boots", "Control+a")
        self.paste(shown, plain="https://a.test/boots")
        assert self.text(shown) == "[boots](https://a.test/boots)"
        self.write(shown, "")
        self.paste(shown, plain='pair\tprice\nboots\t"9|5"\n', html="<table><tr><td>pair</td></tr></table>")
        assert self.text(shown) == "| pair | price |\n| --- | --- |\n| boots | 9\\|5 |\n\n"
        html = (
            "<h2>Boots</h2><p>of <b>leather</b>, see <a href='https://a.test/'>a shop</a></p><ul><li>dry</li></ul>"
            f"<img src='data:x' alt='boot' onerror='{RUN}'><script>{RUN}</script>"
            "<table><tr><th>a</th></tr><tr><td>b</td></tr></table>"
        )
        self.write(shown, "")
        self.paste(shown, plain="Boots", html=html)
        assert self.text(shown) == (
            "## Boots\n\nof **leather**, see [a shop](https://a.test/)\n\n- dry\n\nboot\n\n"
            "| a   |\n| --- |\n| b   |\n\n"
        )
        self.write(shown, "```\n")
        self.paste(shown, plain="a\tb\nc\td", html="<b>a</b>")
        assert self.text(shown) == "```\na\tb\nc\td"
        assert not any("ran" in name for name in shown.stored)

    @pytest.mark.parametrize(
        ("types", "made"),
        [
            (
                {"html": f"<table onclick='{RUN}'><tr><td><ul><li>a<li>b</ul></td><td><h2>c</h2></td></tr></table>"},
                "|     |     |\n| --- | --- |\n| - a<br>- b | c   |\n\n",
            ),
            (
                {"html": "<table><tr><th>a</th><th>b</th></tr><tr><td>c||d</td><td><code>|||</code></td></tr></table>"},
                "| a   | b   |\n| --- | --- |\n| c\\|\\|d | `\\|\\|\\|` |\n\n",
            ),
            ({"html": "<table><tr><td><h2>a</h2><ul><li>b</ul></td></tr></table>"}, "## a\n\n- b"),
            ({"html": "<ul><li><p>a</p></li><ul><li><p>b</p></li></ul></ul>"}, "- a\n\n    - b"),
            ({"html": "<ol start=9><li>a<p>b</p></li><li>c</li></ol>"}, "9. a\n\n    b\n10. c"),
            ({"html": "<b>a</b><pre><code>-   b\n1.  c</code></pre>"}, "**a**\n\n```\n-   b\n1.  c\n```\n\n"),
            ({"html": f"<a href=' java\nscript:{RUN}'>a</a> <a href='data:b'>b</a> <a href='#c'>c</a>"}, "a b c"),
            ({"plain": 'a\t"b\n""c"""\nd\t"e\tf"\n'}, '| a | b<br>"c" |\n| --- | --- |\n| d | e\tf |\n\n'),
            ({"plain": "\tgo build\n\tgo test\n"}, "\tgo build\n\tgo test\n"),
        ],
        ids="blocks-in-cells pipes placing-table list-in-list numbers code links quoted-cells indent".split(),
    )
    def test_what_is_pasted_has_only_forms_of_markdown(self, shown: Stage, types: dict[str, str], made: str) -> None:
        self.write(shown, "")
        self.paste(shown, **{"plain": "x"} | types)
        assert self.text(shown) == made

    def test_a_table_takes_no_text_with_it(self, shown: Stage) -> None:
        self.write(shown, "boots and hats", *["ArrowLeft"] * 5)
        self.paste(shown, plain="a\tb\nc\td")
        assert self.text(shown) == "boots and\n\n| a | b |\n| --- | --- |\n| c | d |\n\n hats"
        self.write(shown, "boots\n")
        self.paste(shown, plain="x", html="<table><tr><th>a</th><th>b</th></tr><tr><td>c</td><td>d</td></tr></table>")
        shown.page.keyboard.type("hats")
        assert self.text(shown) == "boots\n\n| a   | b   |\n| --- | --- |\n| c   | d   |\n\nhats"
        self.write(shown, "boots\n\nhats", "Control+Home", "Shift+End")
        shown.page.get_by_role("button", name="Table").click()
        assert self.text(shown) == "boots\n\n|  |  |\n| --- | --- |\n|  |  |\n\nhats"
        shown.page.keyboard.press("Control+z")
        assert self.text(shown) == "boots\n\nhats"
        self.write(shown, "\nhats", "Control+Home")
        shown.page.get_by_role("button", name="Table").click()
        assert self.text(shown) == "|  |  |\n| --- | --- |\n|  |  |\n\nhats"

    def test_a_long_paste_is_no_wait(self, shown: Stage) -> None:
        blank = "<b>a</b><pre><code>" + "\n" * 50_000 + "</code></pre>"
        numbered = "<ol>" + "<li>a</li>" * 10_000 + "</ol>"
        self.write(shown, "")
        began = shown.page.evaluate("performance.now()")
        self.paste(shown, plain="x", html=blank + numbered)
        assert shown.page.evaluate("performance.now()") - began < 2_000
        assert self.text(shown).endswith("\n10000. a")

    def test_a_text_that_the_workspace_never_got_is_there_again(self, stage: Stage) -> None:
        stage.mount(editing.WRITE, self.APP)
        left = {"token": "old", "about": {"key": "new t"}, "number": 4, "text": "boots of yesterday", "at": 5}
        stage.page.evaluate("text => localStorage.setItem('tessera-letters w old', text)", json.dumps(left))
        self.draw(stage)
        expect(stage.one(".cm-content")).to_have_text("boots of yesterday")
        assert self.texts(stage)[-1] == ("boots of yesterday", None)
        assert list(stage.stored) == ["tessera-letters w t"]


class TestFindAndCount(EditorStage):
    def test_what_is_found_is_replaced_and_can_be_undone(self, shown: Stage) -> None:
        self.write(shown, "- boots and **boots**\n- Boots")
        shown.page.keyboard.press("Control+f")
        field = shown.page.get_by_role("textbox", name="Suchen")
        expect(field).to_be_focused()
        field.fill("boots")
        shown.page.keyboard.press("Enter")
        expect(shown.one(".cm-searchMatch")).to_have_count(3)
        shown.one(".cm-search [name=case]").check()
        expect(shown.one(".cm-searchMatch")).to_have_count(2)
        shown.one(".cm-search [name=replace].cm-textfield").click()
        shown.page.keyboard.type("hats")
        for _ in range(2):  # the next one is shown, then replaced
            shown.page.keyboard.press("Enter")
        assert self.text(shown) == "- hats and **boots**\n- Boots"
        shown.one(".cm-search [name=replaceAll]").click()
        assert self.text(shown) == "- hats and **hats**\n- Boots"
        shown.page.keyboard.press("Escape")
        expect(shown.one(".cm-search")).to_have_count(0)
        expect(shown.one(".cm-content")).to_be_focused()
        for _ in range(2):
            shown.page.keyboard.press("Control+z")
        assert self.text(shown) == "- boots and **boots**\n- Boots"

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("", 0),
            ("Don't stop: well-known ways, 3.5 of them", 8),
            ("靴子放在门口。Boots 两双", 9),
            ("ひらがな カナ", 6),
            ("- **a** b\n\n`c`\n' - _ 🥾", 3),
            ("naïve été 'quoted'", 3),
        ],
    )
    def test_words_and_chinese_signs_are_counted_below_the_text(self, shown: Stage, text: str, words: int) -> None:
        self.write(shown, text)
        shown.later(1_000)
        expect(shown.one(".cm-count")).to_have_text(f"{words} words")

    def test_the_words_of_what_is_selected_are_counted(self, shown: Stage) -> None:
        self.write(shown, "one two 你好 three", "Control+Home", "Control+Shift+ArrowRight", "Control+Shift+ArrowRight")
        shown.later(1_000)
        expect(shown.one(".cm-count")).to_have_text("2 of 5 words")
        shown.page.keyboard.press("End")
        shown.later(1_000)
        expect(shown.one(".cm-count")).to_have_text("5 words")


MARKS = {
    "**a** b": "a b",
    "*a* ~~b~~ ==c==": "a b c",
    "`a` b": "a b",
    "# a": "a",
    "### a ###": "a ",
    "[a](b 'c') d": "a d",
    "[](b) [a] [^1]": "[](b) [a] [^1]",
    "[[a]] [[b|c]] [[d": "a c [[d",
    "![a](https://evil.test/a.png)": "a",
    "![[a.pdf]]": "a.pdf",
    "<https://a.test>": "https://a.test",
    "> a": "a",
    "- a": "• a",
    "- [ ] a": " a",
    "1. a": "1. a",
    "---": "",
    r"\*a\*": "*a*",
    "a * b_c_d ** e": "a * b_c_d ** e",
    "<b onclick=x>a</b>": "<b onclick=x>a</b>",
    "**靴子**放在==门口==": "靴子放在门口",
}
"""Lines of Markdown, and what of each is seen where no caret is in it."""
TABLE = f"""boots

| a | **b** |
| :-: | --- |
| [[Hens\\|hens]] | <img src=x onerror={RUN}> ![p](plan.png) |
| `c` |

hats"""
CONSTRUCTS = (
    *MARKS,
    *TABLE.splitlines(),
    *(
        "> [!tip]- a **b**",
        "> > c",
        "```js",
        "let *a*",
        "```",
        "    code",
        "a\n===",
        "![[plan.png|40]]",
        "",
        "",
        "🥾 é 你",
    ),
)
DRAWN = "one => [...one.querySelectorAll('*')].map(one => [one.localName, ...one.getAttributeNames()].join(' '))"
LINES = "all => all.map(one => one.textContent)"


class TestLivePreview(EditorStage):
    def lines(self, shown: Stage) -> list[str]:
        return list(shown.one(".cm-line").evaluate_all(LINES))

    def test_marks_are_hidden_in_lines_without_a_caret_and_seen_in_its_own(self, shown: Stage) -> None:
        self.write(shown, "\n\n".join([*MARKS, "end"]))
        assert self.lines(shown)[:-1:2] == [*MARKS.values()]
        for number, line in reversed([*enumerate(MARKS)]):
            for _ in range(2):
                shown.page.keyboard.press("ArrowUp")
            assert self.lines(shown)[2 * number] == line
        assert self.text(shown) == "\n\n".join([*MARKS, "end"])

    def test_alt_p_shows_the_source_which_is_remembered(self, shown: Stage) -> None:
        self.write(shown, "**a**\nb")
        button = shown.page.get_by_role("button", name="Live preview")
        expect(button).to_have_attribute("aria-pressed", "true")
        shown.page.keyboard.press("Alt+p")
        expect(button).to_have_attribute("aria-pressed", "false")
        assert self.lines(shown) == ["**a**", "b"]
        self.open_another(shown, "**a**\n")
        expect(shown.one(".cm-line").first).to_have_text("**a**")
        button.click()
        shown.page.keyboard.press("Control+End")
        expect(shown.one(".cm-line").first).to_have_text("a")

    def test_a_table_is_drawn_until_the_caret_comes_to_it(self, shown: Stage) -> None:
        self.write(shown, TABLE)
        cells = "all => all.map(row => [...row.cells].map(cell => cell.innerText))"
        rows = shown.one(".cm-table tr")
        assert rows.evaluate_all(cells) == [["a", "b"], ["hens", f"<img src=x onerror={RUN}> "], ["c"]]
        expect(shown.one(".cm-table img")).to_have_js_property("naturalWidth", 40)
        shown.one(".cm-table code").click()
        expect(rows).to_have_count(0)
        shown.page.keyboard.type("!")
        assert self.text(shown) == TABLE.replace("`c`", "!`c`")
        for key, line in (("Control+Home ArrowDown ArrowDown", 2), ("Control+End ArrowUp ArrowUp", 5)):
            for name in key.split():
                shown.page.keyboard.press(name)
            assert self.lines(shown)[line].startswith("|")
            expect(rows).to_have_count(0)
        assert not any("ran" in name for name in shown.stored)

    def test_the_box_of_a_task_is_set_by_a_click_and_unset_by_another(self, shown: Stage) -> None:
        self.write(shown, "- [ ] grease\n- [x] boots\nend")
        for number, made in ((0, "- [x] grease\n- [x] boots\nend"), (1, "- [x] grease\n- [ ] boots\nend")):
            shown.one(".cm-box").nth(number).click()
            assert self.text(shown) == made
        shown.page.keyboard.type("!")
        assert self.text(shown).endswith("end!"), "the caret stays where it is"

    def test_quotes_callouts_and_code_have_their_boxes(self, shown: Stage) -> None:
        self.write(shown, "> a\n> b\n\n> [!tip]\n> c\n\n```js\nlet d\n```\n\n![[plan.png|20]]\n\nend")
        for box, texts in ((".cm-quote", ["a", "b"]), (".cm-callout", ["Tip", "c"]), (".cm-code", ["js", "let d", ""])):
            assert shown.one(box).evaluate_all(LINES) == texts
        expect(shown.one(".cm-picture img")).to_have_js_property("width", 20)

    def test_hostile_text_makes_only_the_editors_elements_and_asks_only_the_app(self, shown: Stage) -> None:
        payload = f"<img src=//evil.test/i onerror={RUN}><script>{RUN}</script><a href=javascript:{RUN}>"
        addresses = (
            "https://evil.test/a.png //evil.test/b.png data:image/png,c.png javascript:d.png \\\\evil.test\\e.png"
        )
        parts = [
            *(f"![{payload}]({address})" for address in addresses.split()),
            *(f"![[{address}|{payload}]]" for address in addresses.split()),
            f"| {payload} | ![x](https://evil.test/f.png) |\n| - | - |\n| [{payload}](javascript:x) | `{payload}` |",
            f"> [!{payload}]\n> {payload}",
            f"> [!onerror-{RUN.partition('.')[0]}] {payload}",
            f"```{payload}\n{payload}\n```",
            f"- [{payload}] {payload}\n- [x] {payload}",
        ]
        self.write(shown, "\n\n".join([*parts, "end"]))
        assert shown.one(".cm-table").count() == 1
        drawn = {name.partition(" ")[0] for name in shown.one(".cm-content").evaluate(DRAWN)}
        assert drawn <= {*"div span br img input table tr th td strong em s mark code".split()}
        assert not any("onerror" in name or "href" in name for name in shown.one(".cm-content").evaluate(DRAWN))
        assert {address.partition("/picture/")[0] for address in shown.requests if "evil" in address} <= {HOME[:-1]}
        assert not any("ran" in name for name in shown.stored)

    def test_what_is_done_in_it_is_done_to_the_text_as_without_it(self, shown: Stage) -> None:
        """Random texts, keys and clicks: a letter comes to the caret, and nothing else changes the text."""
        draw = random.Random(7)
        look = "[...tesseraShelf.editors.values()][0].editor"
        keys = "ArrowUp ArrowDown ArrowLeft ArrowRight Home End Control+Home Control+End Shift+ArrowDown Alt+p".split()
        for _ in range(4):
            text = "\n".join(draw.choices(CONSTRUCTS, k=25))
            self.write(shown, text)
            shown.later(1_000)  # what comes is undone by itself
            expected = self.text(shown)
            assert expected == text
            for _ in range(20):
                if draw.random() < 0.3:
                    place = {"x": draw.randrange(20, 700), "y": draw.randrange(5, 250)}
                    shown.one(".cm-scroller").click(position=place, force=True)
                elif draw.random() < 0.6:
                    shown.page.keyboard.press(draw.choice(keys))
                else:
                    shown.page.keyboard.press("ArrowRight")  # nothing is chosen
                    at = shown.page.evaluate(f"{look}.at()")
                    expected = shown.page.evaluate(
                        "([text, at]) => text.slice(0, at) + 'x' + text.slice(at)", [expected, at]
                    )
                    shown.page.keyboard.type("x")
                boxes = str.maketrans({"x": " "})
                assert self.text(shown).translate(boxes) == expected.translate(boxes), "a click may set a box"
                expected = self.text(shown)
            for _ in range(30):
                shown.page.keyboard.press("Control+z")
                if self.text(shown) == text:
                    break
            assert self.text(shown) == text
            shown.page.keyboard.press("Control+End")

    def test_nothing_is_replaced_in_a_line_that_is_composed(self, shown: Stage) -> None:
        self.write(shown, "**靴子**放在\n**b**", "ArrowUp", "End")
        composer = shown.page.context.new_cdp_session(shown.page)
        for text in ("m", "men", "门"):
            composer.send(
                "Input.imeSetComposition", {"text": text, "selectionStart": len(text), "selectionEnd": len(text)}
            )
            assert self.lines(shown) == [f"**靴子**放在{text}", "b"]
        composer.send("Input.insertText", {"text": "门口"})
        assert self.text(shown) == "**靴子**放在门口\n**b**"

    def test_of_a_huge_note_only_what_is_in_sight_is_drawn(self, shown: Stage) -> None:
        rows = "| **a** | b |\n| - | - |\n" + "| **c** | d |\n" * 50_000
        tasks, quote, line = "- [ ] **a** [[b]]\n" * 100_000, ">" * 20_000 + " **a**\n", "**a** " * 100_000
        text = "\n".join(["end\n", tasks, rows, quote, line])
        self.open_another(shown, text)
        content = shown.one(".cm-content")
        for key, seen in (("Control+Home", ".cm-box"), ("PageDown", ".cm-box"), ("Control+End", ".cm-line")):
            content.press(key)
            expect(shown.one(seen).first).to_be_attached()
            assert len(content.evaluate(DRAWN)) < 10_000
        assert self.text(shown) == text


ADDRESSES = (
    "obsidian://advanced-uri?eval=1",
    f"javascript:{RUN}",
    "https://evil.test/",
    " obsidian://open?path=x",
    "obsidian://open?path=%2Fvault%2Fa.md",
)


def test_the_button_opens_a_file_in_obsidian_and_nothing_else(stage: Stage) -> None:
    """The last test: the browser's question about the other program takes the focus from the page."""
    stage.mount(actions.OBSIDIAN, headers={})
    browser = stage.page.context.new_cdp_session(stage.page)
    browser.send("Page.enable")
    navigations: list[str] = []
    browser.on("Page.frameRequestedNavigation", lambda event: navigations.append(event["url"]))
    button = stage.one("button")
    for address in ADDRESSES:
        stage.draw(label="Open <b>", address=address)
        expect(button).to_have_text("Open <b>")
        button.click()
    browser.detach()
    assert navigations == [ADDRESSES[-1]]
    assert stage.stored == {}
    assert stage.page.url == HOME

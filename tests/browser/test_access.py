"""The pages for everybody: axe-core finds nothing serious, the focus is always seen, all goes by keyboard."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import MOVING, ROOT, Tab, light_workspace, started, tessera

pytestmark = pytest.mark.browser

GRAVE = ("serious", "critical")
RULES: dict[str, Any] = {"resultTypes": ["violations"], "preload": False, "iframes": False}
LOOK_RULES = RULES | {"runOnly": ["color-contrast", "link-in-text-block"]}
"""What may differ between the looks."""
BACKGROUND = {"light": "rgb(253, 252, 250)", "dark": "rgb(20, 24, 26)"}
STREAMLIT = {
    "scrollable-region-focusable": "st.code('line\\n' * 99, language=None, height=200)",
    "aria-dialog-name": "st.toast('done', duration='infinite')",
}
"""Findings that Streamlit causes, each with the line that causes it on a page without anything of ours.

A browser's own keys scroll such a box: Chromium and Firefox give it the focus without a `tabindex`.
A toast is a dialog whose text is read out, without a name.
"""

START = """---
tags: [kitchen, boats]
aliases: [First]
---
# Start

To [[Boats 1]], [[Nowhere]] and [the web](https://example.invalid/). A `word` of code. #house

> [!tip] A callout
> It says something.

- [ ] a box
- [x] a full one

| name | value |
|---|---|
| a | $x^2$ |

```python
def f(x): return x  # a comment
```

![missing](nothing.png)

## The punt

A punt is pushed along with a long pole.[^1]

[^1]: A footnote.
"""
QUESTION = "how is a punt moved"
PAGES = ("", "notes", "map", "review", "chunks", "search", "evaluation", "bases")
"""Those that look different without notes; the others are looked at beside them."""
VIEWS = ("questions", "compare", "history")


def press(name: str, drawn: str) -> Callable[[Page], None]:
    """Return what presses a button and waits for what it draws."""

    def act(page: Page) -> None:
        page.get_by_role("button", name=name).first.click()
        expect(page.locator(drawn).first).to_be_visible()

    return act


STATES: dict[str, Callable[[Page], None] | None] = {
    **{f"/{name}": None for name in ("", "map", "review", "bases", "help")},
    "/notes?import=1": None,
    "/bases?new=yes": None,
    "/bases?base=vault": None,
    "/chunks?note={note}": None,
    "/notes?note={note}": None,
    "/notes": press("New note", ".st-key-note_editor"),
    "/search?q=qwertzu": None,
    "/search?q=priority:x": None,
    "/search?q=punts vs sheds": None,
    f"/search?q={QUESTION}": press("Why this?", "[class*=st-key-why_body_]"),
    f"/search?q={QUESTION} ": press("For an assistant", "code:has-text('[1] <note>')"),
    f"/search?q={QUESTION}  ": press("Options", ".st-key-options_body"),
    **{f"/evaluation?view={view}": None for view in VIEWS},
}
"""Addresses of pages that show something, and what is done there first."""


FOCUSED = ("/", f"/search?q={QUESTION}", "/notes?note={note}", "/chunks?note={note}", "/bases?new=yes", "/settings")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An empty workspace, and beside it what comes into it."""
    folder = tmp_path_factory.mktemp("access")
    (folder / "vault" / "deep").mkdir(parents=True)
    (folder / "vault" / "Start.md").write_text(START, encoding="utf-8")
    for number in range(3):
        text = f"# Boats {number}\n\nA punt is pushed along with a long pole. It lies in shed {number}.\n"
        (folder / "vault" / "deep" / f"Boats {number}.md").write_text(text, encoding="utf-8")
    gold = [{"path": "Start.md", "quote": "A punt is pushed along with a long pole."}]
    (folder / "questions.jsonl").write_text(json.dumps({"id": "q", "question": QUESTION, "gold": gold}), "utf-8")
    with light_workspace(folder) as place:
        yield place


@pytest.fixture(scope="module")
def note(place: Path, server: str) -> str:
    """The id of a note in the workspace, which the open app has filled and evaluated."""
    folder = place.parent
    tessera("import", str(folder / "vault"), "--base", "vault")
    questions = str(folder / "questions.jsonl")
    tessera("evaluate", questions, "--base", "vault", "--save", "set", "--compare", "mode=keyword")
    return next(str(note["id"]) for note in tessera("note", "list")["notes"] if note["title"] == "Start")


def findings(page: Page, rules: dict[str, Any]) -> list[str]:
    """What axe-core says that is serious or critical and not Streamlit's, a line for each element."""
    return [
        f"{one['id']}: {node['html'][:160]} in {node['target']}: {node['failureSummary'][:300]}"
        for one in Axe().run(page, options=rules).response["violations"]
        if one["impact"] in GRAVE and one["id"] not in STREAMLIT
        for node in one["nodes"]
    ]


UNSEEN = """async () => {
  const all = root => [...root.querySelectorAll('*')]
    .flatMap(one => [one, ...(one.shadowRoot ? all(one.shadowRoot) : [])]);
  const shown = one => one.checkVisibility({ visibilityProperty: true }) && one.getBoundingClientRect().width > 1;
  const controls = 'a[href], button, input, textarea, summary, [role][tabindex]';
  const stops = all(document.body).filter(one => one.matches(controls)
    && one.tabIndex >= 0 && !one.disabled && shown(one));
  const drawn = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  const look = one => {
    const around = [...one.querySelectorAll('p, div, span')];
    for (let up = one, n = 0; up && n < 5; up = up.parentElement ?? up.getRootNode().host, n += 1) around.push(up);
    return around.map(part => {
      const css = getComputedStyle(part);
      return [css.outline, css.boxShadow, css.borderColor, css.backgroundColor, css.textDecorationLine];
    }).join();
  };
  const unseen = [];
  for (const one of stops) {
    one.focus({ focusVisible: true, preventScroll: true });
    await drawn();
    if (one.getRootNode().activeElement !== one) continue;  // of a group of choices the chosen one has the focus
    const focused = look(one);
    one.blur();
    await drawn();
    if (one.isConnected && focused === look(one)) unseen.push(one.outerHTML.slice(0, 200));
  }
  return unseen;
}"""
"""Return the elements that the keys reach and whose focus changes nothing in their look or around them."""


def standing(page: Page, rules: dict[str, Any]) -> list[str]:
    """The same, of what is still there a moment later: a part that is drawn anew is faint meanwhile."""
    lines = findings(page, rules)
    if lines:
        page.wait_for_timeout(1500)
        again = findings(page, rules)
        lines = [line for line in lines if line in again]
    return lines


def put_on(tab: Tab, look: str) -> None:
    """Give the page a look, and wait until all of it has it."""
    tab.page.emulate_media(color_scheme=look)
    expect(tab.page.get_by_test_id("stApp")).to_have_css("background-color", BACKGROUND[look])
    tab.settle()
    tab.wait_until(lambda: not tab.page.evaluate(MOVING))


def looked_at(tab: Tab, *looks: str) -> list[str]:
    """Return the findings of the page in these looks."""
    lines = []
    for look in looks:
        put_on(tab, look)
        rules = RULES if look == looks[0] else LOOK_RULES
        lines += [f"{tab.page.url} {look}: {line}" for line in standing(tab.page, rules)]
    return lines


def test_axe_finds_nothing_on_pages_without_notes(tab: Tab) -> None:
    lines: list[str] = []
    for name in PAGES:
        tab.open(f"/{name}")
        lines += looked_at(tab, "light")  # their colours are those of the pages with notes
    assert not lines, "\n".join(lines)


def test_axe_finds_nothing_on_pages_with_notes(tab: Tab, note: str) -> None:
    lines: list[str] = []
    for number, (path, act) in enumerate(STATES.items()):
        look, other = ("light", "dark") if number % 2 else ("dark", "light")
        tab.open(path.format(note=note))
        if act:
            act(tab.page)
            tab.settle()
        lines += looked_at(tab, look, *([other] if path in FOCUSED else []))
    tab.open("/settings")
    for one in tab.page.get_by_role("tab").all():
        one.click()
        expect(tab.page.locator("[role=tabpanel]:visible").last).to_contain_text(re.compile(r"\w"))
        tab.settle()
        lines += looked_at(tab, "light", "dark")
    assert not lines, "\n".join(lines)


def test_what_is_allowed_is_of_streamlit(tmp_path: Path, chromium: Browser) -> None:
    (tmp_path / "bare.py").write_text("import streamlit as st\n" + "\n".join(STREAMLIT.values()), encoding="utf-8")
    options = "--browser.gatherUsageStats=false", "--server.fileWatcherType=none", "--server.port"
    command = "streamlit", "run", str(tmp_path / "bare.py"), *options
    with started(*command, folder=ROOT, environment={}) as url, chromium.new_context() as context:
        page = context.new_page()
        page.goto(url)
        expect(page.locator("pre")).to_be_visible()
        found = Axe().run(page, options=RULES).response["violations"]
    assert {one["id"] for one in found} >= STREAMLIT.keys()


def test_the_focus_is_seen(tab: Tab, note: str) -> None:
    unseen, looks = [], ["light", "dark"]
    for path in FOCUSED:
        tab.open(path.format(note=note))
        for look in looks:
            put_on(tab, look)
            unseen += [f"{path} {look}: {line}" for line in tab.page.evaluate(UNSEEN)]
        looks.reverse()
    assert not unseen, "\n".join(unseen)

"""A person who writes in the editor, and knows letter by letter what must stand there."""

import random
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from playwright.sync_api import Error, Page, expect

PATIENCE = 60
"""Seconds until the editor counts as hung: Streamlit's page waits half a minute before it looks for a server again."""
_WORDS = ("kitchen", "shelf", "boots", "Über", "naïve", "résumé", "straße", "x", "Zwölf", "don't", "a-b", "état")
_CHINESE = ("靴子", "放在门口", "厨房", "笔记", "你好，世界", "检索")
_COMPOSED = {"nihao": "你好", "biji": "笔记", "chufang": "厨房", "xiezi": "鞋子"}
_LOOK = """() => {
  const all = [...(window.tesseraShelf?.editors.values() ?? [])].filter(own => own.paper?.isConnected && own.editor);
  const own = all.find(own => own.token === window.tesseraShelf.open) ?? all[0];
  if (!own) return null;
  const lines = [...own.host.shadowRoot.querySelectorAll('.cm-line')];
  const shown = lines.map(line => (line.querySelector('.cm-placeholder') ? '' : line.textContent)).join('\\n');
  const [text, at] = [own.editor.text(), own.editor.at()];
  return { text, at, shown: text.length > 2000 ? text : shown, session: window.tesseraShelf.session };
}"""


class Lost(Exception):
    """Letters that were typed aren't there, or stand elsewhere."""


@dataclass(frozen=True)
class Sight:
    """What stands in the editor, where the caret is, and the session of the window."""

    text: str
    at: int
    session: str


class Typist:
    """Types in the editor of a tab; `text` is what stands there, and `letters` counts what was typed."""

    def __init__(self, page: Page, chance: random.Random) -> None:
        self.page, self.chance = page, chance
        self.text = ""
        self.letters = 0
        self.done: list[str] = []

    @property
    def box(self):  # type: ignore[no-untyped-def]
        """The text's element."""
        return self.page.get_by_role("textbox", name="Text of the note")

    def sight(self) -> Sight | None:
        """Return what is in the editor, None where there is none."""
        for _ in range(40):
            try:
                seen = self.page.evaluate(_LOOK)
            except Error:
                return None  # the page is being left
            if seen is None:
                return None
            if seen["shown"] == seen["text"]:
                return Sight(seen["text"], seen["at"], seen["session"])
            self.page.wait_for_timeout(50)  # lines that come into sight are drawn in the next frames
        raise Lost(f"{seen['shown'][-200:]!r} is shown of {seen['text'][-200:]!r}")

    def arrive(self, after: str = "") -> None:
        """Wait for the editor, in another session than `after`, and go to the end of its text."""
        end = time.monotonic() + PATIENCE
        while not ((seen := self.sight()) and seen.session != after):
            if time.monotonic() > end:
                raise Lost("the editor doesn't come")
            self.page.wait_for_timeout(50)
        self.compare("when the editor came")
        self.focus()

    def focus(self) -> None:
        """Put the caret at the end of the text, with the mouse and a key."""
        self.box.click()
        for _ in range(50):
            self.page.keyboard.press("Control+End")
            if (seen := self.sight()) and seen.at == len(seen.text):
                return
            self.page.wait_for_timeout(100)
        raise Lost("the caret doesn't go to the end")

    def _seen(self, when: str) -> Sight:
        """Return what is in the editor. Where the page is drawn anew, the editor is out of sight for a moment."""
        end = time.monotonic() + PATIENCE
        while (seen := self.sight()) is None:
            if time.monotonic() > end:
                raise Lost(f"{when} there is no editor")
            self.page.wait_for_timeout(20)
        return seen

    def compare(self, when: str) -> None:
        """Raise Lost if another text is in the editor than must be."""
        seen = self._seen(when)
        if seen.text != self.text:
            raise Lost(f"{when} there is {seen.text[-300:]!r} in place of {self.text[-300:]!r}")

    def insert(self, text: str, act: Callable[[], object], when: str) -> None:
        """Do what puts a text at the caret, and compare."""
        seen = self._seen(when)
        if seen.text != self.text:
            raise Lost(f"before {when} there is {seen.text[-300:]!r} in place of {self.text[-300:]!r}")
        act()
        self.letters += len(text)
        self.text = seen.text[: seen.at] + text + seen.text[seen.at :]
        self.compare(f"after {when}")

    def burst(self, when: str = "typing") -> None:
        """Type a few words, quickly."""
        for _ in range(self.chance.randint(1, 3)):
            word = self.chance.choice(_WORDS) + self.chance.choice((" ", " ", ". ", ", "))
            delay = self.chance.choice((0, 5, 25))
            self.insert(word, lambda word=word, delay=delay: self.page.keyboard.type(word, delay=delay), when)

    def act(self) -> None:
        """Do one thing that a person does in the text."""
        act = self.chance.choice(_ACTS)
        self.done.append(act.__name__)
        act(self)

    def look_again(self, letters: bool = True) -> None:
        """Take what stands there for what must stand there; the `letters` and their order are the same."""
        seen = self._seen(f"after {self.done[-1]}")
        before, after = (_letters(text) for text in (self.text, seen.text))
        if letters and before != after:
            raise Lost(f"{self.done[-1]}: {after[-200:]!r} are the letters in place of {before[-200:]!r}")
        self.text = seen.text


def _letters(text: str) -> str:
    return "".join(one for one in text if one.isalpha())


def _chinese(typist: Typist) -> None:
    word = typist.chance.choice(_CHINESE)
    typist.insert(word, lambda: typist.page.keyboard.insert_text(word), "inserting")


def _composition(typist: Typist) -> None:
    typed, word = typist.chance.choice(list(_COMPOSED.items()))
    keyboard = typist.page.context.new_cdp_session(typist.page)

    def compose() -> None:
        for end in range(1, len(typed) + 1):
            place = {"selectionStart": end, "selectionEnd": end}
            keyboard.send("Input.imeSetComposition", {"text": typed[:end], **place})
        keyboard.send("Input.insertText", {"text": word})
        keyboard.detach()

    typist.insert(word, compose, "composing")


def _brackets(typist: Typist) -> None:
    typist.focus()
    typist.insert(" (shelf) ", lambda: typist.page.keyboard.type(" (shelf) "), "typing brackets")


def _line(typist: Typist) -> None:
    typist.page.keyboard.press("Escape")
    typist.page.keyboard.press("Enter")
    typist.look_again()


def _item(typist: Typist) -> None:
    typist.focus()
    _line(typist)
    typist.page.keyboard.type("- item")
    typist.text = ""
    typist.look_again(letters=False)
    typist.page.keyboard.press("Tab")
    typist.look_again()
    typist.focus()


def _move(typist: Typist) -> None:
    for key in typist.chance.choices(("Home", "End", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"), k=3):
        typist.page.keyboard.press(key)
    typist.compare("after a move")


def _backspace(typist: Typist) -> None:
    typist.focus()
    typist.burst()
    typist.insert("xyz", lambda: typist.page.keyboard.type("xyz"), "typing")
    typist.page.keyboard.press("Backspace")
    typist.page.keyboard.press("Backspace")
    typist.text = typist.text[:-2]
    typist.compare("after Backspace")


def _undo(typist: Typist) -> None:
    typist.page.keyboard.press("Control+z")
    typist.page.keyboard.press("Control+y")
    typist.compare("after undo and redo")


def _complete(typist: Typist) -> None:
    page, chance = typist.page, typist.chance
    typist.focus()
    typist.insert(" ", lambda: page.keyboard.type(" "), "typing")
    before, (sign, typed) = typist.text, chance.choice((("[[", "shelf"), ("#", "kit")))
    page.keyboard.type(sign + typed)
    expect(page.get_by_role("option").first).to_be_visible()
    page.wait_for_timeout(400)  # a list takes no key in its first moment
    offer = page.locator("[role=option][aria-selected=true] .cm-completionLabel").inner_text()
    accepts = chance.random() < 0.5
    page.keyboard.press("Enter" if accepts else "Escape")
    expect(page.get_by_role("option")).to_have_count(0)
    seen = typist.sight()
    if seen is None or not seen.text.startswith(before + sign + (offer if accepts else typed)):
        raise Lost(f"completing: {seen and seen.text[-100:]!r}")
    typist.text = seen.text
    typist.burst("typing after a list")


def _paste(typist: Typist) -> None:
    text = "".join(typist.chance.choices("abcdefgh \n笔记", k=typist.chance.choice((40, 3_000, 120_000))))
    paste = """(content, text) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', text);
      content.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }"""
    typist.insert(text, lambda: typist.box.evaluate(paste, text), "pasting")


def _save(typist: Typist) -> None:
    typist.burst()
    typist.page.keyboard.press(typist.chance.choice(("Control+s", "Control+Enter")))
    typist.burst("typing after a save")


def _pause(typist: Typist) -> None:
    """Stop until about the moment when the text is saved by itself, and go on."""
    typist.page.wait_for_timeout(typist.chance.choice((2800, 3000, 3200, 4500)))
    typist.burst("typing after a pause")


def _escape(typist: Typist) -> None:
    for _ in range(typist.chance.randint(1, 3)):
        typist.page.keyboard.press("Escape")
    typist.burst("typing after Escape")


def _tab(typist: Typist) -> None:
    typist.page.keyboard.press("Tab")
    typist.look_again()
    typist.focus()
    typist.burst()


def _switcher(typist: Typist) -> None:
    dialog = typist.page.get_by_role("dialog")
    for _ in range(4):  # where the text is sent at the same moment, the page is drawn without the dialog
        typist.page.keyboard.press("Control+o")
        with suppress(AssertionError):
            expect(dialog).to_be_visible(timeout=PATIENCE * 250)
            break
    expect(dialog).to_be_visible()
    typist.page.wait_for_timeout(300)
    typist.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    typist.compare("after the switcher")
    typist.focus()


def _drawn_anew(typist: Typist) -> None:
    sides = typist.page.locator(".st-key-writing_side button")
    sides.nth(typist.chance.randrange(2)).evaluate("button => button.click()")
    typist.burst("typing while the page is drawn")


_ACTS = (
    *(Typist.burst, Typist.burst, _chinese, _composition, _brackets, _line, _item, _move, _backspace, _undo),
    *(_complete, _complete, _paste, _save, _pause, _escape, _escape, _tab, _switcher, _drawn_anew),
)

"""`tessera.toml`, written for a person: one value changes, and all else stays as it was typed."""

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, strategies

from core.base import safe_replace
from core.base.errors import ConfigError
from core.settings import config
from core.settings.config import FILE
from core.settings.file import SettingsFile, _edit_text

TYPED = """# mine
scan_interval = 5 # often

[search] # how
# few
limit = 3 # three
mode = 'hybrid'

[llm]
model='x'
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], SettingsFile]:
    """The settings of a folder whose file holds a text."""
    monkeypatch.chdir(tmp_path)

    def typed(text: str) -> SettingsFile:
        if text:
            FILE.write_text(text, encoding="utf-8")
        return SettingsFile(config.settings(), lambda: None)

    return typed


def test_a_value_is_changed_and_comments_and_order_stay(file: Callable[[str], SettingsFile]) -> None:
    settings = file(TYPED)
    settings.write("search.limit", 7)
    settings.write("trash_days", 9)
    assert FILE.read_text() == TYPED.replace("limit = 3", "limit = 7").replace("often\n", "often\ntrash_days = 9\n")
    settings.write("search.limit", 3)
    settings.write("trash_days", None)
    assert FILE.read_text() == TYPED
    assert (settings.get("search.limit").source, settings.get("trash_days").source) == ("file", "default")


def test_a_file_is_made_and_a_section_is_added_where_there_is_none(file: Callable[[str], SettingsFile]) -> None:
    settings = file("")
    settings.write("search.limit", 7)
    settings.write("backups.daily", True)
    assert settings.text() == "[search]\nlimit = 7\n\n[backups]\ndaily = true\n"
    assert settings.get("search.limit").value == 7


def test_a_change_holds_at_once_or_says_that_it_waits(file: Callable[[str], SettingsFile]) -> None:
    settings = file("")
    settings.write("search.limit", 7)
    settings.write("trash_days", 7)
    assert [settings.get(key).waits for key in ("search.limit", "trash_days")] == [False, True]


def test_the_environment_wins_and_is_named(
    file: Callable[[str], SettingsFile], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TESSERA_SEARCH__LIMIT", "4")
    one = file(TYPED).get("search.limit")
    assert (one.value, one.source, one.place) == (4, "environment", "TESSERA_SEARCH__LIMIT")
    assert (one.least, one.most) == (1, 100)


@pytest.mark.parametrize(
    ("text", "key", "value", "why"),
    [
        ("[search]\nlimit = \n", "search.limit", 7, "line 2"),
        ("[search]\nlimit = 3000\n", "search.limit", 7, "search.limit.*at most 100"),
        ("search = 5\n", "search.limit", 7, "'search' is not valid"),
        (TYPED, "search.limit", 101, "at most 100"),
    ],
)
def test_a_mistake_is_named_and_the_file_stays(
    file: Callable[[str], SettingsFile], text: str, key: str, value: int, why: str
) -> None:
    settings = file(TYPED)
    FILE.write_text(text)
    with pytest.raises(ConfigError, match=why):
        settings.write(key, value)
    assert FILE.read_text() == text
    assert settings.get(key).value == 3


def test_a_file_that_another_program_changes_meanwhile_stays(
    file: Callable[[str], SettingsFile], monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, swap = file(TYPED), safe_replace.swap

    def late(place: Path, data: bytes, expected: bytes) -> object:
        place.write_text("limit = 1\n")
        return swap(place, data, expected)

    monkeypatch.setattr(safe_replace, "swap", late)
    with pytest.raises(ConfigError, match="by another program"):
        settings.write("search.limit", 7)
    assert FILE.read_text() == "limit = 1\n"


def test_the_file_behind_a_link_is_written(file: Callable[[str], SettingsFile], tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.toml"
    elsewhere.write_text(TYPED)
    FILE.symlink_to(elsewhere)
    file("").write("search.limit", 7)
    assert FILE.is_symlink()
    assert "limit = 7 # three" in elsewhere.read_text()


_KEYS = strategies.sampled_from(["scan_interval", "search.limit", "search.mode", "llm.model"])
_LINES = strategies.sampled_from(
    ["# 注释\n", "\n", "scan_interval = 5\r\n", "[search]\n", "limit = 3 # x\n", "[ llm ]\n", "model = '''a\nb'''\n",
     "search.limit = 4\n", "search = {limit = 3}\n", "[[x]]\n", "[embeddings.a]\n", "mode = \"auto\" \n"]
)  # fmt: skip


@given(strategies.lists(_LINES, max_size=8), _KEYS, strategies.sampled_from([7, "x", True, None]))
def test_whatever_is_typed_only_one_value_changes(lines: list[str], key: str, value: object) -> None:
    text = "".join(lines)
    try:
        before = tomllib.loads(text)
    except ValueError:
        return
    section, _, name = key.rpartition(".")
    if section and not isinstance(before.get(section, {}), dict):
        return
    after = _edit_text(text.encode(), key, value).decode()
    part = before.setdefault(section, {}) if section else before
    part.pop(name, None) if value is None else part.update({name: value})
    values = tomllib.loads(after)
    assert {**values, section: values.get(section, {})} == {**before, section: before.get(section, {})}
    assert [line for line in text.splitlines() if line.startswith("#")] == [
        line for line in after.splitlines() if line.startswith("#")
    ]

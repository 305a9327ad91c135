"""A person's choices, made on several screens at once."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core.settings.preferences import Preferences


@pytest.fixture
def _often() -> Iterator[None]:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("_often")
def test_choices_made_at_once_are_all_there(tmp_path: Path) -> None:
    preferences, names = Preferences(tmp_path, readonly=False), [f"choice {number}" for number in range(60)]
    with ThreadPoolExecutor(8) as screens:
        [*screens.map(lambda name: preferences.set(name, "chosen"), names)]
    assert {preferences.get(name) for name in names} == {"chosen"}
    assert [file.name for file in tmp_path.iterdir()] == ["preferences.json"]

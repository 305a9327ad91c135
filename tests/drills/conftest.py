import os
from collections.abc import Iterator

import pytest

from core.embedding import EMBEDDERS


@pytest.fixture(autouse=True)
def _of_drills_only() -> Iterator[None]:
    """The settings and the models that a drill chooses leave with it."""
    settings, models = dict(os.environ), dict(EMBEDDERS)
    yield
    for chosen, before in ((os.environ, settings), (EMBEDDERS, models)):
        chosen.clear()
        chosen.update(before)

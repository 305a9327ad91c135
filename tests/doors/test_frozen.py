"""What programs rely on at the doors stays as it is frozen, unless a change of it is meant."""

import pytest

from tests.doors.faces import FACES, FROZEN, current


@pytest.fixture(scope="module")
def faces() -> dict[str, str]:
    return current()


@pytest.mark.parametrize("name", FACES)
def test_a_face_is_as_it_is_frozen(faces: dict[str, str], name: str) -> None:
    assert faces[name] == (FROZEN / name).read_text(encoding="utf-8"), "if it is meant: python -m tests.doors.faces"

"""Pictures that a person puts into a note: each stored whole beside the notes, or not at all."""

import subprocess
import sys
from pathlib import Path

import pytest

from core.base.errors import EditError
from core.notes import attachments

PICTURE = b"\x89PNG\r\n\x1a\n" + b"pixels" * 20_000
KILLED_AT_EACH_STEP = """
import os, signal, sys
from pathlib import Path

from core.notes import attachments

top, data, step = Path(sys.argv[1]), Path(sys.argv[2]).read_bytes(), 0
while True:
    (top / str(step)).mkdir()
    child = os.fork()
    if not child:
        left = step

        def count(event, _):
            global left
            if event == "open" or event.startswith("os."):
                left -= 1
                if left < 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(count)
        attachments.save(top / str(step), "view.png", data)
        os._exit(0)
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0:
        break
    step += 1
print(step)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_a_kill_at_any_step_leaves_a_whole_picture_or_none(tmp_path: Path) -> None:
    (tmp_path / "view.png").write_bytes(PICTURE)
    places = tmp_path / "places"
    places.mkdir()
    command = [sys.executable, "-c", KILLED_AT_EACH_STEP, str(places), str(tmp_path / "view.png")]
    steps = int(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    assert steps > 4
    for place in places.iterdir():
        assert all(one.read_bytes() == PICTURE for one in place.glob("attachments/view-*"))
        path = attachments.save(place, "view.png", PICTURE)
        assert (place / path).read_bytes() == PICTURE
        assert [one.name for one in place.glob("attachments/view-*")] == [Path(path).name]


def test_what_is_no_picture_or_leads_outside_is_refused(tmp_path: Path) -> None:
    for data in (b"", b"<svg onload='x'/>", b"MZ" + bytes(100)):
        with pytest.raises(EditError, match="Only pictures"):
            attachments.save(tmp_path, "view.png", data)
    (tmp_path / "outside").mkdir()
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "attachments").symlink_to(tmp_path / "outside")
    with pytest.raises(EditError, match="points to another location"):
        attachments.save(tmp_path / "notes", "view.png", PICTURE)
    assert not list((tmp_path / "outside").iterdir())
    path = attachments.save(tmp_path, "../../etc/pass\x00wd.html", PICTURE)
    assert (tmp_path / path).resolve().parent == (tmp_path / "attachments").resolve()
    assert path.endswith(".png")

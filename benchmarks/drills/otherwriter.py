"""Another program that writes a file as editors do: in place, by renaming, or anew after deleting it.

Reads a line of JSON for each task, and answers each with a line when it is done. Only the standard library.
"""

import json
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

_BEGIN = 0.02
"""Seconds after which it begins at the latest."""
_PAUSE = 0.003
"""Seconds of the longest pause between two steps."""


def _in_place(file: Path, data: bytes, pause: Callable[[], None]) -> None:
    with file.open("wb") as stream:
        pause()
        stream.write(data[: len(data) // 2])
        stream.flush()
        pause()
        stream.write(data[len(data) // 2 :])


def _over(file: Path, data: bytes, pause: Callable[[], None]) -> None:
    with file.open("r+b") as stream:
        pause()
        stream.write(data)
        stream.truncate()


def _by_rename(file: Path, data: bytes, pause: Callable[[], None]) -> None:
    new = file.with_name(".other.tmp")
    new.write_bytes(data)
    pause()
    new.replace(file)


def _anew(file: Path, data: bytes, pause: Callable[[], None]) -> None:
    file.unlink(missing_ok=True)
    pause()
    file.write_bytes(data)


WAYS = {"in place": _in_place, "over": _over, "by rename": _by_rename, "anew": _anew}


def main() -> None:
    for line in sys.stdin:
        task = json.loads(line)
        chance = random.Random(task["seed"])

        def pause(chance: random.Random = chance) -> None:
            if chance.random() < 0.7:
                time.sleep(chance.random() * _PAUSE)

        time.sleep(chance.random() * _BEGIN)
        for text in task["texts"]:
            WAYS[task["way"]](Path(task["file"]), text.encode(), pause)
        sys.stdout.write("done\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

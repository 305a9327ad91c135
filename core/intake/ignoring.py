"""Rules for leaving out hidden files, leftover files, and files excluded by `.tesseraignore` or Obsidian."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from core.base.errors import SourceError
from core.base.messages import Message, message
from core.intake.notefile import is_note, is_skipped
from core.model import Failed

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

# Name of the files with patterns as in `.gitignore`, which apply to their folder and all folders below it.
RULES = ".tesseraignore"
# Path of the file that lists Obsidian's excluded files, relative to the vault.
VAULT = ".obsidian/app.json"

_MOST_BYTES = 64 * 1024
_MOST_RULES = 1_000
_UNREADABLE = message("This file can't be read, so its patterns aren't applied. Correct the file or its permissions.")

# Names of unfinished downloads, editors' and Office's lock and backup files, and Windows and macOS system files.
_LEFTOVERS = re.compile(
    r"(?is).*\.(?:part|partial|crdownload|opdownload|download|tmp|temp|swp|swo|swn|lnk)|.*~|~\$.*|#.*#|4913"
    r"|desktop\.ini|(?:eh)?thumbs\.db|icon\r",
)


def is_rules(path: str) -> bool:
    """Return whether the file at a path contains rules for leaving out files."""
    return path.rpartition("/")[2] == RULES or f"/{path}".endswith(f"/{VAULT}")


def is_leftover(name: str) -> bool:
    """Return whether a file with the given name is a leftover, such as a program's lock or backup file."""
    return not is_note(name) and _LEFTOVERS.fullmatch(name) is not None


class Ignoring:
    """The rules for leaving out files in a folder. `failed` lists the unusable rules."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._specs: dict[PurePosixPath, GitIgnoreSpec] = {}
        self.failed = list[Failed]()
        self._excluded = list(self._obsidian_patterns())

    def enter(self, place: str) -> None:
        """Read the patterns in the folder `place`, a path relative to the root, or "" for the root itself."""
        path = f"{place}/{RULES}" if place else RULES
        if not (text := self._text(path)):
            return
        lines = text.splitlines()[:_MOST_RULES]
        for number, line in enumerate(lines):
            # Each run of asterisks multiplies the matching time.
            if max(line.count("**"), *[len(re.findall(r"\*+", part)) for part in line.split("/")]) > 3:
                self._refuse(path, message("Line {n} has too many asterisks and is ignored.", n=number + 1))
                lines[number] = ""
        from pathspec import GitIgnoreSpec  # imported only if there are patterns

        try:
            self._specs[PurePosixPath(place)] = GitIgnoreSpec.from_lines(lines)
        except (ValueError, re.error):
            self._refuse(path, _UNREADABLE)

    def reason(self, path: str, *, is_folder: bool) -> Message | None:
        """Return why a file or folder is left out, or None if it isn't."""
        name = path.rpartition("/")[2]
        if is_skipped(name):
            if name == ".trash":
                return message("This is the vault's trash.")
            if name.startswith("."):
                return message("This is hidden because its name begins with a dot.")
            return message("This is a folder for programs, not for notes.")
        if is_folder and f"/{path}".endswith("/logseq/bak"):
            return message("This is a Logseq backup.")
        if not is_folder and is_leftover(name):
            return message("This is a leftover from another program.")
        named = f"{path}/" if is_folder else path
        # As with `.gitignore`, patterns in the innermost folder take precedence.
        for folder in PurePosixPath(named).parents if self._specs else ():
            if spec := self._specs.get(folder):
                result = spec.check_file(named.removeprefix(f"{folder}/"))
                if result.include:
                    return message("This is excluded by {file}.", file=str(folder / RULES))
                if result.include is not None:
                    break
        return next((why for why, pattern in self._excluded if pattern.search(named)), None)

    def _obsidian_patterns(self) -> Iterator[tuple[Message, "re.Pattern[str]"]]:
        """Yield a reason and a pattern for each of a vault's exclusions (path prefixes, or regexes between slashes)."""
        try:
            filters = json.loads(self._text(VAULT) or "{}").get("userIgnoreFilters") or []
            texts = [text for text in filters if isinstance(text, str) and text][:_MOST_RULES]
        except (AttributeError, TypeError, ValueError, RecursionError):
            why = message(
                "This file is damaged, so its list of excluded files isn't applied. Check the list in Obsidian."
            )
            return self._refuse(VAULT, why)
        for text in texts:
            why = message("This is excluded by Obsidian ({rule}).", rule=text)
            is_expression = len(text) > 2 and text[0] == text[-1] == "/"
            source = text[1:-1] if is_expression else f"^{re.escape(text)}"
            pattern = None
            # An expression may be invalid, or very slow if it has repeated groups, backreferences or many repetitions.
            if not (
                is_expression
                and (len(source) > 200 or re.search(r"\)[*+{?]|\\[1-9]|\(\?[^:]|[*+}][^|]*[*+}][^|]*[*+}]", source))
            ):
                with suppress(re.error, OverflowError, RecursionError):
                    pattern = re.compile(source, re.IGNORECASE)
            if pattern:
                yield why, pattern
            else:
                self._refuse(
                    VAULT, message("The rule '{rule}' for excluded files can't be applied and is ignored.", rule=text)
                )

    def _text(self, path: str) -> str:
        """Return the text of a small file in the folder, or "" if there is none."""
        from core.intake.encoding import decode_file

        full = self._root / path
        try:
            if not full.is_file() or not full.resolve().is_relative_to(self._root):
                return ""
            with full.open("rb") as file:
                data = file.read(_MOST_BYTES + 1)
            if len(data) > _MOST_BYTES:
                self._refuse(
                    path, message("This file is longer than {size} KB and is ignored.", size=_MOST_BYTES // 1024)
                )
                return ""
            return decode_file(data, path).text if data else ""
        except SourceError as error:
            self._refuse(path, error.reason)
        except (OSError, RuntimeError):
            self._refuse(path, _UNREADABLE)
        return ""

    def _refuse(self, path: str, why: Message) -> None:
        self.failed.append(Failed(path, why))

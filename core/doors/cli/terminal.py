"""Print output as readable lines or JSON, set up the standard streams, and translate help texts."""

import io
import json
import os
import re
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import IO, Any, BinaryIO, NoReturn, TextIO, cast

import typer.core

from core.base.codec import encode
from core.base.errors import ConfigError, SourceError
from core.base.frozen import Pair
from core.base.jobs import Pace
from core.base.messages import Message, readable
from core.base.terminal import _, say
from core.base.text import one_line

# Characters that control a terminal: control codes, line separators and direction marks.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb]")


def strip_controls(text: str) -> str:
    """Replace each character that controls a terminal with a visible one, except tabs and line breaks."""
    return _CONTROLS.sub(_sign, text.replace("\r\n", "\n").replace("\r", "\n"))


def _sign(control: re.Match[str]) -> str:
    code = ord(control[0])
    return chr(0x2400 + code) if code < 0x20 else "\u2421" if code == 0x7F else "\ufffd"


def take() -> None:
    """Set up this process's standard streams for a command. A closed stream becomes the null device."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # or the next file opened, perhaps a database, would become this stream
            number = os.open(os.devnull, os.O_RDWR)
            os.set_inheritable(number, True)
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8"))
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if not isinstance(stream, Stream):
            setattr(sys, name, Stream(stream, needed=name == "stdout"))


@dataclass(eq=False)
class Stream:
    """A standard stream that passes text through `shown`, by default `strip_controls`, before writing it.

    After a failed write, further output is discarded. If the reader has closed the stream, nothing is reported. Any
    other failure is stored in `lost`, and raised if the stream is `needed`.
    """

    _stream: TextIO
    needed: bool = False
    shown: Callable[[str], str] = strip_controls
    lost: SourceError | None = None

    def __post_init__(self) -> None:
        if isinstance(self._stream, io.TextIOWrapper):  # the terminal's encoding may lack characters used in notes
            self._stream.reconfigure(encoding="utf-8", errors="backslashreplace")

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        if shown := self.shown(text):  # typer tests the encoding with an empty write and ignores the result
            self._try(self._stream.write, shown)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        self.write("".join(lines))

    def flush(self) -> None:
        self._try(self._stream.flush)

    def redraw(self, line: str) -> None:
        self._try(self._stream.write, f"\r\x1b[K{strip_controls(line)}")
        self.flush()

    def _try(self, act: Callable[..., object], *values: object) -> None:
        try:
            act(*values)
        except OSError as error:
            _replace_by_null_device(self._stream.fileno(), os.O_WRONLY)  # discards buffered and further output
            if not isinstance(error, ConnectionError):
                self.lost = SourceError(
                    "stdout",
                    "The output can't be written ({reason}). Everything done so far was kept.",
                    reason=error.strerror or str(error),
                )
                if self.needed:
                    raise self.lost from error


def _replace_by_null_device(number: int, mode: int) -> None:
    """Make a file descriptor refer to the null device."""
    nowhere = os.open(os.devnull, mode)
    os.dup2(nowhere, number)
    os.close(nowhere)


def take_wire() -> tuple[BinaryIO, TextIO]:
    """Return standard input and output for exclusive use by the protocol.

    Child processes get an empty stdin. All other output goes to stderr, even output from native code. Call this before
    importing libraries, because they may print while they load.
    """
    sys.stdout.flush()
    lines = os.fdopen(os.dup(0), "rb")
    wire = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    _replace_by_null_device(0, os.O_RDONLY)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return lines, wire


def translate_typer() -> None:
    """Translate typer's own text in help pages and error messages into the terminal's language."""
    known = {
        "Arguments": _("Arguments"),
        "Options": _("Options"),
        "Commands": _("Commands"),
        "default: {default}": _("default: {default}"),
        "required": _("required"),
        "env var: {var}": _("env var: {var}"),
        "Missing command.": _("Missing command."),
        "No such command {name!r}.": _("No such command {name!r}."),
        "Aborted!": _("Aborted!"),
        "Show this message and exit.": _("Show this message and exit."),
    }
    vars(typer.core)["_"] = lambda text: known.get(text, text)
    context: Any = typer.core.TyperCommand.context_class

    class Formatter(context.formatter_class):  # type: ignore[misc]
        """A help formatter that translates typer's text and the usage line."""

        def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
            super().write_usage(prog, args, prefix or _("Usage: "))

        def write_dl(self, rows: Sequence[Pair], *widths: int) -> None:
            super().write_dl([(name, known.get(text, text)) for name, text in rows], *widths)

    context.formatter_class = Formatter
    usage_error: Any = typer.BadParameter.__base__
    usage_error.show = _show


def _show(error: Any, file: IO[Any] | None = None) -> None:
    """Print a command-line error in the terminal's language, because typer doesn't translate it."""
    parts = [f"tessera: {_problem(error)}"]
    if error.ctx is not None:
        parts = [error.ctx.get_usage(), *parts, _("For help: {command}", command=f"{error.ctx.command_path} --help")]
    typer.echo("\n".join(parts), file=file, err=True)


def _problem(error: Any) -> str:
    """Return an error's translated message.

    Some values appear only in typer's own message, and are taken from there.
    """
    problem, _did, nearest = str(error.message).partition(". Did you mean ")
    name = error.param.get_error_hint() if getattr(error, "param", None) else getattr(error, "option_name", "")
    match type(error).__name__:
        case "MissingParameter":
            return _("{name} is missing.", name=name)
        case "BadParameter" if "valid integer" in problem or "valid number" in problem:
            return _("{name} must be a number.", name=name)
        case "NoSuchOption" if error.possibilities:
            return _(
                "There is no option {name}. Did you mean {nearest}?", name=name, nearest=", ".join(error.possibilities)
            )
        case "NoSuchOption":
            return _("There is no option {name}.", name=name)
    if nearest:
        return _("{problem}. Did you mean {nearest}?", problem=problem.rstrip("。"), nearest=nearest.rstrip("?"))
    if words := re.search(r"unexpected extra argument\S* \((.+)\)", problem):
        return _(
            "The command doesn't take these arguments: {words}. Put text that contains spaces in quotation marks.",
            words=words[1],
        )
    return str(error.format_message())


# A function that formats a result's values as lines.
Lines = Callable[[Any], list[str]]
# Set on Ctrl-C. A library that loads a model may swallow KeyboardInterrupt, so `progress` raises it again.
STOPPED = threading.Event()
# The running command as typed.
TYPED: list[str] = []
PACE = Pace()
# Functions that return notices to print to stderr at the end of a command.
NOTICES: list[Callable[[], Iterable[object]]] = []


# Keys whose values are names or paths of files, notes or bases.
_NAMES = frozenset("base copy file folder missing_attachments name note path paths source_ref title to".split())
_LINE_END = str.maketrans({"\n": "\u240a", "\r": "\u240d"})


def show(data: object, as_json: bool, to_lines: Lines) -> None:
    write(json_of(encode(data)) if as_json else "\n".join(to_lines(_with_names_on_a_line(data))))


def _with_names_on_a_line(data: object, *, is_name: bool = False) -> object:
    """Return values with each line break in a name replaced by a visible sign. File names may contain line breaks."""
    if isinstance(data, Mapping):
        return {key: _with_names_on_a_line(value, is_name=key in _NAMES) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return type(data)(_with_names_on_a_line(item, is_name=is_name) for item in data)
    if is_dataclass(data) and not isinstance(data, (type, Message)):
        return replace(
            data,
            **{
                field.name: _with_names_on_a_line(getattr(data, field.name), is_name=field.name in _NAMES)
                for field in fields(data)
                if field.init
            },
        )
    if is_name and isinstance(data, (str, Path)):
        return type(data)(str(data).translate(_LINE_END))
    return data


def json_of(data: object) -> str:
    """Return a value as JSON, with characters that control a terminal escaped."""
    return _CONTROLS.sub(lambda control: f"\\u{ord(control[0]):04x}", json.dumps(readable(data), ensure_ascii=False))


def write(text: str) -> None:
    print(text, flush=True)


def ask_secret(label: str) -> str:
    """Ask for a key or passphrase, or read it from stdin if there is no terminal.

    Neither is an option of a command, because other users could see it. Raises ConfigError if the input isn't text.
    """
    if sys.stdin.isatty():
        return str(typer.prompt(label, hide_input=True, err=True))
    try:
        secret = sys.stdin.readline().rstrip("\r\n")
        secret.encode()  # fails for lone surrogates, which represent invalid bytes in some locales
    except UnicodeError as error:
        raise ConfigError("The input from stdin isn't UTF-8 text, so nothing was saved.") from error
    return secret


def print_notices() -> None:
    """Print the notices collected in `NOTICES` to stderr."""
    while NOTICES:
        for sentence in NOTICES.pop()():
            sys.stderr.write(f"tessera: {' '.join(say(sentence).split())}\n")


def stop(*_: object) -> NoReturn:
    """Handle Ctrl-C by setting `STOPPED` and raising KeyboardInterrupt."""
    STOPPED.set()
    raise KeyboardInterrupt


def progress(done: float, total: float, what: object) -> None:
    from core.model import left_line  # takes a tenth of a second to import, so --help avoids it

    if STOPPED.is_set():
        raise KeyboardInterrupt
    left = PACE.left(done, total)
    ends = f" · {say(left_line(left))}" if left is not None else ""
    line = f"{done / max(1, total):4.0%} {one_line(say(what))}"[: 97 - len(ends)]
    if sys.stderr.isatty():
        cast(Stream, sys.stderr).redraw("" if done >= total else line + ends)

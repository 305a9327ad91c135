"""Conversion of subtitles (WebVTT, SubRip) to Markdown: a paragraph per minute, which starts with its time."""

import html
import re
from itertools import groupby

from core.base.errors import SourceError
from core.documents import Converted

_CUE = re.compile(r"(?m)^[ \t]*((?:\d+:)?\d\d:\d\d)[.,]\d{1,3}[ \t]+-->.*\n((?:.++\n?)*+)")
_VOICE = re.compile(r"<v(?:\.[^\s<>]*)?\s+([^<>]*)>")
_MARKUP = re.compile(r"<[^<>]*>|\{\\[^{}]*\}")


class Subtitles:
    """Reads subtitles; a line that the next cue repeats, as in automatic subtitles, is written once."""

    kinds = "vtt srt"
    version = "Tessera 1"

    def convert(self, data: bytes, kind: str) -> Converted:
        """Return subtitles as Markdown; raises SourceError for a file without any."""
        text = "\n".join(data.decode("utf-8", "replace").splitlines())
        said = ((at, html.unescape(_MARKUP.sub("", _VOICE.sub(r"\1: ", cue)))) for at, cue in _CUE.findall(text))
        lines = ((at, line.strip()) for at, cue in said for line in cue.split("\n") if line.strip())
        once = (next(same) for _, same in groupby(lines, key=lambda pair: pair[1]))
        minutes = ([*minute] for _, minute in groupby(once, key=lambda pair: pair[0][:-3]))
        paragraphs = [f"**{minute[0][0]}** {' '.join(line for _, line in minute)}" for minute in minutes]
        if not paragraphs:
            raise SourceError("", "contains no readable text.")
        return Converted("\n\n".join(paragraphs) + "\n")

"""Converters, and files that weren't read, as JSON."""

from operator import itemgetter

from core import model
from core.doors.json_forms.omissions import INCOMPLETE
from core.doors.operations.forms import Form

_CONVERTER = Form(
    "Converter",
    model.ConverterCard,
    "name version kinds installed",
    problem=(str, lambda card: card.problem or ""),
)
CONVERTERS = Form("Converters", list, converters=([_CONVERTER], list))
_UNREAD = Form("UnreadFile", model.Failed, "path", reason=(str, "error"))
UNREAD = Form("UnreadFiles", tuple, files=([_UNREAD], itemgetter(0)), incomplete=([INCOMPLETE], itemgetter(1)))
"""From files that weren't read, and notes that lack parts of their files."""
_ENCODING = Form("ReadAs", model.ReadAs, "encoding beginning")
ENCODINGS = Form("Encodings", list, encodings=([_ENCODING], list))
ORIGINAL = Form("Original", model.Original, "name kind path")

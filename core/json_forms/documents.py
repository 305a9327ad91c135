"""Converters, and files that weren't read, as JSON."""

from core import model
from core.json_forms.forms import Form

_CONVERTER = Form(
    "Converter",
    model.ConverterCard,
    "name version kinds installed",
    problem=(str, lambda card: card.problem or ""),
)
CONVERTERS = Form("Converters", list, converters=([_CONVERTER], list))
_UNREAD = Form("UnreadFile", model.Failed, "path", reason=(str, "error"))
UNREAD = Form("UnreadFiles", list, files=([_UNREAD], list))
ORIGINAL = Form("Original", model.Original, "name kind path")

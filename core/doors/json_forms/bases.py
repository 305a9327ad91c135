"""Bases in the trash and restored bases as JSON."""

from operator import itemgetter

from core import model
from core.doors.operations.forms import Form

_FIRST, _SECOND, _THIRD, _FOURTH = map(itemgetter, range(4))

_TRASHED = Form(
    "DeletedBase",
    model.TrashedBase,
    "key base=name deleted_at=at expired notes=titles",
    problem=(str, lambda base: base.problem or ""),
)
TRASH = Form("DeletedBases", list, trash=([_TRASHED], list))
RESTORED = Form(
    "RestoredBase",
    tuple,
    notes=(int, _SECOND),
    wish_asks=(str, _THIRD),
    foreign=(bool, _FOURTH),
    **Form("", model.Restored, "base=base.name base.wish powers").through(_FIRST),
)
"""From a restored base, its notes, the requested permissions, and whether it is from another workspace."""

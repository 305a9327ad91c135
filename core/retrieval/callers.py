"""What notes gain by who asks."""

from core.base.text import fold
from core.markdown import tags
from core.model import SCOPE_GAIN, TAGS_GAIN, CallerContext, NoteSummary


def gain(caller: CallerContext, card: NoteSummary) -> float:
    """Return what a note gains, on a scale from 0 to 1, because it has the scope and the tags of a caller."""
    fits = fold(card.scope) in map(fold, caller.scopes)
    wanted, own = ({*map(tags.key, item)} for item in (caller.tags, card.tags))
    return SCOPE_GAIN * fits + TAGS_GAIN * (len(wanted & own) / len(wanted) if wanted else 0.0)

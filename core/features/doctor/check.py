"""What a check is, and what it looks at."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from core.base.messages import Message
from core.features.archives.collection import Archives
from core.features.backups.collection import Backups
from core.indexing.bases import Bases
from core.indexing.models import Models
from core.indexing.models.servers import Servers
from core.model import HealthLevel
from core.settings.config import Settings
from core.settings.file import SettingsFile
from core.store import Store


@dataclass(frozen=True, slots=True)
class WorkspaceParts:
    """The parts of an open workspace that checks look at."""

    store: Store
    settings: Settings
    settings_file: SettingsFile
    bases: Bases
    models: Models
    servers: Servers
    archives: Archives
    backups: Backups


@dataclass(frozen=True, slots=True)
class Check:
    """A check: what it is called, what it means, and what mends it.

    `find` returns what is wrong, None where nothing is. `mend` mends it, as far as it can; None where it can't.
    """

    level: HealthLevel
    title: Message
    about: Message
    remedy: Message
    find: Callable[[WorkspaceParts], Message | None]
    mend: Callable[[WorkspaceParts], object] | None = None


SHOWN = 5
"""Most names in a sentence."""


def count_names(names: Sequence[str], sentence: Message) -> Message | None:
    """Return a sentence that counts names, by its fields `n` and `names`, None without a name."""
    return replace(sentence, fields={"n": len(names), "names": [*names[:SHOWN]]}) if names else None

"""Bases, imports and the trash of bases as JSON."""

from operator import itemgetter
from typing import Any

from core import model
from core.base.messages import Message
from core.doors.json_forms.omissions import INCOMPLETE, OMISSION
from core.doors.operations.forms import Form, all_names

_FIRST, _SECOND, _THIRD, _FOURTH = map(itemgetter, range(4))

BASE = Form(
    "Base",
    model.BaseStatus,
    "base.name base.description base.kind notes chunks windows pending waiting refused base.embedder base.chunking"
    " base.embed_at_once base.keep_tokens base.write_files base.watch base.trusts_programs"
    " base.read_pictures",
    search=(dict[str, Any], lambda status: status.base.search.chosen()),
    folders=([Form("SyncedFolder", tuple, path=(str, _FIRST), synced_at=(str, _SECOND))], "folders"),
)
BASES = Form("Bases", list, bases=([BASE], list))
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

SYNCED = Form(
    "Synced",
    model.SyncReport,
    all_names(model.SyncReport),
    incomplete=([INCOMPLETE], "incomplete"),
    missing_parts=([OMISSION], lambda report: model.in_all(report.incomplete)),
)
_MADE = Form(
    "MadeBase",
    tuple,
    base=(str, _FIRST),
    explanation=(Message, lambda made: model.new_base_line(*made)),
    **Form("", model.NewBase, "embedder chunking").through(_SECOND),
)
MAKES = Form("Makes", tuple, makes=(_MADE | None, lambda made: made if made[1] else None))
"""From the name of a base, and the settings to make it with if it isn't there."""
CONNECTED = Form(
    "Connected",
    tuple,
    differing=(list[str], lambda made: [match.file.path for match in made[0].differing]),
    joined=(int, lambda made: len(made[0].joined)),
    connected=(bool, _THIRD),
    writes_files=(bool, _FOURTH),
    **Form("", model.SyncPlan, "base folder=source_ref").through(_FIRST),
    **SYNCED.through(_SECOND),
)
"""From a plan, its report, whether the folder is connected, and whether the base writes files."""
_SCANNED = Form(
    "Scanned",
    model.ScannedFolder,
    "base folder made",
    **SYNCED.through(lambda item: item.report or model.SyncReport())
    | {"problem": (str, lambda item: item.problem or "")},
)
SCANNED = Form("ScannedFolders", list, folders=([_SCANNED], list))

RECHUNKED = Form("Rechunked", model.Rechunked, all_names(model.Rechunked))
_COST = Form("Cost", model.ChangeCost, "embedder notes chunks windows to_embed seconds")
COSTS = Form("Costs", tuple, chunking=(_COST | None, _FIRST), embedder=(_COST | None, _SECOND))
"""From the costs of other chunking and of another model; None without such a change."""

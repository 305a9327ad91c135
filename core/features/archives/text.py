"""Output of the commands on bases as files and on the trash of bases for people."""

import shlex

from core.base.messages import plural
from core.base.terminal import _, say
from core.features.archives.views import DeletedBase, DeletedBases, RestoredBase
from core.model import FOREIGN, SWITCHED_ON

_SWITCHES = {
    "write_files": "--write-files",
    "watch": "--watch",
    "trusts_programs": "--trust-programs",
    "read_pictures": "--read-pictures",
}
"""The options that grant permissions, by their fields."""


def format_trash(listed: DeletedBases) -> list[str]:
    return [*map(_format_deleted, listed.trash)] or [_("There is no deleted base.")]


def _format_deleted(base: DeletedBase) -> str:
    about = [f"{base.deleted_at.isoformat()[:16]}  {base.base}  ({base.key})"]
    if base.notes:
        about.append(_("notes that left the trash: {titles}", titles=", ".join(base.notes)))
    if base.expired:
        about.append(_("it is deleted for good after a week"))
    if base.problem:
        command = f"tessera base empty-trash {shlex.quote(base.key)}"
        about.append(_("it can't be restored: {problem}", problem=say(base.problem)))
        about.append(_("to delete it: {command}", command=command))
    return "\n    ".join(about)


def format_restored(restored: RestoredBase) -> list[str]:
    text = plural(
        "The base '{base}' was created, with {n} note. Index it: {command}",
        "The base '{base}' was created, with {n} notes. Index it: {command}",
        n=restored.notes,
        base=restored.base,
        command="tessera index",
    )
    return [say(text), *([say(FOREIGN)] if restored.foreign else []), *_format_powers(restored)]


def _format_powers(restored: RestoredBase) -> list[str]:
    """Return the permissions that the base of an archive had where it is from, and how the user grants them here."""
    name, powers = shlex.quote(restored.base), restored.powers
    printed = [
        _(
            "On in the archive, off here: {what} To allow it: {command}",
            what=SWITCHED_ON[switch],
            command=f"tessera base set --base {name} {option}",
        )
        for switch, option in _SWITCHES.items()
        if switch in powers.switches
    ]
    printed += [
        _(
            "Its notes were files in {folder}, and are kept in Tessera now. To connect a folder: {command}",
            folder=folder,
            command=f"tessera base connect FOLDER --base {name}",
        )
        for folder in powers.folders
    ]
    if restored.wish:
        printed.append(
            _(
                "The archive names the model {model}; one of this machine is used instead. {asks} To use it: {command}",
                model=restored.wish,
                asks=restored.wish_asks,
                command=f"tessera models switch {name} {shlex.quote(restored.wish)}",
            )
        )
    if powers.reranker:
        printed.append(_("The archive names {model} for reranking; it isn't used.", model=powers.reranker))
    return printed

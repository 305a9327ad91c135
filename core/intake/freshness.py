"""Whether the notes of a workspace are what their folders hold: one value, which every surface shows."""

from dataclasses import replace

from core.base.jobs import Jobs
from core.base.messages import message, plural
from core.indexing.bases import Bases
from core.intake.watching import Watching
from core.model import JOB_KINDS, Freshness, jobs_at
from core.store import Store

_AWAY = plural("{n} watched folder can't be read", "{n} watched folders can't be read")
_REMOVALS = plural("{n} note is no longer in its folder", "{n} notes are no longer in their folders")
_FAILED = plural("{n} file can't be read", "{n} files can't be read")
_NO_BASE = plural("{n} text folder has no base", "{n} text folders have no base")
_PASSAGES = plural("{n} passage is found by its words only", "{n} passages are found by their words only")
_INDEX = message("The search index is damaged")


_WORK = jobs_at("index", "notes", "packs", "chunks", "bases", "pictures")
"""Jobs that change what is found."""


def freshness(store: Store, jobs: Jobs, bases: Bases, watching: Watching) -> Freshness:
    """Return what is going on, else what needs a look: folders, files, refused passages, a damaged index."""
    doing = [JOB_KINDS[name].doing for name in _WORK if jobs.running(name)]
    if doing:
        return Freshness("working", tuple(doing))
    known = bases.all()
    folders = [folder for base in known for folder in watching.folders(base)]
    counts = {
        _AWAY: sum(folder.problem is not None for folder in folders),
        _REMOVALS: sum(folder.removals for folder in folders),
        _FAILED: sum(len(bases.failures(base)) for base in known),
        _NO_BASE: len(watching.refused),
        _PASSAGES: sum(map(store.refusals.count, known)),
    }
    problems = [replace(text, fields={"n": n}) for text, n in counts.items() if n]
    problems += [_INDEX] if store.index.state == "damaged" else []
    return Freshness("attention" if problems else "current", tuple(problems))

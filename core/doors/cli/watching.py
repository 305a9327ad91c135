"""`tessera watch`: the folders of watched bases are synced until Ctrl+C, without the app."""

import sys
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from functools import partial
from queue import Empty, SimpleQueue

from core.base.messages import plural
from core.base.terminal import say
from core.doors.cli.options import WORKSPACE, Folder, Json
from core.doors.cli.output import show
from core.doors.operations.text.bases import format_counts
from core.model import KnowledgeBase, SyncReport

_PATIENCE = 0.5
"""Seconds between two checks for Ctrl+C."""


def watch(workspace: Folder = WORKSPACE, as_json: Json = False) -> None:
    from core.doors.cli.answering import answer_calls
    from core.workspace import Workspace

    syncs: SimpleQueue[tuple[KnowledgeBase, SyncReport]] = SimpleQueue()
    with Workspace(workspace) as opened:
        watched = sum(base.watch for base in opened.bases.all())
        notice = plural("{n} base is watched. Ctrl+C ends it.", "{n} bases are watched. Ctrl+C ends it.", n=watched)
        sys.stderr.write(f"{say(notice)}\n")
        opened.watching.on_sync = lambda base, report: syncs.put((base, report))
        opened.models.start_warming()
        opened.start_indexing()
        opened.start_watching()
        with answer_calls(opened), suppress(KeyboardInterrupt):
            while True:
                with suppress(Empty):
                    base, report = syncs.get(timeout=_PATIENCE)
                    values = {"at": f"{datetime.now().astimezone():%H:%M:%S}", "base": base.name, **report.to_dict()}
                    show(values, as_json, partial(_format_sync, report))


def _format_sync(report: SyncReport, values: Mapping[str, object]) -> list[str]:
    return [f"{values['at']} {values['base']}: {format_counts(report)}"]

"""Show sync plans and the reports of finished jobs as counts and lists."""

from collections.abc import Iterable, Sequence
from glob import escape
from pathlib import PurePosixPath

import streamlit as st
from streamlit import html as draw_html

from core.base.messages import message_table
from core.model import (
    GUESSED,
    ChangeCost,
    Failed,
    IncompleteNote,
    KnowledgeBase,
    LearningReport,
    ModelTrial,
    PackReport,
    Rechunked,
    Running,
    ServerTrial,
    SyncPlan,
    SyncReport,
    learnt_lines,
)
from pages.ui.shared.names import TEXT_LANGUAGES, base_name, duration, megabytes
from pages.ui.shared.safe import boxes, facts, html, plain, t_html
from pages.ui.shared.server import workspace
from pages.ui.shared.text import join_facts, small_print, t, t_plural, text_of
from pages.ui.shared.widgets import caption, close, expander, paragraph, row, small

# The results of a model test or a server test, and the cost of a change to a base.


def trial(done: ModelTrial) -> None:
    """Show the result of a model test: correct rankings by language, a verdict, speed, and memory use."""
    values = [
        (text_of(TEXT_LANGUAGES[name]), f"{done.right[name]}/{total}", "" if done.right[name] == total else "bad")
        for name, total in done.asked.items()
    ]
    texts = [
        t("loaded in {seconds:.1f} s", seconds=done.seconds_to_load),
        t("{ms:.1f} ms per passage", ms=1000 * done.seconds_a_text),
        *([memory(done.running), place(done.running)] if done.running else []),
    ]
    partly = (
        t("Usable, but not for notes in these languages: {names}.", names=[TEXT_LANGUAGES[name] for name in done.wrong])
        if done.wrong
        else t("The model is usable. It ranked the right sentences first.")
    )
    verdict = (
        partly
        if done.usable
        else t("The model is not usable. It ranked the wrong sentences first. Choose another model.")
    )
    draw_html(
        f'{boxes(values)}<div class="t-small {"" if done.usable else "t-problem"}">{html(verdict)}</div>{facts(texts)}'
    )


def server(done: ServerTrial) -> None:
    """Show the verdict of a server test, how long a request took, and the dimension of the vectors, if any."""
    texts = [
        t("answered in {ms:,.0f} ms", ms=1000 * done.seconds),
        t("{n} numbers per passage", n=done.dimension) if done.dimension else "",
    ]
    draw_html(f'<div class="t-small {"" if done.right else "t-problem"}">{html(done.verdict)}</div>{facts(texts)}')


def memory(model: Running) -> str:
    """Return a phrase with a loaded model's memory use."""
    return t("{size} in memory", size=megabytes(model.bytes))


def place(model: Running) -> str:
    """Return the device that a loaded model runs on and its precision, for example "CPU, float32"."""
    return f"{model.device.name.upper()}, {model.device.dtype}"


def cost(change: ChangeCost) -> None:
    """Show how much text a change to a base would re-index, and how long that would take."""
    values = [(t("notes to split again"), f"{change.notes:,}", "")] if change.notes else []
    values += [(t("pieces of text to index"), f"{change.to_embed:,}", "")]
    draw_html(boxes([*values, (t("estimated"), duration(change.seconds), "")]))


# The results of learning from logs.

# Maximum number of dropped suggestions to show with their reasons.
_MOST = 10


def draw(report: LearningReport) -> None:
    """Show a report on learning from logs, with counts, unread files, and dropped suggestions."""
    lines = [*map(text_of, learnt_lines(report.logs, without=["cut", "left_out"]))]
    lines += [
        plain(t("{path} wasn't read: {reason}", path=failed.path, reason=failed.reason)) for failed in report.failed
    ]
    st.info(" · ".join(lines), icon=":material/school:")
    if report.problem:
        st.warning(t("The language model stopped: {reason}", reason=plain(report.problem)))
    for item in [dropped for log in report.logs for dropped in log.dropped][:_MOST]:
        caption(t("Dropped: {title} ({reason})", title=item.title, reason=item.reason))


# Maximum number of rows to show in a list. The rest are only counted.
SHOWN = 200

COUNTS = message_table(
    {
        "added": "Added",
        "changed": "Changed",
        "renamed": "Renamed",
        "removed": "Removed",
        "unchanged": "Unchanged",
        "failed": "Failed",
        "skipped": "Pictures and other files",
        "incomplete": "Incomplete",
        "not_downloaded": "Not downloaded",
        "left_out": "Left out",
    }
)
# Phrases for the counts in a report.
_FIGURES = message_table(
    {
        "added": "{n} added",
        "changed": "{n} changed",
        "renamed": "{n} renamed",
        "removed": "{n} removed",
        "failed": "{n} could not be read",
    }
)

# Rows of a list, each with a path and a remark, which may be "".
Rows = list[tuple[str, str]]


def counts(figures: dict[str, int], remark: str = "") -> None:
    """Show the counts above 0 in a plan or a report, and a remark. Failures and removals are highlighted."""
    tones = {"failed": "bad", "removed": "warn", "incomplete": "warn"}
    values = ((text_of(COUNTS[name]), f"{number:,}", tones.get(name, "")) for name, number in figures.items() if number)
    draw_html(boxes(values, remark))


def show(plan: SyncPlan) -> None:
    """Show a sync plan, with the numbers of files to add, change and so on, and collapsed lists of these files."""
    lists = {
        "added": [(file.path, "") for file in plan.added],
        "changed": [
            (match.file.path, t("differs from its file") if match in plan.joined else "") for match in plan.changed
        ],
        "renamed": [(match.file.path, f"← {match.note.path}") for match in plan.renamed],
        "removed": [(note.path, "") for note in plan.removed],
        "unchanged": [(note.path, "") for note in (*plan.unchanged, *(match.note for match in plan.touched))],
        "failed": failed(plan.failed),
        "skipped": failed(plan.skipped),
        "not_downloaded": failed(plan.not_downloaded),
        "left_out": failed(plan.left_out),
    }
    if plan.importer:
        small_print("Read as {program} notes.", program=plan.importer)
    counts({name: len(rows) for name, rows in lists.items()})
    if not all(file.text for file in (*plan.added, *(match.file for match in plan.changed))):
        small_print("Documents are read during the import. If any can't be read, the report will list them.")
    for name, rows in lists.items():
        unfold(f"{text_of(COUNTS[name])} · {len(rows):,}", rows, expanded=name == "failed")


def summary(done: SyncReport | PackReport | Rechunked) -> list[str]:
    """Return phrases for the changes in a report, such as "3 added". If nothing changed, one phrase says so."""
    if isinstance(done, Rechunked):
        return _rechunked(done)
    numbers = _numbers(done, _FIGURES)
    return [text_of(_FIGURES[name], n=number) for name, number in numbers.items() if number] or [t("nothing changed")]


def _numbers(done: object, names: Iterable[str]) -> dict[str, int]:
    """Return the named counts in a report. A list is counted, and a count that the report doesn't have is 0."""
    found = {name: getattr(done, name, 0) for name in names}
    return {name: number if isinstance(number, int) else len(number) for name, number in found.items()}


def draw_report(done: SyncReport | PackReport | Rechunked) -> None:
    """Show the report of a finished job, except for the files that couldn't be read."""
    match done:
        case SyncReport():
            incomplete = sum(any(part.kind != GUESSED for part in note.left_out) for note in done.incomplete)
            figures = _numbers(done, COUNTS) | {"incomplete": incomplete}
            counts(figures, t_plural("{n} passage", "{n} passages", n=done.chunks))
            for name, files in (("skipped", done.skipped), ("left_out", done.left_out)):
                unfold(f"{text_of(COUNTS[name])} · {len(files):,}", failed(files))
            draw_incomplete(done.incomplete)
        case PackReport():
            counts(_numbers(done, COUNTS))
            if done.edited:
                small_print("You changed these notes, so they were left as they are:")
                listing([(note.path, note.title) for note in done.edited])
        case Rechunked():
            draw_html(facts(_rechunked(done)))


def unfold(title: str, rows: Rows, icon: str | None = None, *, expanded: bool = False) -> None:
    """Draw rows in an expander with the given title. If there are no rows, draw nothing."""
    if rows:
        with st.expander(title, icon=icon, expanded=expanded):
            listing(rows)


def _rechunked(done: Rechunked) -> list[str]:
    """Return phrases for the result of re-chunking notes."""
    texts = [
        t_plural("{n} note split", "{n} notes split", n=done.notes),
        t_plural("{n} passage", "{n} passages", n=done.chunks),
    ]
    if done.unchanged:
        texts.append(t_plural("{n} was already split this way", "{n} were already split this way", n=done.unchanged))
    if done.flagged:
        texts.append(
            t_plural("{n} edit no longer matches the text", "{n} edits no longer match the text", n=done.flagged)
        )
    return texts


def failed(items: Iterable[Failed]) -> Rows:
    """Return a row for each file that wasn't imported, with the reason."""
    return [(item.path, text_of(item.error)) for item in items]


def draw_incomplete(notes: Sequence[IncompleteNote]) -> None:
    """Show the notes that are missing parts of their files, and the notes with a guessed encoding, if any."""
    parts = [(note.path, part) for note in notes for part in note.left_out]
    missing = [(path, text_of(part.explanation)) for path, part in parts if part.kind != GUESSED]
    count = len({path for path, _ in missing})
    title = t_plural("{n} note is missing parts of its file", "{n} notes are missing parts of their files", n=count)
    unfold(title, missing, ":material/warning:")
    guessed = [(path, part.place) for path, part in parts if part.kind == GUESSED]
    title = t_plural("The encoding of {n} file was guessed", "The encodings of {n} files were guessed", n=len(guessed))
    unfold(title, guessed, ":material/translate:")


def listing(rows: Rows) -> None:
    """Draw the first SHOWN rows as a list, followed by the number of rows left out, if any."""
    lines = "".join(f"{html(path)} <i>{html(remark)}</i><br>" for path, remark in rows[:SHOWN])
    if len(rows) > SHOWN:
        lines += t_html("and {n} more", n=len(rows) - SHOWN)
    draw_html(f'<div class="t-list">{lines}</div>')


def not_downloaded(files: Sequence[Failed]) -> None:
    """Show a list of files that haven't been downloaded from the cloud yet, if any. For each file, say what to do."""
    unfold(
        t_plural("{n} file isn't downloaded", "{n} files aren't downloaded", n=len(files)),
        failed(files),
        ":material/cloud_download:",
    )


# Files that couldn't be read, and the user's patterns for ignoring them.

# Maximum number of files to draw with buttons. Any others are only listed.
_ACTED = 10


def draw_unread(base: KnowledgeBase) -> None:
    """Show the files in a base that couldn't be read, initially collapsed. If there are none, show nothing."""
    files = workspace.folders.unread(base)
    if not files:
        return
    title = t_plural("{n} file could not be read", "{n} files could not be read", n=len(files))
    with expander(join_facts([title, plain(base_name(base.name))]), "draft", f"unread_{base.id}"):
        unread_rows(base.name, files, base.id)


def unread_rows(base: str, files: Sequence[Failed], key: str) -> None:
    """Show files that couldn't be read, with the reasons.

    The first _ACTED files have buttons for ignoring the file, or all unreadable files of its type.
    """
    ignore = workspace.folders.ignore
    for number, item in enumerate(files[:_ACTED]):
        with row(f"unread_{key}_{number}"):
            draw_html(f'<div class="t-list">{html(item.path)} <i>{html(item.error)}</i></div>')
            small(
                "Ignore this file",
                f"ignore_{key}_{number}",
                "visibility_off",
                ignore,
                base,
                escape(item.path),
                writes=True,
            )
            if kind := PurePosixPath(item.path).suffix.lower():
                label = t("Ignore all unreadable {kind} files", kind=plain(kind))
                small(label, f"ignore_all_{key}_{number}", "hide_source", ignore, base, f"*{escape(kind)}", writes=True)
    if others := files[_ACTED:]:
        listing(failed(others))


def draw_ignored(base: KnowledgeBase) -> None:
    """Show the files and file types ignored in a base, if any, each with a button to stop ignoring it."""
    ignored = workspace.folders.ignored(base)
    if not ignored:
        return
    with expander(
        t_plural("{n} ignored file or file type", "{n} ignored files or file types", n=len(ignored)),
        "visibility_off",
        f"ignored_{base.id}",
    ):
        small_print(
            "These files aren't reported as long as they can't be read. Once they become readable, they are "
            "imported as usual."
        )
        for number, pattern in enumerate(ignored):
            with row():
                paragraph(pattern, "t-list", width="content")
                close(
                    f"report_{base.id}_{number}",
                    "Stop ignoring",
                    workspace.folders.report_again,
                    base.name,
                    pattern,
                    writes=True,
                )

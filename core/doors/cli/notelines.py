"""Output of the commands on notes for people, from the data of their JSON output."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core.base.messages import plural
from core.base.terminal import _, minute, say
from core.model import AUTHORS, NOTE_FIELDS, SUBMISSIONS, VERSION_KINDS, property_text, settled_line

_SIGNS = {"equal": "{}", "removed": "[-{}-]", "added": "{{+{}+}}"}


def format_note(note: dict[str, Any]) -> list[str]:
    head = [
        f"{note['title']}",
        _("{base}: {path}, version {version} ({id})", **note | {"version": str(note["version"])}),
    ]
    fields = [
        f"  {say(field.title)}: {_value(note[name])}"
        for name, field in NOTE_FIELDS.items()
        if name != "title" and note[name] not in ("", [], None, 0)
    ]
    fields += [f"  {name}: {property_text(value)}" for name, value in note["properties"].items()]
    lost = note["missing_attachments"]
    missing = [_("  missing attachments: {names}", names=lost)] if lost else []
    unread = [f"  {item['path']}: {say(item['reason'])}" for item in note["unread_attachments"]]
    left_out = [f"  {say(item['explanation'])}" for item in note["left_out"]]
    return [*head, *fields, *missing, *unread, *left_out, "", note["body"]]


def format_written(note: dict[str, Any]) -> list[str]:
    return [_("'{title}' is written: {base}: {path} ({id})", **note)]


def format_change(note: dict[str, Any]) -> list[str]:
    if not note["changed"]:
        return [_("'{title}' stays as it is.", title=note["title"])]
    return [_("'{title}' is version {version} now.", title=note["title"], version=str(note["version"]))]


def format_file(note: dict[str, Any], to: Path | None) -> list[str]:
    if to:
        return [_("The note is in {file}.", file=str(to))]
    return [note["text"].removesuffix("\n")]


def format_copied(note: dict[str, Any]) -> list[str]:
    return [_("The copy is at '{path}'.", path=note["path"])]


def format_linked(note: dict[str, Any]) -> list[str]:
    return [_("The link is there: version {version} now.", version=str(note["version"]))]


def format_moved(note: dict[str, Any]) -> list[str]:
    return [_("The note is at '{path}' now.", path=note["path"])]


def format_list(values: dict[str, Any]) -> list[str]:
    return [_note_line(note) for note in values["notes"]] or [_("There are no such notes.")]


def _note_line(note: dict[str, Any]) -> str:
    facts = [*(f"#{tag}" for tag in note["tags"]), note["type"], note["category"]]
    facts += [note["status"]] if note["status"] != "active" else []
    about = f" ({', '.join(filter(None, facts))})" if any(facts) else ""
    return f"{note['id']}  {note['base']}: {note['path']}  {note['title']}{about}"


def format_history(values: dict[str, Any]) -> list[str]:
    return [
        f"{version['number']:>4}  {minute(version['at'])}  "
        + _("{done} {by}", done=VERSION_KINDS[version["kind"]], by=AUTHORS[version["author"]])
        + f"  {version['title']}"
        for version in values["versions"]
    ]


def format_difference(values: dict[str, Any]) -> list[str]:
    lines = [
        f"{say(NOTE_FIELDS[field['name']].title)}: [-{_value(field['before'])}-] {{+{_value(field['after'])}+}}"
        for field in values["fields"]
    ]
    return [*lines, *_changed_lines(values["pieces"])] or [_("The versions are the same.")]


def _changed_lines(pieces: list[dict[str, str]]) -> Iterator[str]:
    """Yield the lines that hold a change, with an ellipsis for those between."""
    text = "".join(
        "\n".join(_SIGNS[piece["kind"]].format(part) if part else "" for part in piece["text"].split("\n"))
        for piece in pieces
    )
    skipped = False
    for line in text.split("\n"):
        if "[-" in line or "{+" in line:
            yield from (["…"] if skipped else [])
            yield line
            skipped = False
        else:
            skipped = True


def format_archived(values: dict[str, Any]) -> list[str]:
    n = len(values["archived"])
    return [say(plural("{n} note is archived.", "{n} notes are archived.", n=n))]


def format_restored(values: dict[str, Any]) -> list[str]:
    n = len(values["restored"])
    return [say(plural("{n} note is back.", "{n} notes are back.", n=n))]


def format_deleted(values: dict[str, Any]) -> list[str]:
    n = len(values["deleted"])
    head = say(plural("{n} note is in the trash.", "{n} notes are in the trash.", n=n))
    back = plural(
        "For {n} day `tessera note restore` brings it back.",
        "For {n} days `tessera note restore` brings it back.",
        n=values["days"],
    )
    return [f"{head} {say(back)}"]


def format_trash(values: dict[str, Any]) -> list[str]:
    return [
        f"{note['id']}  {note['base']}: {note['path']}  {note['title']}  "
        f"({minute(note['deleted_at'])}, {say(AUTHORS[note['author']])})"
        for note in values["trash"]
    ] or [_("The trash is empty.")]


def format_waiting(values: dict[str, Any]) -> list[str]:
    return [*map(_waiting_line, values["waiting"])] or [_("Nothing waits for you.")]


def format_submission(item: dict[str, Any]) -> list[str]:
    return [
        _waiting_line(item),
        "",
        *(format_note(item["text"]) if item["kind"] == "note" else format_difference(item)),
    ]


def _waiting_line(item: dict[str, Any]) -> str:
    done = _("{done} {by}", done=SUBMISSIONS[item["kind"]], by=AUTHORS[item["author"]])
    return f"{item['id']}  {item['base']}: {item['path']}  {item['title']}  ({minute(item['at'])}, {done})"


def format_accepted(values: dict[str, Any]) -> list[str]:
    return [say(settled_line(value["kind"], value["title"], accepted=True)) for value in values["accepted"]]


def format_rejected(values: dict[str, Any]) -> list[str]:
    return [say(settled_line(value["kind"], value["title"], accepted=False)) for value in values["rejected"]]


def _value(value: Any) -> str:
    return ", ".join(value) if isinstance(value, (list, tuple)) else "–" if value in (None, "") else str(value)

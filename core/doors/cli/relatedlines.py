"""Lines about what other notes say about a note."""

from typing import Any

from core.doors.cli.texts import _, say


def format_related(values: dict[str, Any]) -> list[str]:
    lines = [
        *_part(_("Related notes"), [(_place(one), one["reasons"]) for one in values["notes"]]),
        *_part(_("Possible copies"), [(_place(one), one["reasons"]) for one in values["copies"]]),
        *_part(_("Suggested tags"), [(f"#{one['tag']}", [one["reason"]]) for one in values["tags"]]),
        *_part(
            _("Suggested places"), [(f"{one['base']}: {one['folder']}/", [one["reason"]]) for one in values["places"]]
        ),
        *_part(_("Suggested links"), [(f"{one['link']}  {_place(one)}", [one["reason"]]) for one in values["links"]]),
        *_part(
            _("What would help this note"),
            [(say(one["about"]), [one["remedy"], *one["quotes"]]) for one in values["hints"]],
        ),
    ]
    return lines or [_("No other note is near this one.")]


def _part(title: str, things: list[tuple[str, list[Any]]]) -> list[str]:
    return (
        [title, *(line for thing, why in things for line in (f"  {thing}", *(f"    {say(one)}" for one in why)))]
        if things
        else []
    )


def _place(one: dict[str, Any]) -> str:
    return f"{one['title']} ({one['base']}: {one['path'] or one['note_id']})"


def format_concepts(values: dict[str, Any]) -> list[str]:
    lines = []
    for one in values["concepts"]:
        more = [_("pinned")] if one["pinned"] else []
        more += [_("with {names}", names=one["merged"])] if one["merged"] else []
        about = f" ({'; '.join(more)})" if more else ""
        lines.append(f"{one['notes']:>5}  {one['name']}{about}")
    return lines or [_("No phrase stands in several notes yet.")]


def format_concept_notes(values: dict[str, Any]) -> list[str]:
    return [f"{one['times']:>5}  {_place(one)}" for one in values["notes"]] or [_("No note holds all of that.")]


def format_way(values: dict[str, Any]) -> list[str]:
    lines = [
        line for one in values["steps"] for line in (_place(one), *([f"  {say(one['way'])}"] if one["way"] else []))
    ]
    return lines or [_("Nothing leads from one to the other.")]


def format_decided(values: dict[str, Any]) -> list[str]:
    return [_("'{name}': done.", name=values["name"])]

"""Lines about what other notes say about a note."""

from typing import Any

from core.base.terminal import _, say


def format_related(values: dict[str, Any]) -> list[str]:
    lines = [
        *_part(_("Related notes"), [(_place(value), value["reasons"]) for value in values["notes"]]),
        *_part(_("Possible copies"), [(_place(value), value["reasons"]) for value in values["copies"]]),
        *_part(_("Suggested tags"), [(f"#{value['tag']}", [value["reason"]]) for value in values["tags"]]),
        *_part(
            _("Suggested places"),
            [(f"{value['base']}: {value['folder']}/", [value["reason"]]) for value in values["places"]],
        ),
        *_part(
            _("Suggested links"),
            [(f"{value['link']}  {_place(value)}", [value["reason"]]) for value in values["links"]],
        ),
        *_part(
            _("What would help this note"),
            [(say(value["about"]), [value["remedy"], *value["quotes"]]) for value in values["hints"]],
        ),
    ]
    return lines or [_("No other note is near this one.")]


def _part(title: str, things: list[tuple[str, list[Any]]]) -> list[str]:
    return (
        [title, *(line for thing, why in things for line in (f"  {thing}", *(f"    {say(item)}" for item in why)))]
        if things
        else []
    )


def _place(item: dict[str, Any]) -> str:
    return f"{item['title']} ({item['base']}: {item['path'] or item['note_id']})"


def format_concepts(values: dict[str, Any]) -> list[str]:
    lines = []
    for value in values["concepts"]:
        more = [_("pinned")] if value["pinned"] else []
        more += [_("with {names}", names=value["merged"])] if value["merged"] else []
        about = f" ({'; '.join(more)})" if more else ""
        lines.append(f"{value['notes']:>5}  {value['name']}{about}")
    return lines or [_("No phrase stands in several notes yet.")]


def format_concept_notes(values: dict[str, Any]) -> list[str]:
    return [f"{value['times']:>5}  {_place(value)}" for value in values["notes"]] or [_("No note holds all of that.")]


def format_way(values: dict[str, Any]) -> list[str]:
    lines = [
        line
        for value in values["steps"]
        for line in (_place(value), *([f"  {say(value['way'])}"] if value["way"] else []))
    ]
    return lines or [_("Nothing leads from one to the other.")]


def format_decided(values: dict[str, Any]) -> list[str]:
    return [_("'{name}': done.", name=values["name"])]

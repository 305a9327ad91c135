"""What commands print of documents: what converts them, and the files that weren't read."""

from typing import Any

from core.cli.texts import _, say
from core.messages import plural


def of_converters(values: dict[str, Any]) -> list[str]:
    lines = []
    for one in values["converters"]:
        state = one["version"] if one["installed"] else _("not installed")
        about = say(one["problem"]) if one["problem"] else f"{' '.join(one['kinds'])} ({state})"
        lines.append(f"{one['name']}: {about}")
    return lines


def of_unread(values: dict[str, Any]) -> list[str]:
    return [f"{one['path']}: {say(one['reason'])}" for one in values["files"]] or [_("All files were read.")]


def of_original(values: dict[str, Any]) -> list[str]:
    if values["path"]:
        return [values["path"]]
    return [_("'{name}' is in the workspace. To have a copy of it: --to FILE", name=values["name"])]


def of_converted(note: dict[str, Any]) -> list[str]:
    return [_("'{title}' is version {version} now.", title=note["path"], version=str(note["version"]))]


def of_pictures(values: dict[str, Any]) -> list[str]:
    return [say(plural("{n} picture was read.", "{n} pictures were read.", n=values["pictures"]))]

"""Names from outside -> names that each system can hold, and that none takes for a drive, a device or a stream."""

import re

_UNFIT = r'[\x00-\x1f\x7f<>:"|?*]+'
_HARMFUL = r"[\x00-\x1f\x7f]+|^[A-Za-z]:"
_DEVICE = re.compile(r"(?i)(?:con|prn|aux|nul|(?:com|lpt)[\d¹²³]|con(?:in|out)\$) *(?=\.|$)")


def harmless_path(path: str, *, keeps_marks: bool = False) -> str:
    """Return a path whose parts are fit names; it leads out of no folder on any system.

    With `keeps_marks` it may have the marks that only Windows forbids, as an archive of notes of another system has.
    https://learn.microsoft.com/windows/win32/fileio/naming-a-file has the rules of Windows, which are the strictest.
    """
    parts = path.replace("\\", "/").strip("/").split("/")
    return "/".join(harmless_name(part, _HARMFUL if keeps_marks else _UNFIT) for part in parts)


def harmless_name(name: str, unfit: str = _UNFIT) -> str:
    """Return the name of a file or a folder without what some system forbids in one; `_` where nothing else is left."""
    fit = re.sub(unfit, " ", name).rstrip(". ")
    return f"_{fit}" if not fit or _DEVICE.match(fit) else fit

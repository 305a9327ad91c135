"""Safe file names from untrusted input. They are valid on every system, and never name a drive, device or stream."""

import re

_UNFIT = r'[\x00-\x1f\x7f<>:"|?*]+'
_HARMFUL = r"[\x00-\x1f\x7f]+|^[A-Za-z]:"
_DEVICE = re.compile(r"(?i)(?:con|prn|aux|nul|(?:com|lpt)[\d¹²³]|con(?:in|out)\$) *(?=\.|$)")


def harmless_path(path: str, *, keeps_marks: bool = False) -> str:
    """Turn every part of a path into a safe file name, so that the path can't leave its folder on any system.

    With `keeps_marks`, characters forbidden only on Windows are kept, because archives from other systems need them.
    Windows has the strictest rules: https://learn.microsoft.com/windows/win32/fileio/naming-a-file
    """
    return "/".join(
        harmless_name(part, _HARMFUL if keeps_marks else _UNFIT)
        for part in path.replace("\\", "/").strip("/").split("/")
    )


def harmless_name(name: str, unfit: str = _UNFIT) -> str:
    """Return a name with spaces in place of characters that any system forbids, and without dots at its end.

    A device's name gets the prefix `_`. An empty name becomes `_`.
    """
    fit = re.sub(unfit, " ", name).rstrip(". ")
    return f"_{fit}" if not fit or _DEVICE.match(fit) else fit

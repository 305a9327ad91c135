"""Files of kinds that nobody reads: why, what would read them, and what there is of them."""

from collections import Counter
from collections.abc import Iterable

from core.base.messages import Message, message, plural
from core.documents.kinds import PICTURES, kind_of

READ = message(
    "Markdown and text, PDF, Word, PowerPoint, Excel and CSV, LibreOffice, e-books, web pages, e-mail, notebooks, and "
    "exports of Notion, Evernote and Logseq"
)
"""The kinds that are read, as a person calls them."""
_MOST = 8
"""Kinds that are counted by name."""
_BETTER = {
    **dict.fromkeys("doc dot docm dotx dotm wps pages one".split(), "docx"),
    **dict.fromkeys("xls xlsm xlsb xlt ods numbers et".split(), "xlsx"),
    **dict.fromkeys("ppt pptm pps ppsx odp key dps".split(), "pptx"),
    **dict.fromkeys("mobi azw azw3 fb2".split(), "epub"),
    **dict.fromkeys("djvu xps oxps ps eps ai".split(), "pdf"),
    **dict.fromkeys("msg oft".split(), "eml"),
    "webarchive": "html",
}
"""Formats of documents, and in which their own programs save them so that they are read."""
_PICTURES = frozenset((*PICTURES, *"svg avif heic heif ico psd raw cr2 nef dng".split()))
_PACKED = frozenset("7z rar tar gz tgz bz2 xz zst lzma".split())
_RECORDINGS = frozenset(
    "mp3 m4a m4b aac wav flac ogg oga opus wma aiff amr mid midi mp4 m4v mov avi mkv webm wmv mpg mpeg 3gp flv".split()
)
_PROGRAMS = frozenset(
    "exe msi dll sys com bat cmd scr app dmg pkg deb rpm apk ipa jar class so dylib o a lib bin iso img lnk".split()
)
_DATA = frozenset("json jsonl ndjson xml yaml yml toml ini plist db sqlite sqlite3 mdb accdb parquet pkl npy".split())
_MAILBOXES = frozenset("pst ost mbox olm".split())


def why_not_read(path: str) -> Message:
    """Return why a file of an unsupported kind isn't read, and what the user can do."""
    kind = kind_of(path)
    if kind in _BETTER:
        return message(
            "is of a format that isn't read. Save it as .{newer} in its own program and import that.",
            newer=_BETTER[kind],
        )
    if kind in _PICTURES:
        return message(
            "is a picture. Notes that link to it show it, and its text is found where the base reads pictures."
        )
    if kind == "enex":
        return message("is an export of Evernote. Import it by itself.")
    if kind == "zip":
        return message("is a zip archive. Import it by itself, or unpack it here.")
    if kind in _PACKED:
        return message("is an archive. Unpack it here to have its files read.")
    if kind in _RECORDINGS:
        return message("is a recording, whose words aren't read. A transcript next to it, as text, would be.")
    if kind in _PROGRAMS:
        return message("is part of a program, in which there is nothing to read.")
    if kind in _MAILBOXES:
        return message("is a mailbox. Save its e-mails as .eml files to have them read.")
    if kind == "xml":
        return message(
            "is data for programs. If it is a feed or an outline, name it .rss, .atom or .opml: those are read."
        )
    if kind in ("json", "jsonl", "ndjson"):
        return message("is data for programs. If it is a log or an exported chat, learn from it: tessera learn FILE")
    if kind in _DATA:
        return message("is data for programs. Export what should be found as text or CSV.")
    if not kind:
        return message("has no suffix that says what it is. Add one, such as .md, to have it read.")
    return message(
        "is a .{kind} file, a kind that isn't read. If it holds text, save it as text or PDF in its own program.",
        kind=kind,
    )


def nothing_read(paths: Iterable[str]) -> Message:
    """Return that none of some files is read: how many there are of each kind, and which kinds are read."""
    counts = Counter(map(kind_of, paths))
    if not counts:
        return message("There are no files to read here. Kinds that are read: {kinds}.", kinds=READ)
    most = counts.most_common(_MOST)
    named = [
        message("{n} .{kind}", n=count, kind=kind)
        if kind
        else plural("{n} without a suffix", "{n} without a suffix", n=count)
        for kind, count in most
    ]
    if others := counts.total() - sum(count for _, count in most):
        named.append(plural("{n} other", "{n} others", n=others))
    return message(
        "None of the files here is of a kind that is read: {counts}. Kinds that are read: {kinds}.",
        counts=named,
        kinds=READ,
    )

"""Document kinds by suffix, with names, signatures, required packages, and the reasons why some kinds aren't read."""

import io
import re
import zipfile
from collections import Counter
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import PurePosixPath

from core.base.errors import SourceError
from core.base.frozen import frozen
from core.base.messages import Message, message, plural

# The modules needed by the built-in converters.
_MODULES = {
    "pandoc": "pypandoc",
    "uncommented": "pypandoc",
    "pdf": "pdfplumber",
    "pdftext": "pypdfium2",
    "ocr": "rapidocr",
}


@cache
def has(module: str) -> bool:
    """Return whether a module that comes with an extra is installed."""
    return find_spec(module) is not None


def need(module: str) -> None:
    """Raise SourceError with the installation command if a module isn't installed."""
    if not has(module):
        raise SourceError(
            "",
            "Reading this file needs a converter. Run this command, restart Tessera, and import the file again: "
            "pip install 'tessera-notes[{extra}]'",
            extra="ocr" if module == "rapidocr" else "documents",
        )


def installed(converter: str) -> bool:
    """Return whether the modules a converter needs are installed. For converters in other packages, return True."""
    module = _MODULES.get(converter)
    return module is None or has(module)


def fingerprint() -> str:
    """Return the names of the installed modules, as a key that changes whenever more or fewer kinds can be read."""
    return " ".join(filter(has, dict.fromkeys(_MODULES.values())))


MAX_BYTES = 100 * 1024 * 1024
# Maximum unpacked size in bytes of a zip archive, such as an Office document or an e-book.
MAX_UNPACKED = 500 * 1024 * 1024
MAX_RATIO = 200
MAX_PAGES = 5_000
# Exceptions raised when reading a damaged zip archive.
ZIP_DAMAGE = (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, EOFError, KeyError)


@frozen
class FileKind:
    """A file kind, with its name and the patterns by which its files are recognized.

    For a zip archive, `entry` is a pattern for the path of a file it must contain. For other binary kinds, `begins` is
    a pattern for a file's first bytes. All other kinds are text. With `named_after_file`, the note's title is the file
    name.
    """

    name: Message
    entry: str = ""
    begins: bytes = b""
    is_text: bool = True
    named_after_file: bool = False


def _zip_kind(name: Message, entry: str) -> FileKind:
    return FileKind(name, entry, b"PK\x03\x04", is_text=False)


KINDS = {
    kind: known
    for kinds, known in {
        "pdf": FileKind(message("a PDF"), begins=rb"[\s\S]{0,1024}?%PDF-", is_text=False),
        "docx": _zip_kind(message("a Word document"), r"word/document\d*\.xml"),
        "odt": _zip_kind(message("a LibreOffice document"), r"content\.xml"),
        "ods": _zip_kind(message("a LibreOffice spreadsheet"), r"content\.xml"),
        "odp": _zip_kind(message("a LibreOffice presentation"), r"content\.xml"),
        "pptx": _zip_kind(message("a PowerPoint presentation"), r"ppt/presentation\.xml"),
        "xlsx": _zip_kind(message("an Excel workbook"), r"xl/workbook\.xml"),
        "epub": _zip_kind(message("an e-book"), r"META-INF/container\.xml"),
        "html htm xhtml xht": FileKind(message("a web page")),
        "mhtml mht": FileKind(message("a saved web page"), is_text=False),
        "rst": FileKind(message("a reStructuredText document")),
        "org": FileKind(message("an Org mode document")),
        "ipynb": FileKind(message("a Jupyter notebook"), begins=rb"\s*\{"),
        "csv tsv": FileKind(message("a table")),
        "mediawiki wiki": FileKind(message("a wiki page")),
        "tex latex": FileKind(message("a LaTeX document")),
        "textile": FileKind(message("a Textile document")),
        "docbook dbk": FileKind(message("a DocBook document"), begins=rb"\s*<"),
        "jats nxml": FileKind(message("a JATS article"), begins=rb"\s*<"),
        "fb2": FileKind(message("an e-book"), begins=rb"\s*<"),
        "canvas": FileKind(message("an Obsidian canvas"), begins=rb"\s*\{", named_after_file=True),
        "base": FileKind(message("an Obsidian base"), named_after_file=True),
        "excalidraw": FileKind(message("an Excalidraw drawing"), begins=rb"\s*\{", named_after_file=True),
        "eml emlx": FileKind(message("an e-mail"), is_text=False),
        "rss atom": FileKind(message("a feed"), begins=rb"\s*<"),
        "opml": FileKind(message("an outline"), begins=rb"\s*<"),
        "vtt srt": FileKind(message("a subtitle file")),
        "textpack": _zip_kind(message("a TextPack"), r"(?:[^/]+/)?text\.(?:md|markdown|txt)"),
        "rtf": FileKind(message("a Rich Text document"), begins=rb"\s*\{\\rtf", is_text=False),
    }.items()
    for kind in kinds.split()
}
# Picture kinds whose text can be read, mapped to patterns for the first bytes of their files.
PICTURES = {
    "png": rb"\x89PNG\r\n\x1a\n",
    "jpg": rb"\xff\xd8\xff",
    "jpeg": rb"\xff\xd8\xff",
    "webp": rb"RIFF[\s\S]{4}WEBP",
    "gif": rb"GIF8[79]a",
    "bmp": rb"BM",
    "tif": rb"II\*\0|MM\0\*",
    "tiff": rb"II\*\0|MM\0\*",
}
# Suffixes of templates, slide shows, and documents with macros, mapped to document kinds. Macros are never run.
_SAME = {
    **dict.fromkeys(("docm", "dotx", "dotm"), "docx"),
    **dict.fromkeys(("xlsm", "xltx", "xltm"), "xlsx"),
    **dict.fromkeys(("pptm", "ppsx", "ppsm", "potx", "potm"), "pptx"),
    "ott": "odt",
    "ots": "ods",
    "otp": "odp",
}


def kind_of(path: str) -> str:
    """Return a file's kind: its suffix in lower case, or the document kind for templates and macro files.

    >>> kind_of("Budget.XLSM")
    'xlsx'
    """
    suffix = PurePosixPath(path).suffix[1:].lower()
    return _SAME.get(suffix, suffix)


def picture_kind(data: bytes) -> str:
    """Return a picture's kind from its first bytes, or "" if it is unsupported. The suffix isn't reliable."""
    return next((kind for kind, begins in PICTURES.items() if re.match(begins, data[:64])), "")


def name_of(kind: str) -> Message:
    """Return a kind's name, for use in messages."""
    return KINDS[kind].name if kind in KINDS else message("a .{kind} file", kind=kind)


def check(data: bytes, kind: str, path: str) -> None:
    """Raise SourceError if the data doesn't match its kind, is encrypted, or would be too large when unpacked."""
    check_size(data, path)
    if data.startswith((b"MZ", b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"#!")) and not data.startswith(
        b"#!/usr/bin/env pandoc"
    ):
        raise SourceError(path, "This file is a program, although its extension says otherwise. It was not imported.")
    known = KINDS.get(kind)
    if known is None:
        return
    # An encrypted Office document isn't a zip archive but an OLE file.
    if known.entry and data.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        raise encrypted(path)
    if known.begins and not re.match(known.begins, data[:2048]):
        raise wrong_kind(path, known.name)
    if not known.entry:
        return
    try:
        members = zipfile.ZipFile(io.BytesIO(data)).infolist()
    except ZIP_DAMAGE as error:
        raise damaged(path) from error
    if not any(re.fullmatch(known.entry, member.filename) for member in members):
        raise wrong_kind(path, known.name)
    if any(member.flag_bits & 0x1 for member in members):
        raise encrypted(path)
    unpacked = sum(member.file_size for member in members)
    # Small documents may unpack to 20 MB, whatever the ratio.
    if len(members) > 20_000 or unpacked > min(MAX_UNPACKED, max(20 * 1024 * 1024, MAX_RATIO * len(data))):
        raise SourceError(
            path,
            "This file unpacks to far more data than a document of its size should. Save it again in its own program, "
            "or split it.",
        )


def check_size(data: bytes, path: str) -> None:
    """Raise SourceError if the data is empty or larger than MAX_BYTES."""
    if not data:
        raise SourceError(path, "This file is empty.")
    if len(data) > MAX_BYTES:
        raise too_large(path, len(data), MAX_BYTES)


def too_large(path: str, size: int, most: int) -> SourceError:
    """Return the error for a file larger than the limit of `most` bytes."""
    return SourceError(
        path,
        "This file is {size:.1f} MB; the limit is {limit} MB. Split it and import the parts.",
        size=size / 2**20,
        limit=most // 2**20,
    )


def damaged(path: str = "") -> SourceError:
    """Return the error for a document that can't be parsed."""
    return SourceError(path, "This file is damaged. Open it in its own program, save it again, and import it.")


def encrypted(path: str = "") -> SourceError:
    """Return the error for a password-protected document."""
    return SourceError(path, "This file is encrypted. Save a copy without a password and import that copy.")


def wrong_kind(path: str, name: Message) -> SourceError:
    """Return the error for a file whose contents don't match its extension. `name` is the kind that it claims to be."""
    return SourceError(
        path,
        "This file isn't {kind}, although its extension says so. Correct the extension, or save the file again in its "
        "own program.",
        kind=name,
    )


EXPORT = message(
    "This is an export from another program. Import it separately. In a watched folder, the notes in an export are "
    "imported automatically."
)
# Names of the supported kinds, as shown to the user.
KINDS_READ = message(
    "Markdown and text, PDF, Word, PowerPoint, Excel and CSV, LibreOffice, e-books, web pages, e-mail, notebooks, "
    "subtitles, and exports of Notion, Evernote, Logseq, Joplin, Google Keep, Slack and Telegram"
)
# Unsupported formats mapped to a supported format that their own programs can save.
_BETTER = {
    **dict.fromkeys("doc dot wps pages one".split(), "docx"),
    **dict.fromkeys("xls xlsb xlt numbers et".split(), "xlsx"),
    **dict.fromkeys("ppt pps key dps".split(), "pptx"),
    **dict.fromkeys("mobi azw azw3".split(), "epub"),
    **dict.fromkeys("djvu xps oxps ps eps ai".split(), "pdf"),
    **dict.fromkeys("msg oft".split(), "eml"),
    "webarchive": "html",
}
# Suffixes of unsupported kinds, mapped to the reason why their files aren't read and what the user can do.
_REASONS = {
    " ".join(PICTURES): message(
        "This is a picture. It is shown in the notes that link to it. To find its text, turn on 'Read text "
        "in pictures' in the base's settings."
    ),
    "svg avif heic heif ico psd raw cr2 nef dng": message(
        "This is a picture in a format whose text Tessera can't read. Save it as PNG or JPEG."
    ),
    "enex jex": EXPORT,
    "zip": message("This is a zip archive. Import it separately, or unpack it into this folder."),
    "7z rar tar gz tgz bz2 xz zst lzma": message(
        "This is an archive. Unpack it into this folder so that its files can be read."
    ),
    "mp3 m4a m4b aac wav flac ogg oga opus wma aiff amr mid midi "
    "mp4 m4v mov avi mkv webm wmv mpg mpeg 3gp flv": message(
        "This is a recording. Tessera doesn't transcribe speech, so put a transcript next to it as a text file."
    ),
    "exe msi dll sys com bat cmd scr app dmg pkg deb rpm apk ipa jar class so dylib o a lib bin iso img lnk": message(
        "This file is part of a program and contains nothing to read."
    ),
    "pst ost mbox olm": message("This is a mailbox. Save its e-mails as .eml files so that they can be read."),
    "xml": message(
        "This is an XML file. If you know what it contains, change its extension so that Tessera can read it: .rss "
        "or .atom for a feed, .opml for an outline, .dbk for DocBook, .jats for JATS, .xhtml for a web page."
    ),
    "json jsonl ndjson": message(
        "This is a data file that Tessera doesn't import. If it is a log or an exported chat, you can get note "
        "suggestions from it: tessera learn FILE"
    ),
    "yaml yml toml ini plist db sqlite sqlite3 mdb accdb parquet pkl npy": message(
        "This is a data file that Tessera can't read. Export the parts you want to find as text or CSV."
    ),
}


def why_not_read(path: str) -> Message:
    """Return why a file of an unsupported kind isn't read, and what the user can do."""
    kind = kind_of(path)
    if kind in _BETTER:
        return message(
            "This file has a format that Tessera can't read. Save it as .{newer} in its own program and import that "
            "file.",
            newer=_BETTER[kind],
        )
    if not kind:
        return message("This file has no extension. Add one, such as .md, so that it can be read.")
    unsupported = message(
        (
            "This is a .{kind} file, a type that Tessera can't read. If it contains text, save it as text or PDF in "
            "its own program."
        ),
        kind=kind,
    )
    return next((reason for kinds, reason in _REASONS.items() if kind in kinds.split()), unsupported)


def nothing_read(paths: Iterable[str]) -> Message:
    """Return a message saying that none of the files can be read.

    The message counts the files by kind and names the supported kinds.
    """
    counts = Counter(map(kind_of, paths))
    if not counts:
        return message("There are no files to read here. Supported types: {kinds}.", kinds=KINDS_READ)
    most = counts.most_common(8)
    named = [
        message("{n} .{kind}", n=count, kind=kind)
        if kind
        else plural("{n} without a file extension", "{n} without a file extension", n=count)
        for kind, count in most
    ]
    if others := counts.total() - sum(count for _, count in most):
        named.append(plural("{n} other", "{n} others", n=others))
    return message(
        "None of the files here can be read: {counts}. Supported types: {kinds}.",
        counts=named,
        kinds=KINDS_READ,
    )


# Patterns for titles generated by programs: names of untitled documents, and file names.
_JUNK = (
    r"(untitled|unbenannt|sans[ -]titre|無題|无标题)([ -](document|page|note|presentation|file))?[ -]?\d*",
    r"microsoft (word|excel|powerpoint) - .*",
    r"(microsoft )?(powerpoint[ -])?(presentation|präsentation)\d*",
    r"présentation powerpoint",
    r"(slide|folie|layout|幻灯片) ?\d+",
    r"(document|dokument|book|mappe|文档|文書|工作簿|演示文稿|プレゼンテーション)[ -]?\d+",
    r"title|none|null|unspecified|\(anonymous\)",
    r".*\.(docx?|dotx?|rtf|odt|pdf|x?html?|tex|dvi|e?ps|indd|qxd|pmd|fm|xlsx?|pptx?|txt|wpd|cdr|exe|prn|tmp|log|md|csv|od[tps]|p65|pub|wps|pages|key|numbers|jpe?g|png|gif|tiff?|dwg|svg|ai|psd)",
    r"about:blank|(https?|file):.*|\W*",
)


def sound_title(title: str) -> str:
    """Return the title, or "" if it was generated by a program."""
    return "" if re.fullmatch(f"(?i){'|'.join(_JUNK)}", title.strip()) else title.strip()

"""Documents -> Markdown: the table of the converters, and which one reads a kind."""

from typing import Protocol

from core.base.frozen import frozen
from core.base.messages import Message, message
from core.base.registry import Entry, Registry
from core.documents.kinds import PICTURES
from core.model import Omission


@frozen
class Converted:
    """A document as Markdown, with what it says of itself.

    `created` and `updated` are dates as ISO 8601 writes them, or "". `tags` are words with commas or semicolons between
    them; `source_url` is the address of a saved web page. `pages` are the places in `text`, in characters,
    where its pages begin; a kind without pages has none. `left_out` names the parts of the document that `text` lacks.
    `ocr` is the version of what read pages that are pictures, "" where nothing did.
    """

    text: str
    title: str = ""
    author: str = ""
    created: str = ""
    updated: str = ""
    pages: tuple[int, ...] = ()
    warnings: tuple[Message, ...] = ()
    left_out: tuple[Omission, ...] = ()
    ocr: str = ""
    tags: str = ""
    source_url: str = ""


class Converter(Protocol):
    """Turns the bytes of a document into Markdown. It runs in a process with limits of time and memory.

    Building one is cheap: only `convert` loads what it needs.
    """

    @property
    def kinds(self) -> str:
        """Suffixes of the files it reads, in lower case, without dots, separated by blanks."""

    @property
    def version(self) -> str:
        """What made the text: the name of a program or library, and its version."""

    def convert(self, data: bytes, kind: str) -> Converted:
        """Return a document as Markdown; raises SourceError, with an empty path, for what can't be converted.

        It reads no other file and asks no network. A kind of text comes in UTF-8.
        """


_PANDOC = (
    "docx odt pptx epub rst org ipynb csv tsv mediawiki rtf docbook jats textile html htm xhtml xht mhtml mht"
    " tex latex odp ods wiki dbk nxml fb2"
)
CONVERTERS: Registry[Converter] = Registry(
    message("converter"),
    {
        "workbook": Entry("core.documents.workbook:Workbook", kinds="xlsx csv tsv"),
        "canvas": Entry("core.documents.obsidian:Canvas", kinds="canvas"),
        "base": Entry("core.documents.obsidian:Base", kinds="base"),
        "excalidraw": Entry("core.documents.obsidian:Excalidraw", kinds="excalidraw"),
        "mail": Entry("core.documents.mail:Mail", kinds="eml emlx"),
        "feed": Entry("core.documents.feeds:Feed", kinds="rss atom opml"),
        "subtitles": Entry("core.documents.subtitles:Subtitles", kinds="vtt srt"),
        "textpack": Entry("core.documents.textpack:TextPack", kinds="textpack"),
        "pandoc": Entry("core.documents.pandoc:Pandoc", kinds=_PANDOC),
        "uncommented": Entry("core.documents.pandoc:Uncommented", kinds="docx odt odp ods pptx rtf"),
        "pdf": Entry("core.documents.pdf:Pdf", kinds="pdf"),
        "pdftext": Entry("core.documents.pdf:PdfText", kinds="pdf"),
        "ocr": Entry("core.documents.ocr:Ocr", kinds=f"pdf {' '.join(PICTURES)}"),
    },
    group="tessera.converters",
    protocol=Converter,
)

"""The registry of document converters and the file kinds they read."""

from typing import Protocol

from core.base.frozen import frozen
from core.base.messages import Message, message
from core.base.registry import Entry, Registry
from core.documents.kinds import PICTURES
from core.model import Omission


@frozen
class Converted:
    """A document converted to Markdown, with its metadata.

    `created` and `updated` are ISO 8601 dates or "". `tags` are separated by commas or semicolons. `source_url` is the
    URL of a saved web page. `pages` gives the offset in `text` at which each page begins. It is empty for kinds
    without pages. `left_out` lists what is missing from `text`. `ocr` is the version of the OCR engine that read
    scanned pages, or "".
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
    """Converts a document's bytes to Markdown, in a process with time and memory limits.

    The constructor must be cheap, so libraries should be loaded in `convert`.
    """

    @property
    def kinds(self) -> str:
        """File suffixes that the converter reads, in lower case, without dots, and separated by spaces."""

    @property
    def version(self) -> str:
        """Name and version of the program or library that produces the text."""

    def convert(self, data: bytes, kind: str) -> Converted:
        """Convert a document to Markdown. Raises SourceError with an empty path if it can't be converted.

        Implementations must not open other files or network connections. Text kinds are passed as UTF-8.
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
        "feed": Entry("core.documents.small_formats:Feed", kinds="rss atom opml"),
        "subtitles": Entry("core.documents.small_formats:Subtitles", kinds="vtt srt"),
        "textpack": Entry("core.documents.small_formats:TextPack", kinds="textpack"),
        "pandoc": Entry("core.documents.pandoc:Pandoc", kinds=_PANDOC),
        "uncommented": Entry("core.documents.pandoc:Uncommented", kinds="docx odt odp ods pptx rtf"),
        "pdf": Entry("core.documents.pdf:Pdf", kinds="pdf"),
        "pdftext": Entry("core.documents.pdf:PdfText", kinds="pdf"),
        "ocr": Entry("core.documents.ocr:Ocr", kinds=f"pdf {' '.join(PICTURES)}"),
    },
    group="tessera.converters",
    protocol=Converter,
)

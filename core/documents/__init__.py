"""Documents -> Markdown: the table of the converters, and which one reads a kind."""

from core.documents.protocol import Converted as Converted
from core.documents.protocol import Converter as Converter
from core.messages import message
from core.registry import Entry, Table

CONVERTERS: Table[Converter] = Table(
    message("converter"),
    {
        "workbook": Entry("core.documents.workbook:Workbook"),
        "canvas": Entry("core.documents.obsidian:Canvas"),
        "base": Entry("core.documents.obsidian:Base"),
        "excalidraw": Entry("core.documents.excalidraw:Excalidraw"),
        "mail": Entry("core.documents.mail:Mail"),
        "feed": Entry("core.documents.feeds:Feed"),
        "pandoc": Entry("core.documents.pandoc:Pandoc"),
        "uncommented": Entry("core.documents.pandoc:Uncommented"),
        "pdf": Entry("core.documents.pdf.converters:Pdf"),
        "pdftext": Entry("core.documents.pdf.converters:PdfText"),
        "ocr": Entry("core.documents.ocr:Ocr"),
    },
    group="tessera.converters",
    protocol=Converter,
)

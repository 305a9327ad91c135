"""Documents -> Markdown: the table of the converters, and which one reads a kind."""

from core.base.messages import message
from core.base.registry import Entry, Registry
from core.documents.kinds import PICTURES
from core.documents.protocol import Converted as Converted
from core.documents.protocol import Converter as Converter

_PANDOC = "docx odt pptx xlsx epub rst org ipynb csv tsv mediawiki rtf html htm xhtml mhtml mht tex latex wiki"
CONVERTERS: Registry[Converter] = Registry(
    message("converter"),
    {
        "workbook": Entry("core.documents.workbook:Workbook", kinds="xlsx csv tsv"),
        "canvas": Entry("core.documents.obsidian:Canvas", kinds="canvas"),
        "base": Entry("core.documents.obsidian:Base", kinds="base"),
        "excalidraw": Entry("core.documents.excalidraw:Excalidraw", kinds="excalidraw"),
        "mail": Entry("core.documents.mail:Mail", kinds="eml emlx"),
        "feed": Entry("core.documents.feeds:Feed", kinds="rss atom opml"),
        "pandoc": Entry("core.documents.pandoc:Pandoc", kinds=_PANDOC),
        "uncommented": Entry("core.documents.pandoc:Uncommented", kinds="docx odt pptx rtf"),
        "pdf": Entry("core.documents.pdf.converters:Pdf", kinds="pdf"),
        "pdftext": Entry("core.documents.pdf.converters:PdfText", kinds="pdf"),
        "ocr": Entry("core.documents.ocr:Ocr", kinds=f"pdf {' '.join(PICTURES)}"),
    },
    group="tessera.converters",
    protocol=Converter,
)

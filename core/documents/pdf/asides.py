"""Content of a PDF page besides its letters: comments, attached files, picture descriptions."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from core.documents.pdf.forms import MOST_ITEMS, drawn_texts, items, read_text
from core.markdown.writing import callout

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfPage

_LINK, _FREE_TEXT, _POPUP, _WIDGET, _FILE = 2, 3, 16, 20, 17


@dataclass(slots=True)
class Asides:
    """The picture descriptions on a page, comments as callouts, and names of attached files."""

    descriptions: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)

    def add(self, annotation: object) -> None:
        """Add the comment of an annotation, and the name of the file attached to it."""
        import pypdfium2.raw as pdfium

        kind = pdfium.FPDFAnnot_GetSubtype(annotation)
        if kind == _FILE:
            file = pdfium.FPDFAnnot_GetFileAttachment(annotation)
            self.files.append(read_text(pdfium.FPDFAttachment_GetName, file) if file else "")
        if kind in (_LINK, _POPUP, _WIDGET) or (kind == _FREE_TEXT and drawn_texts(annotation)):
            return
        author, said = (read_text(pdfium.FPDFAnnot_GetStringValue, annotation, key) for key in (b"T", b"Contents"))
        if said and said not in self.files:
            self.comments.append(callout("comment", " ".join(author.split()), said.splitlines()))


def attached_files(document: "PdfDocument") -> list[str]:
    """Return the names of the files attached to a PDF."""
    import pypdfium2.raw as pdfium

    files = items(pdfium.FPDFDoc_GetAttachmentCount, pdfium.FPDFDoc_GetAttachment, document.raw)
    return [read_text(pdfium.FPDFAttachment_GetName, file) for file in files]


def descriptions(loaded: "PdfPage") -> list[str]:
    """Return the descriptions of pictures and formulas on a tagged page, each once."""
    import pypdfium2.raw as pdfium

    tree = pdfium.FPDF_StructTree_GetForPage(loaded.raw)
    elements = items(pdfium.FPDF_StructTree_CountChildren, pdfium.FPDF_StructTree_GetChildAtIndex, tree) if tree else []
    found: dict[str, None] = {}
    for element in elements:
        found |= {" ".join(read_text(pdfium.FPDF_StructElement_GetAltText, element).split()): None}
        if len(elements) < MOST_ITEMS:
            elements += items(
                pdfium.FPDF_StructElement_CountChildren, pdfium.FPDF_StructElement_GetChildAtIndex, element
            )
    pdfium.FPDF_StructTree_Close(tree)
    return [*filter(None, found)]

"""Names on the screen for the codes of core: states, languages, kinds of questions."""

from core.base.messages import message
from pages.ui.shared.text import text_of

TEXT_LANGUAGES = {
    "en": message("English"),
    "zh": message("Chinese"),
    "mixed": message("Chinese and English"),
    "code": message("mostly code"),
    "multilingual": message("about 100 languages"),
}
"""The languages of notes and of models."""

NOTE_STATES = {"pending": message("not indexed yet"), "ready": message("indexed")}
"""Names of the states of notes."""
CONVERTERS = {
    "workbook": message("Sheets of a workbook as tables"),
    "canvas": message("Cards of an Obsidian canvas"),
    "base": message("Obsidian base as it is written"),
    "excalidraw": message("Texts of a drawing"),
    "mail": message("E-mail"),
    "feed": message("Entries of a feed"),
    "pandoc": message("Documents, books and web pages by pandoc"),
    "pdf": message("PDF with headings and tables"),
    "uncommented": message("Without comments"),
    "pdftext": message("PDF as plain lines"),
    "ocr": message("Text in pictures and scans"),
}
"""What converts documents; a converter of a package has its own name."""


def converter(name: str) -> str:
    """Return the name of a converter on the screen."""
    return text_of(CONVERTERS[name]) if name in CONVERTERS else name

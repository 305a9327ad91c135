"""What a reader of files left out of the text of a note."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.messages import Message, message, plural

OMISSION_KINDS: Mapping[str, Message] = {
    "page": plural("{n} page gave no text", "{n} pages gave no text"),
    "page_part": plural("text of {n} page is missing", "text of {n} pages is missing"),
    "text_box": plural("{n} text box was not read", "{n} text boxes were not read"),
    "comment": plural("{n} comment was not read", "{n} comments were not read"),
    "header": plural("{n} header or footer was not read", "{n} headers and footers were not read"),
    "note": plural("{n} footnote or speaker note was not read", "{n} footnotes or speaker notes were not read"),
    "chart": plural("{n} chart or diagram was not read", "{n} charts or diagrams were not read"),
    "hidden": plural("{n} hidden part was left out", "{n} hidden parts were left out"),
    "column": plural("{n} column of a table was left out", "{n} columns of a table were left out"),
    "picture": plural("the text in {n} picture was not read", "the text in {n} pictures was not read"),
    "attachment": plural("{n} attached file was not read", "{n} attached files were not read"),
    "field": plural("{n} property could not be read", "{n} properties could not be read"),
    "character": plural("{n} character could not be read", "{n} characters could not be read"),
}


@dataclass(frozen=True, slots=True)
class Omission:
    """Parts of a file that are not in the text of its note.

    `kind` is a key of the table of kinds. `count` is the number of parts. `place` names where they are, as a person
    would look for them (page numbers, a sheet, a line); it is not translated.
    """

    kind: str
    count: int = 1
    place: str = ""

    @property
    def message(self) -> Message:
        """The omission as a sentence's part: what was left out, how often, and where."""
        what = replace(OMISSION_KINDS[self.kind], fields={"n": self.count})
        return message("{what}: {place}", what=what, place=self.place) if self.place else what

"""The Markdown of a TextPack (a zipped TextBundle)."""

import re

from core.base.encodings.guessing import decode_part
from core.documents import Converted
from core.documents.kinds import KINDS, damaged
from core.documents.office.package import Package
from core.model import Omission


class TextPack:
    """Reads the text of a bundle; its pictures and files are only counted."""

    kinds = "textpack"
    version = "Tessera 1"

    def convert(self, data: bytes, kind: str) -> Converted:
        """Return the text of a bundle unchanged; raises SourceError."""
        bundle = Package(data)
        texts = sorted(name for name in bundle.names if re.fullmatch(KINDS[kind].entry, name))
        if not texts:
            raise damaged("")
        assets = sum("assets/" in name and not name.endswith("/") for name in bundle.names)
        left_out = (Omission("attachment", assets),) if assets else ()
        return Converted(decode_part(bundle.read(texts[0]), "md"), left_out=left_out)

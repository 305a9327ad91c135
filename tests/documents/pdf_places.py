"""PDFs with a marker in each place that may hold text, and the forms in which programs store the same objects."""

import hashlib
import re
import zlib
from collections.abc import Callable, Iterable

from tests.documents.pdfs import file_of

_CATALOG, _PAGES, _FONT, _INFO = 1, 2, 3, 4


class MarkedPdf:
    """The objects of a PDF, and the markers that they hold."""

    def __init__(self) -> None:
        self.markers: set[str] = set()
        self.objects = [b""] * _INFO
        self.catalog: dict[str, str] = {}
        self.info = ""
        self._pages: list[int] = []
        self._fields: list[int] = []
        self.objects[_FONT - 1] = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"

    def mark(self, name: str) -> str:
        """Return a marker, which the file holds from now on."""
        self.markers.add(f"zz{name}zz")
        return f"zz{name}zz"

    def add(self, body: str) -> int:
        """Add an object; return its number."""
        self.objects.append(body.encode("latin-1"))
        return len(self.objects)

    def stream(self, content: str, entries: str = "") -> int:
        """Add a stream; return its number."""
        packed = zlib.compress(content.encode("latin-1"))
        begin = f"<<{entries}/Filter/FlateDecode/Length {len(packed)}>>stream\n".encode()
        self.objects.append(begin + packed + b"\nendstream")
        return len(self.objects)

    def drawing(self, content: str, resources: str = "", size: str = "300 20") -> int:
        """Add what is drawn as one (a Form XObject); return its number."""
        drawn = f"/Type/XObject/Subtype/Form/BBox[0 0 {size}]/Resources<</Font<</F {_FONT} 0 R>>{resources}>>"
        return self.stream(content, drawn)

    def look(self, said: str) -> str:
        """Return the appearance of an annotation that shows a text."""
        return f"/AP<</N {self.drawing(line(2, 5, said))} 0 R>>"

    def page(
        self,
        content: str,
        annotations: Iterable[int] = (),
        more: str = "",
        resources: str = "",
        fonts: str = "",
        size: str = "600 800",
    ) -> int:
        """Add a page; return its number."""
        listed = " ".join(f"{number} 0 R" for number in annotations)
        self._pages.append(
            self.add(
                f"<</Type/Page/Parent {_PAGES} 0 R/MediaBox[0 0 {size}]/Contents {self.stream(content)} 0 R"
                f"/Resources<</Font<</F {_FONT} 0 R{fonts}>>{resources}>>/Annots[{listed}]{more}>>"
            )
        )
        return self._pages[-1]

    def field(self, body: str, *, is_kid: bool = False) -> int:
        """Add a field of the form, or one that another field lists; return its number."""
        number = self.add(body)
        self._fields += [] if is_kid else [number]
        return number

    def attached(self, name: str, described: str = "") -> int:
        """Add a file within the file; return the number of its description."""
        data = self.stream(self.mark("inside"), "/Type/EmbeddedFile")
        said = f"/Desc({described})" if described else ""
        return self.add(f"<</Type/Filespec/F({name})/UF({name}){said}/EF<</F {data} 0 R>>>>")

    def finish(self) -> "MarkedPdf":
        """Write the objects that list the others."""
        kids = " ".join(f"{number} 0 R" for number in self._pages)
        if self._fields:
            fields = " ".join(f"{number} 0 R" for number in self._fields)
            font = f"/DR<</Font<</F {_FONT} 0 R>>>>/DA(/F 12 Tf 0 g)"
            self.catalog["AcroForm"] = f"<</Fields[{fields}]{font}>>"
        entries = "".join(f"/{name} {said}" for name, said in self.catalog.items())
        self.objects[_CATALOG - 1] = f"<</Type/Catalog/Pages {_PAGES} 0 R{entries}>>".encode("latin-1")
        self.objects[_PAGES - 1] = f"<</Type/Pages/Count {len(self._pages)}/Kids[{kids}]>>".encode()
        self.objects[_INFO - 1] = f"<<{self.info}>>".encode("latin-1")
        return self


def line(x: float, y: float, said: str, size: float = 12) -> str:
    """Return what draws a line of text."""
    return f"BT /F {size} Tf 1 0 0 1 {x} {y} Tm ({said}) Tj ET\n"


def _widget(kind: str, row: int, more: str) -> str:
    y = 760 - 22 * row
    return f"<</Type/Annot/Subtype/Widget/F 4/FT/{kind}/Rect[150 {y} 450 {y + 18}]{more}>>"


def fields(made: MarkedPdf) -> None:
    """Add a form with each kind of field, most as their programs write them, some without what they look like."""
    mark, widgets = made.mark, list[int]()
    state = f"/AP<</N<</Yes {made.drawing('')} 0 R/Off {made.drawing('')} 0 R>>>>"
    bodies = [
        ("Tx", f"/T(a)/V({mark('text')})" + made.look("zztextzz")),
        ("Tx", f"/T(b)/V({mark('bare')})/DA(/F 12 Tf 0 g)"),
        ("Tx", f"/T(c)/V({mark('undrawn')})"),
        ("Tx", f"/T(d)/Ff 4096/DA(/F 8 Tf 0 g)/V({mark('first')}\\r{mark('second')})"),
        ("Tx", f"/T(e)/Ff 16777216/MaxLen 12/DA(/F 12 Tf 0 g)/V({mark('comb')})"),
        ("Tx", f"/T(f)/DA(/F 12 Tf 0 g)/V({mark('rich')})/RV(<body><p>zzrichzz</p></body>)"),
        ("Tx", f"/T(g)/DA(/F 12 Tf 0 g)/V({mark('empty')}){made.look('')}"),
        ("Tx", f"/T(h)/DA(/F 12 Tf 0 g)/V({'long ' * 40}{mark('far')})"),
        ("Tx", f"/T(i)/Ff 4096/DA(/F 12 Tf 0 g)/V({'long ' * 90}{mark('below')})"),
        ("Btn", f"/T({mark('box')})/V/Yes/AS/Yes{state}"),
        ("Btn", f"/T(j)/TU({mark('otherbox')})/V/Off/AS/Off{state}"),
        ("Ch", f"/T(k)/Ff 131072/Opt[(a)({mark('combo')})]/V(zzcombozz)/DA(/F 12 Tf 0 g)"),
        ("Ch", f"/T(l)/Ff 393216/Opt[(a)]/V({mark('typed')})/DA(/F 12 Tf 0 g)"),
        ("Ch", f"/T(m)/Opt[({mark('list')})[(x)({mark('export')})]]/V(x)/DA(/F 12 Tf 0 g)"),
        ("Ch", f"/T(n)/Ff 131072/Opt[[(x)({mark('exported')})]]/V(x)/DA(/F 12 Tf 0 g)"),
        ("Btn", f"/T(o)/Ff 65536/MK<</CA({mark('button')})>>/DA(/F 12 Tf 0 g)" + made.look("zzbuttonzz")),
        ("Btn", f"/T(p)/Ff 65536/MK<</CA({mark('caption')})>>/DA(/F 12 Tf 0 g)"),
        ("Sig", "/T(q)" + made.look(mark("signed"))),
        ("Sig", f"/T(r)/V<</Type/Sig/Filter/A/Name({mark('signer')})/Reason({mark('reason')})>>"),
        ("Tx", f"/T(s)/Ff 8192/DA(/F 12 Tf 0 g)/V({mark('password')})"),
    ]
    widgets += [made.field(_widget(kind, row, more)) for row, (kind, more) in enumerate(bodies)]
    hidden = _widget("Tx", 30, f"/T(t)/V({mark('hidden')})/DA(/F 12 Tf 0 g)").replace("/F 4", "/F 2")
    widgets.append(made.field(hidden))
    parent = made.field("")
    kids = [
        made.field(_widget("Tx", 24, f"/Parent {parent} 0 R/T(x)/V({mark('nested')})"), is_kid=True),
        made.field(_widget("Tx", 25, f"/Parent {parent} 0 R/DA(/F 12 Tf 0 g)"), is_kid=True),
    ]
    listed = " ".join(f"{kid} 0 R" for kid in kids)
    inherited = f"<</T(u)/FT/Tx/V({mark('inherited')})/DA(/F 12 Tf 0 g)/Kids[{listed}]>>"
    made.objects[parent - 1] = inherited.encode()
    radio = made.field("")
    buttons = [
        made.field(
            _widget("Btn", 26 + at, f"/Parent {radio} 0 R/AS/{value}/AP<</N<</{name} {made.drawing('')} 0 R>>>>"),
            is_kid=True,
        )
        for at, (name, value) in enumerate([("one", "Off"), ("two", "two")])
    ]
    listed = " ".join(f"{kid} 0 R" for kid in buttons)
    made.objects[radio - 1] = f"<</FT/Btn/Ff 49152/T({mark('radio')})/V/two/Kids[{listed}]>>".encode()
    made.page(line(60, 780, "Form"), [*widgets, *kids, *buttons])


_COMMENTS = (
    "Text FreeText Line Square Circle Polygon PolyLine Highlight Underline Squiggly StrikeOut Stamp Caret Ink Redact"
    " FileAttachment Sound"
).split()


def annotations(made: MarkedPdf) -> None:
    """Add what readers put on a page: each kind with a text and an author, some with an appearance."""
    mark, listed = made.mark, list[int]()
    common = "/Type/Annot/F 4/QuadPoints[60 700 160 700 60 690 160 690]"
    for row, kind in enumerate(_COMMENTS):
        name = kind.lower()
        file = f"/FS {made.attached(mark('afile') + '.txt')} 0 R" if kind == "FileAttachment" else ""
        body = f"/Subtype/{kind}/Contents({mark(name)})/T({mark('by' + name)}){file}"
        listed.append(made.add(f"<<{common}{body}/Rect[300 {700 - 20 * row} 500 {715 - 20 * row}]>>"))
    shown = [("Stamp", "stampshown"), ("FreeText", "freeshown"), ("Watermark", "watermark"), ("Line", "lineshown")]
    for row, (kind, name) in enumerate(shown):
        look = made.look(mark(name))
        listed.append(made.add(f"<<{common}/Subtype/{kind}/Rect[60 {300 - 20 * row} 260 {315 - 20 * row}]{look}>>"))
    reply = f"/Subtype/Text/IRT {listed[0]} 0 R/Contents({mark('reply')})/T({mark('byreply')})"
    listed.append(made.add(f"<<{common}{reply}/Rect[300 700 320 720]>>"))
    rich = f"/Subtype/Text/RC(<body><p>{mark('richnote')}</p></body>)/Subj({mark('subject')})/Contents(zzrichnotezz)"
    listed.append(made.add(f"<<{common}{rich}/Rect[300 700 320 720]>>"))
    popup = f"/Subtype/Popup/Parent {listed[0]} 0 R/Contents({mark('popup')})"
    listed.append(made.add(f"<<{common}{popup}/Rect[300 700 320 720]>>"))
    link = f"/Subtype/Link/Contents({mark('linktitle')})/A<</S/URI/URI(https://example.org/{mark('address')})>>"
    listed.append(made.add(f"<<{common}{link}/Rect[60 748 200 762]>>"))
    made.page(line(60, 750, mark("linked")) + line(60, 690, mark("marked")), listed)


def attachments(made: MarkedPdf) -> None:
    """Add files within the file, also of a collection (a portfolio), and one that belongs to the page."""
    names = [made.mark(name) + ".txt" for name in ("afile", "bfile")]
    listed = " ".join(f"({name}){made.attached(name, made.mark('described'))} 0 R" for name in names)
    made.catalog["Names"] = f"<</EmbeddedFiles<</Names[{listed}]>>>>"
    made.catalog["Collection"] = f"<</Schema<</a<</Type/CollectionField/N({made.mark('column')})/Subtype/F>>>>>>"
    made.page(line(60, 750, made.mark("cover")))


def layers(made: MarkedPdf) -> None:
    """Add layers (optional content), of which one isn't shown."""
    shown, hidden = (made.add(f"<</Type/OCG/Name({made.mark(name)})>>") for name in ("layername", "hiddenname"))
    made.catalog["OCProperties"] = f"<</OCGs[{shown} 0 R {hidden} 0 R]/D<</OFF[{hidden} 0 R]>>>>"
    content = "".join(
        f"/OC /{name} BDC {line(60, y, made.mark(said))}EMC\n"
        for name, y, said in (("A", 700, "layer"), ("B", 660, "hiddenlayer"))
    )
    made.page(content, resources=f"/Properties<</A {shown} 0 R/B {hidden} 0 R>>")


def tagged(made: MarkedPdf) -> None:
    """Add a tagged page: ActualText of marked content and of an element, what a picture shows, a cell, an artifact."""
    mark = made.mark
    content = (
        f"/P <</MCID 0>> BDC {line(60, 700, mark('paragraph'))}EMC\n"
        f"/Span <</ActualText({mark('actual')})>> BDC {line(60, 680, 'xyz')}EMC\n"
        f"/Span <</MCID 1>> BDC {line(60, 660, 'abc')}EMC\n"
        f"/Artifact BMC {line(60, 640, mark('artifact'))}EMC\n"
        "/Figure <</MCID 2>> BDC q 100 0 0 100 60 500 cm /I Do Q EMC\n"
        f"/Span <</MCID 3/E({mark('expansion')})>> BDC {line(60, 620, mark('short'))}EMC\n"
    )
    root, first = len(made.objects) + 1, len(made.objects) + 2
    bodies = [
        f"<</Type/StructTreeRoot/K[{' '.join(f'{first + at} 0 R' for at in range(4))}]/ParentTree {first + 4} 0 R>>",
        f"<</S/P/P {root} 0 R/Pg {first + 7} 0 R/K 0>>",
        f"<</S/Span/P {root} 0 R/Pg {first + 7} 0 R/K 1/ActualText({mark('elementtext')})>>",
        f"<</S/Figure/P {root} 0 R/Pg {first + 7} 0 R/K 2/Alt({mark('alt')})>>",
        f"<</S/Span/P {root} 0 R/Pg {first + 7} 0 R/K 3/T({mark('elementtitle')})>>",
        f"<</Nums[0[{' '.join(f'{first + at} 0 R' for at in range(4))}]]>>",
    ]
    for body in bodies:
        made.add(body)
    made.stream("\0", "/Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8")
    number = made.page(content, more="/StructParents 0", resources=f"/XObject<</I {first + 5} 0 R>>")
    assert number == first + 7
    made.catalog |= {"StructTreeRoot": f"{root} 0 R", "MarkInfo": "<</Marked true>>", "Lang": "(en)"}


def _chinese(made: MarkedPdf, encoding: str) -> int:
    wide = made.add(
        "<</Type/Font/Subtype/CIDFontType0/BaseFont/STSong-Light/DW 1000/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)"
        "/Supplement 2>>/FontDescriptor<</Type/FontDescriptor/FontName/STSong-Light/Flags 6/FontBBox[-25 -254 1000 880]"
        "/ItalicAngle 0/Ascent 880/Descent -120/CapHeight 880/StemV 93>>>>"
    )
    font = f"<</Type/Font/Subtype/Type0/BaseFont/STSong-Light/Encoding/{encoding}/DescendantFonts[{wide} 0 R]>>"
    return made.add(font)


def words(made: MarkedPdf) -> None:
    """Add text as programs draw it: by letters, in parts, within drawings, invisible, hyphenated, joined."""
    mark = made.mark
    nested = made.drawing(line(2, 5, mark("nested")))
    for _ in range(3):
        nested = made.drawing("q 1 0 0 1 5 2 cm /N Do Q", f"/XObject<</N {nested} 0 R>>", "400 60")
    by_letter, x = "", 60.0
    for letter in mark("letters"):
        by_letter += line(x, 660, letter)
        x += 12 * {"l": 0.222, "t": 0.278, "r": 0.333}.get(letter, 0.5)
    spaced = " ".join(f"({part})-20" for part in mark("kerned"))
    named = made.add(
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Type/Encoding/Differences[1/fi 2/ffl]>>>>"
    )
    cmap = made.stream(
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <00> <ff> endcodespacerange"
        " 1 beginbfchar <41> <006600660069> endbfchar 1 beginbfrange <61> <7a> <0061> endbfrange endcmap end end"
    )
    mapped = made.add(f"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode {cmap} 0 R>>")
    made.markers |= {"zzoficezz", "zzwafflezz", "zzofficezz"}
    made.page(
        "q 1 0 0 1 60 700 cm /N Do Q\n"
        + by_letter
        + f"BT /F 12 Tf 60 640 Td [{spaced}] TJ ET\n"
        + f"q BT 3 Tr /F 12 Tf 60 620 Td ({mark('invisible')}) Tj ET Q\n"
        + f"1 1 1 rg {line(60, 600, mark('white'))} 0 g\n"
        + line(60, 580, "zzo\\001cezz").replace("/F ", "/L ")
        + line(160, 580, "zzwa\\002ezz").replace("/F ", "/L ")
        + line(260, 580, "zzoAcezz").replace("/F ", "/M ")
        + line(60, 560, "It ends with zzhyphen-")
        + line(60, 546, "atedzz in a word.")
        + f"BT /F 12 Tf 60 500 Td 14 TL ({mark('showone')}) ' ({mark('showtwo')}) ' ET\n"
        + f"BT /F 1 Tf 12 0 0 12 60 420 Tm ({mark('scaled')}) Tj ET\n"
        + line(60, 400, "".join(f"\\{ord(letter):o}" for letter in mark("octal"))),
        resources=f"/XObject<</N {nested} 0 R>>",
        fonts=f"/L {named} 0 R/M {mapped} 0 R",
    )
    made.markers.add("zzhyphenatedzz")


_COLUMN = "that goes on"


def ordered(turned: int, rotate: int) -> tuple[MarkedPdf, list[str]]:
    """Return pages of three columns, whose content and which themselves are turned by degrees, and their markers.

    A title is above the columns, two notes are at the foot, and a line is at the head of each page.
    """
    made, expected = MarkedPdf(), list[str]()
    a, b = {0: (1, 0), 90: (0, 1), 180: (-1, 0), 270: (0, -1)}[turned]
    for page in ("one", "two", "three"):

        def mark(name: str, number: int = 0, page: str = page) -> str:
            expected.append(made.mark(f"{page}{name}{number or ''}"))
            return expected[-1]

        drawn = line(80, 760, "zzrunningheadzz") + line(80, 640, mark("title"), 20)
        for x in (80, 310, 540):
            for number in range(1, 13):
                said = f"{mark(f'col{x}', number)} {_COLUMN}" if number % 4 == 1 else f"for a while, {_COLUMN} and on"
                drawn += line(x, 620 - 14 * number, said, 9)
        drawn += line(80, 400, f"1 {mark('firstnote')} {'says a note across all columns ' * 5}", 7)
        drawn += line(80, 390, f"2 {mark('secondnote')} says a shorter one.", 7)
        place = f"q 1 0 0 1 400 400 cm {a} {b} {-b} {a} 0 0 cm 1 0 0 1 -400 -400 cm\n"
        made.page(f"{place}{drawn}Q", more=f"/Rotate {rotate}", size="800 800")
    made.mark("runninghead")
    return made.finish(), expected


def metadata(made: MarkedPdf) -> None:
    """Add what the file says of itself, its bookmarks, and the labels of its pages."""
    mark = made.mark
    said = {"Title": "title", "Author": "author", "Keywords": "keywords", "Subject": "subject", "Creator": "creator"}
    made.info = "".join(f"/{name}({mark(word)})" for name, word in said.items())
    xmp = (
        '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
        '<rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title><rdf:Alt><rdf:li>'
        f"{mark('xmptitle')}</rdf:li></rdf:Alt></dc:title></rdf:Description></rdf:RDF></x:xmpmeta>"
    )
    made.catalog["Metadata"] = f"{made.stream(xmp, '/Type/Metadata/Subtype/XML')} 0 R"
    made.catalog["PageLabels"] = f"<</Nums[0<</S/D/P({mark('label')})>>]>>"
    page = made.page(line(60, 750, mark("heading"), 20) + line(60, 700, "Text below the heading, in smaller letters."))
    outlines, item = len(made.objects) + 1, len(made.objects) + 2
    made.add(f"<</Type/Outlines/First {item} 0 R/Last {item} 0 R/Count 1>>")
    made.add(f"<</Title({mark('bookmark')})/Parent {outlines} 0 R/Dest[{page} 0 R/Fit]>>")
    made.catalog["Outlines"] = f"{outlines} 0 R"


def vertical(made: MarkedPdf) -> None:
    """Add Chinese in columns from the right to the left, and in lines."""
    columns = ("竖排的文字从右边读起", "第二列在它的左边", "第三列是最后一列")
    across, down = _chinese(made, "UniGB-UCS2-H"), _chinese(made, "UniGB-UCS2-V")
    content = "".join(
        f"BT /{font} 14 Tf 1 0 0 1 {x} {y} Tm <{said.encode('utf-16-be').hex()}> Tj ET\n"
        for font, x, y, said in (
            *(("V", 400 - 30 * at, 700, said) for at, said in enumerate(columns)),
            ("H", 60, 200, "横排的一行"),
        )
    )
    made.page(content, fonts=f"/H {across} 0 R/V {down} 0 R")
    made.markers |= {*columns, "横排的一行"}


PLACES: dict[str, Callable[[MarkedPdf], None]] = {
    "fields": fields, "annotations": annotations, "attachments": attachments, "layers": layers, "tagged": tagged,
    "words": words, "metadata": metadata, "vertical": vertical,
}  # fmt: skip


def marked(name: str) -> MarkedPdf:
    """Return the objects of a PDF with markers in places of one kind."""
    made = MarkedPdf()
    PLACES[name](made)
    return made.finish()


# The forms in which programs store objects.

_TRAILER = f"/Root {_CATALOG} 0 R/Info {_INFO} 0 R".encode()


def plain(objects: list[bytes]) -> bytes:
    """Return a file of objects one after the other."""
    return file_of(objects, _TRAILER)


def packed(objects: list[bytes]) -> bytes:
    """Return a file with its objects in a stream, and with a stream in the place of the table of their places."""
    inner = [(number, one) for number, one in enumerate(objects, 1) if not one.endswith(b"endstream")]
    places, bodies = b"", b""
    for number, one in inner:
        places += b"%d %d " % (number, len(bodies))
        bodies += one + b" "
    stored = len(objects) + 1
    data = zlib.compress(places + bodies)
    about = b"<</Type/ObjStm/N %d/First %d/Filter/FlateDecode/Length %d>>" % (len(inner), len(places), len(data))
    written, rows = bytearray(b"%PDF-1.7\n"), {0: (0, 0, 65535)}
    rows |= {number: (2, stored, at) for at, (number, _) in enumerate(inner)}
    for number, one in enumerate([*objects, about + b"stream\n" + data + b"\nendstream"], 1):
        if number not in rows:
            rows[number] = (1, len(written), 0)
            written += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    rows[stored + 1] = (1, len(written), 0)
    table = zlib.compress(
        b"".join(kind.to_bytes(1) + place.to_bytes(4) + at.to_bytes(2) for _, (kind, place, at) in sorted(rows.items()))
    )
    about = b"/Type/XRef/Size %d/W[1 4 2]/Filter/FlateDecode/Length %d" % (stored + 2, len(table))
    start = len(written)
    written += b"%d 0 obj\n<<%s%s>>stream\n%s\nendstream\nendobj\n" % (stored + 1, about, _TRAILER, table)
    return bytes(written) + b"startxref\n%d\n%%%%EOF" % start


def updated(objects: list[bytes]) -> bytes:
    """Return a file that was written with other contents, and had its objects appended later."""
    old = [b"<<>>stream\n\nendstream" if one.endswith(b"endstream") else one.replace(b"zz", b"yy") for one in objects]
    written = bytearray(plain(old))
    before = int(written.rpartition(b"startxref\n")[2].partition(b"\n")[0])
    rows = b""
    written += b"\n"
    for number, one in enumerate(objects, 1):
        rows += b"%d 1\n%010d 00000 n \n" % (number, len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    start = len(written)
    trailer = b"trailer<</Size %d/Prev %d%s>>\n" % (len(objects) + 1, before, _TRAILER)
    return bytes(written) + b"xref\n" + rows + trailer + b"startxref\n%d\n%%%%EOF" % start


_PADDING = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")
_STRING = re.compile(rb"\(((?:[^()\\]|\\.)*)\)")


def encrypted(objects: list[bytes]) -> bytes:
    """Return a file in AES with 128 bits that opens without a password (ISO 32000-1, 7.6)."""
    owner, name, rights = b"o" * 32, b"i" * 16, -4
    key = hashlib.md5(_PADDING + owner + rights.to_bytes(4, "little", signed=True) + name).digest()
    for _ in range(50):
        key = hashlib.md5(key).digest()
    user = hashlib.md5(_PADDING + name).digest()
    for turn in range(20):
        user = _rc4(bytes(byte ^ turn for byte in key), user)
    made = []
    for number, one in enumerate(objects, 1):
        own = hashlib.md5(key + number.to_bytes(3, "little") + b"\0\0sAlT").digest()
        begin, is_stream, data = one.partition(b"stream\n")
        begin = _STRING.sub(lambda said: b"<" + _aes(own, _unescaped(said[1])).hex().encode() + b">", begin)  # noqa: B023
        if is_stream:
            hidden = _aes(own, data.removesuffix(b"\nendstream"))
            begin = re.sub(rb"/Length \d+", b"/Length %d" % len(hidden), begin)
            begin += b"stream\n" + hidden + b"\nendstream"
        made.append(begin)
    method = b"/CF<</StdCF<</CFM/AESV2/AuthEvent/DocOpen/Length 16>>>>/StmF/StdCF/StrF/StdCF"
    secret = b"/O<%s>/U<%s>" % (owner.hex().encode(), (user + bytes(16)).hex().encode())
    made.append(b"<</Filter/Standard/V 4/R 4/Length 128/P %d%s%s>>" % (rights, method, secret))
    identity = b"/ID[<%s><%s>]" % (name.hex().encode(), name.hex().encode())
    return file_of(made, _TRAILER + b"/Encrypt %d 0 R" % len(made) + identity)


def _unescaped(said: bytes) -> bytes:
    return re.sub(rb"\\(.)", lambda sign: {b"r": b"\r", b"n": b"\n"}.get(sign[1], sign[1]), said)


def _aes(key: bytes, data: bytes) -> bytes:
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    filled = data + bytes([16 - len(data) % 16]) * (16 - len(data) % 16)
    writer = Cipher(algorithms.AES(key), modes.CBC(bytes(16))).encryptor()
    return bytes(16) + writer.update(filled) + writer.finalize()


def _rc4(key: bytes, data: bytes) -> bytes:
    state, other = list(range(256)), 0
    for at in range(256):
        other = (other + state[at] + key[at % len(key)]) % 256
        state[at], state[other] = state[other], state[at]
    made, at, other = bytearray(), 0, 0
    for byte in data:
        at = (at + 1) % 256
        other = (other + state[at]) % 256
        state[at], state[other] = state[other], state[at]
        made.append(byte ^ state[(state[at] + state[other]) % 256])
    return bytes(made)


FORMS: dict[str, Callable[[list[bytes]], bytes]] = {
    "plain": plain, "packed": packed, "updated": updated, "encrypted": encrypted,
}  # fmt: skip

"""Office documents out of their XML, with what programs write and readers drop."""

import io
import zipfile

from tests.documents.making import zipped

_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006"
WORD = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    f' xmlns:r="{_OFFICE}" xmlns:a="{_DRAWING}/main" xmlns:c="{_DRAWING}/chart"'
    f' xmlns:wp="{_DRAWING}/wordprocessingDrawing" xmlns:v="urn:schemas-microsoft-com:vml"'
    ' xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
    ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    ' xmlns:o="urn:schemas-microsoft-com:office:office"'
    ' xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
)
SLIDE = (
    f'xmlns:a="{_DRAWING}/main" xmlns:r="{_OFFICE}" xmlns:c="{_DRAWING}/chart" xmlns:dgm="{_DRAWING}/diagram"'
    ' xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
)
SHEET = (
    f'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="{_OFFICE}"'
    f' xmlns:a="{_DRAWING}/main" xmlns:xdr="{_DRAWING}/spreadsheetDrawing"'
)
_ODF = "urn:oasis:names:tc:opendocument:xmlns"
ODF = (
    f'xmlns:office="{_ODF}:office:1.0" xmlns:text="{_ODF}:text:1.0" xmlns:draw="{_ODF}:drawing:1.0"'
    f' xmlns:table="{_ODF}:table:1.0" xmlns:style="{_ODF}:style:1.0" xmlns:chart="{_ODF}:chart:1.0"'
    ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xlink="http://www.w3.org/1999/xlink"'
)
CHART = (
    f'<c:chartSpace xmlns:c="{_DRAWING}/chart" xmlns:a="{_DRAWING}/main"><c:chart><c:title><c:tx><c:rich><a:p><a:r>'
    "<a:t>Harvest</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart><c:ser><c:tx><c:strRef><c:strCache>"
    '<c:pt idx="0"><c:v>Tons</c:v></c:pt></c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:strCache>'
    '<c:pt idx="0"><c:v>Apples</c:v></c:pt><c:pt idx="1"><c:v>Pears</c:v></c:pt></c:strCache></c:strRef></c:cat>'
    '<c:val><c:numRef><c:numCache><c:pt idx="0"><c:v>3.5</c:v></c:pt><c:pt idx="1"><c:v>7</c:v></c:pt></c:numCache>'
    "</c:numRef></c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>"
)
Relations = dict[str, tuple[str, str]]
"""Id -> kind and target of what a part refers to."""


def p(text: str, properties: str = "") -> str:
    """Return a paragraph of Word."""
    return f'<w:p>{properties}<w:r><w:t xml:space="preserve">{text}</w:t></w:r></w:p>'


def item(text: str, level: int, number: int = 1, style: str = "") -> str:
    """Return a numbered paragraph of Word."""
    numbered = f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>'
    return p(text, f"<w:pPr>{style}{numbered}</w:pPr>")


def docx(body: str, parts: dict[str, str] | None = None, relations: Relations | None = None) -> bytes:
    """Return a Word document; `parts` are beside its body, `relations` name them."""
    return _package(
        "word/document.xml",
        {"word/document.xml": word("document", f"<w:body>{body}</w:body>")}
        | {f"word/{name}": text for name, text in (parts or {}).items()},
        {"word/document.xml": relations or {}},
    )


def word(root: str, content: str) -> str:
    """Return a part of a Word document."""
    return f"<w:{root} {WORD}>{content}</w:{root}>"


def shape(text: str, placeholder: str = "") -> str:
    """Return a text on a slide; the lines of one are its paragraphs."""
    mark = f'<p:nvPr><p:ph type="{placeholder}"/></p:nvPr>' if placeholder else "<p:nvPr/>"
    lines = "".join(f"<a:p><a:r><a:t>{line}</a:t></a:r></a:p>" for line in text.split("\n"))
    return f"<p:sp><p:nvSpPr>{mark}</p:nvSpPr><p:txBody>{lines}</p:txBody></p:sp>"


def slide(shapes: str, attributes: str = "", root: str = "sld") -> str:
    """Return a slide, or its notes."""
    return f"<p:{root} {SLIDE} {attributes}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:{root}>"


def pptx(slides: list[str], parts: dict[str, str], relations: dict[str, Relations]) -> bytes:
    """Return a presentation."""
    ids = "".join(f'<p:sldId id="{256 + at}" r:id="s{at}"/>' for at in range(len(slides)))
    files = {"ppt/presentation.xml": f"<p:presentation {SLIDE}><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>"}
    files |= {f"ppt/slides/slide{at}.xml": text for at, text in enumerate(slides)} | parts
    of_main = {f"s{at}": ("slide", f"slides/slide{at}.xml") for at in range(len(slides))}
    of_main |= relations.pop("", {})
    return _package("ppt/presentation.xml", files, {"ppt/presentation.xml": of_main} | relations)


def odt(body: str, styles: str = "", master: str = "", parts: dict[str, str] | None = None) -> bytes:
    """Return a text of LibreOffice; `styles` are those of its lists, `master` has its header."""
    content = (
        f"<office:document-content {ODF}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:text>{body}</office:text></office:body></office:document-content>"
    )
    page = f"<office:master-styles><style:master-page>{master}</style:master-page></office:master-styles>"
    files = {
        "mimetype": "application/vnd.oasis.opendocument.text",
        "content.xml": content,
        "styles.xml": f"<office:document-styles {ODF}>{page}</office:document-styles>",
    }
    return zipped({name: text.encode() for name, text in (files | (parts or {})).items()})


def _package(main: str, files: dict[str, str], relations: dict[str, Relations]) -> bytes:
    made = {"_rels/.rels": related({"r1": ("officeDocument", main)})} | files
    for name, of_part in relations.items():
        folder, _, last = name.rpartition("/")
        made[f"{folder}/_rels/{last}.rels"] = related(of_part)
    return zipped({name: text.encode() for name, text in made.items()})


def parts_of(data: bytes) -> dict[str, bytes]:
    """Return the parts of a package by their names."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def related(relations: Relations) -> str:
    """Return the part with what another part refers to."""
    lines = (
        f'<Relationship Id="{one}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for one, (kind, target) in relations.items()
    )
    return f'<Relationships xmlns="{_PACKAGE}">{"".join(lines)}</Relationships>'

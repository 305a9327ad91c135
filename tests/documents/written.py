"""A document of each kind with what its program shows and readers drop."""

import io
import zipfile

from tests.documents import office
from tests.documents.making import xlsx, zipped
from tests.documents.office import CHART, docx, item, p, shape, slide, word

_BOX = "<w:txbxContent>{}</w:txbxContent>"
_DRAWN = (
    '<w:p><w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:anchor><a:graphic><a:graphicData><wps:wsp>'
    "<wps:txbx>{box}</wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing></mc:Choice><mc:Fallback>"
    "<w:pict><v:shape><v:textbox>{box}</v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>"
)
_OLD = "<w:p><w:r><w:pict><v:shape><v:textbox>{box}</v:textbox></v:shape></w:pict></w:r></w:p>"
_RUBY = (
    "<w:r><w:ruby><w:rt><w:r><w:t>{1}</w:t></w:r></w:rt>"
    "<w:rubyBase><w:r><w:t>{0}</w:t></w:r></w:rubyBase></w:ruby></w:r>"
)
_SQUARE = "<m:sSup><m:e><m:r><m:t>m</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup>"
_CHART = '<w:drawing><a:graphic><a:graphicData><c:chart r:id="r7"/></a:graphicData></a:graphic></w:drawing>'
_LEVEL = '<w:lvl w:ilvl="{}"><w:start w:val="1"/><w:numFmt w:val="{}"/><w:lvlText w:val="{}"/></w:lvl>'
_NUMBERED = [
    [("decimal", "%1."), ("lowerLetter", "%2)"), ("lowerRoman", "%1(%2)(%3)")],
    [("decimal", "Article %1"), ("decimal", "%1.%2")],
]


def _ruby(base: str, reading: str) -> str:
    return _RUBY.format(base, reading)


def _run(text: str) -> str:
    return f"<w:r><w:t>{text}</w:t></w:r>"


def _numbering() -> str:
    made = ""
    for at, levels in enumerate(_NUMBERED):
        made += f'<w:abstractNum w:abstractNumId="{at}">'
        made += "".join(_LEVEL.format(depth, *level) for depth, level in enumerate(levels)) + "</w:abstractNum>"
    made += "".join(f'<w:num w:numId="{at + 1}"><w:abstractNumId w:val="{at}"/></w:num>' for at in range(2))
    return word("numbering", made)


def lease() -> bytes:
    """Return a Word document: labels, rubies, boxes, a comment, cells with lists, a chart, documents within."""
    heading = '<w:pStyle w:val="Heading1"/>'
    commented = '<w:r><w:commentReference w:id="0"/></w:r>'
    cells = f"<w:tr><w:tc>{item('first', 0)}{item('second', 0)}</w:tc><w:tc>{p('right')}</w:tc></w:tr>"
    body = [
        item("Terms", 0, 2, heading),
        item("Rent", 1, 2, heading),
        f"<w:p>{_run('担当は')}{_ruby('山', 'やま')}{_ruby('田', 'だ')}{_run('さんです。')}</w:p>",
        f"<w:p>{_ruby('钥', 'yào')}{_ruby('匙', 'shi')}{_run('在抽屉里。')}</w:p>",
        _DRAWN.format(box=_BOX.format(p("Drawn beryl."))),
        _OLD.format(box=_BOX.format(p("Old citrine.") + _OLD.format(box=_BOX.format(p("Inner opal."))))),
        f"<w:p>{_run('Ask here.')}{commented}</w:p>",
        item("one", 0), item("sub", 1), item("deep", 2), item("two", 0),
        p("m"), f"<w:tbl>{cells}</w:tbl>",
        f"<w:p><m:oMath>{_SQUARE}</m:oMath></w:p>",
        f"<w:p><w:r>{_CHART}</w:r></w:p>",
        '<w:p><w:r><w:object><o:OLEObject ProgID="Excel.Sheet.12" r:id="r8"/></w:object></w:r></w:p>',
        '<w:altChunk r:id="r9"/>', '<w:altChunk r:id="r10"/>',
    ]  # fmt: skip
    comment = f'<w:comment w:id="0" w:author="Kim">{p("Ask the notary.")}</w:comment>'
    parts = {
        "styles.xml": word(
            "styles", '<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style>'
        ),
        "numbering.xml": _numbering(),
        "comments.xml": word("comments", comment),
        "header1.xml": word("hdr", p("Contract 2026-77")),
        "header2.xml": word("hdr", p("Contract 2026-77")),
        "footer1.xml": word("ftr", p("Page euclase") + p("7")),
        "charts/chart1.xml": CHART,
        "embeddings/prices.xlsx": "",
        "afchunk.html": "<html><body><h2>Annex</h2><p>From <b>HTML</b> zircon.</p></body></html>",
    }
    relations = {
        "r1": ("styles", "styles.xml"), "r2": ("numbering", "numbering.xml"), "r3": ("comments", "comments.xml"),
        "r4": ("header", "header1.xml"), "r5": ("header", "header2.xml"), "r6": ("footer", "footer1.xml"),
        "r7": ("chart", "charts/chart1.xml"), "r8": ("package", "embeddings/prices.xlsx"),
        "r9": ("aFChunk", "afchunk.html"), "r10": ("aFChunk", "gone.rtf"),
    }  # fmt: skip
    return docx("".join(body), parts, relations)


def talk() -> bytes:
    """Return a presentation: a list, a group, a chart, a diagram, notes, a comment, a hidden slide."""
    frame = "<p:graphicFrame><a:graphic><a:graphicData><{} {}/></a:graphicData></a:graphic></p:graphicFrame>"
    first = slide(
        shape("Growth", "title") + shape("One\nTwo", "body") + f"<p:grpSp>{shape('In a group')}</p:grpSp>"
        + frame.format("c:chart", 'r:id="r1"') + frame.format("dgm:relIds", 'r:dm="r2"')
        + shape("Confidential", "ftr")
    )  # fmt: skip
    diagram = (
        f'<dgm:dataModel {office.SLIDE}><dgm:ptLst><dgm:pt type="doc"/><dgm:pt><dgm:t><a:p>'
        "<a:r><a:t>Plan</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>"
    )
    parts = {
        "ppt/charts/chart1.xml": CHART,
        "ppt/diagrams/data1.xml": diagram,
        "ppt/notesSlides/n1.xml": slide(shape("Say thanks", "body") + shape("1", "sldNum"), root="notes"),
        "ppt/comments/c1.xml": f'<p:cmLst {office.SLIDE}><p:cm authorId="0"><p:text>Too long</p:text></p:cm></p:cmLst>',
        "ppt/commentAuthors.xml": f'<p:cmAuthorLst {office.SLIDE}><p:cmAuthor id="0" name="Ada"/></p:cmAuthorLst>',
    }
    of_first = {
        "r1": ("chart", "../charts/chart1.xml"), "r2": ("diagramData", "../diagrams/data1.xml"),
        "r3": ("notesSlide", "../notesSlides/n1.xml"), "r4": ("comments", "../comments/c1.xml"),
    }  # fmt: skip
    relations = {"": {"a": ("commentAuthors", "commentAuthors.xml")}, "ppt/slides/slide0.xml": of_first}
    hidden = slide(shape("Backup", "title") + shape("Confidential", "ftr"), 'show="0"')
    return office.pptx([first, hidden], parts, relations)


def essay() -> bytes:
    """Return a text of LibreOffice: a comment, a ruby, boxes, labels, an index, a field, a nested table, a chart."""
    listed = "<text:list-item><text:p>{}</text:p>{}</text:list-item>"
    body = (
        "<text:p>See<office:annotation><dc:creator>Lin</dc:creator><text:p>Which one?</text:p>"
        "</office:annotation> here</text:p>"
        "<text:p><text:ruby><text:ruby-base>山田</text:ruby-base><text:ruby-text>やまだ</text:ruby-text>"
        "</text:ruby>さん</text:p>"
        "<text:p>a<draw:frame><draw:text-box><text:p>In a box</text:p></draw:text-box></draw:frame>b</text:p>"
        "<text:p><draw:custom-shape><text:p>In a shape</text:p></draw:custom-shape></text:p>"
        '<text:list text:style-name="L">'
        + listed.format("first", f"<text:list>{listed.format('sub', '')}</text:list>")
        + "</text:list>"
        "<text:table-of-content><text:index-body><text:p>Entry 3</text:p></text:index-body></text:table-of-content>"
        "<text:p>On <text:date>12 May</text:date></text:p>"
        "<table:table><table:table-row><table:table-cell><text:p>cell</text:p><table:table><table:table-row>"
        "<table:table-cell><text:p>inner</text:p></table:table-cell></table:table-row></table:table></table:table-cell>"
        "<table:table-cell><text:p>next</text:p></table:table-cell></table:table-row></table:table>"
        '<text:p><draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>'
        '<draw:frame><draw:object xlink:href="./Object 2"/></draw:frame></text:p>'
    )
    styles = (
        '<text:list-style style:name="L">'
        '<text:list-level-style-number text:level="1" style:num-format="a" style:num-suffix=")"/>'
        '<text:list-level-style-number text:level="2" style:num-format="1" style:num-prefix="(" style:num-suffix=")"/>'
        "</text:list-style>"
    )
    chart = (
        f"<office:document-content {office.ODF}><office:body><office:chart><chart:chart><chart:title>"
        "<text:p>Yield</text:p></chart:title><table:table><table:table-row><table:table-cell><text:p>Apples</text:p></table:table-cell>"
        "<table:table-cell><text:p>3.5</text:p></table:table-cell></table:table-row></table:table></chart:chart>"
        "</office:chart></office:body></office:document-content>"
    )
    master = "<style:header><text:p>Headline</text:p></style:header><style:footer><text:p>7</text:p></style:footer>"
    return office.odt(body, styles, master, {"Object 1/content.xml": chart})


LETTER = rb"""{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}{\f1\fcharset204 Arial;}{\f2\fcharset128 Mincho;}}
{\stylesheet{\s1 heading 1;}}{\info{\title Letter}{\author Kim}{\creatim\yr2024\mo1\dy31}}{\header\pard Letterhead\par}
\pard\s1 Greeting\par\pard One{\*\atnauthor Lin}\chatn{\*\annotation\pard Why?\par} two{\footnote\pard A note.\par}\par
{\listtext a)\tab}\pard\ls1 item\par{\listtext 2(b)\tab}\pard\ls1 other\par
\pard\f1\'cf\'f0\'e8\f2 \'8e\'52\'83\'41\f0\par{\shp{\*\shpinst{\sp{\sn x}{\sv y}}{\shptxt\pard In a box\par}}}\par
\trowd\cellx1\cellx2\pard\intbl A\par\pard\intbl\itap2 inner\nestcell{\nonesttables\par}more\nestcell
{\*\nesttableprops\trowd\nestrow}{\nonesttables\par}\pard\intbl tail\cell B\cell\row
\pard{\field{\*\fldinst HYPERLINK "https://a.b/c"}{\fldrslt link}} m{\super 2}\par
\uc1\u-10179?\u-8704? \u24179?\par{\object{\*\objclass Excel.Sheet.12}{\*\objdata 0105}{\result shown}}\par}"""


def book() -> bytes:
    """Return a book with a description in HTML."""
    opf = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/" version="3.0">'
        "<metadata><dc:title>Book</dc:title>"
        "<dc:description>&lt;p&gt;About &lt;b&gt;quince&lt;/b&gt;.&lt;/p&gt;</dc:description>"
        '</metadata><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="a"/></spine></package>'
    )
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="a.opf"'
        ' media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    page = '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>a</title></head><body><p>Text.</p></body></html>'
    files = {"META-INF/container.xml": container, "a.opf": opf, "a.xhtml": page}
    return zipped({name: text.encode() for name, text in files.items()})


def sheet() -> bytes:
    """Return a workbook: a comment, a box, a chart, a hidden sheet."""
    made = io.BytesIO(xlsx({"Prices": [["Item", "Price"]], "Costs": [["Secret"]]}))
    with zipfile.ZipFile(made) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    files["xl/workbook.xml"] = files["xl/workbook.xml"].replace(b'name="Costs"', b'name="Costs" state="hidden"')
    relation = office.related({"r1": ("comments", "../comments1.xml"), "r2": ("drawing", "../drawings/d1.xml")})
    files["xl/worksheets/_rels/sheet1.xml.rels"] = relation.encode()
    files["xl/comments1.xml"] = (
        b"<comments><authors><author>Ada</author></authors><commentList><comment ref='B1' authorId='0'><text>"
        b"<t>Net?</t></text></comment></commentList></comments>"
    )
    drawn = f"<p:wsDr {office.SLIDE}><p:twoCellAnchor>{shape('In a box')}</p:twoCellAnchor><p:twoCellAnchor>"
    drawn += '<p:graphicFrame><c:chart r:id="r1"/></p:graphicFrame></p:twoCellAnchor></p:wsDr>'
    files["xl/drawings/d1.xml"] = drawn.encode()
    files["xl/drawings/_rels/d1.xml.rels"] = office.related({"r1": ("chart", "../charts/c1.xml")}).encode()
    files["xl/charts/c1.xml"] = CHART.encode()
    return zipped(files)

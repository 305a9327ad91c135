"""Office documents with a marker in each element that may hold text, in Transitional and Strict Open XML."""

import re

from tests.documents.making import zipped
from tests.documents.office import CHART, SHEET, SLIDE, WORD, Relations, docx, p, parts_of, pptx, related, shape, slide

_STRICT = re.compile(r"http://schemas\.openxmlformats\.org/(wordprocessingml|officeDocument|drawingml|presentationml"
                     r"|spreadsheetml)/2006/")  # fmt: skip
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006"
_CORE = (
    '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"'
    ' xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>zztitlezz</dc:title><dc:creator>zzauthorzz</dc:creator>'
    "<cp:keywords>zzkeywordzz</cp:keywords><dc:subject>zzsubjectzz</dc:subject></cp:coreProperties>"
)


def strict(data: bytes) -> bytes:
    """Return a package in Strict Open XML: ISO/IEC 29500-1 has other names for the same elements."""
    return zipped(
        {
            name: _STRICT.sub(r"http://purl.oclc.org/ooxml/\1/", text.decode("latin-1")).encode("latin-1")
            for name, text in parts_of(data).items()
        }
    )


def run(name: str) -> str:
    """Return a run of Word with a marker."""
    return f"<w:r><w:t>zz{name}zz</w:t></w:r>"


def line(name: str) -> str:
    """Return a paragraph of a drawing with a marker."""
    return f"<a:p><a:r><a:t>zz{name}zz</a:t></a:r></a:p>"


def cell(content: str) -> str:
    """Return a cell of a table of Word."""
    return f"<w:tc><w:p>{content}</w:p></w:tc>"


def sdt(content: str) -> str:
    """Return a content control of Word."""
    return f'<w:sdt><w:sdtPr><w:alias w:val="zzaliaszz"/></w:sdtPr><w:sdtContent>{content}</w:sdtContent></w:sdt>'


def _field(kind: str, content: str = "") -> str:
    return f'<w:r><w:fldChar w:fldCharType="{kind}">{content}</w:fldChar></w:r>'


def _data(content: str) -> str:
    return f"<w:p>{_field('begin', f'<w:ffData>{content}</w:ffData>')}{_field('end')}</w:p>"


_BOX = "<wps:wsp><wps:txbx><w:txbxContent>{}</w:txbxContent></wps:txbx></wps:wsp>"
_INLINE = {
    "simple": '<w:fldSimple w:instr="REF a">{}</w:fldSimple>',
    "simplefar": '<w:fldSimple w:instr="REF a"><w:fldSimple w:instr="REF b">{}</w:fldSimple></w:fldSimple>',
    "custom": '<w:customXml w:element="a"><w:customXmlPr/>{}</w:customXml>',
    "smart": '<w:smartTag w:element="a"><w:smartTagPr/>{}</w:smartTag>',
    "smartlink": '<w:hyperlink r:id="link"><w:smartTag w:element="a">{}</w:smartTag></w:hyperlink>',
    "control": sdt("{}"),
    "controlfar": sdt(sdt("{}")),
    "direction": '<w:dir w:val="rtl">{}</w:dir>',
    "override": '<w:bdo w:val="rtl">{}</w:bdo>',
    "inserted": '<w:ins w:id="1" w:author="A">{}</w:ins>',
    "movedto": '<w:moveTo w:id="2" w:author="A">{}</w:moveTo>',
    "link": '<w:hyperlink r:id="link">{}</w:hyperlink>',
    "anchor": '<w:hyperlink w:anchor="a">{}</w:hyperlink>',
    "complex": _field("begin") + "<w:r><w:instrText>REF a</w:instrText></w:r>" + _field("separate") + "{}"
    + _field("end"),
    "complexrun": '<w:r><w:fldChar w:fldCharType="begin"/><w:instrText>PAGE</w:instrText><w:fldChar w:fldCharType='
    '"separate"/><w:t>zzcomplexrunzz</w:t><w:fldChar w:fldCharType="end"/></w:r>',
    "complexinserted": _field("begin") + '<w:r><w:instrText> HYPERLINK "https://a.b"</w:instrText></w:r>'
    + _field("separate") + '<w:ins w:id="8">{}</w:ins>' + _field("end"),
    "complexsimple": _field("begin") + "<w:r><w:instrText>REF a</w:instrText></w:r>" + _field("separate")
    + '<w:fldSimple w:instr="REF b">{}</w:fldSimple>' + _field("end"),
    "alternative": '<mc:AlternateContent><mc:Choice Requires="w14">{}</mc:Choice></mc:AlternateContent>',
}  # fmt: skip
"""What may be around a run within a paragraph."""
_BLOCKS = {
    "customblock": '<w:customXml w:element="a">{}</w:customXml>',
    "controlblock": sdt("{}"),
    "controlcustom": sdt('<w:customXml w:element="a">{}</w:customXml>'),
    "box": f"<w:p><w:r><w:drawing><wp:inline>{_BOX}</wp:inline></w:drawing></w:r></w:p>",
    "oldbox": "<w:p><w:r><w:pict><v:shape><v:textbox><w:txbxContent>{}</w:txbxContent></v:textbox></v:shape></w:pict>"
    "</w:r></w:p>",
    "cell": "<w:tbl><w:tr><w:tc>{}</w:tc></w:tr></w:tbl>",
    "cellcell": "<w:tbl><w:tr><w:tc><w:p/><w:tbl><w:tr><w:tc>{}</w:tc></w:tr></w:tbl><w:p/></w:tc></w:tr></w:tbl>",
    "customcell": '<w:tbl><w:tr><w:customXml w:element="a"><w:tc>{}</w:tc></w:customXml></w:tr></w:tbl>',
    "customrow": '<w:tbl><w:customXml w:element="a"><w:tr><w:tc>{}</w:tc></w:tr></w:customXml></w:tbl>',
    "controlcell": f"<w:tbl><w:tr>{sdt('<w:tc>{}</w:tc>')}</w:tr></w:tbl>",
    "controlrow": f"<w:tbl>{sdt('<w:tr><w:tc>{}</w:tc></w:tr>')}</w:tbl>",
    "insertedrow": '<w:tbl><w:tr><w:trPr><w:ins w:id="1"/></w:trPr><w:tc>{}</w:tc></w:tr></w:tbl>',
}
"""What may be around a paragraph."""
_OTHERS = (
    '<w:p><w:del w:id="3"><w:r><w:delText>zzgonezz</w:delText></w:r></w:del></w:p>'
    + '<w:p><w:moveFrom w:id="4">' + run("movedfrom") + "</w:moveFrom></w:p>"
    + "<w:p><w:r><w:instrText>zzcodezz</w:instrText></w:r></w:p>"
    + '<w:p><w:bookmarkStart w:id="9" w:name="zzbookmarkzz"/><w:bookmarkEnd w:id="9"/></w:p>'
    + f"<w:p><w:r><w:ruby><w:rt>{run('reading')}</w:rt><w:rubyBase>{run('base')}</w:rubyBase></w:ruby></w:r></w:p>"
    + "<w:p><m:oMath><m:r><m:t>zzmathzz</m:t></m:r></m:oMath></w:p>"
    + "<w:p><w:r><w:pict><v:shape><v:textpath string='zzartzz'/></v:shape></w:pict></w:r></w:p>"
    + "<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>zzhiddenzz</w:t></w:r></w:p>"
    + '<w:p><w:r><w:drawing><wp:inline><wp:docPr id="1" name="n" descr="zzaltzz" title="zzalttitlezz"/><a:graphic>'
    '<a:graphicData><pic:pic xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:blipFill>'
    '<a:blip r:embed="png"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>'
    + '<w:p><w:r><w:drawing><wp:inline><c:chart r:id="chart"/></wp:inline></w:drawing></w:r></w:p>'
    + _data('<w:ddList><w:result w:val="1"/><w:listEntry w:val="zznotchosenzz"/>'
            '<w:listEntry w:val="zzchosenzz"/></w:ddList>')
    + '<w:tbl><w:tblPr><w:tblCaption w:val="zztablealtzz"/></w:tblPr>'
    + f"<w:tr>{cell(run('captioned'))}</w:tr></w:tbl>"
    + '<w:p><w:r><w:footnoteReference w:id="5"/></w:r><w:r><w:endnoteReference w:id="5"/></w:r>'
    '<w:r><w:commentReference w:id="5"/></w:r></w:p>'
)  # fmt: skip
_NOTE = (
    "<w:{kind} w:id='5' w:author='zznotebyzz'><w:p>{run}<w:fldSimple w:instr='a'>{field}</w:fldSimple></w:p></w:{kind}>"
)


def _part(root: str, content: str) -> str:
    return f"<w:{root} {WORD}>{content}</w:{root}>"


def chart() -> str:
    """Return a chart with a marker in each of its texts."""
    rich = "<c:tx><c:rich>{}</c:rich></c:tx>"
    axis = f"<c:valAx><c:title>{rich.format(line('axis'))}</c:title></c:valAx></c:plotArea>"
    label = f"<c:dLbls><c:dLbl>{rich.format(line('label'))}</c:dLbl></c:dLbls></c:ser>"
    made = CHART.replace("Harvest", "zzchartzz").replace("Tons", "zzserieszz").replace("Apples", "zzcategoryzz")
    return made.replace("</c:plotArea>", axis).replace("</c:ser>", label)


def diagram() -> str:
    """Return the data of a diagram (SmartArt) with a marker in each of its points; a layout shows some more."""
    kinds = {"": "point", "node": "nodepoint", "asst": "assistant", "sibTrans": "transition", "parTrans": "parted",
             "doc": "whole", "pres": "presented"}  # fmt: skip
    points = "".join(
        f'<dgm:pt modelId="{at}" type="{kind}"><dgm:prSet phldrT="zzask{name}zz"/><dgm:t>{line(name)}</dgm:t></dgm:pt>'
        for at, (kind, name) in enumerate(kinds.items())
    )
    two = f'<dgm:pt modelId="9"><dgm:t>{line("firstline")}{line("secondline")}</dgm:t></dgm:pt>'
    asks = f'<dgm:pt modelId="10"><dgm:prSet phldr="1"/><dgm:t>{line("filler")}</dgm:t></dgm:pt>'
    return (
        f'<dgm:dataModel xmlns:dgm="{_DRAWING}/diagram" xmlns:a="{_DRAWING}/main"><dgm:ptLst>{points}{two}{asks}'
        "</dgm:ptLst><dgm:cxnLst/></dgm:dataModel>"
    )


def new_chart() -> str:
    """Return a chart of the kinds of 2016 with a marker in each of its texts."""
    rich = "<cx:tx><cx:rich>{}</cx:rich></cx:tx>"
    levels = "".join(
        f'<cx:lvl ptCount="2"><cx:pt idx="0">zz{name}zz</cx:pt><cx:pt idx="1">zz{name}twozz</cx:pt></cx:lvl>'
        for name in ("leaf", "branch")
    )
    numbers = '<cx:numDim type="val"><cx:f>A1</cx:f><cx:lvl ptCount="2" formatCode="0&quot; zzunitzz&quot;">{}</cx:lvl>'
    values = '<cx:pt idx="0">11</cx:pt><cx:pt idx="1">12</cx:pt>'
    data = f'<cx:strDim type="cat"><cx:f>B1</cx:f>{levels}</cx:strDim>{numbers.format(values)}</cx:numDim>'
    named = "<cx:tx><cx:txData><cx:f>C1</cx:f><cx:v>zz{}zz</cx:v></cx:txData></cx:tx>"
    label = f'<cx:dataLabels><cx:dataLabel idx="0">{rich.format(line("newlabel"))}</cx:dataLabel></cx:dataLabels>'
    axis = f"<cx:axis><cx:title>{rich.format(line('newaxis'))}</cx:title><cx:units unit='a'/></cx:axis>"
    typed = f"<cx:axis><cx:title>{named.format('axisdata')}</cx:title></cx:axis>"
    series = f'<cx:series layoutId="treemap">{named.format("newseries")}{label}<cx:dataId val="0"/></cx:series>'
    return (
        '<cx:chartSpace xmlns:cx="http://schemas.microsoft.com/office/drawing/2014/chartex" xmlns:a="'
        f'{_DRAWING}/main"><cx:chartData><cx:data id="0">{data}</cx:data></cx:chartData><cx:chart><cx:title>'
        f"{rich.format(line('newchart'))}</cx:title><cx:plotArea><cx:plotAreaRegion>{series}</cx:plotAreaRegion>"
        f"{axis}{typed}</cx:plotArea></cx:chart></cx:chartSpace>"
    )


_FRAMES = (
    f'<a:graphic><a:graphicData><dgm:relIds xmlns:dgm="{_DRAWING}/diagram" r:dm="dm"/></a:graphicData></a:graphic>',
    '<a:graphic><a:graphicData><cx:chart xmlns:cx="http://schemas.microsoft.com/office/drawing/2014/chartex" r:id="cx"'
    "/></a:graphicData></a:graphic>",
)
"""What shows a diagram, and a chart of the kinds of 2016."""


def _alternative(new: str, old: str) -> str:
    return (
        '<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
        f'<mc:Choice Requires="cx1">{new}</mc:Choice><mc:Fallback>{old}</mc:Fallback></mc:AlternateContent>'
    )


def word() -> bytes:
    """Return a Word document."""
    inline = "".join(f"<w:p>{around.format(run(name))}</w:p>" for name, around in _INLINE.items())
    smart, new = (f"<w:drawing><wp:inline>{frame}</wp:inline></w:drawing>" for frame in _FRAMES)
    inline += f"<w:p><w:r>{smart}</w:r></w:p><w:p><w:r>{_alternative(new, '')}</w:r></w:p>"
    block = "".join(around.format(p(f"zz{name}zz")) for name, around in _BLOCKS.items())
    kinds = ("footnote", "endnote", "comment")
    parts = {
        f"{kind}s.xml": _part(kind + "s", _NOTE.format(kind=kind, run=run(kind), field=run(f"{kind}field")))
        for kind in kinds
    }
    parts |= {
        "header1.xml": _part("hdr", f"<w:p>{run('header')}{_INLINE['simple'].format(run('headerfield'))}</w:p>"),
        "footer1.xml": _part("ftr", sdt(f"<w:p>{run('footer')}</w:p>")),
        "chart1.xml": chart(),
        "diagrams/data1.xml": diagram(),
        "charts/chartEx1.xml": new_chart(),
        "glossary/document.xml": _part("glossaryDocument", p("zzglossaryzz")),
        "settings.xml": _part("settings", '<w:docVars><w:docVar w:name="a" w:val="zzvariablezz"/></w:docVars>'),
    }
    relations: Relations = {kind: (kind + "s", kind + "s.xml") for kind in kinds}
    relations |= {
        "header": ("header", "header1.xml"), "footer": ("footer", "footer1.xml"), "chart": ("chart", "chart1.xml"),
        "glossary": ("glossaryDocument", "glossary/document.xml"), "settings": ("settings", "settings.xml"),
        "dm": ("diagramData", "diagrams/data1.xml"), "cx": ("chartEx", "charts/chartEx1.xml"),
        "link": ("hyperlink", "https://example.org/a"), "png": ("image", "media/a.png"),
    }  # fmt: skip
    data = docx(inline + block + _OTHERS, parts, relations)
    files = parts_of(data) | {"docProps/core.xml": _CORE.encode(), "word/media/a.png": b"\x89PNG"}
    rels = "word/_rels/document.xml.rels"
    files[rels] = files[rels].replace(b'example.org/a"', b'example.org/a" TargetMode="External"')
    return zipped(files)


def presentation() -> bytes:
    """Return a presentation."""
    kinds = "title subTitle body ftr dt hdr".split()
    table = f"<a:tbl><a:tr><a:tc><a:txBody>{line('cell')}</a:txBody></a:tc></a:tr></a:tbl>"
    shapes = "".join(shape(f"zz{kind.lower()}zz", kind) for kind in kinds) + shape("zzboxzz")
    shapes += f"<p:graphicFrame><a:graphic><a:graphicData>{table}</a:graphicData></a:graphic></p:graphicFrame>"
    shapes += (
        '<p:graphicFrame><a:graphic><a:graphicData><c:chart r:id="c1"/></a:graphicData></a:graphic></p:graphicFrame>'
    )
    smart, new = (f"<p:graphicFrame>{frame}</p:graphicFrame>" for frame in _FRAMES)
    shapes += smart + _alternative(new, "<p:sp><p:txBody/></p:sp>")
    shapes += '<p:pic><p:nvPicPr><p:cNvPr id="4" name="zznamezz" descr="zzaltzz"/></p:nvPicPr></p:pic>'
    shapes += f"<p:grpSp>{shape('zzgroupzz')}</p:grpSp>"
    shapes += f"<p:cxnSp><p:nvCxnSpPr/><p:txBody>{line('connector')}</p:txBody></p:cxnSp>"
    shapes += (
        "<p:sp><p:nvSpPr><p:nvPr/></p:nvSpPr><p:txBody><a:p><a:fld type='datetime'><a:t>zzfieldzz</a:t></a:fld></a:p>"
        "</p:txBody></p:sp>"
    )
    shapes += (
        '<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
        f'<mc:Choice Requires="a">{shape("zzalternativezz")}</mc:Choice></mc:AlternateContent>'
    )
    parts = {
        "ppt/charts/chart1.xml": chart(),
        "ppt/diagrams/data1.xml": diagram(),
        "ppt/charts/chartEx1.xml": new_chart(),
        "ppt/notes/notes1.xml": slide(shape("zznotezz", "body"), root="notes"),
        "ppt/comments/comment1.xml": f'<p:cmLst {SLIDE}><p:cm authorId="0"><p:text>zzcommentzz</p:text></p:cm>'
        "</p:cmLst>",
        "ppt/commentAuthors.xml": f'<p:cmAuthorLst {SLIDE}><p:cmAuthor id="0" name="zzcommentbyzz"/></p:cmAuthorLst>',
        "ppt/layout.xml": slide(shape("zzlayoutzz") + shape("zzplaceholderzz", "body"), root="sldLayout"),
        "docProps/core.xml": _CORE,
    }
    relations: dict[str, Relations] = {
        "": {"authors": ("commentAuthors", "commentAuthors.xml")},
        "ppt/slides/slide0.xml": {
            "c1": ("chart", "../charts/chart1.xml"), "dm": ("diagramData", "../diagrams/data1.xml"),
            "cx": ("chartEx", "../charts/chartEx1.xml"), "n1": ("notesSlide", "../notes/notes1.xml"),
            "m1": ("comments", "../comments/comment1.xml"), "l1": ("slideLayout", "../layout.xml"),
        },
    }  # fmt: skip
    return pptx([slide(shapes)], parts, relations)


def workbook() -> bytes:
    """Return a workbook."""

    def text(name: str) -> str:
        return f"<t>zz{name}zz</t>"

    cells = (
        f'<c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="inlineStr"><is>{text("inline")}</is></c>'
        f'<c r="D1" t="inlineStr"><is><r>{text("rich")}</r><rPh>{text("phonetic")}</rPh></is></c>'
        '<c r="E1" t="str"><f>A1</f><v>zzformulazz</v></c><c r="F1"><f>zzunsolvedzz()</f></c>'
        '<c r="G1" t="str"><f>zzsolvedzz()</f><v>1</v></c><c r="H1" t="s" s="1"><v>0</v></c>'
        '<c r="I1" s="2"><v>5</v></c>'
    )  # fmt: skip
    sheet = (
        f'<worksheet {SHEET}><sheetData><row r="1">{cells}</row><row r="2"><c r="A2"><v>5</v></c></row></sheetData>'
        '<dataValidations><dataValidation type="list" prompt="zzpromptzz" sqref="A2">'
        '<formula1>"zzchoicezz,b"</formula1></dataValidation></dataValidations><hyperlinks>'
        '<hyperlink ref="A1" r:id="h1" tooltip="zztipzz"/></hyperlinks>'
        "<headerFooter><oddHeader>&amp;Lzzheaderzz</oddHeader><evenFooter>zzfooterzz</evenFooter>"
        "<firstHeader>zzfirstheaderzz</firstHeader></headerFooter></worksheet>"
    )
    box = f"<xdr:sp><xdr:nvSpPr/><xdr:txBody>{line('box')}</xdr:txBody></xdr:sp>"
    chart_frame = (
        '<xdr:graphicFrame><a:graphic><a:graphicData><c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/'
        'chart" r:id="c1"/></a:graphicData></a:graphic></xdr:graphicFrame>'
    )
    smart, new = (f"<xdr:graphicFrame>{frame}</xdr:graphicFrame>" for frame in _FRAMES)
    drawn = (box, chart_frame, smart, _alternative(new, box.replace("zzboxzz", "zzfallbackzz")))
    anchors = "".join(f"<xdr:twoCellAnchor>{one}</xdr:twoCellAnchor>" for one in drawn)
    threaded = "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"
    files = {
        "_rels/.rels": related({"r1": ("officeDocument", "xl/workbook.xml")}),
        "xl/workbook.xml": f'<workbook {SHEET}><sheets><sheet name="zzsheetzz" sheetId="1" r:id="s1"/></sheets>'
        "<definedNames><definedName name='zznamezz'>zzsheetzz!$A$1</definedName></definedNames></workbook>",
        "xl/_rels/workbook.xml.rels": related(
            {"s1": ("worksheet", "worksheets/sheet1.xml"), "t1": ("sharedStrings", "texts.xml"),
             "f1": ("styles", "looks.xml"), "p1": ("person", "people.xml")}
        ),
        "xl/texts.xml": f"<sst {SHEET}><si>{text('shared')}</si><si><r>{text('sharedrich')}</r></si></sst>",
        "xl/looks.xml": f"<styleSheet {SHEET}><numFmts><numFmt numFmtId='170' formatCode='@\" zzwithtextzz\"'/>"
        "<numFmt numFmtId='171' formatCode='0\" zzunitzz\"'/></numFmts><cellXfs><xf/><xf numFmtId='170'/>"
        "<xf numFmtId='171'/></cellXfs></styleSheet>",
        "xl/people.xml": f'<personList xmlns="{threaded}"><person displayName="zzthreadbyzz" id="P"/></personList>',
        "xl/worksheets/sheet1.xml": sheet,
        "xl/worksheets/_rels/sheet1.xml.rels": related(
            {"d1": ("drawing", "../drawings/drawing1.xml"), "m1": ("comments", "../comments1.xml"),
             "x1": ("threadedComment", "../thread.xml"), "h1": ("hyperlink", "https://example.org/zzaddresszz")}
        ).replace('zzaddresszz"', 'zzaddresszz" TargetMode="External"'),
        "xl/drawings/drawing1.xml": f"<xdr:wsDr {SHEET}>{anchors}</xdr:wsDr>",
        "xl/drawings/_rels/drawing1.xml.rels": related(
            {"c1": ("chart", "../charts/chart1.xml"), "dm": ("diagramData", "../diagrams/data1.xml"),
             "cx": ("chartEx", "../charts/chartEx1.xml")}
        ),
        "xl/diagrams/data1.xml": diagram(),
        "xl/charts/chartEx1.xml": new_chart(),
        "xl/charts/chart1.xml": chart(),
        "xl/comments1.xml": f"<comments {SHEET}><authors><author>zzcommentbyzz</author></authors><commentList>"
        f'<comment ref="A1" authorId="0"><text><r>{text("comment")}</r></text></comment></commentList></comments>',
        "xl/thread.xml": f'<ThreadedComments xmlns="{threaded}"><threadedComment ref="A1" personId="P"><text>zzthreadzz'
        "</text></threadedComment></ThreadedComments>",
        "docProps/core.xml": _CORE,
    }  # fmt: skip
    return zipped({name: content.encode() for name, content in files.items()})

"""Spreadsheets and slides of LibreOffice with a marker in each element that may hold text."""

from tests.documents.making import zipped
from tests.documents.office import ODF

_MORE = (
    ' xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"'
    ' xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0"'
    ' xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0"'
    ' xmlns:math="http://www.w3.org/1998/Math/MathML"'
)
_META = (
    f"<office:document-meta {ODF}{_MORE}><office:meta><dc:title>zztitlezz</dc:title>"
    "<dc:subject>zzsubjectzz</dc:subject><meta:initial-creator>zzauthorzz</meta:initial-creator><meta:keyword>zzkeywordzz</meta:keyword></office:meta>"
    "</office:document-meta>"
)


def p(name: str) -> str:
    """Return a paragraph with a marker."""
    return f"<text:p>zz{name}zz</text:p>"


def document(kind: str, content: str, styles: str = "", master: str = "", parts: dict[str, str] | None = None) -> bytes:
    """Return a file of LibreOffice of a kind (`spreadsheet`, `presentation`)."""
    files = {
        "mimetype": f"application/vnd.oasis.opendocument.{kind}",
        "content.xml": f"<office:document-content {ODF}{_MORE}><office:automatic-styles>{styles}"
        f"</office:automatic-styles><office:body><office:{kind}>{content}</office:{kind}></office:body>"
        "</office:document-content>",
        "styles.xml": f"<office:document-styles {ODF}{_MORE}><office:master-styles>"
        f'<style:master-page style:name="zzmasterzz">{master}</style:master-page></office:master-styles>'
        "</office:document-styles>",
        "meta.xml": _META,
    }
    return zipped({name: text.encode() for name, text in (files | (parts or {})).items()})


_CHART = (
    f"<office:document-content {ODF}><office:body><office:chart><chart:chart><chart:title>{p('chart')}</chart:title>"
    f"<chart:subtitle>{p('subtitle')}</chart:subtitle><chart:plot-area><chart:axis><chart:title>{p('axis')}"
    "</chart:title></chart:axis></chart:plot-area><table:table><table:table-header-rows><table:table-row>"
    f"<table:table-cell/><table:table-cell>{p('series')}</table:table-cell></table:table-row></table:table-header-rows>"
    f"<table:table-rows><table:table-row><table:table-cell>{p('category')}</table:table-cell><table:table-cell>"
    "<text:p>7</text:p></table:table-cell></table:table-row></table:table-rows></table:table></chart:chart>"
    "</office:chart></office:body></office:document-content>"
)
_FORMULA = (
    '<math:math xmlns:math="http://www.w3.org/1998/Math/MathML"><math:semantics><math:mi>a</math:mi><math:annotation>'
    "zzformulazz</math:annotation></math:semantics></math:math>"
)
_OBJECTS = {"Object 1/content.xml": _CHART, "Object 2/content.xml": _FORMULA}
_ANNOTATION = (
    f"<office:annotation><dc:creator>zzcommentbyzz</dc:creator><dc:date>2026-01-31</dc:date>{p('comment')}"
    f"{p('commentmore')}</office:annotation>"
)


def box(name: str, about: str = "") -> str:
    """Return a box with a marker."""
    return _frame(f"<draw:text-box>{p(name)}</draw:text-box>", about)


def _frame(content: str, about: str = "") -> str:
    return f"<draw:frame {about}>{content}</draw:frame>"


DRAWN = (
    box("box")
    + _frame(f"<draw:text-box><text:list><text:list-item>{p('listed')}</text:list-item></text:list></draw:text-box>")
    + f"<draw:custom-shape>{p('shape')}</draw:custom-shape>"
    + f"<draw:g><draw:g><draw:rect>{p('grouped')}</draw:rect></draw:g></draw:g>"
    + _frame("<draw:image xlink:href='a.png'/><svg:title>zzalttitlezz</svg:title><svg:desc>zzaltzz</svg:desc>")
    + "".join(_frame(f'<draw:object xlink:href="./Object {at}"/>') for at in (1, 2))
    + _frame('<draw:object xlink:href="./zzobjectzz"/>')
    + f"<draw:line>{p('line')}</draw:line>"
)  # fmt: skip
"""What may be drawn on a slide or on a sheet."""


def cell(content: str, about: str = "") -> str:
    """Return a cell of a sheet."""
    return f"<table:table-cell {about}>{content}</table:table-cell>"


def row(*cells: str, about: str = "") -> str:
    """Return a row of a sheet."""
    return f"<table:table-row {about}>{''.join(cells)}</table:table-row>"


def spreadsheet() -> bytes:
    """Return a spreadsheet."""
    link = '<text:p>See <text:a xlink:href="https://example.org/zzaddresszz">zzlinkzz</text:a> here</text:p>'
    rows = (
        row(cell(p("cell")), cell(p("firstline") + p("secondline")), cell(link), cell(p("commented") + _ANNOTATION))
        + row(cell("<text:p>zzspan<text:span>nedzz</text:span><text:s/>a</text:p>"))
        + row(cell("", 'office:value="zzvaluezz"'))
        + row(
            cell("<text:p>7</text:p>", 'table:formula="of:=zzsolvedzz()" office:value="7"'),
            cell(p("withbox") + box("cellbox")),
        )
        + f"<table:table-header-rows>{row(cell(p('headrow')))}</table:table-header-rows>"
        + f"<table:table-row-group>{row(cell(p('grouprow')))}</table:table-row-group>"
        + row(cell(p("hiddenrow")), about='table:visibility="collapse"')
        + row(cell(p("filteredrow")), about='table:visibility="filter"')
    )
    first = f'<table:table table:name="zzsheetzz"><table:shapes>{DRAWN}</table:shapes>{rows}</table:table>'
    off = row(cell(p("hiddensheet")))
    hidden = f'<table:table table:name="zzhiddensheetzz" table:style-name="off">{off}</table:table>'
    ranges = '<table:named-expressions><table:named-range table:name="zzrangezz"/></table:named-expressions>'
    changes = (
        f"<table:tracked-changes><table:cell-content-change><table:previous><table:change-track-table-cell>{p('before')}"
        "</table:change-track-table-cell></table:previous></table:cell-content-change></table:tracked-changes>"
    )
    checks = (
        "<table:content-validations><table:content-validation><table:help-message>"
        f"{p('prompt')}</table:help-message></table:content-validation></table:content-validations>"
    )
    style = '<style:style style:name="off"><style:table-properties table:display="false"/></style:style>'
    number = "<text:page-number>1</text:page-number>"
    master = (
        f"<style:header>{p('header')}<style:region-left>{p('headerleft')}</style:region-left></style:header>"
        f"<style:footer>{p('footer')}<text:p>Page {number}</text:p><text:p>zzdraftzz {number}</text:p></style:footer>"
    )
    return document("spreadsheet", changes + checks + first + hidden + ranges, style, master, _OBJECTS)


def presentation() -> bytes:
    """Return slides."""
    title = _frame(f"<draw:text-box>{p('slidetitle')}{p('titlemore')}</draw:text-box>", 'presentation:class="title"')
    outline = _frame(
        "<draw:text-box><text:list><text:list-item><text:p>zzoutlinezz</text:p><text:list><text:list-item>"
        '<text:p><text:a xlink:href="https://example.org/zzaddresszz">zzdeeperzz</text:a></text:p></text:list-item>'
        "</text:list></text:list-item></text:list></draw:text-box>",
        'presentation:class="outline"',
    )
    cells = row(cell(p("cell")), cell(p("othercell")))
    table = _frame(f'<table:table table:name="zztablezz">{cells}</table:table>')
    footer = box("ownfooter", 'presentation:class="footer"')
    number = _frame("<draw:text-box><text:p><text:page-number>1</text:page-number></text:p></draw:text-box>")
    notes = (
        "<presentation:notes><draw:page-thumbnail/>"
        + box("note", 'presentation:class="notes"')
        + box("noteheader", 'presentation:class="header"')
        + "</presentation:notes>"
    )
    shapes = title + outline + table + DRAWN + footer + number
    page = f'<draw:page draw:name="zzpagezz">{shapes}{_ANNOTATION}{notes}</draw:page>'
    hidden = '<draw:page draw:style-name="off">' + box("hidden") + "</draw:page>"
    shared = '<presentation:footer-decl presentation:name="f">zzfooterzz</presentation:footer-decl>'
    style = (
        '<style:style style:name="off"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>'
    )
    master = box("company") + box("askfortitle", 'presentation:class="title"')
    return document("presentation", shared + page + hidden, style, master, _OBJECTS)

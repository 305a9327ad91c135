"""Documents of every kind out of one text in Markdown, and hostile ones."""

import io
import struct
import subprocess
import zipfile
import zlib
from collections.abc import Sequence
from email.message import EmailMessage
from xml.sax.saxutils import escape

from tests.documents.pdfs import HEIGHT, WIDTH, PdfPage, pdf

_FORMATS = {"html": "html", "rst": "rst", "org": "org", "ipynb": "ipynb", "mediawiki": "mediawiki", "tex": "latex",
            "rtf": "rtf", "docx": "docx", "odt": "odt", "pptx": "pptx", "epub": "epub"}  # fmt: skip
KINDS = (*_FORMATS, "mhtml", "xlsx", "csv", "tsv", "pdf")


def of_markdown(text: str, kind: str) -> bytes:
    """Return a document of a kind that pandoc writes, as a whole one with its title."""
    import pypandoc

    command = [pypandoc.get_pandoc_path(), "-f", "markdown", "-t", _FORMATS[kind], "-s", "-o", "-"]
    return subprocess.run(command, input=text.encode(), capture_output=True, check=True).stdout


def mhtml(page: str) -> bytes:
    """Return a page as a browser saves it in one file."""
    saved = EmailMessage()
    saved["Subject"] = "Saved"
    saved.set_content(page, subtype="html")
    saved.make_mixed()
    saved.add_attachment(b"\x89PNG\r\n\x1a\n", maintype="image", subtype="png", filename="a.png")
    return saved.as_bytes()


def xlsx(sheets: dict[str, list[list[str]]], dates: Sequence[str] = ()) -> bytes:
    """Return a workbook whose cells hold text; `dates` are numbers of a sheet of that name, in a format of dates."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    texts = [*dict.fromkeys(cell for rows in sheets.values() for row in rows for cell in row)]
    names = [*sheets, *(["Dates"] if dates else [])]
    files = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"><Default Extension="rels" ContentType='
        '"application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType='
        '"application/xml"/><Override PartName="/xl/workbook.xml" ContentType='
        '"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" Type='
        f'"{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>'
        + "".join(f'<sheet name="{escape(name)}" sheetId="{at}" r:id="r{at}"/>' for at, name in enumerate(names, 1))
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">'
        + "".join(
            f'<Relationship Id="r{at}" Type="{office}/worksheet" Target="worksheets/sheet{at}.xml"/>'
            for at in range(1, len(names) + 1)
        )
        + "</Relationships>",
        "xl/sharedStrings.xml": f'<sst xmlns="{main}">'
        + "".join(f"<si><t>{escape(text)}</t></si>" for text in texts)
        + "</sst>",
        "xl/styles.xml": f'<styleSheet xmlns="{main}"><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>'
        "</styleSheet>",
    }
    for at, rows in enumerate(sheets.values(), 1):
        data = "".join(
            f'<row r="{number}">'
            + "".join(
                f'<c r="{chr(65 + column)}{number}" t="s"><v>{texts.index(cell)}</v></c>'
                for column, cell in enumerate(row)
            )
            + "</row>"
            for number, row in enumerate(rows, 1)
        )
        files[f"xl/worksheets/sheet{at}.xml"] = f'<worksheet xmlns="{main}"><sheetData>{data}</sheetData></worksheet>'
    if dates:
        row = "".join(f'<c r="{chr(65 + column)}1" s="1"><v>{date}</v></c>' for column, date in enumerate(dates))
        files[f"xl/worksheets/sheet{len(names)}.xml"] = (
            f'<worksheet xmlns="{main}"><sheetData><row r="1">{row}</row></sheetData></worksheet>'
        )
    return zipped({name: text.encode() for name, text in files.items()})


def zipped(files: dict[str, bytes], kind: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return a zip archive."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", kind) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return written.getvalue()


def hostile() -> dict[str, bytes]:
    """Return documents that no converter may follow, by their names."""
    from PIL import Image

    word = of_markdown("# Title\n\nText.\n", "docx")
    page = PdfPage()
    page.text(72, 100, "Some text on a page.")
    sound = pdf([page])
    bomb = b"<w:document>" + b" " * 60_000_000 + b"</w:document>"
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else "lol" * 10}">' for n in range(10))
    office = {name: data for name, data in _files(word).items() if name != "word/document.xml"}
    external = _files(word)["word/document.xml"].replace(
        b"Text.", b"Text." + b"</w:t></w:r><w:r><w:instrText>INCLUDETEXT /etc/passwd</w:instrText></w:r><w:r><w:t>"
    )
    jpeg = io.BytesIO()
    Image.new("RGB", (50_000, 1_200)).save(jpeg, "JPEG")
    local = "file:///etc/passwd"
    many = len(sound)
    return {
        "bomb.docx": zipped({**office, "word/document.xml": bomb}),
        "bomb.xlsx": zipped({"xl/workbook.xml": bomb}),
        "bomb.epub": zipped({"META-INF/container.xml": bomb}),
        "entities.docx": zipped(
            {**office, "word/document.xml": f"<!DOCTYPE a [{entities}]><w:document>&e9;</w:document>".encode()}
        ),
        "entities.html": f"<!DOCTYPE html [{entities}]><p>&e9;</p>".encode(),
        "entities.odt": zipped(
            {
                "mimetype": b"application/vnd.oasis.opendocument.text",
                "content.xml": f"<!DOCTYPE a [{entities}]><a>&e9;</a>".encode(),
            }
        ),
        "entities.fb2": f"<!DOCTYPE a [{entities}]><FictionBook><body><p>&e9;</p></body></FictionBook>".encode(),
        "entities.jats": f"<!DOCTYPE a [{entities}]><article><body><p>&e9;</p></body></article>".encode(),
        "outside-entity.dbk": f'<!DOCTYPE a [<!ENTITY x SYSTEM "{local}">]><article>&x;</article>'.encode(),
        "deep.fb2": b"<FictionBook><body>" + b"<section>" * 50_000,
        "raw.rst": b".. raw:: html\n\n   <table><ul>\n\n.. raw:: latex\n\n   \\begin{a}\n\n" * 300,
        "outside-entity.docx": zipped(
            {
                **office,
                "word/document.xml": f'<!DOCTYPE a [<!ENTITY x SYSTEM "{local}">]><a>&x;</a>'.encode(),
            }
        ),
        "field.docx": zipped({**office, "word/document.xml": external}),
        "deep.html": b"<div>" * 100_000 + b"text",
        "deep-list.html": b"<ul><li>" * 5_000 + b"text",
        "deep-quote.rst": b"\n".join(b" " * n + b"* x\n" for n in range(1_500)),
        "deep-emphasis.org": b"*/_" * 50_000,
        "deep.ipynb": b'{"cells":' * 50_000,
        "deep.tex": b"{" * 100_000,
        "deep.rtf": b"{\\rtf1 " + b"{" * 200_000,
        "include.tex": b"\\input{/etc/passwd}\\include{/etc/hosts} Text.",
        "write18.tex": b"\\immediate\\write18{touch /tmp/tessera-written} Text.",
        "loop.tex": b"\\newcommand{\\a}{\\a\\a}\\a Text.",
        "include.rst": b".. include:: /etc/passwd\n\n.. raw:: html\n   :file: /etc/passwd\n\nText.\n",
        "csv-file.rst": b".. csv-table:: t\n   :file: /etc/passwd\n\nText.\n",
        "include.org": b'#+INCLUDE: "/etc/passwd"\nText.\n',
        "local.html": f'<iframe src="{local}"></iframe><img src="{local}">Text.'.encode(),
        "remote.html": b'<link rel=stylesheet href="http://127.0.0.1:9/a.css"><img src="http://127.0.0.1:9/a.png">'
        b'<script src="http://127.0.0.1:9/a.js"></script>Text.',
        "remote.mhtml": mhtml('<base href="http://127.0.0.1:9/"><img src="a.png">Text.'),
        "script.html": b"<script>" + b"x" * 1_000_000 + b"</script>Text.",
        "huge-row.csv": b"a," * 400_000 + b"b\n1,2\n",
        "quotes.csv": b'"' * 1_000_001,
        "macro.docx": zipped({**_files(word), "word/vbaProject.bin": b"\xd0\xcf\x11\xe0" * 100}),
        "truncated.docx": word[: len(word) // 2],
        "truncated.pdf": sound[: len(sound) // 2],
        "garbage.pdf": b"%PDF-1.7\n" + bytes(range(256)) * 400,
        "encrypted.pdf": pdf([page], encrypted=True),
        "encrypted.docx": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"EncryptedPackage" * 100,
        "picture.docx": b"\x89PNG\r\n\x1a\n" + b"\0" * 1_000,
        "word.pdf": word,
        "program.pdf": b"MZ" + b"\0" * 1_000,
        "program.html": b"\x7fELF" + b"\0" * 1_000,
        "pages.pdf": pages(100_000),
        "wide.png": png_head(50_000, 50_000),
        "wide.jpg": jpeg.getvalue(),
        "large-page.pdf": sound.replace(f"[0 0 {WIDTH} {HEIGHT}]".encode(), b"[0 0 9e9 9e9]").ljust(many),
    }


def png_head(width: int, height: int) -> bytes:
    """Return a picture that says how large it is and holds no more."""
    head = b"IHDR" + struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + head + struct.pack(">I", zlib.crc32(head))


def pages(count: int) -> bytes:
    """Return a PDF of many pages, which are one page again and again."""
    kids = b"3 0 R " * count
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count %d/Kids[%s]>>" % (count, kids),
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]>>",
    ]
    from tests.documents.pdfs import file_of

    return file_of(objects, b"/Root 1 0 R")


def _files(archive: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}

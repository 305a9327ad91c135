"""Measures the conversion of documents: `python -m benchmarks.documents [corpus] [pages] [hostile] [scans]`.

corpus: headings, words and tables of 60 documents in 15 kinds; pages: a PDF of 500 pages; hostile: what no converter
may follow; scans: characters of scanned pages. Each document is converted in
a process of its own, as an import does it.
"""

import resource
import sys
import time

from benchmarks.documents import corpus, hostility, scans
from benchmarks.documents.pdfs import PdfPage, pdf
from core.documents.converting import convert

_PAGES = 500
_LINES = 46


def _pages() -> None:
    made = []
    for number in range(_PAGES):
        page = PdfPage()
        page.text(240, 30, "A running head", 8)
        page.text(280, 820, f"Page {number + 1}", 8)
        for line in range(_LINES):
            if line % 15 == 0:
                page.text(60, 70 + 15.5 * line, f"Section {number + 1}.{line // 15 + 1}", 15, "bold")
            else:
                page.text(60, 70 + 15.5 * line, corpus.sentence(number * _LINES + line, 78))
        made.append(page)
    data = pdf(made)
    started, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    converted, version = convert(data, "long.pdf")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(
        f"{_PAGES} pages, {len(converted.text):,} characters by {version}: {time.perf_counter() - started:.1f} s, "
        f"{seconds:.1f} s of a processor, {after.ru_maxrss / 1024:.0f} MB; {converted.text.count('# Section')} headings"
    )


_PARTS = {"pages": _pages, "corpus": corpus.measure, "hostile": hostility.measure, "scans": scans.measure}


if __name__ == "__main__":
    for part in sys.argv[1:] or _PARTS:
        _PARTS[part]()

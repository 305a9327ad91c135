"""The page and the style of a report in HTML."""

STYLE = """
:root { color-scheme: light dark; --ink: #1f2328; --paper: #fff; --line: #d1d9e0; --shade: #f6f8fa; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --paper: #0d1117; --line: #3d444d; --shade: #161b22; }
}
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { border: 1px solid var(--line); padding: .3rem .6rem; text-align: start; vertical-align: top;
  overflow-wrap: anywhere; min-width: 3rem; }
th { background: var(--shade); } .n { text-align: end; font-variant-numeric: tabular-nums; white-space: nowrap; }
@media print {
  :root { color-scheme: light; --ink: #000; --paper: #fff; --line: #999; --shade: #eee; }
  body { max-width: none; margin: 0; font-size: 10pt; } .wide { overflow: visible; }
  tr { break-inside: avoid; } h2 { break-after: avoid; } thead { display: table-header-group; }
}
"""

PAGE = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
{body}
</body>
</html>
"""

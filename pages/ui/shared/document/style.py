"""The look of a document, inside its component."""

STYLE = """
:host, .document { --line: color-mix(in srgb, currentColor 15%, transparent); --soft: color-mix(in srgb, currentColor 6%, transparent);
  --accent: var(--st-primary-color, #0f8a80); --link: var(--st-link-color, #0f8a80); }
.document { font: 1rem/1.65 var(--st-font); color: var(--st-text-color); overflow-wrap: anywhere; contain: paint; scroll-margin-top: 16rem; container-type: inline-size; }
.document > article { max-width: 50rem; }
h1, h2, h3, h4, h5, h6 { line-height: 1.3; font-weight: 650; margin: 1.5em 0 .5em; scroll-margin-top: 5rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.25rem; } h3 { font-size: 1.1rem; } h4, h5, h6 { font-size: 1rem; }
article > :first-child { margin-top: 0; }
p, ul, ol, table, blockquote, .code, .formula, .callout, .embed { margin: 0 0 .9em; }
li > ul, li > ol { margin: 0; } ul, ol { padding-left: 1.5em; } li { margin: .15em 0; } li > p { margin-bottom: .4em; }
li.task { list-style: none; } li.task > input { margin: 0 .5em 0 -1.35em; accent-color: var(--accent); } li.done { opacity: .7; }
a { color: var(--link); text-decoration: none; } a:hover { text-decoration: underline; } a.outside::after { content: '↗'; font-size: .75em; opacity: .7; padding-left: .1em; }
a:focus-visible, summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: .2rem; }
a.missing { color: color-mix(in srgb, currentColor 60%, transparent); border-bottom: 1px dashed currentColor; } a.missing:hover { text-decoration: none; }
.dead { opacity: .6; border-bottom: 1px dotted currentColor; } a.picture::before, .picture.dead::before { content: '🖼 '; }
img { max-width: 100%; height: auto; border-radius: .3rem; }
hr { border: 0; border-top: 1px solid var(--line); margin: 1.6em 0; }
blockquote { border-left: 3px solid var(--line); padding: .1em 0 .1em 1em; opacity: .85; } blockquote > :last-child { margin-bottom: 0; }
mark { background: #e0a83055; color: inherit; border-radius: .2rem; padding: 0 .1em; }
code { font-family: var(--st-code-font, monospace); font-size: .875em; background: var(--soft); border-radius: .25rem; padding: .1em .3em; }
.code { position: relative; } .code pre { margin: 0; background: var(--soft); border-radius: .5rem; padding: .8em 1em; overflow-x: auto; overflow-wrap: normal; }
.code code { background: none; padding: 0; } .language { position: absolute; right: .7em; top: .35em; font-size: .72rem; opacity: .55; }
.formula { display: block; overflow-x: auto; overflow-y: hidden; padding: .2em 0; } math { font-size: 1.08em; }
.table { overflow-x: auto; } table { border-collapse: collapse; font-size: .95em; } th, td { border: 1px solid var(--line); padding: .35em .7em; text-align: left; }
th { background: var(--soft); font-weight: 600; } .to-center { text-align: center; } .to-right { text-align: right; }
.tag { background: color-mix(in srgb, var(--accent) 14%, transparent); border-radius: 1rem; padding: .05em .5em; font-size: .88em; }
.callout { --tone: #5b82c2; border-radius: .45rem; background: color-mix(in srgb, var(--tone) 11%, transparent); border-left: 4px solid var(--tone); padding: .7em 1em; }
.callout > :last-child { margin-bottom: 0; } .callout-title { font-weight: 650; color: color-mix(in srgb, var(--tone) 75%, currentColor); margin-bottom: .3em; } summary { cursor: pointer; }
.callout:not([open]) > summary:only-child, details.callout:not([open]) > summary { margin-bottom: 0; }
:is(.of-tip, .of-hint, .of-success, .of-check, .of-done) { --tone: #0f8a80; } :is(.of-warning, .of-caution, .of-attention, .of-question, .of-help, .of-faq) { --tone: #d39a2e; }
:is(.of-danger, .of-error, .of-bug, .of-failure, .of-fail, .of-missing) { --tone: #c5483c; } :is(.of-example, .of-important) { --tone: #9069ad; } :is(.of-quote, .of-cite) { --tone: #888; }
.embed { border-left: 2px solid var(--accent); padding-left: 1em; } .embed-title { font-size: .84rem; opacity: .8; margin-bottom: .3em; } .embed > :last-child { margin-bottom: 0; }
.footnotes { border-top: 1px solid var(--line); padding-top: .8em; margin-top: 2em; font-size: .9em; } .footnotes p { display: inline; } sup { line-height: 0; }
.passage { background: color-mix(in srgb, var(--accent) 9%, transparent); border-left: 3px solid var(--accent); border-radius: .3rem; padding: .4rem 1rem; margin: .3rem 0 .9rem; scroll-margin-top: 5rem; }
.passage > :last-child { margin-bottom: .2em; } .passage > :first-child { margin-top: .2em; } li.at, p.at, li:has(> .at) { background: color-mix(in srgb, var(--accent) 12%, transparent); }
p, li { scroll-margin-top: 5rem; }
nav { font-size: .86rem; line-height: 1.45; margin-bottom: 1rem; } nav summary { font-weight: 600; opacity: .75; padding: .2rem 0; }
nav a { display: block; color: inherit; opacity: .8; padding: .1rem 0 .1rem calc(var(--deep) * .9rem); } nav a:hover { opacity: 1; }
.deep-1 { --deep: 0; } .deep-2 { --deep: 1; } .deep-3 { --deep: 2; } .deep-4, .deep-5, .deep-6 { --deep: 3; }
@container (min-width: 62rem) { .beside { display: grid; grid-template-columns: minmax(0, 1fr) 15rem; gap: 2.5rem; align-items: start; } .beside nav { order: 1; } }
section.links { border-top: 1px solid var(--line); margin-top: 2rem; padding-top: .8rem; font-size: .92rem; display: flex; flex-wrap: wrap; gap: 1rem 3rem; max-width: 50rem; }
.links b { display: block; font-size: .84rem; opacity: .75; margin-bottom: .2rem; } .links > div { flex: 1 1 14rem; min-width: 0; } .links a { display: block; padding: .1rem 0; } .links a.missing { display: table; }
.k, .kd, .kn, .kr, .kc, .kt, .ow, .nt { color: light-dark(#8a3fb0, #c792ea); } .s, .s1, .s2, .sb, .sd, .se, .si, .sr, .ss, .sx, .sh, .dl, .sa { color: light-dark(#2e7d32, #a5d6a7); }
.c, .c1, .cm, .ch, .cs, .cp, .cpf { color: light-dark(#6b7280, #9aa4ad); font-style: italic; } .m, .mi, .mf, .mh, .mo, .mb, .il { color: light-dark(#b45309, #f5b971); }
.nf, .fm, .nc, .nd, .na { color: light-dark(#1d5fa8, #82b1ff); } .nb, .bp, .no, .ne { color: light-dark(#00707a, #7fdbca); } .gi { color: light-dark(#2e7d32, #a5d6a7); } .gd { color: light-dark(#b3261e, #ff8a80); }
"""

"""The style sheet of all pages, which extends Streamlit's theme, and the logo."""

# Colours that suit both light and dark backgrounds. The band of a chunk takes its colour from the chunk's index.
TILES = ("#0f8a80", "#d39a2e", "#c5623c", "#5b82c2", "#9069ad", "#8a9c3a")

# Colours for the compared evaluation runs.
RUNS = (TILES[0], TILES[1], TILES[3], TILES[4])

LOGO = f"""
<div class="t-brand"><span class="t-sign"><i style="background:{TILES[0]};grid-area:1/1/2/3"></i><i style="background:{TILES[1]};grid-area:1/3/3/5"></i>
<i style="background:{TILES[3]};grid-area:2/1/5/3"></i><i style="background:{TILES[2]};grid-area:3/3/5/4"></i>
<i style="background:{TILES[0]};grid-area:3/4/5/5"></i></span><span>Tessera</span></div>
"""

STYLE = """
<style>
:root { --t-line: color-mix(in srgb, currentColor 14%, transparent); --t-soft: color-mix(in srgb, currentColor 7%, transparent);
  --t-page: light-dark(#fdfcfa, #14181a); --t-accent: light-dark(#0f6b66, #3fb5a8); --t-mark: #e0a83055;
  --t-warn: light-dark(#85590b, #dcaa4a); --t-bad: light-dark(#b4432f, #ee8a74); }
/* What the browser loads late takes more room than its skeleton. A button below it would move away from a click. */
[data-testid="stElementContainer"]:has([data-testid="stSkeleton"]) ~ * [data-testid^="stBaseButton"]:not(:focus) { visibility: hidden; }
@media (prefers-reduced-motion: reduce) { *, ::before, ::after { animation-duration: 1ms !important; animation-iteration-count: 1 !important; transition: none !important; scroll-behavior: auto !important; } }
[data-testid="stCaptionContainer"] { opacity: .72; }
[data-testid="stApp"] button:not([kind="secondary"], [kind^="primary"], [kind^="segmented"], [kind^="pills"]):is([kind], [data-testid="stPopoverButton"]):is(:hover, :focus, :active) { color: var(--t-accent); }
[data-testid="stApp"] [data-testid="stWidgetLabel"] { color: inherit; }
[data-testid="stCode"] .token.string { color: light-dark(#42540f, #c8da92); } [data-testid="stCode"] .token.property { color: light-dark(#0c524e, #93dad1); }
[data-testid="stApp"] :is(a, button, summary, label, [role="tab"], [role="radio"], [tabindex="0"]:not([data-testid="stTextInputField"], [data-testid="stMultiSelect"] input)):focus-visible { outline: 2px solid var(--t-accent); outline-offset: 1px; }
[data-testid="stTextInputRootElement"]:has([data-testid="stTextInputField"]:focus-visible) { outline: 1px solid var(--t-accent); } [data-testid="stTextInputField"]:focus-visible { outline: none; }
[data-testid="stMainBlockContainer"] { padding: 2.6rem 3rem 4rem; max-width: 96rem; position: relative; }
@media (max-width: 767px) { [data-testid="stMainBlockContainer"] { padding-top: 4.2rem; } }
:where([data-testid="stSidebar"][data-collapsed="true"] ~ *) [data-testid="stMainBlockContainer"] { padding-top: 4.2rem; } /* Its header is opaque there. */
@media (max-width: 640px) { [data-testid="stMainBlockContainer"] { padding: 4.2rem 1rem 4rem; } }
[data-testid="stMainMenu"], .st-key-look [data-testid="stElementContainer"]:has([data-testid^="stBidiComponent"]) { display: none; }
button[aria-label^="Download as CSV"] { display: none; } /* Streamlit writes formulas as formulas. */
[data-testid="stMenuButtonBody"] { max-height: min(30rem, 44vh); overflow-y: auto; } /* Streamlit lets a long menu begin above the window. */
/* Streamlit's own words, which are always English. */
[data-testid="stFileUploaderDropzone"] button p { visibility: hidden; font-size: 0; } [data-testid="stFileUploaderDropzone"] button p::after { content: var(--t-choose-files); visibility: visible; font-size: .875rem; }
[data-testid="stFileUploaderDropzoneInstructions"], :is(.stTextInput, .stNumberInput, [data-testid="stForm"]) [data-testid="InputInstructions"] { display: none; }
[data-testid="stLayoutWrapper"]:has(> .st-key-page_help) { position: absolute; top: .6rem; right: 3rem; width: auto; z-index: 999991; } .st-key-page_help a { background: none; opacity: .7; } .st-key-page_help a:is(:hover, :focus-visible) { opacity: 1; }
.st-key-page_help p, .st-key-guide_way button p { font-size: .84rem; } @media (max-width: 1150px) { [data-testid="stColumn"]:has(.st-key-guide_side) { display: none; } }
@media (max-width: 767px) { [data-testid="stLayoutWrapper"]:has(> .st-key-page_help) { right: 1rem; } .st-key-page_help p { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); } }
:is(.st-key-workbench, [data-testid="stSidebar"] .st-key-workbench details) { border: 0; background: none; } [data-testid="stSidebar"] .st-key-workbench :is(summary, [data-testid="stExpanderDetails"]) { padding: .2rem .5rem; border: 0; background: none; } .st-key-workbench summary:hover { background: var(--t-soft); border-radius: .5rem; }
[data-testid="stSidebarHeader"] { height: 2rem; min-height: 0; margin-bottom: 0; }
[data-testid="stColumn"]:has(.st-key-chunks_side) { position: sticky; top: 4rem; align-self: flex-start; } .st-key-chunks_side { --t-tree: calc(100vh - 17rem); }
[data-testid="stColumn"]:has(.st-key-cut_view) { min-width: 17.5rem; }
@media (min-width: 1201px) { .st-key-another_note { display: none; } [data-testid="stColumn"]:has(.st-key-chunks_side) { flex: 0 0 max(13rem, 19%); min-width: 0; } [data-testid="stColumn"]:has(.st-key-chunks_side) + [data-testid="stColumn"] { flex: 1 1 0; min-width: 0; } }
@media (max-width: 1200px) { [data-testid="stColumn"]:has(.st-key-chunks_side) { position: static; min-width: 100%; } .st-key-chunks_side .st-key-tree, [data-testid="stColumn"]:has(.st-key-chunks_side):not(:has(+ * .st-key-offered)) { display: none; } }
:is([class*="st-key-offer_"], .st-key-review_list) button :is(div, span) { justify-content: flex-start; text-align: left; }
:is([class*="st-key-offer_"], .st-key-review_list) button p { overflow-wrap: anywhere; }
button[kind^="primary"] { color: light-dark(#fff, #0c1615); }
.t-brand { display: flex; align-items: center; gap: .6rem; font-weight: 680; font-size: 1.3rem; letter-spacing: -.01em; }
.t-sign { display: grid; width: 1.6rem; height: 1.6rem; gap: 2px; grid-template: repeat(4, 1fr) / 1fr 1fr 1fr 1fr; }
.t-sign i { border-radius: 2px; }
.t-dim { opacity: .68; } .t-small { font-size: .84rem; }
.t-state { font-size: .84rem; display: flex; gap: .5rem; align-items: baseline; }
.t-dot { width: .55rem; height: .55rem; border-radius: 50%; flex: none; background: #d39a2e; }
[data-testid="stElementContainer"]:has(.t-away), [data-testid="stApp"]:not([data-test-connection-state="CONNECTED"]) [data-testid="stSidebar"] [data-testid="stElementContainer"]:has(.t-state, [data-testid="stProgress"]) { display: none; }
[data-testid="stApp"]:not([data-test-connection-state="CONNECTED"]) [data-testid="stSidebar"] [data-testid="stElementContainer"]:has(.t-away) { display: block; } /* Only the browser knows. */
.t-dot.ready { background: #0f8a80; } .t-dot.failed { background: #c5483c; }
.t-dot.absent { background: none; border: 1.5px solid color-mix(in srgb, currentColor 45%, transparent); align-self: center; }
.t-dotted { display: flex; gap: .6rem; min-width: 0; } .t-head .t-dot { align-self: center; } .t-head .t-name { min-width: 0; }
.t-where { overflow-wrap: anywhere; } .t-problem { color: var(--t-warn); overflow-wrap: anywhere; margin-top: .25rem; } .t-problem:empty { display: none; }
.t-table { border-collapse: collapse; font-size: .92rem; } .t-table td { padding: .3rem 1.4rem .3rem 0; border-bottom: 1px solid var(--t-line); }
.t-shortcuts { columns: 17rem 2; column-gap: 2rem; font-size: .9rem; } .t-shortcuts section { break-inside: avoid; padding-bottom: 1rem; } .t-shortcuts table { border-collapse: collapse; width: 100%; } .t-shortcuts td { padding: .25rem 0; border-bottom: 1px solid var(--t-line); } .t-shortcuts td:last-child { text-align: right; padding-left: .8rem; white-space: nowrap; }
.t-shortcuts kbd { font: .78rem var(--st-code-font, monospace); border: 1px solid var(--t-line); border-radius: .3rem; padding: .1rem .35rem; background: var(--t-soft); }
.t-lead { font-size: 1.12rem; line-height: 1.55; max-width: 46rem; opacity: .85; }
.t-rule { border: 0; border-top: 1px solid var(--t-line); margin: .35rem .5rem; }
.t-example { margin: 0; border: 1px solid var(--t-line); border-radius: .75rem; padding: 1rem 1.1rem; background: var(--t-soft); display: flex; flex-direction: column; gap: .7rem; max-width: 34rem; }
.t-example-question { border: 1px solid var(--t-line); border-radius: .5rem; padding: .5rem .8rem; background: var(--t-page); }
.t-example .t-answer { border: 1px solid var(--t-line); border-radius: .5rem; padding: .7rem .9rem; background: var(--t-page); display: flex; flex-direction: column; gap: .35rem; } .t-example-source { color: var(--t-accent); font-size: .9rem; }
.t-title { font-size: 1.3rem; font-weight: 650; line-height: 1.3; overflow-wrap: anywhere; }
.t-name { font-weight: 650; font-size: 1.05rem; overflow-wrap: anywhere; }
.t-facts { display: flex; flex-wrap: wrap; gap: .2rem 1rem; font-size: .84rem; opacity: .75; overflow-wrap: anywhere; }
.t-place { align-items: center; } .t-place .t-tags { margin-top: 0; }
.t-tags { display: flex; flex-wrap: wrap; gap: .35rem; margin-top: .35rem; }
.t-tag { font-size: .78rem; padding: .05rem .5rem; border-radius: 1rem; border: 1px solid var(--t-line); background: var(--t-soft);
  max-width: 20rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.t-edited { border-color: var(--t-accent); color: var(--t-accent); } .t-gone { border-color: var(--t-warn); color: var(--t-warn); }
.t-counts { display: flex; flex-wrap: wrap; gap: .5rem; }
.t-facts i.t-dot { display: inline-block; } .t-map-0 { background: light-dark(#0f6b66, #3fb5a8) !important; } .t-map-1 { background: light-dark(#c48a1d, #dcaa4a) !important; } .t-map-2 { background: light-dark(#b4532f, #dd8259) !important; } .t-map-3 { background: light-dark(#4d6fa8, #86a6dc) !important; } .t-map-4 { background: light-dark(#7b5a94, #b18fcb) !important; } .t-map-5 { background: light-dark(#73852f, #a8bb5c) !important; } .t-map-6 { background: light-dark(#a04668, #d987a8) !important; } .t-map-7 { background: light-dark(#3f7f95, #7cc0d6) !important; } .t-map-none { background: #8b9296 !important; }
.t-count { border: 1px solid var(--t-line); border-radius: .5rem; padding: .2rem .7rem; display: flex; gap: .45rem; align-items: baseline; }
.t-count b { font-size: 1.1rem; font-variant-numeric: tabular-nums; } .t-count span { font-size: .82rem; opacity: .75; }
.t-done { display: flex; flex-wrap: wrap; gap: .3rem 1rem; align-items: baseline; } .t-done b { color: var(--t-accent); }
.t-count.bad b { color: var(--t-bad); } .t-count.warn b { color: var(--t-warn); }
.t-list { font-size: .86rem; max-height: 16rem; overflow: auto; overflow-wrap: anywhere; line-height: 1.6; }
.t-list i { opacity: .7; font-style: normal; } .t-nested { padding-left: 1rem; }
.t-text { white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.6; font-size: .95rem; }
.t-words { white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.6; }
.t-words ins { background: color-mix(in srgb, #0f8a80 26%, transparent); text-decoration: underline; text-underline-offset: .2em; border-radius: .2rem; }
.t-words del { background: color-mix(in srgb, #c5483c 24%, transparent); border-radius: .2rem; } .t-words hr { margin: .5rem 0; border: 0; border-top: 1px dashed var(--t-line); }
.t-key { font-size: .86rem; margin: 0; } .t-key :is(ins, del) { padding: .1rem .4rem; }
.t-sides { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); column-gap: 1.5rem; } .t-sides > hr { grid-column: 1 / -1; } .t-sides > div { min-height: 1.6em; }
[data-testid="stMultiSelect"] input:focus-visible { outline: none; }
.st-key-history_versions { max-height: 28rem; overflow-y: auto; } .st-key-history_text { max-height: 24rem; overflow-y: auto; } .st-key-history_head [data-testid="stSelectbox"] { flex: 1 1 14rem; }
@media (max-width: 640px) { .st-key-history_versions { max-height: 9rem; } .st-key-review_list { max-height: 13rem; overflow-y: auto; } [data-testid="stLayoutWrapper"]:has(> .st-key-review_list) { height: auto; flex: none; } }
.t-text mark { background: var(--t-mark); color: inherit; border-radius: .2rem; padding: 0 .1em; }
.st-key-raw_text pre { max-height: 38rem; overflow: auto; } .t-numbered { font-family: var(--st-code-font, monospace); font-size: .86rem; line-height: 1.55; } .t-numbered div { display: flex; gap: .9rem; padding: 0 .4rem; border-radius: .2rem; }
.t-numbered i { flex: none; min-width: 2.8rem; text-align: right; font-style: normal; opacity: .68; user-select: none; font-variant-numeric: tabular-nums; } .t-numbered span { white-space: pre-wrap; overflow-wrap: anywhere; min-width: 0; }
.t-numbered .on { background: color-mix(in srgb, var(--t-accent) 16%, transparent); } .t-numbered .on i { opacity: 1; }
.t-hit { display: flex; flex-direction: column; gap: .45rem; }
.t-picture { display: block; max-width: min(100%, 18rem); max-height: 9rem; border: 1px solid var(--t-line); border-radius: .4rem; }
.t-head { display: flex; align-items: baseline; gap: .6rem; flex-wrap: wrap; }
.t-rank { font-variant-numeric: tabular-nums; font-weight: 650; color: light-dark(#fff, #0c1615); background: var(--t-accent); border-radius: .35rem;
  padding: 0 .45rem; font-size: .85rem; }
.t-crumb { font-size: .84rem; opacity: .75; overflow-wrap: anywhere; } .t-crumb:empty { display: none; }
.t-trail { display: flex; gap: .2rem .7rem; align-items: baseline; font-size: .82rem; min-width: 0; }
.t-trail > span { color: color-mix(in srgb, currentColor 66%, transparent); }
.t-trail > span:first-child { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; min-width: 0; } .t-trail > span:first-child:empty { display: none; }
.t-number { white-space: nowrap; font-variant-numeric: tabular-nums; } .t-trail .t-by { max-width: 45%; opacity: 1; }
[class*="st-key-"] .t-lines { cursor: pointer; }
:is(.t-lines, .t-brief) { font-size: .95rem; line-height: 1.55; overflow-wrap: anywhere; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden; max-width: 60rem; }
[data-testid="stTooltipContent"] .stMarkdownColoredBackground { background: #2f9c9040 !important; }
[data-testid="stTooltipContent"] .stMarkdownColoredBackground:first-of-type { background: var(--t-mark) !important; }
.t-brief { font-size: .86rem; opacity: .85; } :is(.t-lines, .t-context, .t-fell, .t-written) mark { background: var(--t-mark); color: inherit; border-radius: .2rem; padding: 0 .06em; }
.t-answer { max-width: 60rem; line-height: 1.55; overflow-wrap: anywhere; } .t-answer .t-lead { font-size: .86rem; opacity: .72; } .t-answer pre { margin: .2rem 0 0; padding: .4rem .6rem; }
.t-answer .t-near { text-decoration: none; background: color-mix(in srgb, var(--t-accent) 17%, transparent); border-radius: .2rem; padding: .06em 0; -webkit-box-decoration-break: clone; box-decoration-break: clone; }
.st-key-answer .t-quote { font-size: 1.1rem; } .st-key-answer_head { row-gap: 0 !important; } .st-key-answer_head > :first-child { margin-right: auto; }
.st-key-answer_perhaps { border-style: dashed !important; }
.t-written p { margin: 0 0 .35rem; } .t-written .t-tag { white-space: nowrap; margin-left: .2rem; } .t-word_for_word .t-tag { border-color: var(--t-accent); } .t-not_in_notes { opacity: .72; }
.t-written .t-cited { margin: -.1rem 0 .55rem; padding-left: .7rem; border-left: 3px solid var(--t-line); opacity: .85; }
.t-cited { opacity: .72; margin: -.5rem 0 .2rem 1.6rem; overflow-wrap: anywhere; }
.t-near { text-decoration: underline; text-decoration-color: color-mix(in srgb, var(--t-accent) 65%, transparent); text-decoration-thickness: 1.5px; text-underline-offset: .24em; }
.t-code { font-family: var(--st-code-font, monospace); font-size: .86em; background: var(--t-soft); border-radius: .2rem; padding: 0 .2em; white-space: pre-wrap; }
.t-b, .t-h { font-weight: 600; } .t-i { font-style: italic; } .t-u { color: var(--st-link-color, inherit); } .t-s { text-decoration: line-through; }
.t-math { font-family: "Cambria Math", "STIX Two Math", "Latin Modern Math", Georgia, serif; font-style: italic; white-space: normal; } .t-math :is(sub, sup) { line-height: 0; font-size: .72em; }
.t-meter { display: inline-flex; align-items: center; gap: .45rem; font-size: .8rem; white-space: nowrap; opacity: .9; } .t-bars { display: inline-flex; gap: 2px; align-items: flex-end; }
.t-bars i { width: 4px; height: 6px; border-radius: 1px; background: var(--t-line); } .t-bars i:nth-child(2) { height: 9px; } .t-bars i:nth-child(3) { height: 12px; } .t-bars i.on { background: var(--t-accent); }
.t-level-1 { opacity: .7; } .t-level-1 .t-bars i.on { background: currentColor; opacity: .6; }
.t-stages { display: flex; flex-wrap: wrap; gap: .3rem .95rem; margin-top: .1rem; }
.t-stage { font-size: .78rem; display: inline-flex; align-items: center; gap: .35rem; font-variant-numeric: tabular-nums; }
.t-bar { width: 2.8rem; height: .38rem; border-radius: .2rem; background: var(--t-line); overflow: hidden; display: inline-block; }
.t-bar i { display: block; height: 100%; background: var(--tile); border-radius: .2rem; }
.t-context { display: flex; flex-direction: column; gap: .35rem; font-size: .95rem; line-height: 1.55; overflow-wrap: anywhere; max-width: 60rem; }
.t-context > div { border-left: 3px solid var(--t-line); padding: .1rem 0 .1rem .9rem; overflow: auto; }
.t-context .t-around { opacity: .7; max-height: 7.5rem; }
/* Reversed, a scrolled box begins at its end: the lines next to the hit are in sight. */
.t-context .t-before { display: flex; flex-direction: column-reverse; }
.t-context .t-own { border-color: var(--t-accent); max-height: 22rem; background: color-mix(in srgb, var(--t-accent) 9%, transparent); }
.t-by { font-size: .8rem; opacity: .8; margin-left: auto; display: inline-flex; align-items: center; gap: .4rem; overflow-wrap: anywhere; }
.t-part { width: .6rem; height: .6rem; border-radius: 2px; flex: none; display: inline-block; }
.t-parts { border: 1px solid var(--t-line); border-radius: .5rem; padding: .6rem .9rem; display: flex; flex-direction: column; gap: .5rem; font-size: .88rem; }
.t-round { display: grid; grid-template-columns: 4.2rem 1fr; gap: .2rem .6rem; align-items: baseline; }
.t-asks { display: flex; flex-wrap: wrap; gap: .25rem 1.4rem; } .t-parts details .t-asks { margin-top: .35rem; }
.t-ask { display: inline-flex; flex-wrap: wrap; align-items: baseline; gap: 0 .45rem; overflow-wrap: anywhere; } .t-ask .t-part { align-self: center; }
.t-ask .t-dim { font-size: .8rem; font-variant-numeric: tabular-nums; }
.t-parts summary { cursor: pointer; opacity: .75; }
.t-asked { font-size: 1.05rem; line-height: 1.7; overflow-wrap: anywhere; padding: .2rem .2rem; }
.t-asked .t-wrong { color: inherit; background: #c5483c22; border-radius: .2rem; padding: 0 .1em; text-decoration: underline wavy #c5483c 1px; text-underline-offset: .3em; }
.t-lost { margin-bottom: .6rem; } .t-lost-head { font-size: .92rem; margin-bottom: .3rem; }
.t-fell { border-left: 3px solid var(--t-line); padding: .1rem 0 .1rem .8rem; margin: .5rem 0; font-size: .9rem; overflow-wrap: anywhere; }
.t-brief .t-text { font-size: inherit; }
.t-forms { margin-top: .4rem; font-size: .88rem; } .t-forms code { white-space: nowrap; }
.st-key-chips button, .st-key-relax button { min-height: 1.9rem; padding: 0 .7rem; border-radius: 1rem; font-size: .86rem; }
.st-key-facets [data-testid="stButtonGroup"] [role="radiogroup"] { flex-direction: column; align-items: stretch; gap: 0; }
.st-key-facets [data-testid="stButtonGroup"] button { border: 0; background: none; height: auto; min-height: 1.65rem; padding: .1rem .4rem; border-radius: .35rem; }
.st-key-facets [data-testid="stButtonGroup"] button:hover { background: var(--t-soft); }
.st-key-facets button :is(div, span, p) { width: 100%; min-width: 0; text-align: left; white-space: normal; overflow-wrap: anywhere; line-height: 1.3; }
.st-key-facets [data-testid="stButtonGroup"] button p { display: flex; justify-content: space-between; gap: .6rem; font-size: .86rem; }
.st-key-facets [data-testid="stButtonGroup"] button p span { width: auto; flex: none; font-variant-numeric: tabular-nums; }
.st-key-facets [data-testid="stWidgetLabel"] p { font-weight: 650; font-size: .82rem; }
.st-key-facets [class*="st-key-more_"] { margin-top: -1.1rem; } .st-key-facets [class*="st-key-more_"] button { min-height: 1.5rem; padding: 0 .4rem; font-size: .82rem; opacity: .75; }
.st-key-hidden_title { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
[data-testid="stMainBlockContainer"]:has(.st-key-ask_row) { padding-top: 3.6rem; }
:is([class*="st-key-head_"], .st-key-chips) > [data-testid="stLayoutWrapper"] { width: auto; min-width: 0; flex: none; }
[class*="st-key-head_"] button > div > div[aria-hidden="true"] { display: none; }
[class*="st-key-head_"] button p { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
[class*="st-key-head_"] { overflow: visible; } [class*="st-key-head_"] button { position: relative; } [class*="st-key-head_"] button:is(:hover, :focus-visible) * { overflow: visible; }
[class*="st-key-head_"] button:is(:hover, :focus-visible) p { top: 100%; right: 0; z-index: 9; width: auto; height: auto; clip-path: none; padding: .25rem .6rem; border-radius: .4rem; font-size: .82rem; color: var(--t-page); background: var(--t-accent); }
:is(.st-key-keys, .st-key-aloud) { position: absolute; width: 0; height: 0; overflow: hidden; }
.st-key-ask_row [data-testid="stTextInput"] > div > div, .st-key-ask_row .stTextInput > div { min-height: 2.75rem; } .st-key-ask_row input { font-size: 1.05rem; }
.st-key-ask_row > div:first-child { flex: 1 1 14rem; min-width: 0; }
.st-key-chips [data-testid="stCaptionContainer"] { margin: 0; } .st-key-chips [data-testid="stCaptionContainer"] p { margin: 0; line-height: 1.9rem; } .st-key-chips [data-testid="stPopoverButton"], .st-key-facets_toggle button { font-size: .86rem; }
:is([class*="st-key-hit_"], [class*="st-key-early_"]):not([class*="head"]) { padding: .6rem .9rem .7rem; }
:is([class*="st-key-hit_"], [class*="st-key-early_"]):has([data-testid="stPageLink"] a:focus-visible) { border-color: var(--t-accent); box-shadow: 0 0 0 1px var(--t-accent); }
:is([class*="st-key-head_"], [class*="st-key-early_head_"]) { min-height: 1.9rem; }
:is([class*="st-key-head_"], [class*="st-key-early_head_"]) > div:first-child { min-width: 0; flex: 1 1 auto; }
:is([class*="st-key-head_"], [class*="st-key-early_head_"]) a { background: none; padding: 0; min-height: 0; outline: none; box-shadow: none; }
:is([class*="st-key-head_"], [class*="st-key-early_head_"]) a p { font-weight: 640; font-size: 1.04rem; line-height: 1.35; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
:is([class*="st-key-head_"], [class*="st-key-early_head_"]) a:is(:hover, :focus-visible) p { color: var(--st-link-color, var(--t-accent)); text-decoration: underline; text-underline-offset: .2em; }
[class*="st-key-head_"] button { min-height: 1.7rem; padding: 0 .3rem; opacity: .6; } [class*="st-key-head_"] button:is(:hover, :focus-visible, [aria-expanded="true"]) { opacity: 1; }
.t-trail .t-meter { margin-left: auto; flex: none; align-self: center; } .t-trail ~ :is(.t-tags, .t-hit, .t-picture) { margin-top: .3rem; }
[class*="st-key-others_"] button { min-height: 1.3rem; padding: 0 .2rem; } [class*="st-key-others_"] button p { font-size: .84rem; } [class*="st-key-others_"] { opacity: .85; }
[class*="st-key-other_"] { border-left: 2px solid var(--t-line); padding: .15rem 0 .15rem .8rem; margin-top: .35rem; } [class*="st-key-other_"] [class*="st-key-head_"] a p { font-weight: 560; font-size: .95rem; }
[class*="st-key-why_body_"] { max-width: 44rem; margin: .3rem 0 .5rem; } [class*="st-key-why_body_"] .t-stages { display: grid; grid-template-columns: max-content 1fr max-content max-content; gap: .35rem .8rem; align-items: center; }
[class*="st-key-why_body_"] .t-stage { display: contents; } [class*="st-key-why_body_"] .t-bar { width: 100%; } [class*="st-key-why_body_"] .t-caption { margin-bottom: .5rem; }
[class*="st-key-why_body_"] [data-testid="stButtonGroup"] button { min-height: 1.7rem; padding: 0 .55rem; }
@media (max-width: 640px) { .st-key-ask_row > div:first-child { flex-basis: 9rem; } .st-key-ask_row { gap: .4rem; }
  .st-key-ask_row button { padding: 0 .5rem; } .st-key-chips { gap: .3rem .6rem; }
  :is(.st-key-ask_row button, .st-key-chips [data-testid="stPopoverButton"]) [data-testid="stMarkdownContainer"] { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .st-key-chips > :has([data-testid="stCaptionContainer"]) { flex: 1 1 100%; } .st-key-chips > :has([data-testid="stCaptionContainer"]) ~ * { flex: none; }
  :is([class*="st-key-head_"], [class*="st-key-early_head_"]) a p { white-space: normal; } }
.st-key-answer_sides > * > * > [data-testid="stColumn"]:first-child:has([class*="st-key-drawer_"]):not(:has(.st-key-drawer_head)) { display: none; }
[class*="st-key-quote_"] [data-testid="stPageLink"] p { white-space: normal; }
.st-key-drawer_head, .st-key-facets_toggle { display: none; }
@media (min-width: 1101px) { .st-key-answer_sides > * > *:has(> [data-testid="stColumn"]:first-child .st-key-drawer_head) { flex-wrap: nowrap; }
  .st-key-answer_sides > * > * > [data-testid="stColumn"]:first-child:has(.st-key-drawer_head) { min-width: 11rem; } .st-key-answer_sides > * > * > [data-testid="stColumn"]:last-child { min-width: 0; } }
@media (max-width: 1100px) { .st-key-facets_toggle { display: block; }
  .st-key-answer_sides > * > * > [data-testid="stColumn"] { min-width: 100%; }
  .st-key-answer_sides > * > * > [data-testid="stColumn"]:first-child:not(:has(.st-key-drawer_open)) { display: none; }
  .st-key-drawer_open { position: fixed; inset: 0 0 0 auto; z-index: 999990; width: min(20rem, 86vw); overflow-y: auto; padding: 3.6rem 1.2rem 1.5rem;
    background: light-dark(#fdfcfa, #14181a); border-left: 1px solid var(--t-line); box-shadow: -1rem 0 3rem #0004; }
  .st-key-drawer_head { display: flex; } }
@media (max-width: 1400px) { [class*="st-key-halves_"] > * > * > [data-testid="stColumn"] { min-width: 100%; } [class*="st-key-halves_"] > * > [data-testid="stHorizontalBlock"] { row-gap: 1rem; } }
@media (hover: none) { [data-has-shortcut] > [aria-label^="Shortcut "] { display: none; } }
.st-key-digest a :is(span, p), .st-key-open_tasks a :is(span, p), .st-key-review_matter a :is(span, p) { white-space: normal; overflow-wrap: anywhere; }
[class*="st-key-recent_"] { flex-wrap: nowrap; } [class*="st-key-recent_"]:has(.stCheckbox) { gap: 0; padding-left: .5rem; } [class*="st-key-recent_"] .stCheckbox { margin-top: -4px; }
:is(.st-key-digest, .st-key-open_tasks) a p { line-height: 1.35; } :is(.st-key-digest, .st-key-open_tasks) [class*="st-key-recent_"] { min-height: 2.1rem; padding-block: .4rem; } :is(.st-key-digest, .st-key-open_tasks) > .stElementContainer { padding-block: .4rem .15rem; }
[class*="st-key-recent_"] > div:has(a) { min-width: 0; } [class*="st-key-recent_"] a p { overflow: hidden; text-overflow: ellipsis; }
.t-first-words { margin-top: -.45rem; padding: 0 5.5rem .35rem .5rem; font-size: .84rem; opacity: .66; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.t-keys { font-size: .84rem; opacity: .7; } .st-key-recent a, .st-key-examples a { padding-left: 0; }
[class*="st-key-card_actions_"] { row-gap: 0; } [class*="st-key-card_actions_"] a { padding: 0; background: none; } [class*="st-key-card_actions_"] a:is(:hover, :focus-visible) * { color: var(--t-accent); }
.t-empty { display: flex; flex-direction: column; gap: .2rem; padding: 1.5rem 0 .3rem; } .t-empty b { font-size: 1.1rem; } .t-empty span { opacity: .75; }
[data-testid="stLayoutWrapper"]:has(> .st-key-reader_top) { position: sticky; top: 0; z-index: 99; background: var(--t-page); padding: .35rem 0; border-bottom: 1px solid var(--t-line); }
[data-testid="stLayoutWrapper"]:has(> .st-key-notes_done) { position: fixed; right: 1.5rem; bottom: 1.5rem; z-index: 999; width: fit-content; max-width: calc(100vw - 3rem); }
.st-key-notes_done { padding: .3rem .8rem; background: var(--t-page); border: 1px solid var(--t-line); border-radius: .5rem; box-shadow: 0 .4rem 1.4rem #0003; }
.st-key-reader_bar a { background: none; } :is(.st-key-reader_bar, .st-key-reader_tabs, .st-key-second_bar) { flex-wrap: nowrap; } :is(.st-key-reader_bar, .st-key-second_bar) > div { flex: none; width: auto; min-width: 0; }
:is(.st-key-reader_bar, .st-key-second_bar) > div:has(.t-title) { flex: 1 1 auto; } :is(.st-key-reader_bar, .st-key-second_bar) .t-title { min-width: 3rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
@media (max-width: 640px) { :is(.st-key-reader_bar, .st-key-notes_head > :not(.st-key-new_note)) button [data-testid="stMarkdownContainer"] { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .st-key-note_fields [data-testid="stColumn"] { min-width: calc(50% - .5rem); }
  .st-key-reader_bar { flex-wrap: wrap; gap: .4rem; } .st-key-reader_bar > div:has(.t-title) { order: 1; flex-basis: 100%; } .st-key-reader_bar > .st-key-edit_note { margin-left: auto; } .st-key-notes_head { gap: .5rem; } }
@media (max-width: 767px) { [data-testid="stHeader"] { background: var(--t-page); } [data-testid="stLayoutWrapper"]:has(> .st-key-reader_top) { top: 3.7rem; } }
:where([data-testid="stSidebar"][data-collapsed="true"] ~ *) [data-testid="stLayoutWrapper"]:has(> .st-key-reader_top) { top: 3.7rem; }
.st-key-reader_about > div { width: auto; flex: none; min-width: 0; } .st-key-reader_about > div:first-child { flex: 1 1 14rem; } .st-key-reader_about a { background: none; }
.st-key-open_notes [role="radiogroup"] { flex-wrap: nowrap; overflow: hidden; } .st-key-open_notes button { min-width: 0; max-width: 12rem; min-height: 1.8rem; padding: 0 .6rem; }
.st-key-reader_tabs > div { width: auto; flex: none; } .st-key-reader_tabs > div.st-key-open_notes { min-width: 0; flex: 0 1 auto; }
.st-key-open_notes button :is(div, span, p) { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; min-width: 0; font-size: .86rem; }
[class*="st-key-mark_"] button { min-height: 1.7rem; padding: 0 .55rem; } [class*="st-key-mark_"] button p { font-size: .82rem; }
[class*="st-key-mark_"] button[kind="secondary"] { background: none; opacity: .8; } [class*="st-key-gold_head_"] a { background: none; padding-left: 0; }
[class*="st-key-gold_head_"] a p { font-size: .88rem; white-space: normal; overflow-wrap: anywhere; } [class*="st-key-gold_head_"] [class*="st-key-mark_"] { flex: none; }
[class*="st-key-found_"] .t-hit > .t-text { white-space: normal; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 5; overflow: hidden; }
[class*="st-key-verdict_"] [role="radiogroup"] { gap: .15rem; } [class*="st-key-verdict_"] button:not([aria-checked="true"]) { border-color: transparent; background: none; opacity: .75; }
[class*="st-key-verdict_"] button:hover { opacity: 1; }
:is([class*="st-key-past_rows"], .st-key-past_answers, .st-key-examples, .st-key-recent) a { background: none; }
:is([class*="st-key-past_rows"], .st-key-past_answers, .st-key-examples, .st-key-recent) a p { font-weight: 400; } :is(.st-key-examples, .st-key-recent) a { padding-block: .25rem; height: auto; }
:is(.st-key-examples, .st-key-recent) a p { white-space: normal; line-height: 1.35; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; }
 [class*="st-key-past_rows"] a { padding-left: 0; }
.stCheckbox [data-testid="stMarkdownContainer"], .stCheckbox [data-testid="stMarkdownContainer"] p { white-space: normal; }
 .st-key-options_body { max-width: 40rem; } .st-key-options_body [data-testid="stButtonGroup"] button { padding: 0 .65rem; }
.t-hit details summary { cursor: pointer; font-size: .84rem; opacity: .75; } .t-hit details[open] summary { margin-bottom: .4rem; }
.t-sizes { display: flex; align-items: flex-end; gap: 2px; height: 3.4rem; overflow: hidden; }
.t-sizes i { flex: 1 1 .6rem; max-width: 1.6rem; min-width: 1px; background: var(--tile); border-radius: 2px 2px 0 0; opacity: .85; }
.t-histogram { max-width: 26rem; margin-top: .5rem; } .t-histogram i { background: var(--t-accent); max-width: none; }
.t-ends { display: flex; justify-content: space-between; font-size: .74rem; opacity: .7; font-variant-numeric: tabular-nums; border-top: 1px solid var(--t-line); }
.t-differ b { color: var(--t-accent); }
.t-sizes i.on { opacity: 1; outline: 2px solid currentColor; outline-offset: 1px; }
.t-reason { border-left: 3px solid var(--t-line); padding: .1rem 0 .1rem .8rem; margin: .45rem 0; font-size: .9rem; line-height: 1.5; }
.t-reason.chosen { border-color: var(--t-accent); } .t-reason b { margin-right: .5rem; }
.t-reason .t-small { border: 1px solid var(--t-line); border-radius: 1rem; padding: 0 .45rem; }
.t-run { display: inline-block; min-width: 1.35rem; text-align: center; font-weight: 650; font-size: .85rem; color: #fff; border-radius: .35rem; padding: 0 .3rem; background: var(--run); }
.t-run-0 { --run: #0f8a80; } .t-run-1 { --run: #d39a2e; }
.t-rans { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; margin-bottom: .25rem; } .t-ran { display: inline-flex; gap: .45rem; align-items: baseline; overflow-wrap: anywhere; }
.t-verdict { display: flex; gap: .3rem 1.2rem; align-items: baseline; border: 1px solid var(--t-line); border-left: 4px solid color-mix(in srgb, currentColor 35%, transparent); border-radius: .5rem; padding: .6rem 1rem; line-height: 1.5; }
.t-verdict > div:first-child { white-space: nowrap; } .t-verdict > div:only-child { white-space: normal; }
.t-verdict.good { border-left-color: var(--t-accent); background: color-mix(in srgb, var(--t-accent) 9%, transparent); }
.t-verdict.bad { border-left-color: #c5483c; background: color-mix(in srgb, #c5483c 9%, transparent); }
.t-caption { font-weight: 650; font-size: .86rem; margin: .2rem 0 .3rem; }
.t-figures { border-collapse: collapse; font-variant-numeric: tabular-nums; width: 100%; font-size: .92rem; } .t-figures.t-small { font-size: .84rem; }
.t-figures :is(th, td) { padding: .34rem .8rem .34rem 0; border-bottom: 1px solid var(--t-line); text-align: left; vertical-align: baseline; overflow-wrap: anywhere; }
.t-figures tbody th { font-weight: 450; } .t-figures td > .t-dim { white-space: nowrap; } .t-figures thead th { border-bottom-width: 2px; } .t-figures td > span:first-child { display: inline-block; min-width: 3.1rem; }
.t-figures th { overflow-wrap: normal; } .t-figures td { min-width: 3.2rem; }
.t-bands { max-height: 41rem; overflow: auto; border: 1px solid var(--t-line); border-radius: .5rem; padding: .4rem; line-height: 1.6; font-size: .93rem; overflow-wrap: anywhere; }
.t-band { border-left: 4px solid var(--tile); background: color-mix(in srgb, var(--tile) 9%, transparent); padding: .15rem .7rem .4rem; margin-bottom: .25rem; } .t-band.on { outline: 2px solid var(--tile); outline-offset: -2px; }
.t-more { margin-top: .5rem; } .t-more summary { cursor: pointer; font-size: .86rem; opacity: .75; margin-bottom: .3rem; }
.t-gold { border-left: 3px solid var(--t-accent); padding: .05rem 0 .05rem .8rem; margin: .3rem 0 .6rem; } .t-gold .t-tag { display: inline-block; max-width: none; white-space: normal; } .t-gold .t-text { font-size: .88rem; max-height: 11rem; overflow: auto; } .t-gold summary { cursor: pointer; font-size: .82rem; opacity: .75; }
.t-standing { opacity: 1; } .t-standing.good { color: var(--t-accent); } .t-standing.bad { color: color-mix(in srgb, #d2503f 85%, currentColor); }
.t-rank.t-wrong { background: color-mix(in srgb, currentColor 14%, transparent); color: inherit; } .t-hit .t-rank.t-wrong { background: var(--t-line); }
[class*="st-key-recalled_"] .t-text { font-size: .86rem; line-height: 1.5; max-height: 24rem; overflow: auto; } [class*="st-key-recalled_"] .t-name { font-size: .95rem; }
[class*="st-key-recalled_"] .t-text mark { background: color-mix(in srgb, var(--t-accent) 30%, transparent); }
[class*="st-key-way_body_"] { width: 40rem; max-width: 86vw; } [class*="st-key-way_body_"] [data-testid="stButtonGroup"] button { padding: 0 .6rem; }
[class*="st-key-way_preset_"] button { min-height: 1.75rem; padding: 0 .6rem; } [class*="st-key-way_preset_"] button p { font-size: .82rem; }
@media (max-width: 1150px) { [data-testid="stHorizontalBlock"]:has(> * > * > * > :is(.st-key-rows_list, .st-key-figures_side)) > [data-testid="stColumn"] { min-width: 100%; } }
@media (min-width: 1151px) { [data-testid="stColumn"]:has(.st-key-rows_list) > [data-testid="stVerticalBlock"] { position: sticky; top: 1rem; } }
@media (min-width: 1101px) { .st-key-question_sets { flex-wrap: nowrap; } .st-key-question_sets > :first-child { flex-shrink: 1; min-width: 0; } }
.t-about { max-width: 56rem; line-height: 1.55; }
@media (max-width: 1150px) { [data-testid="stColumn"]:is(:has(.st-key-question_side), :has(+ [data-testid="stColumn"] .st-key-question_side)) { min-width: 100%; }
  [data-testid="stColumn"]:has(.st-key-question_side) { order: -1; } }
.st-key-switcher [data-testid="stVerticalBlock"] { gap: .1rem; } .st-key-switcher button { min-height: 2.2rem; } .st-key-switcher button :is(div, span) { justify-content: flex-start; text-align: left; }
.st-key-switcher button:is(:hover, :focus-visible) { background: var(--t-soft); } .st-key-notes_tree { --t-tree: max(14rem, calc(100vh - 18.5rem)); }
@media (min-width: 1151px) { [data-testid="stColumn"]:has(.st-key-notes_side) { flex: 0 0 19rem; min-width: 0; } [data-testid="stColumn"]:has(.st-key-notes_reader) { flex: 1 1 0; min-width: 0; }
  [data-testid="stLayoutWrapper"]:has(> .st-key-notes_side) { position: sticky; top: 1rem; } [class*="st-key-notes_drawer"] { display: none; } }
@media (min-width: 1280px) and (max-width: 1439px) { [data-testid="stColumn"]:has(.st-key-notes_side):has(~ * .st-key-reader) { flex-basis: 14rem; } [data-testid="stMainBlockContainer"]:has(.st-key-reader) { padding-inline: 2rem; } }
@media (max-width: 1150px) { [data-testid="stColumn"]:has(.st-key-notes_side):has(~ [data-testid="stColumn"] .st-key-reader) { display: none; }
  [data-testid="stHorizontalBlock"]:has([class*="st-key-notes_drawer"] input:checked) > [data-testid="stColumn"]:has(.st-key-notes_side) { display: block; position: fixed; top: 0; bottom: 0; z-index: 1000; width: min(22rem, 92vw);
    overflow: auto; padding: 1rem; background: var(--t-page); box-shadow: 0 0 2rem #0005; }
  .st-key-notes_tree { --t-tree: none; } }
@media (max-width: 1439px) { .st-key-open_second, [data-testid="stLayoutWrapper"]:has(> .st-key-reader_tabs):not(:has(.st-key-open_notes)), [data-testid="stColumn"]:has(.st-key-second):not(:has(.st-key-reader)) { display: none; } }
@media (min-width: 1440px) and (max-width: 1899px) { [data-testid="stColumn"]:has(.st-key-notes_side):has(~ [data-testid="stColumn"] .st-key-second) { display: none; }
  [data-testid="stHorizontalBlock"]:has(.st-key-second):has([class*="st-key-notes_drawer"] input:checked) > [data-testid="stColumn"]:has(.st-key-notes_side) { display: block; position: fixed; top: 0; bottom: 0; z-index: 1000; width: 22rem;
    overflow: auto; padding: 1rem; background: var(--t-page); box-shadow: 0 0 2rem #0005; }
  [data-testid="stHorizontalBlock"]:has(.st-key-second) [class*="st-key-notes_drawer"] { display: flex; } }
[data-testid="stLayoutWrapper"]:has(> .st-key-second) { position: sticky; top: 0; } .st-key-second { max-height: 100vh; overflow-y: auto; border-left: 1px solid var(--t-line); padding-left: 1rem; }
[data-testid="stLayoutWrapper"]:has(> .st-key-second_bar) { position: sticky; top: 0; z-index: 9; background: var(--t-page); padding: .35rem 0; border-bottom: 1px solid var(--t-line); }
.st-key-reader, .st-key-reader_body, .st-key-second_body { contain: paint; overflow-wrap: anywhere; }
.st-key-import_body { width: 40rem; max-width: 86vw; } .st-key-beginning { gap: .3rem; max-width: 46rem; padding-top: .3rem; }
[class*="st-key-latest_"] { flex-wrap: nowrap; } [class*="st-key-latest_"] > div:not(:first-child) { flex: none; }
[class*="st-key-latest_"] > div:first-child { flex: 1 1 auto; min-width: 0; } [class*="st-key-latest_"] a { background: none; padding-left: 0; } [class*="st-key-latest_"] a p { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.st-key-notes_side [data-testid="stButtonGroup"] button { white-space: nowrap; padding: 0 .6rem; }
@media (min-width: 641px) and (max-width: 1150px) { [data-testid="stColumn"]:has(.st-key-notes_side) { flex: 0 0 14rem; min-width: 0; } [data-testid="stColumn"]:has(.st-key-notes_reader) { flex: 1 1 18rem; min-width: 0; } }
@media (max-width: 1150px) { [data-testid="stColumn"] .st-key-notes_side [data-testid="stColumn"], [data-testid="stColumn"]:has(> * [class*="st-key-card_"]) { min-width: 100%; } }
.st-key-conflict .t-words { max-height: 22rem; overflow: auto; } ins { text-decoration: none; background: color-mix(in srgb, var(--t-accent) 22%, transparent); } del { background: color-mix(in srgb, #c5483c 20%, transparent); }
html:not([data-unsaved]) .st-key-writing_state > :has(> .st-key-writing_away), [data-unsaved] .st-key-writing_state > :not(:has(> .st-key-writing_away)) { display: none; }
.st-key-writing_away p { color: color-mix(in srgb, #d2503f 85%, currentColor); }
[data-testid="stHorizontalBlock"]:has(> * .st-key-note_editor):not(:has(> * .st-key-writing_beside)) { flex-flow: column-reverse; gap: .6rem; --above: 18.6rem; } [data-testid="stHorizontalBlock"]:has(> * .st-key-note_editor):not(:has(> * .st-key-writing_beside)) > [data-testid="stColumn"] { width: 100%; flex: none; }
.st-key-writing_beside { max-height: calc(100vh - 15.5rem); overflow-y: auto; overflow-x: hidden; padding-right: .4rem; }
@media print {
  @page { margin: 18mm; }
  :is(html, body, [id="root"], [data-testid="stApp"], [data-testid="stAppViewContainer"], [data-testid="stMain"], [data-testid="stApp"] > div, [data-testid="stAppViewContainer"] > div, [data-testid="stColumn"], [data-testid="stLayoutWrapper"]) { position: static !important; overflow: visible !important; height: auto !important; min-height: 0 !important; display: block !important; width: auto !important; max-width: none !important; }
  :is([data-testid="stSidebar"], [data-testid="stHeader"], [data-testid="stButton"], [data-testid="stPopover"], [data-testid="stButtonGroup"], [data-testid="stDownloadButton"], [data-testid="stMenuButton"]),
  :is([data-testid="stExpander"], [data-testid="stCheckbox"], [data-testid="stMultiSelect"], [data-testid="stSelectbox"], [data-testid="stCaptionContainer"], [data-testid="stTooltipIcon"], [data-testid="stIconMaterial"], [data-testid="stToast"], hr.t-rule),
  :is(.st-key-notes_done, .st-key-page_help, .st-key-tour, .st-key-tour_offer, .st-key-notes_head, .st-key-notes_filters, .st-key-reader_bar a, [class*="st-key-draft_"], .st-key-reader_about > :not(:first-child), .st-key-facets, .st-key-chips, .st-key-earlier_questions, .st-key-follow_up, .st-key-more_hits, .st-key-ask_row svg),
  [data-testid="stColumn"]:has(.st-key-notes_side, .st-key-guide_side, .st-key-facets),
  [data-testid="stMain"]:has(.st-key-answer, .st-key-answer_perhaps, .st-key-written) :is([class*="st-key-hit_"], [class*="st-key-early_"]) { display: none !important; }
  :is(html, body, [data-testid="stApp"]) { background: #fff !important; color-scheme: light; }
  [data-testid="stMainBlockContainer"] { padding: 0 !important; max-width: none !important; } [data-testid="stVerticalBlock"], [data-testid="stHorizontalBlock"] { display: block !important; }
  [data-testid="stApp"] :is(*, *::before, *::after) { color: #111 !important; background: none !important; border-color: #bbb !important; box-shadow: none !important; outline: none !important; -webkit-text-fill-color: #111; opacity: 1 !important; }
  [data-testid="stApp"] :is(.st-key-answer, .st-key-answer_perhaps, .st-key-written) { border: 0 !important; padding: 0 !important; } .t-near, mark { text-decoration: underline #111 1px !important; text-underline-offset: .2em; }
  .st-key-ask_row input { font-size: 1.4rem !important; font-weight: 650; padding: 0 !important; } .st-key-ask_row div { border: 0 !important; padding: 0 !important; }
  [class*="st-key-quote_"] { break-inside: avoid; } :is(h1, h2, h3, h4, .t-title) { break-after: avoid; } .st-key-reader_bar .t-title { overflow: visible; white-space: normal; font-size: 1.6rem; }
  :is(.st-key-reader, .st-key-reader_body) { contain: none; }
}
</style>
"""

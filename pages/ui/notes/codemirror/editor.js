// The note editor: CodeMirror 6 with Markdown, completion of links and tags, and a theme that follows the app's.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentLess, indentMore } from "@codemirror/commands";
import { insertNewlineContinueMarkupCommand } from "@codemirror/lang-markdown";
import { HighlightStyle, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, Prec } from "@codemirror/state";
import { drawSelection, EditorView, keymap, placeholder } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { bar } from "./bar.js";
import { beside } from "./beside.js";
import { counting } from "./count.js";
import { endBlock, formats, inCode, straightFence, whereIndented } from "./formats.js";
import { live } from "./live.js";
import { paste } from "./paste.js";
import { highlight, language } from "./syntax.js";
import { toCell } from "./tables.js";

const SHOWN = 40;

const STYLE = HighlightStyle.define([
  { tag: tags.heading1, fontSize: "1.35em", fontWeight: "650" },
  { tag: tags.heading2, fontSize: "1.2em", fontWeight: "650" },
  { tag: tags.heading3, fontSize: "1.08em", fontWeight: "650" },
  { tag: tags.heading, fontWeight: "650" },
  { tag: tags.strong, fontWeight: "700" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.strikethrough, textDecoration: "line-through" },
  { tag: tags.link, color: "var(--st-link-color)" },
  { tag: tags.url, color: "var(--st-link-color)", opacity: ".75" },
  { tag: highlight, backgroundColor: "#e0a83055", borderRadius: ".2rem" },
  { tag: tags.monospace, fontFamily: "var(--st-code-font)", fontSize: ".93em" },
  { tag: tags.quote, opacity: ".8" },
  { tag: [tags.processingInstruction, tags.contentSeparator, tags.labelName], color: "var(--st-primary-color)" },
  { tag: tags.comment, opacity: ".6" },
]);

const LOOK = EditorView.theme({
  "&": { height: "100%", color: "var(--st-text-color)", backgroundColor: "transparent", fontSize: "1rem" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--st-font)", lineHeight: "1.65", overflow: "auto" },
  ".cm-content": { minWidth: "0", padding: "1rem max(1.2rem, calc(50% - 25rem)) 6rem", caretColor: "var(--st-text-color)" },
  ".cm-cursor": { borderLeftColor: "var(--st-text-color)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--st-primary-color) 26%, transparent)",
  },
  ".cm-selectionMatch": { backgroundColor: "color-mix(in srgb, var(--st-primary-color) 14%, transparent)" },
  ".cm-searchMatch": { backgroundColor: "#e0a83055" },
  ".cm-placeholder": { color: "inherit", opacity: ".5" },
  ".cm-panels": { backgroundColor: "var(--st-secondary-background-color)", color: "inherit" },
  ".cm-panels-top": { backgroundColor: "transparent", borderBottom: "1px solid var(--st-border-color)" },
  ".bar": { display: "flex", flexWrap: "wrap", padding: ".2rem .5rem" },
  ".bar button": {
    font: "1.2rem/1 'Material Symbols Rounded'", fontFeatureSettings: "'liga'", width: "2rem", height: "2rem", overflow: "hidden",
    padding: "0", color: "inherit", background: "none", border: "none", borderRadius: ".3rem", cursor: "pointer", opacity: ".8",
  },
  ".bar button:is(:hover, :focus-visible, [aria-pressed=true])": { backgroundColor: "var(--st-secondary-background-color)", opacity: "1" },
  ".bar button:focus-visible": { outline: "2px solid var(--st-primary-color)" },
  ".cm-panels-bottom": { backgroundColor: "transparent", borderTop: "1px solid var(--st-border-color)" },
  ".cm-panel.cm-search": { padding: ".4rem 2rem .3rem .7rem", fontSize: ".9rem" },
  ".cm-panel.cm-search :is(input, button, label)": { font: "inherit" },
  ".cm-panel.cm-search :is(.cm-textfield, .cm-button)": { margin: ".15rem .5rem .15rem 0" },
  ".cm-panel.cm-search .cm-textfield": { width: "min(14rem, 100%)", padding: ".25rem .5rem" },
  ".cm-panel.cm-search .cm-button": { padding: ".25rem .6rem", cursor: "pointer" },
  ".cm-panel.cm-search .cm-button:hover": { borderColor: "var(--st-primary-color)" },
  ".cm-panel.cm-search :is(.cm-textfield, .cm-button):focus-visible": { outline: "2px solid var(--st-primary-color)", outlineOffset: "-1px" },
  ".cm-panel.cm-search label": { display: "inline-flex", alignItems: "center", gap: ".3rem", margin: ".15rem 0 .15rem .9rem", cursor: "pointer", whiteSpace: "nowrap" },
  ".cm-panel.cm-search [type=checkbox]": { margin: "0", accentColor: "var(--st-primary-color)" },
  ".cm-panel.cm-search [name=close]": { color: "inherit", fontSize: "1.3rem", top: ".3rem", right: ".6rem", cursor: "pointer" },
  ".cm-count": { padding: ".15rem .7rem", fontSize: ".8rem", textAlign: "right", opacity: ".75" },
  ".cm-textfield, .cm-button": {
    color: "inherit", backgroundColor: "var(--st-background-color)", backgroundImage: "none",
    border: "1px solid var(--st-border-color)", borderRadius: ".3rem",
  },
  ".cm-tooltip": {
    color: "var(--st-text-color)", backgroundColor: "var(--st-background-color)",
    border: "1px solid var(--st-border-color)", borderRadius: ".4rem", boxShadow: "0 .4rem 1.4rem #0003",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--st-font)", maxHeight: "16rem", maxWidth: "32rem" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: ".15rem .6rem" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    color: "inherit", backgroundColor: "color-mix(in srgb, var(--st-primary-color) 24%, transparent)",
  },
  ".cm-completionDetail": { opacity: ".6", fontStyle: "normal", marginLeft: ".8rem", fontSize: ".85em" },
});

// At most SHOWN completions that contain the typed text, first those whose label or detail begins with it; fast for thousands.
const matching = (offers, typed) => {
  const first = [], later = [];
  for (const offer of offers) {
    const at = offer.folded.indexOf(typed);
    if (at === 0 || offer.folded[at - 1] === "\n") first.push(offer); else if (at > 0 && later.length < SHOWN) later.push(offer);
    if (first.length === SHOWN) break;
  }
  return [...first, ...later].slice(0, SHOWN);
};

const offered = (from, options) => (options.length ? { from, options, filter: false } : null);

const links = lists => context => {
  const typed = context.matchBefore(/!?\[\[[^\[\]|#\n]*$/);
  if (!typed) return null;
  const from = typed.from + typed.text.indexOf("[[") + 2;
  const closed = context.state.sliceDoc(context.pos, context.pos + 2) === "]]";
  const name = context.state.sliceDoc(from, context.pos).toLowerCase();
  return offered(from, matching(lists().notes, name).map(({ label, detail, link }) => ({
    label, detail,
    apply: (view, _, start, end) => view.dispatch({
      changes: { from: start, to: end + (closed ? 2 : 0), insert: `${link}]]` },
      selection: { anchor: start + link.length + 2 },
      userEvent: "input.complete",
    }),
  })));
};

// Enter in a link to a note that doesn't exist yet ends the link.
const endLink = view => {
  const { from, empty } = view.state.selection.main, line = view.state.doc.lineAt(from);
  const before = view.state.sliceDoc(line.from, from), after = view.state.sliceDoc(from, from + 2);
  if (!empty || after !== "]]" || !/\[\[[^\[\]]+$/.test(before)) return false;
  view.dispatch({ selection: { anchor: from + 2 } });
  return true;
};

const hashes = lists => context => {
  const typed = context.matchBefore(/(?:^|[\s(])#[\p{L}\p{M}\p{N}\p{Extended_Pictographic}\p{RI}\p{EMod}\u200d\ufe0f\u20e3_\/-]*$/u);
  if (!typed) return null;
  const from = typed.from + typed.text.indexOf("#") + 1;
  const word = context.state.sliceDoc(from, context.pos).toLowerCase();
  if (!word && !context.explicit && context.pos - context.state.doc.lineAt(context.pos).from === 1) return null;
  return offered(from, matching(lists().tags, word).map(({ label, detail }) => ({ label, detail })));
};

const slashes = (all, words) => context => {
  const typed = context.matchBefore(/^\s*\/[\p{L}]*$/u);
  if (!typed || inCode(context.state, context.pos)) return null;
  const from = typed.from + typed.text.indexOf("/"), name = typed.text.trim().slice(1).toLowerCase();
  const options = Object.keys(all).filter(one => [one, words()[one].toLowerCase()].some(each => each.startsWith(name)));
  return offered(from, options.map(one => ({
    label: words()[one], detail: all[one].keys ?? "",
    apply: (view, _, start, end) => {
      view.dispatch({ changes: { from: start, to: end }, userEvent: "input.complete" });
      all[one].run(view);
    },
  })));
};

// Whether Markdown syntax is hidden is stored in this browser, if it can store anything.
const MODE = "tessera-editor";
const SOURCE = "source";
const isLive = () => { try { return localStorage.getItem(MODE) !== SOURCE; } catch { return true; } };
const remember = mode => { try { localStorage.setItem(MODE, mode); } catch { /* the next editor starts as this one did */ } };

const bound = keys => keys.replace("Ctrl", "Mod").replaceAll("+", "-").replace(/.$/, letter => letter.toLowerCase());

/**
 * Open an editor in `parent` with the caret at offset `at`. `lists()` returns the completions `{notes, tags}`, each with `label`, `detail`
 * and `folded`, notes also with `link`. `on` contains `change()`, `blur()`, `save()`, `picture()`, and `address(path)`, which returns the
 * address of a picture in the note or "". `words` contains `label`, `hint`, `bar`, the names of the formats, `count` and `selected`
 * (`count.js`), and `phrases`, CodeMirror's texts. Return `{text(), at(), words(words), focus(), focused(), close()}`.
 */
export function edit(parent, { text, at, lists, on, words }) {
  const wording = new Compartment();
  const all = formats(on.picture);
  let said = words, mode = isLive() ? "live" : SOURCE;
  const worded = ({ label, hint, box }) => [
    bar({ ...all, live: preview }, said), counting(said), EditorState.phrases.of(said.phrases), placeholder(hint), EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "true" }),
    mode === SOURCE ? [] : live({ address: on.address, box }),
  ];
  const reword = view => view.dispatch({ effects: wording.reconfigure(worded(said)) });
  const preview = {
    icon: "visibility", keys: "Alt+P", isOn: () => mode !== SOURCE,
    run: view => {
      mode = mode === SOURCE ? "live" : SOURCE;
      remember(mode);
      reword(view);
      return true;
    },
  };
  const save = view => (view.composing ? false : (on.save(), true));
  const extensions = [
    Prec.high(keymap.of([
      { key: "Mod-Enter", run: save, preventDefault: true },
      { key: "Mod-s", run: save, preventDefault: true },
      { key: "Enter", run: endLink },
      { key: "Enter", run: endBlock },
      { key: "Enter", run: insertNewlineContinueMarkupCommand({ nonTightLists: false }) },  // an empty nested item moves out at once
      ...[...Object.values(all), preview].filter(({ keys }) => keys).map(({ keys, run }) => ({ key: bound(keys), run, preventDefault: true })),
      { key: "Alt-π", run: preview.run, preventDefault: true },  // what these keys type on a Mac
    ])),
    history(),
    drawSelection(),
    EditorState.allowMultipleSelections.of(true),
    EditorView.lineWrapping,
    indentUnit.of("    "),  // enough for nesting under every kind of list, including numbered ones
    EditorState.transactionFilter.of(straightFence),
    language,
    syntaxHighlighting(STYLE),
    closeBrackets(),
    autocompletion({ override: [links(lists), hashes(lists), slashes(all, () => said)], icons: false, activateOnTyping: true }),
    search({ top: true }),
    highlightSelectionMatches(),
    keymap.of([
      ...closeBracketsKeymap, ...completionKeymap, ...searchKeymap, ...defaultKeymap, ...historyKeymap,
      { key: "Tab", run: toCell(1), shift: toCell(-1) },
      { key: "Tab", run: whereIndented(indentMore), shift: whereIndented(indentLess) },
    ]),
    LOOK,
    beside,
    wording.of(worded(words)),
    EditorView.updateListener.of(update => update.docChanged && on.change()),
    EditorView.domEventHandlers({ blur: () => on.blur(), paste }),
  ];
  const view = new EditorView({ parent, root: parent.getRootNode(), doc: text, extensions });
  const anchor = Math.min(at, view.state.doc.length);
  view.dispatch({ selection: { anchor }, scrollIntoView: true });
  return {
    text: () => view.state.doc.toString(),
    at: () => view.state.selection.main.head,
    words: other => {
      said = other;
      reword(view);
    },
    focus: () => view.focus(),
    focused: () => view.hasFocus,
    close: () => view.destroy(),
  };
}

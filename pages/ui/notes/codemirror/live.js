// Live preview: on lines without the caret, Markdown syntax is replaced by what it means.
import { syntaxTree } from "@codemirror/language";
import { Prec, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, keymap, ViewPlugin } from "@codemirror/view";
import { Box, Label, Picture, pictureOf, Table } from "./drawn.js";

const MOST = 4000;          // decorations in view; the rest of a text that is full of syntax is shown as source
const LARGEST = 20_000;     // characters of a table to draw
const CALLOUT = /^[\s>]*>[ \t]*(\[!([\w-]{1,30})\][+-]?[ \t]*)(.*)$/;
const TONES = {
  good: "tip hint success check done", doubt: "warning caution attention question help faq",
  bad: "danger error bug failure fail missing", example: "example important", quote: "quote cite",
};
const toneOf = kind => Object.keys(TONES).find(tone => TONES[tone].split(" ").includes(kind.toLowerCase())) ?? "note";

const hidden = Decoration.replace({});
const lineOf = name => Decoration.line({ class: name });
const inPlace = widget => Decoration.replace({ widget });

// The decorations for the visible ranges of a text.
class Drawing {
  constructor(state, ranges, { address, box }) {
    Object.assign(this, { state, address, boxLabel: box, made: [], from: ranges[0].from, to: ranges.at(-1).to });
    for (const range of ranges) syntaxTree(state).iterate({ ...range, enter: node => this.enter(node) });
  }

  lineAt(at) { return this.state.doc.lineAt(at); }

  text(from, to) { return this.state.sliceDoc(from, to); }

  // Whether a caret or a selection is on the lines of a range.
  isOpen(from, to) {
    const first = this.lineAt(from).from, last = this.lineAt(to).to;
    return this.state.selection.ranges.some(one => one.from <= last && first <= one.to);
  }

  add(from, to, decoration) { this.made.push(decoration.range(from, to)); }

  // Replace a range within a line by `decoration`, unless the caret is on the line.
  replace(from, to, decoration = hidden) {
    if (from < to && to <= this.lineAt(from).to && !this.isOpen(from, to)) this.add(from, to, decoration);
  }

  // Hide a node's mark and the space after it.
  hideWithBlank({ from, to }) { this.replace(from, /[ \t]/.test(this.text(to, to + 1)) ? to + 1 : to); }

  // Give each visible line of a block a class, and the block's first and last lines another one.
  box(node, name) {
    for (let at = Math.max(node.from, this.from); at <= Math.min(node.to, this.to);) {
      const line = this.lineAt(at);
      const ends = [line.from <= node.from && "cm-first", node.to <= line.to && "cm-last"].filter(Boolean);
      this.add(line.from, line.from, lineOf([name, ...ends].join(" ")));
      at = line.to + 1;
    }
  }

  picture(node) {
    const shown = pictureOf({ slice: (from, to) => this.text(from, to) }, node), source = shown && this.address(shown.path);
    if (source) this.replace(node.from, node.to, inPlace(new Picture(source, shown.words, shown.width)));
    else this.link(node);
    return !source;
  }

  code(node) {
    this.box(node, "cm-code");
    const [first, last] = node.getChildren("CodeMark"), line = this.lineAt(node.from);
    if (!first || this.isOpen(node.from, node.to)) return;
    this.replace(first.from, line.to, inPlace(new Label(this.text(first.to, line.to).trim(), "cm-language")));
    if (last) this.replace(last.from, last.to);
  }

  quote(node) {
    if (node.parent.name === "Blockquote") return;
    const line = this.lineAt(node.from), [, sign, kind, title] = CALLOUT.exec(this.text(line.from, Math.min(line.to, line.from + MOST))) ?? [];
    this.box(node, kind ? `cm-callout cm-${toneOf(kind)}` : "cm-quote");
    if (!kind) return;
    this.add(line.from, line.from, lineOf("cm-callout-title"));
    const at = line.from + line.text.indexOf(sign);
    const name = kind[0].toUpperCase() + kind.slice(1).replaceAll("-", " ");
    this.replace(at, at + sign.length, title ? hidden : inPlace(new Label(name, "")));
  }

  table(node) {
    const first = this.lineAt(node.from), last = this.lineAt(node.to);
    const alone = node.parent.name === "Document" && first.from === node.from && node.to - node.from <= LARGEST;
    if (!alone || this.isOpen(node.from, node.to)) return;
    const widget = new Table(this.text(first.from, last.to), this.address, this.address(""));
    this.add(first.from, last.to, Decoration.replace({ widget, block: true }));
  }

  task(from, to, isDone) {
    this.replace(from, to, inPlace(new Box(isDone, this.boxLabel)));
    if (isDone) this.add(this.lineAt(from).from, this.lineAt(from).from, lineOf("cm-done"));
  }

  link(node) {
    const address = node.getChild("URL"), marks = node.getChildren("LinkMark");
    if (!address || marks.length < 3 || marks[0].to === marks[1].from) return;
    this.replace(marks[0].from, marks[0].to);
    this.replace(marks[1].from, node.to);
  }

  // Draw a node; return false if the nodes in it need no drawing.
  enter(node) {
    const { from, to, name } = node;
    if (this.made.length > MOST) return false;
    switch (name) {
      case "EmphasisMark": case "StrikethroughMark": case "HighlightMark": case "WikiMark":
        this.replace(from, to);
        break;
      case "HeaderMark": case "QuoteMark":
        this.hideWithBlank(node);
        break;
      case "Escape":
        this.replace(from, from + 1);
        break;
      case "InlineCode":
        this.add(from, to, Decoration.mark({ class: "cm-inline-code" }));
        for (const mark of node.node.getChildren("CodeMark")) this.replace(mark.from, mark.to);
        break;
      case "Autolink":
        for (const mark of node.node.getChildren("LinkMark")) this.replace(mark.from, mark.to);
        break;
      case "Link":
        this.link(node.node);
        break;
      case "Image": case "WikiLink":
        return this.picture(node.node);
      case "ListMark": {
        const item = node.node.parent;
        if (item.parent.name !== "BulletList") break;
        if (item.getChild("Task")) this.hideWithBlank(node);
        else this.replace(from, to, inPlace(new Label("•", "cm-bullet")));
        break;
      }
      case "TaskMarker":
        this.task(from, to, this.text(from, to) !== "[ ]");
        break;
      case "HorizontalRule":
        this.replace(from, to, inPlace(new Label("", "cm-rule")));
        break;
      case "FencedCode":
        this.code(node.node);
        break;
      case "Blockquote":
        this.quote(node.node);
        break;
      case "Table":
        this.table(node.node);
        return false;
    }
    return true;
  }
}

const redrawn = (state, ranges, before, sources) => {
  if (!ranges.length) return before;
  const { made, from, to } = new Drawing(state, ranges, sources);
  return before.update({
    add: made, sort: true, filter: () => false,
    filterFrom: Math.min(from, ...made.map(one => one.from)), filterTo: Math.max(to, ...made.map(one => one.to)),
  });
};

const look = StateEffect.define();   // the visible ranges
const press = StateEffect.define();  // whether a mouse button is down; meanwhile, nothing moves under the pointer

const field = sources => StateField.define({
  create: () => ({ ranges: [], isPressed: false, drawn: Decoration.none }),
  update({ ranges, isPressed, drawn }, change) {
    let stale = change.docChanged || syntaxTree(change.startState) !== syntaxTree(change.state);
    if (change.docChanged) {
      ranges = ranges.map(one => ({ from: change.changes.mapPos(one.from, -1), to: change.changes.mapPos(one.to, 1) }));
      drawn = drawn.map(change.changes);
    }
    for (const effect of change.effects) {
      if (effect.is(look)) ranges = effect.value;
      if (effect.is(press)) isPressed = effect.value;
      stale ||= effect.is(look) || effect.is(press);
    }
    if (stale || (change.selection && !isPressed)) drawn = redrawn(change.state, ranges, drawn, sources);
    return { ranges, isPressed, drawn };
  },
  provide: own => EditorView.decorations.from(own, value => value.drawn),
});

// Tells the field which ranges are visible; decorations change heights, which a plugin may not do itself.
class Sight {
  constructor(view) {
    this.view = view;
    this.tell();
  }

  tell() {
    queueMicrotask(() => {
      if (!this.isGone) this.view.dispatch({ effects: look.of(this.view.visibleRanges.map(({ from, to }) => ({ from, to }))) });
    });
  }

  update(update) { if (update.viewportChanged) this.tell(); }

  destroy() { this.isGone = true; }
}

const hold = view => {
  view.dispatch({ effects: press.of(true) });
  document.addEventListener("mouseup", () => view.dispatch({ effects: press.of(false) }), { once: true, capture: true });
};

// Move the caret up and down line by line, even into a widget of several lines.
const step = by => view => {
  const { doc, selection: { main } } = view.state, own = doc.lineAt(main.head), number = own.number + by;
  if (!main.empty || number < 1 || number > doc.lines) return false;
  const line = doc.line(number), next = view.moveVertically(main, by > 0).head;
  if (view.lineBlockAt(line.from).length === line.length || (own.from <= next && next <= own.to && next !== main.head)) return false;
  view.dispatch({ selection: { anchor: line.from }, scrollIntoView: true, userEvent: "select" });
  return true;
};

const FOLLOWED = /^(?:https?:\/\/|mailto:)/i;

// Ctrl and a click open a web link, as a click does in the rendered text.
const follow = (event, view) => {
  if (!(event.ctrlKey || event.metaKey)) return false;
  const at = view.posAtCoords({ x: event.clientX, y: event.clientY });
  let node = at === null ? null : syntaxTree(view.state).resolveInner(at, 1);
  while (node && !/^(?:Link|Autolink|URL)$/.test(node.name)) node = node.parent;
  const url = node && (node.name === "URL" ? node : node.getChild("URL")), address = url ? view.state.sliceDoc(url.from, url.to) : "";
  if (!FOLLOWED.test(address)) return false;
  open(address, "_blank", "noopener,noreferrer");
  return true;
};

const soft = "color-mix(in srgb, currentColor 7%, transparent)";
const BLOCK = { padding: "0 1rem", backgroundColor: soft };

const LOOK = EditorView.theme({
  ".cm-bullet": { color: "var(--st-primary-color)", fontWeight: "700" },
  ".cm-box": { accentColor: "var(--st-primary-color)", cursor: "pointer", margin: "0 .3em 0 0", verticalAlign: "-.1em" },
  ".cm-rule": { display: "inline-block", width: "100%", borderTop: "1px solid var(--st-border-color)", verticalAlign: "middle" },
  ".cm-picture img": { maxWidth: "100%", maxHeight: "26rem", borderRadius: ".3rem", verticalAlign: "bottom" },
  ".cm-lost": { opacity: ".7", borderBottom: "1px dotted currentColor" },
  ".cm-link": { color: "var(--st-link-color)" },
  ".cm-inline-code, .cm-table code": { backgroundColor: soft, borderRadius: ".25rem", padding: ".1em .25em", fontFamily: "var(--st-code-font)" },
  ".cm-line.cm-code": { ...BLOCK, fontFamily: "var(--st-code-font)", fontSize: ".93em" },
  ".cm-code .cm-language": { float: "right", fontSize: ".8em", opacity: ".7" },
  ".cm-line.cm-quote": { paddingLeft: "1rem", borderLeft: "3px solid var(--st-border-color)" },
  ".cm-line.cm-done": { opacity: ".7" },
  ".cm-line.cm-callout": {
    "--tone": "#5b82c2", "--sign": "'✎'", ...BLOCK, backgroundColor: "color-mix(in srgb, var(--tone) 12%, transparent)", borderLeft: "4px solid var(--tone)",
  },
  ".cm-line.cm-callout.cm-good": { "--tone": "#0f8a80", "--sign": "'✓'" },
  ".cm-line.cm-callout.cm-doubt": { "--tone": "#d39a2e", "--sign": "'⚠\\FE0E'" },
  ".cm-line.cm-callout.cm-bad": { "--tone": "#c5483c", "--sign": "'✕'" },
  ".cm-line.cm-callout.cm-example": { "--tone": "#9069ad", "--sign": "'☰'" },
  ".cm-line.cm-callout-title::before": { content: "var(--sign)", marginRight: ".45em", fontWeight: "400" },
  ".cm-line.cm-callout-title": { fontWeight: "650", color: "color-mix(in srgb, var(--tone) 75%, currentColor)" },
  ".cm-line.cm-first": { paddingTop: ".4rem", borderTopLeftRadius: ".4rem", borderTopRightRadius: ".4rem" },
  ".cm-line.cm-last": { paddingBottom: ".4rem", borderBottomLeftRadius: ".4rem", borderBottomRightRadius: ".4rem" },
  ".cm-table": { overflowX: "auto", padding: ".3rem 0", cursor: "text" },
  ".cm-table table": { borderCollapse: "collapse", fontSize: ".95em" },
  ".cm-table :is(th, td)": { border: "1px solid var(--st-border-color)", padding: ".3em .7em", minWidth: "3em", height: "1.65em", textAlign: "left" },
  ".cm-table th": { backgroundColor: soft, fontWeight: "600" },
  ".cm-table img": { maxWidth: "12rem" },
});

/** Live preview; `address(path)` returns the address of a picture in the note's folder, `box` is the label of a checkbox. */
export const live = sources => [
  field(sources),
  ViewPlugin.fromClass(Sight),
  EditorView.domEventHandlers({
    mousedown: (event, view) => {
      hold(view);
      return follow(event, view);
    },
  }),
  Prec.high(keymap.of([{ key: "ArrowDown", run: step(1) }, { key: "ArrowUp", run: step(-1) }])),
  LOOK,
];

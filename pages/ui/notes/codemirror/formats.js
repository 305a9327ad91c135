// What the bar, the keys and `/` at the start of a line do to the text.
import { syntaxTree } from "@codemirror/language";
import { EditorSelection } from "@codemirror/state";
import { toggleMark } from "./marks.js";

const TABLE = "|  |  |\n| --- | --- |\n|  |  |";
const FENCE = "```";

// The selection without the spaces at its ends, which Markdown can't format; without a selection, the word at the caret.
const marked = (state, range) => {
  const { from, to } = range.empty ? state.wordAt(range.head) ?? range : range;
  const text = state.sliceDoc(from, to), inner = text.trim();
  const first = inner ? from + text.indexOf(inner) : from;
  return { from: first, to: first + inner.length };
};

const linesOf = ({ doc, selection: { main } }) => {
  const lines = [];
  for (let at = main.from; at <= main.to;) {
    const line = doc.lineAt(at);
    lines.push(line);
    at = line.to + 1;
  }
  return lines;
};

const LEAD = /^(\s*)(#{1,6} |[-*+] \[[ xX]\] |[-*+] |\d+[.)] |> )?/;

// Replace the beginning of each line by what `next` returns for it; among several lines, empty ones stay empty.
const lead = next => view => {
  const { state } = view, lines = linesOf(state);
  const filled = lines.length > 1 ? lines.filter(line => line.text.trim()) : lines;
  const leads = filled.map(line => LEAD.exec(line.text));
  const insert = next(leads.map(([, , own = ""]) => own));
  const changes = filled.map((line, number) => {
    const [, indent, own = ""] = leads[number], from = line.from + indent.length;
    return { from, to: from + own.length, insert };
  });
  const set = state.changes(changes);
  view.dispatch({ changes: set, selection: state.selection.map(set, 1), userEvent: "input", scrollIntoView: true });
  return true;
};

const toggle = mark => lead(owns => (owns.every(own => own === mark) ? "" : mark));
const box = lead(owns => (owns.every(own => /\[/.test(own)) ? "" : "- [ ] "));
const heading = lead(([own]) => ({ "# ": "## ", "## ": "### ", "### ": "" })[own] ?? "# ");

// Replace a range by a block on separate lines, with the caret at offset `at` in the block.
const block = (view, text, at, range) => {
  const { state } = view, first = state.doc.lineAt(range.from), last = state.doc.lineAt(range.to);
  const isInLine = state.sliceDoc(first.from, range.from).trim();
  const above = first.number > 1 ? state.doc.line(first.number - 1).text : "";
  const before = isInLine ? "\n\n" : above.trim() ? "\n" : "";
  const next = last.number < state.doc.lines ? state.doc.line(last.number + 1).text : "";
  const after = state.sliceDoc(range.to, last.to).trim() ? "\n\n" : next.trim() ? "\n" : "";
  const from = isInLine ? range.from : first.from;
  view.dispatch({
    changes: { from, to: range.to, insert: before + text + after },
    selection: { anchor: from + before.length + at }, userEvent: "input", scrollIntoView: true,
  });
  return true;
};

const code = view => {
  const { state } = view, range = state.selection.main, text = state.sliceDoc(range.from, range.to);
  const alone = !state.doc.lineAt(range.head).text.trim();
  if (!text.includes("\n") && !alone) return toggleMark("`")(view);
  return block(view, `${FENCE}\n${text}\n${FENCE}`, FENCE.length, range);
};

const ADDRESS = /^(?:https?:\/\/|mailto:)\S+$/;

const link = view => {
  const { state } = view;
  view.dispatch(state.update(state.changeByRange(range => {
    const { from, to } = marked(state, range), text = state.sliceDoc(from, to), isAddress = ADDRESS.test(text);
    const insert = isAddress ? `[](${text})` : `[${text}]()`;
    return { changes: { from, to, insert }, range: EditorSelection.cursor(from + (isAddress || !text ? 1 : text.length + 3)) };
  }), { userEvent: "input", scrollIntoView: true }));
  return true;
};

/** The formats by name, in the order of the bar: the icon, the keys, and the command. `picture` asks for files. */
export const formats = picture => ({
  heading: { icon: "title", run: heading },
  bold: { icon: "format_bold", keys: "Ctrl+B", run: toggleMark("**") },
  italic: { icon: "format_italic", keys: "Ctrl+I", run: toggleMark("*") },
  list: { icon: "format_list_bulleted", run: toggle("- ") },
  box: { icon: "check_box", run: box },
  quote: { icon: "format_quote", run: toggle("> ") },
  code: { icon: "code", keys: "Ctrl+E", run: code },
  link: { icon: "link", keys: "Ctrl+K", run: link },
  table: { icon: "table", run: view => block(view, TABLE, 2, EditorSelection.cursor(view.state.selection.main.to)) },
  picture: { icon: "image", run: () => (picture(), true) },
});

/** The innermost node of a kind around a place, or null. */
export const around = (state, at, name) => {
  let node = syntaxTree(state).resolveInner(at, -1);
  while (node && !name.test(node.name)) node = node.parent;
  return node;
};

/** Whether a place is in code. */
export const inCode = (state, at) => Boolean(around(state, at, /^(?:FencedCode|CodeBlock|InlineCode)$/));

const LIST = /^\s*(?:[-+*]|\d+[.)])\s/;

/** A command for lists and code only; elsewhere, Tab moves on, because keyboard users must be able to leave the editor. */
export const whereIndented = command => view => {
  const { state } = view, { head } = state.selection.main, line = state.doc.lineAt(head);
  const code = around(state, head, /^(?:FencedCode|CodeBlock)$/);
  return (LIST.test(line.text) || Boolean(code && line.from > code.from)) && command(view);
};

// An empty line of a quote, and an empty item of a list that isn't nested.
const EMPTY = /^(?:(?<quote>[\s>]*)>|(?<list>(?:> ?)*)(?:[-+*]|\d+[.)])\s(?:\[[ xX]\]\s)?)\s*$/;

/** Enter on an empty line of a quote or an empty item of a list ends it; the line between keeps what follows out of it. */
export const endBlock = view => {
  const { state } = view, { main: { head, empty }, ranges } = state.selection, line = state.doc.lineAt(head);
  const { quote, list } = EMPTY.exec(line.text)?.groups ?? {}, outer = quote ?? list;
  if (outer === undefined || !empty || ranges.length > 1 || head < line.to || inCode(state, head)) return false;
  const follows = line.number > 1 && /[^\s>]/.test(state.doc.line(line.number - 1).text);
  const insert = follows ? `${outer.trimEnd()}\n${outer}` : outer;
  view.dispatch({ changes: { from: line.from, to: line.to, insert }, selection: { anchor: line.from + insert.length }, scrollIntoView: true, userEvent: "input" });
  return true;
};

// The indent of a fence: that of the fence that it closes, else that of the text of its list item.
const columns = (state, at) => {
  const code = around(state, at, /^FencedCode$/), item = around(state, at, /^ListItem$/);
  const before = node => state.sliceDoc(state.doc.lineAt(node.from).from, node.from);
  if (code) return before(code);
  return item ? " ".repeat(before(item).length + /^\S+\s?/.exec(state.sliceDoc(item.from))[0].length) : "";
};

/** A typed fence doesn't take the indent of the line before, which would turn it into code or leave the block unclosed. */
export const straightFence = change => {
  if (!change.docChanged || !change.isUserEvent("input.type")) return change;
  const { head } = change.newSelection.main, line = change.newDoc.lineAt(head);
  const indent = /^(\s+)(?:`{3}|~{3})$/.exec(line.text.slice(0, head - line.from))?.[1];
  if (!indent) return change;
  const insert = columns(change.startState, change.startState.doc.lineAt(change.startState.selection.main.head).from);
  return [change, { changes: { from: line.from, to: line.from + indent.length, insert }, sequential: true }];
};

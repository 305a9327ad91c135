// Toggle bold, italic and code as a word processor does, whatever formatting is there already.
import { ensureSyntaxTree, syntaxTree } from "@codemirror/language";
import { ChangeSet, EditorSelection } from "@codemirror/state";

const KINDS = { StrongEmphasis: "**", Emphasis: "*", InlineCode: "`" };
const WITHIN = /^(?:Link|Strikethrough)$/;
const WHOLE = /^(?:Image|WikiLink|URL|Autolink|HTMLTag)$/;
const BLOCKS = /^(?:FencedCode|CodeBlock)$/;
const LEAD = /^\s*(?:(?:>|[-*+](?: \[[ xX]\])?|\d+[.)]|#{1,6})\s+)*/;
const PATIENCE = 50;
const MOST = 20_000;

const tree = (state, to) => ensureSyntaxTree(state, to, PATIENCE) ?? syntaxTree(state);

const isAround = (node, { from, to }) => node.from <= from && to <= node.to;

// The formatted parts of a range, its letters (a link counts as one), and the part of a link or a deletion around the range.
const parsed = (state, region, range) => {
  const marked = [], letters = [], borders = [];
  let within = null, inBlock = false;
  tree(state, region.to).iterate({ ...region, enter: ({ name, node }) => {
    const marks = node.getChildren({ InlineCode: "CodeMark", Link: "LinkMark", Strikethrough: "StrikethroughMark" }[name] ?? "EmphasisMark");
    if (name === "TableDelimiter") borders.push(node);
    if (BLOCKS.test(name) && isAround(node, range)) inBlock = true;
    if (WITHIN.test(name) && marks.length > 1) {
      const inner = { from: marks[0].to, to: marks[1].from };
      if (isAround(inner, range)) within = inner;
      else if (!isAround(node, range)) return letters.push(node), false;
    }
    if (WHOLE.test(name)) return letters.push(node), false;
    if (name in KINDS && marks.length > 1) {
      const [first, last] = [marks[0], marks.at(-1)], mark = state.sliceDoc(first.from, first.to);
      if (name === "InlineCode" && mark !== "`") return letters.push(node), false;
      marked.push({ kind: KINDS[name], mark, from: node.from, to: node.to, first: first.to, last: last.from });
    }
    return true;
  } });
  return { marked, letters, borders, within, inBlock };
};

// The letters of a range within a line, without syntax, each with its position and its formats.
const lettersOf = (state, from, to, { marked, letters }, range) => {
  const made = [];
  for (let at = from; at < to;) {
    const pair = marked.find(one => (one.from <= at && at < one.first) || (one.last <= at && at < one.to));
    if (pair) {
      at = at < pair.first ? pair.first : pair.to;
      continue;
    }
    const end = Math.min(to, letters.find(one => one.from === at)?.to ?? at + 1), text = state.sliceDoc(at, end);
    const marks = new Map(marked.filter(one => one.first <= at && at < one.last).map(one => [one.kind, one.mark]));
    made.push({ at, end, text, marks, isBlank: !text.trim(), isChosen: range.from < end && at < range.to });
    at = end;
  }
  return made;
};

// Write letters as Markdown: marks open and close next to letters, never next to spaces, and the longest are outermost.
const written = letters => {
  const shown = letters.filter(letter => !letter.isBlank), places = new Map(), open = [];
  const lasts = (kind, number) => {
    let end = number;
    while (shown[end]?.marks.has(kind)) end++;
    return kind === "`" ? -1 : end;
  };
  let text = "", number = 0;
  const close = kept => {
    for (const [, mark] of open.splice(kept).toReversed()) text += mark;
  };
  let blanks = "";
  for (const letter of letters) {
    if (letter.isBlank) {
      blanks += letter.text;
      continue;
    }
    const gone = open.findIndex(([kind, mark]) => letter.marks.get(kind) !== mark), code = open.findIndex(([kind]) => kind === "`");
    const missing = kept => [...letter.marks].filter(([kind]) => !open.slice(0, kept).some(([own]) => own === kind));
    let kept = gone < 0 ? open.length : gone;
    if (code >= 0 && missing(kept).length) kept = Math.min(kept, code);  // no other mark opens within code
    const anew = missing(kept);
    close(kept);
    text += blanks;
    blanks = "";
    for (const pair of anew.toSorted(([a], [b]) => lasts(b, number) - lasts(a, number))) {
      open.push(pair);
      text += pair[1];
    }
    places.set(letter.at, text.length);
    text += letter.text;
    number++;
  }
  close(0);
  return { text: text + blanks, places };
};

// The smallest change that turns one text into another, without their common beginning and end, so other carets stay in place.
const shortest = (before, insert, at) => {
  let same = 0, end = 0;
  const most = Math.min(before.length, insert.length);
  while (same < most && before[same] === insert[same]) same++;
  while (end < most - same && before.at(-1 - end) === insert.at(-1 - end)) end++;
  return { from: at + same, to: at + before.length - end, insert: insert.slice(same, insert.length - end) };
};

// The changes that toggle a format on a range of the text, and the new range.
const toggled = (state, range, mark) => {
  const { doc } = state, { from, to } = range.empty ? state.wordAt(range.head) ?? range : range;
  const lines = { from: doc.lineAt(from).from, to: doc.lineAt(to).to };
  const found = parsed(state, lines, { from, to });
  const same = { changes: [], range };
  if (found.inBlock || to - from > MOST) return same;
  const out = range.empty && leaving(state, range.head, mark, found.marked);
  if (out) return out;
  const whole = found.marked.reduce((all, one) => ({ from: Math.min(all.from, one.from), to: Math.max(all.to, one.to) }), lines);
  const region = found.within ?? { from: doc.lineAt(whole.from).from, to: doc.lineAt(whole.to).to };
  if (region.to - region.from > MOST) return same;
  const content = found.within || (region.from === lines.from && region.to === lines.to) ? found : parsed(state, region, { from, to });
  const parts = [];
  for (let at = region.from; at <= region.to;) {
    const line = doc.lineAt(at), first = Math.max(at, line.from + LEAD.exec(line.text)[0].length), last = Math.min(line.to, region.to);
    const borders = content.borders.filter(one => first <= one.from && one.to <= last);
    [first, ...borders.map(one => one.to)].forEach((begin, number) => {
      const end = borders[number]?.from ?? last;
      parts.push({ from: begin, to: end, letters: lettersOf(state, begin, end, content, { from, to }) });
    });
    at = line.to + 1;
  }
  const chosen = parts.flatMap(part => part.letters).filter(letter => letter.isChosen && !letter.isBlank);
  if (!chosen.length && from < to) return same;
  if (!chosen.length) {
    const size = mark.length;
    return { changes: [{ from, insert: mark + mark }], range: EditorSelection.cursor(from + size) };
  }
  const off = chosen.every(letter => letter.marks.has(mark));
  for (const letter of chosen) off ? letter.marks.delete(mark) : letter.marks.set(mark, mark);
  // A part that is formatted with another sign gets ours as a whole, because the other sign doesn't work within a word.
  for (const one of content.marked.filter(one => one.kind === mark && one.first < to && from < one.last)) {
    for (const letter of parts.flatMap(part => part.letters)) {
      if (one.first <= letter.at && letter.at < one.last && letter.marks.has(mark)) letter.marks.set(mark, mark);
    }
  }
  const places = new Map(), changes = [];
  let by = 0;
  for (const part of parts) {
    const made = written(part.letters);
    for (const [at, place] of made.places) places.set(at, part.from + by + place);
    changes.push(shortest(state.sliceDoc(part.from, part.to), made.text, part.from));
    by += made.text.length - (part.to - part.from);
  }
  const first = places.get(chosen[0].at), ending = chosen.at(-1), last = places.get(ending.at) + ending.text.length;
  if (!range.empty) return { changes, range: range.anchor < range.head ? EditorSelection.range(first, last) : EditorSelection.range(last, first) };
  return { changes, range: EditorSelection.cursor(caretAfter(chosen, places, range.head)) };
};

const caretAfter = (chosen, places, head) => {
  const before = chosen.findLast(letter => letter.at < head);
  return before ? places.get(before.at) + Math.min(before.text.length, head - before.at) : places.get(chosen[0].at);
};

// Without a selection: remove an empty pair of marks, or move the caret out at the end of the formatted text.
const leaving = (state, at, mark, marked) => {
  const { doc } = state, line = doc.lineAt(at), size = mark.length, sign = mark[0];
  const before = doc.sliceString(line.from, at), after = doc.sliceString(at, line.to);
  const signs = text => text.length - text.replace(new RegExp(`^\\${sign}+`), "").length;
  const count = signs([...before].toReversed().join(""));
  if (count && count === signs(after) && (mark === "*" ? count % 2 : count >= size)) {
    return { changes: [{ from: at - size, to: at }, { from: at, to: at + size }], range: EditorSelection.cursor(at - size) };
  }
  const ended = marked.find(one => one.kind === mark && one.last === at);
  if (ended) return { changes: [], range: EditorSelection.cursor(ended.to) };
  const blanks = /\s*$/.exec(before)[0].length, opened = before.lastIndexOf(mark);
  if (blanks && after.startsWith(mark) && opened >= 0 && before.slice(opened + size).trim()) {
    return { changes: [{ from: at - blanks, insert: mark }, { from: at, to: at + size }], range: EditorSelection.cursor(at + size) };
  }
  return null;
};

/** A command that formats the selection, or removes the format if all of it has it. */
export const toggleMark = mark => view => {
  let { state } = view, { ranges } = state.selection, all = ChangeSet.empty(state.doc.length);
  const { mainIndex } = state.selection;
  for (const number of ranges.keys()) {
    const { changes, range } = toggled(state, ranges[number], mark), set = state.changes(changes);
    ranges = ranges.map((other, at) => (at === number ? range : other.map(set)));
    state = state.update({ changes: set }).state;
    all = all.compose(set);
  }
  view.dispatch({ changes: all, selection: EditorSelection.create(ranges, mainIndex), userEvent: "input", scrollIntoView: true });
  return true;
};

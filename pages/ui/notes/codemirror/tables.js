// Tab in a table goes from cell to cell.
import { around } from "./formats.js";

const isBlank = text => !text.trim();

// The cells of a row, each with the range between its bars; what is before the first bar and after the last one only if it has text.
const cellsOf = (state, row) => {
  const bars = row.getChildren("TableDelimiter"), last = bars.length;
  const cells = [{ to: row.from }, ...bars].map(({ to }, number) => ({ from: to, to: bars[number]?.from ?? row.to }));
  return cells.filter(({ from, to }, number) => (number && number < last) || !isBlank(state.sliceDoc(from, to)));
};

// The place at the end of a cell's text; in an empty cell, after its first space.
const placeIn = (state, { from, to }) => {
  const text = state.sliceDoc(from, to);
  return from + (isBlank(text) ? Math.min(text.length, 1) : text.trimEnd().length);
};

/** A command that moves the caret to the next cell of a table, or to the previous one; after the last cell, it adds a row. */
export const toCell = by => view => {
  const { state } = view, { head } = state.selection.main;
  const table = around(state, state.doc.lineAt(head).to, /^Table$/);
  if (!table) return false;
  const rows = [...table.getChildren("TableHeader"), ...table.getChildren("TableRow")].map(row => cellsOf(state, row));
  const cells = rows.flat(), cell = by > 0 ? cells.find(({ from }) => from > head) : cells.findLast(({ to }) => to < head);
  if (cell) view.dispatch({ selection: { anchor: placeIn(state, cell) }, scrollIntoView: true, userEvent: "select" });
  else if (by > 0) {
    const { from } = table.lastChild, line = state.doc.lineAt(from), before = `\n${state.sliceDoc(line.from, from)}|`;
    view.dispatch({
      changes: { from: line.to, insert: before + "  |".repeat(rows[0].length) },
      selection: { anchor: line.to + before.length + 1 }, scrollIntoView: true, userEvent: "input",
    });
  }
  return true;
};

// The number of words in the text and in the selection, shown below the text. A Chinese or Japanese character is a word.
import { showPanel } from "@codemirror/view";

const PAUSE = 300;  // milliseconds, because counting a long text at each keystroke is slow
const SIGN = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]`;
const LETTER = String.raw`(?!${SIGN})[\p{L}\p{M}\p{N}]`;
const WORD = new RegExp(`${SIGN}|${LETTER}(?:['’-]?${LETTER})*`, "gu");

const count = (doc, from, to) => {
  let words = 0;
  for (const text of doc.iterRange(from, to)) words += text.match(WORD)?.length ?? 0;
  return words;
};

/** The line below the text; `words` contains its two forms, `count` with `{n}` and `selected` with `{n}` and `{chosen}`. */
export const counting = words => showPanel.of(view => {
  const dom = Object.assign(document.createElement("div"), { className: "cm-count" });
  let timer = 0, all = 0, isStale = true;
  const show = () => {
    const { doc, selection } = view.state;
    if (isStale) all = count(doc, 0, doc.length);
    isStale = false;
    const chosen = selection.ranges.reduce((sum, { from, to }) => sum + count(doc, from, to), 0);
    dom.textContent = (chosen ? words.selected : words.count)
      .replace("{n}", all.toLocaleString()).replace("{chosen}", chosen.toLocaleString());
  };
  show();
  const update = change => {
    if (!change.docChanged && !change.selectionSet) return;
    isStale ||= change.docChanged;
    clearTimeout(timer);
    timer = setTimeout(show, PAUSE);
  };
  return { dom, update, destroy: () => clearTimeout(timer) };
});

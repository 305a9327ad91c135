// Markdown as in notes: GitHub's, with links between notes and highlights.
import { markdown, markdownLanguage } from "@codemirror/lang-markdown";
import { Tag, tags } from "@lezer/highlight";

/** The style of a highlight. */
export const highlight = Tag.define();

const LONGEST = 1000;
const LINK = /^!?\[\[(?:[^[\]|\n]*\\?\|)?(?=[^[\]|\n]*\S)[^[\]|\n]+\]\]/;

const parseLink = (context, _, at) => {
  const found = LINK.exec(context.slice(at, Math.min(context.end, at + LONGEST)))?.[0];
  if (!found) return -1;
  const words = found.indexOf("|") < 0 ? found.indexOf("[[") + 2 : found.indexOf("|") + 1, end = at + found.length;
  const marks = [context.elt("WikiMark", at, at + words), context.elt("WikiMark", end - 2, end)];
  return context.addElement(context.elt("WikiLink", at, end, marks));
};

const EQUALS = "=".charCodeAt(0);
const PAIR = { resolve: "Highlight", mark: "HighlightMark" };

const parseHighlight = (context, sign, at) => {
  if (sign !== EQUALS || context.char(at + 1) !== EQUALS || context.char(at + 2) === EQUALS) return -1;
  const before = context.slice(Math.max(context.offset, at - 1), at), after = context.slice(at + 2, Math.min(context.end, at + 3));
  return context.addDelimiter(PAIR, at, at + 2, /\S/.test(after), /\S/.test(before));
};

/** The language of the editor. */
export const language = markdown({
  base: markdownLanguage,
  completeHTMLTags: false,
  extensions: [{
    defineNodes: [
      { name: "WikiLink", style: tags.link }, { name: "WikiMark", style: tags.processingInstruction },
      { name: "Highlight", style: { "Highlight/...": highlight } }, { name: "HighlightMark", style: tags.processingInstruction },
    ],
    parseInline: [
      { name: "WikiLink", parse: parseLink, before: "Link" },
      { name: "Highlight", parse: parseHighlight, after: "Emphasis" },
    ],
  }],
});

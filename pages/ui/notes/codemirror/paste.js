// What is pasted becomes Markdown: a table of a spreadsheet, and what another page or program formatted.
import { gfm } from "@joplin/turndown-plugin-gfm";
import Turndown from "turndown";
import { inCode } from "./formats.js";

const FORMATTED = "a[href], h1, h2, h3, h4, h5, h6, ul, ol, table, b, strong, i, em, blockquote, pre, code, del, s, img[src]";

const markdown = new Turndown({
  headingStyle: "atx", bulletListMarker: "-", codeBlockStyle: "fenced", emDelimiter: "*", hr: "---",
});
markdown.use(gfm);
markdown.remove(["script", "style", "title", "noscript"]);
// Google Docs wraps what it copies into a <b> that isn't bold; a picture that the text holds itself would be a page of letters.
markdown.addRule("plain", {
  filter: node => node.matches("b, strong, i, em") && /font-(?:weight|style):\s*(?:normal|400)/.test(node.getAttribute("style")),
  replacement: content => content,
});
markdown.addRule("inline", {
  filter: node => node.nodeName === "IMG" && !/^https?:/.test(node.getAttribute("src")),
  replacement: (_, node) => node.getAttribute("alt") ?? "",
});

const cell = text => text.trim().replace(/^"([^]*)"$/, "$1").replaceAll('""', '"').replaceAll("|", "\\|");

// The table of lines that have one number of tabs, at least one; else nothing.
const table = text => {
  const rows = text.replace(/\r\n?/g, "\n").replace(/\n$/, "").split("\n").map(line => line.split("\t"));
  const [{ length }] = rows;
  if (rows.length < 2 || length < 2 || rows.some(row => row.length !== length)) return "";
  const lines = rows.map(row => `| ${row.map(cell).join(" | ")} |`);
  return [lines[0], `|${" --- |".repeat(length)}`, ...lines.slice(1), ""].join("\n");
};

const formatted = html => {
  const page = new DOMParser().parseFromString(html, "text/html");
  return page.body.querySelector(FORMATTED) ? markdown.turndown(html).replaceAll(/^(\s*(?:-|\d+\.)) {2,3}/gm, "$1 ") : "";
};

/** Handle the event of a paste: in code, and where nothing was formatted, the text is pasted as it is. */
export const paste = (event, view) => {
  const { state } = view, { from, to } = state.selection.main;
  const given = event.clipboardData, text = given?.getData("text/plain") ?? "";
  if (!given || inCode(state, from)) return false;
  const made = table(text) || formatted(given.getData("text/html"));
  if (!made || made === text) return false;
  const parts = made.includes("\n") && state.sliceDoc(state.doc.lineAt(from).from, from).trim() ? `\n\n${made}` : made;
  event.preventDefault();
  view.dispatch({
    changes: { from, to, insert: parts }, selection: { anchor: from + parts.length },
    userEvent: "input.paste", scrollIntoView: true,
  });
  return true;
};

// Convert pasted content to Markdown: tables from spreadsheets, and formatted text from web pages and programs.
import { gfm } from "@joplin/turndown-plugin-gfm";
import Turndown from "turndown";
import { inCode } from "./formats.js";

const FORMATTED = "a[href], h1, h2, h3, h4, h5, h6, ul, ol, table, b, strong, i, em, blockquote, pre, code, del, s, img[src]";

const markdown = new Turndown({
  headingStyle: "atx", bulletListMarker: "-", codeBlockStyle: "fenced", emDelimiter: "*", hr: "---",
});
markdown.use(gfm);
markdown.remove(["script", "style", "title", "noscript"]);
// Google Docs wraps copied text in a <b> that isn't bold; an embedded picture would become a page of letters.
markdown.addRule("plain", {
  filter: node => node.matches("b, strong, i, em") && /font-(?:weight|style):\s*(?:normal|400)/.test(node.getAttribute("style")),
  replacement: content => content,
});
markdown.addRule("inline", {
  filter: node => node.nodeName === "IMG" && !/^https?:/.test(node.getAttribute("src")),
  replacement: (_, node) => node.getAttribute("alt") ?? "",
});
// Addresses that run a script, contain data, or point into the copied page are dropped.
markdown.addRule("nowhere", {
  filter: node => node.matches("a[href]")
    && (/^(?:javascript|vbscript|data|blob):$/.test(node.protocol) || node.getAttribute("href").startsWith("#")),
  replacement: content => content,
});
markdown.addRule("item", {
  filter: "li",
  replacement: (content, node) => {
    const sign = node.parentNode.nodeName === "OL" ? `${node.value}. ` : "- ", indent = " ".repeat(Math.max(4, sign.length));
    return `${sign}${content.trim().replaceAll(/\n(?=[^\n])/g, `\n${indent}`)}${node.nextSibling ? "\n" : ""}`;
  },
});

const cell = text => text.trim().replaceAll("|", "\\|").replaceAll("\n", "<br>");

// A cell that contains a tab, a quote or a line end is in quotes, and quotes in it are doubled.
const CELL = /(?:"((?:[^"]|"")*)"(?=[\t\n]|$)|([^\t\n]*))([\t\n]|$)/g;

const rowsOf = text => {
  const rows = [[]];
  for (const [, quoted, plain, end] of text.replaceAll(/\r\n?/g, "\n").replace(/\n$/, "").matchAll(CELL)) {
    rows.at(-1).push(quoted?.replaceAll('""', '"') ?? plain);
    if (!end) break;
    if (end === "\n") rows.push([]);
  }
  return rows;
};

// The table of lines with equal numbers of tabs, at least one; else "". If all lines begin with a tab, they are indented text.
const table = text => {
  const rows = rowsOf(text), [{ length }] = rows;
  const isTable = rows.length > 1 && length > 1 && rows.every(row => row.length === length) && rows.some(([first]) => first.trim());
  if (!isTable) return "";
  const lines = rows.map(row => `| ${row.map(cell).join(" | ")} |`);
  return [lines[0], `|${" --- |".repeat(length)}`, ...lines.slice(1), ""].join("\n");
};

const asDiv = element => {
  const made = element.ownerDocument.createElement("div");
  made.append(...element.childNodes);
  return made;
};

// A character that no text contains, put between the pipes of a cell, because several pipes in a row would become one.
const SPLIT = "\uFDD0";

const splitPipes = page => {
  const texts = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { currentNode } = texts;
    if (currentNode.data.includes("||") && currentNode.parentElement.closest("td, th")) {
      currentNode.data = currentNode.data.replaceAll(/\|(?=\|)/g, `|${SPLIT}`);
    }
  }
};

// Simplify what Markdown can't express: tables used for layout, blocks in cells, and lists directly in lists.
const simplify = page => {
  for (const placed of page.querySelectorAll("table")) {
    const cells = [...placed.rows].flatMap(row => [...row.cells]);
    if (cells.length < 2 || placed.querySelector("table")) placed.replaceWith(...cells.map(asDiv));
  }
  for (const block of page.querySelectorAll("table :is(ul, ol, h1, h2, h3, h4, h5, h6, hr, blockquote, pre)")) {
    block.replaceWith(asDiv(block));
  }
  for (const list of page.querySelectorAll(":is(ul, ol) > li + :is(ul, ol)")) list.previousElementSibling.append(list);
  for (const list of page.querySelectorAll("ol")) {
    for (const [at, item] of [...list.children].entries()) item.setAttribute("value", list.start + at);
  }
};

const formatted = html => {
  const page = new DOMParser().parseFromString(html, "text/html");
  if (!page.body.querySelector(FORMATTED)) return "";
  simplify(page);
  splitPipes(page);
  return markdown.turndown(page.body).replaceAll(SPLIT, "");
};

// A block that ends with a table, code or a rule. What is typed next begins two lines below it, or it would become a part of it.
const ENDED = /(?:^|\n)(?:\|[^\n]*|`{3,}|---)\n?$/;

/** Handle a paste event; in code, or without formatting, the text is pasted unchanged. */
export const paste = (event, view) => {
  const { state } = view, { from, to } = state.selection.main;
  const given = event.clipboardData, text = given?.getData("text/plain") ?? "";
  if (!given || inCode(state, from)) return false;
  const pasted = table(text) || formatted(given.getData("text/html"));
  if (!pasted || pasted === text) return false;
  const made = ENDED.test(pasted) ? `${pasted.trimEnd()}\n\n` : pasted;
  const isBlock = made.includes("\n");
  const line = state.doc.lineAt(from), above = line.number > 1 ? state.doc.line(line.number - 1).text : "";
  const isInLine = isBlock && state.sliceDoc(line.from, from).trim();
  const before = isInLine ? "\n\n" : made.startsWith("|") && above.trim() ? "\n" : "";
  const after = isBlock && state.sliceDoc(to, state.doc.lineAt(to).to).trim() && made === pasted ? "\n\n" : "";
  event.preventDefault();
  view.dispatch({
    changes: { from, to, insert: before + made + after }, selection: { anchor: from + before.length + made.length },
    userEvent: "input.paste", scrollIntoView: true,
  });
  return true;
};

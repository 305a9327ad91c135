// Widgets that replace Markdown: checkboxes, pictures and tables. All texts of a note become text nodes.
import { WidgetType } from "@codemirror/view";
import { language } from "./syntax.js";

const made = (name, className = "", text = "") => Object.assign(document.createElement(name), { className, textContent: text });

/** A text that isn't in the note: a bullet, a language, or the name of a callout. */
export class Label extends WidgetType {
  constructor(text, className) {
    super();
    Object.assign(this, { text, className });
  }
  eq(other) { return other.text === this.text && other.className === this.className; }
  toDOM() { return made("span", this.className, this.text); }
  ignoreEvent() { return false; }
}

/** The checkbox of a task; a click changes it in the text. */
export class Box extends WidgetType {
  constructor(isChecked, label) {
    super();
    Object.assign(this, { isChecked, label });
  }
  eq(other) { return other.isChecked === this.isChecked && other.label === this.label; }
  toDOM(view) {
    const box = Object.assign(made("input", "cm-box"), { type: "checkbox", checked: this.isChecked, ariaLabel: this.label });
    box.addEventListener("mousedown", event => event.preventDefault());  // the caret stays where it is
    box.addEventListener("click", event => {
      event.preventDefault();
      const at = view.posAtDOM(box) + 1;
      if (!/^\[[ xX]\]$/.test(view.state.sliceDoc(at - 1, at + 2))) return;
      view.dispatch({ changes: { from: at, to: at + 1, insert: this.isChecked ? " " : "x" }, userEvent: "input" });
    });
    return box;
  }
}

const picture = (address, words, width = "") => {
  const image = Object.assign(made("img"), { alt: words, title: words, src: address, draggable: false });
  if (width) image.width = Number(width);
  return image;
};

/** A picture in the note, at an address of the app. */
export class Picture extends WidgetType {
  constructor(address, words, width) {
    super();
    Object.assign(this, { address, words, width });
  }
  eq(other) { return other.address === this.address && other.words === this.words && other.width === this.width; }
  toDOM(view) {
    const place = made("span", "cm-picture"), image = picture(this.address, this.words, this.width);
    image.addEventListener("load", () => view.requestMeasure());
    image.addEventListener("error", () => {
      place.replaceChildren(made("span", "cm-lost", this.words));
      view.requestMeasure();
    });
    place.append(image);
    return place;
  }
  ignoreEvent() { return false; }
}

const OUTSIDE = /^(?:[a-z][a-z\d+.-]*:|\/\/|#)/i;
const PICTURE = /\.(?:png|jpe?g|gif|webp|avif|bmp)$/i;
const decoded = path => { try { return decodeURIComponent(path); } catch { return path; } };

/** The path, description and width of a node's picture in the note's folder; null for other nodes. */
export const pictureOf = (text, node) => {
  const source = text.slice(node.from, node.to);
  const url = node.getChild("URL"), marks = node.getChildren("LinkMark");
  const [, wiki, words = ""] = /^!\[\[([^|]+?)(?:\\?\|(.*))?\]\]$/.exec(source) ?? [];
  const path = wiki ?? (node.name === "Image" && url && decoded(text.slice(url.from, url.to).replace(/^<|>$/g, "")));
  if (!path || OUTSIDE.test(path) || !PICTURE.test(path)) return null;
  const [, before, width] = /^(.*?)\|?(\d{1,4})?$/.exec(wiki ? words : text.slice(marks[0].to, marks[1].from));
  return { path, words: before || path, width };
};

const ELEMENTS = { StrongEmphasis: "strong", Emphasis: "em", Strikethrough: "s", Highlight: "mark", InlineCode: "code" };
const LINKS = /^(?:Link|WikiLink|Autolink|URL)$/;
const MARKS = /^(?:(?:Emphasis|Strikethrough|Highlight|Code|Link|Wiki)Mark|LinkTitle|LinkLabel)$/;
const DEEPEST = 12;

// Draw the content of a syntax node.
const draw = (place, text, node, address, depth = 0) => {
  let at = node.from;
  for (let child = node.firstChild; child; child = child.nextSibling) {
    place.append(text.slice(at, child.from));
    at = child.to;
    const { name } = child, shown = depth < DEEPEST && pictureOf(text, child), source = shown && address(shown.path);
    if (source) place.append(picture(source, shown.words, shown.width));
    else if (name === "Escape") place.append(text.slice(child.from + 1, child.to));
    else if (name === "HTMLTag" && /^<br\s*\/?>$/i.test(text.slice(child.from, child.to))) place.append(made("br"));
    else if (depth < DEEPEST && (name in ELEMENTS || LINKS.test(name)) && !(name === "URL" && node.name === "Link")) {
      const element = made(ELEMENTS[name] ?? "span", LINKS.test(name) ? "cm-link" : "");
      draw(element, text, child, address, depth + 1);
      place.append(element);
    } else if (!MARKS.test(name) && !(name === "URL" && node.name === "Link")) place.append(text.slice(child.from, child.to));
  }
  place.append(text.slice(at, node.to));
};

// The cells of a row: a node, or the position of an empty cell.
const cellsOf = row => {
  const cells = [];
  let cell = null, begins = true;
  for (let child = row.firstChild; child; child = child.nextSibling) {
    if (child.name === "TableCell") cell = child;
    else {
      if (!begins || child.from > row.from) cells.push(cell ?? { from: child.from, to: child.from });
      cell = null;
    }
    begins = false;
  }
  return cell ? [...cells, cell] : cells;
};

const SIDES = { "::": "center", ":": "left", "-:": "right" };

/** A table; a click puts the caret into the cell. */
export class Table extends WidgetType {
  constructor(text, address, stamp) {
    super();
    Object.assign(this, { text, address, stamp });
  }
  eq(other) { return other.text === this.text && other.stamp === this.stamp; }
  get estimatedHeight() { return 36 * this.text.split("\n").length; }
  toDOM(view) {
    const place = made("div", "cm-table"), table = place.appendChild(made("table"));
    const root = language.language.parser.parse(this.text).topNode.getChild("Table");
    const rule = this.text.slice(root.getChild("TableDelimiter").from, root.getChild("TableDelimiter").to);
    const sides = rule.replace(/^\s*\||\|\s*$/g, "").split("|").map(one => SIDES[one.trim().replace(/-+/, "-").replace(/^:-:$/, "::")] ?? "");
    for (const [kind, name] of [["TableHeader", "th"], ["TableRow", "td"]]) {
      for (const node of root.getChildren(kind)) {
        const row = table.appendChild(made("tr"));
        for (const [number, cell] of cellsOf(node).slice(0, sides.length).entries()) {
          const element = row.appendChild(made(name));
          element.style.textAlign = sides[number];
          element.dataset.at = cell.from;
          if (cell.name) draw(element, this.text, cell, this.address);
        }
      }
    }
    place.addEventListener("mousedown", event => {
      event.preventDefault();
      const cell = event.target.closest("[data-at]");
      view.dispatch({ selection: { anchor: view.posAtDOM(place) + Number(cell?.dataset.at ?? 0) }, scrollIntoView: true });
      view.focus();
    });
    for (const image of place.querySelectorAll("img")) image.addEventListener("load", () => view.requestMeasure());
    return place;
  }
}

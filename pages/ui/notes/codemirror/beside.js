// The rendered text next to the source: when the user scrolls one, the other shows the same block.
import { ViewPlugin } from "@codemirror/view";

const pane = () => document.querySelector(".st-key-writing_beside");

// The blocks of the rendered text, each with the source line, counted from 0, at which it begins.
const blocks = () => {
  const hosts = [...pane()?.querySelectorAll(".st-key-reader_body *") ?? []];
  const article = hosts.map(host => host.shadowRoot?.querySelector("article[data-lines]")).find(Boolean);
  const lines = (article?.dataset.lines ?? "").split(",").map(Number);
  return [...article?.children ?? []].slice(0, lines.length).map((element, at) => ({ line: lines[at], top: element.getBoundingClientRect().top }));
};

// Interpolate a value between a block and the next one.
const between = (all, name, value, other, end) => {
  const at = Math.max(0, all.findLastIndex(one => one[name] <= value));
  const first = all[at], last = all[at + 1] ?? end;
  const share = Math.min(1, Math.max(0, (value - first[name]) / (last[name] - first[name] || 1)));
  return first[other] + share * (last[other] - first[other]);
};

class Beside {
  constructor(view) {
    this.view = view;
    this.listening = new AbortController();
    const listen = (target, type, act) => target.addEventListener(type, act, { capture: true, passive: true, signal: this.listening.signal });
    for (const type of ["wheel", "pointerdown", "touchstart", "keydown"]) {
      listen(document, type, event => { this.leads = event.composedPath().includes(view.dom) ? view.scrollDOM : event.composedPath().find(one => one === pane()); });
    }
    listen(view.scrollDOM, "scroll", () => this.leads === view.scrollDOM && this.follow());
    listen(document, "scroll", event => event.target === this.leads && event.target === pane() && this.lead());
  }

  // The height of the source above the visible part, and the top of the pane in the window.
  get hidden() { return this.view.scrollDOM.getBoundingClientRect().top - this.view.documentTop; }
  get top() { return pane().getBoundingClientRect().top; }

  get end() {
    return { line: this.view.state.doc.lines, top: this.top - pane().scrollTop + pane().scrollHeight };
  }

  follow() {
    const all = blocks(), { view, hidden } = this;
    if (!all.length) return;
    const block = view.lineBlockAtHeight(hidden);
    const line = view.state.doc.lineAt(block.from).number - 1 + Math.min(1, Math.max(0, (hidden - block.top) / block.height));
    pane().scrollTop += between(all, "line", line, "top", this.end) - this.top;
  }

  lead() {
    const all = blocks(), { view, hidden } = this;
    if (!all.length) return;
    const line = between(all, "top", this.top, "line", this.end);
    const block = view.lineBlockAt(view.state.doc.line(Math.min(Math.floor(line) + 1, view.state.doc.lines)).from);
    view.scrollDOM.scrollTop += block.top + (line % 1) * block.height - hidden;
  }

  destroy() { this.listening.abort(); }
}

export const beside = ViewPlugin.fromClass(Beside);

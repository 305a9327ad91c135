// The bar above the text: a single tab stop, within which the arrow keys move.
import { showPanel } from "@codemirror/view";

const MOVES = { ArrowRight: 1, ArrowLeft: -1 };

const move = event => {
  const all = [...event.currentTarget.children], at = all.indexOf(event.target);
  if (!(event.key in MOVES) || at < 0) return;
  event.preventDefault();
  const next = all.at((at + MOVES[event.key]) % all.length);
  for (const one of all) one.tabIndex = one === next ? 0 : -1;
  next.focus();
};

/**
 * The bar, with a button for each format; `words` contains their names and that of the bar. The button of a format with
 * `isOn(state)` shows whether it is on.
 */
export const bar = (formats, words) => showPanel.of(view => {
  const dom = Object.assign(document.createElement("div"), { className: "bar" });
  dom.setAttribute("role", "toolbar");
  dom.setAttribute("aria-label", words.bar);
  const switches = [];
  for (const [name, { icon, keys, run, isOn }] of Object.entries(formats)) {
    const button = Object.assign(document.createElement("button"), {
      type: "button", textContent: icon, translate: false, tabIndex: dom.childElementCount ? -1 : 0,
      title: keys ? `${words[name]} (${keys})` : words[name],
    });
    button.setAttribute("aria-label", words[name]);
    button.addEventListener("mousedown", event => event.preventDefault());  // the text keeps its selection
    button.addEventListener("click", () => { run(view); view.focus(); });
    dom.append(button);
    if (isOn) switches.push(state => { button.ariaPressed = isOn(state); });
  }
  dom.addEventListener("keydown", move);
  const show = state => { for (const one of switches) one(state); };
  show(view.state);
  return { dom, top: true, update: update => show(update.state) };
});

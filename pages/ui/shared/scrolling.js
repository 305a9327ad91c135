// Streamlit shows every page from its top. This restores the scroll position when the user goes back, with the browser's
// button or with a link to the address from which this page was opened. It also makes a click or a key one step of the
// browser's history: what the server then adds to the address of the same page belongs to that step, and so does the
// path of a new page where Streamlit changes it only after the query.
const KEPT = 50;
const REACHED = 300;
const SHORTER = 3000;
const SCROLLS = ['wheel', 'touchmove', 'pointerdown'];
const SCROLL_KEYS = new Set(['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End', ' ']);

const mainArea = () => document.querySelector('[data-testid="stMain"]');
const isRunning = () => document.querySelector('[data-testid="stApp"]')?.dataset.testScriptState !== 'notRunning';

class Scrolling {
  places = new Map();
  address = location.href;
  origins = [];
  restoring = null;
  isUsers = true;
  isAsked = false;
  left = null;

  constructor() {
    const listening = { capture: true, passive: true };
    for (const name of SCROLLS) document.addEventListener(name, () => this.take(true), listening);
    for (const name of ['click', 'keydown']) document.addEventListener(name, () => { this.isAsked = true; }, listening);
    document.addEventListener('click', () => this.take(false), listening);
    document.addEventListener('keydown', event => this.take(SCROLL_KEYS.has(event.key)), listening);
    document.addEventListener('scroll', event => event.target === mainArea() && this.isUsers && this.keep(), listening);
    window.addEventListener('popstate', () => {
      this.isAsked = false;
      this.left = null;
      this.arrive(true);
    });
    this.follow();
  }

  // Streamlit adds each address to the history, without an event. It reads the query of a page at once, and its path when
  // React has drawn: of several messages at once, the query comes first, with the path of the page that is left.
  follow() {
    const push = history.pushState, replace = history.replaceState;
    history.pushState = (state, title, address) => {
      const before = location.href, { href, pathname } = new URL(address, before);
      const isPage = pathname !== location.pathname, isLate = isPage && !this.isAsked && this.left !== null;
      const isStep = href !== before && !isLate && (this.isAsked || isPage);
      if (isLate) this.address = this.left;
      if (isStep || isLate) this.left = isPage ? null : before;
      (isStep ? push : replace).call(history, state, title, address);
      this.isAsked = false;
      this.arrive(false);
    };
    history.replaceState = (...values) => {
      replace.apply(history, values);
      this.address = location.href;
    };
  }

  // A click may open another page, and Streamlit scrolls up before it changes the address.
  take(isUsers) {
    this.isUsers = isUsers;
    this.restoring = null;
    this.keep();
  }

  keep() {
    if (!mainArea() || this.restoring || location.href !== this.address) return;
    this.places.delete(this.address);
    this.places.set(this.address, mainArea().scrollTop);
    if (this.places.size > KEPT) this.places.delete(this.places.keys().next().value);
  }

  arrive(isBack) {
    const address = location.href;
    if (address === this.address) return;
    const wanted = isBack || this.origins.includes(address) ? this.places.get(address) : 0;
    const isPage = new URL(address).pathname !== new URL(this.address).pathname;
    this.origins = isPage ? [this.address] : [this.origins[0], this.address];
    this.address = address;
    this.restoring = wanted ? { wanted, since: 0 } : null;
    if (this.restoring) this.restore(this.restoring);
  }

  // Repeat until the page stays there: it grows while it is drawn, Streamlit scrolls up once more, and the page may be shorter.
  restore(restoring) {
    if (this.restoring !== restoring) return;
    const now = performance.now(), area = mainArea();
    const isReached = area && Math.abs(area.scrollTop - restoring.wanted) <= 1;
    if (area && !isReached) area.scrollTop = restoring.wanted;
    if (isRunning() || isReached !== restoring.isReached) restoring.since = now;
    restoring.isReached = isReached;
    if (now - restoring.since > (isReached ? REACHED : SHORTER)) this.restoring = null;
    else requestAnimationFrame(() => this.restore(restoring));
  }
}

window.tesseraScrolling ??= new Scrolling();

const PATIENCE = 1500;
const MOST = 60000;
const AWAY = 2000;
const RELOADS = 10000;
const shelf = window.tesseraShelf;

// Send what isn't stored again, at growing intervals, until it is. An editor of an ended session continues in this one.
const deliver = ({ data, setTriggerValue }) => {
  clearTimeout(shelf.again);
  if (data.readonly) return;
  const lost = [...shelf.editors.values()].find(own => (own.paper || own.held) && own.session !== shelf.session);
  const items = shelf.all(data.place).filter(item => item.token !== data.open && item.token !== lost?.token);
  if (lost) items.push(lost.item());
  const what = items.map(item => `${item.token} ${item.number}`).join() + data.session;
  const now = performance.now();
  if (what !== shelf.what) Object.assign(shelf, { what, wait: PATIENCE, next: 0 });
  if (!items.length) return;
  if (now >= shelf.next) {
    shelf.next = now + shelf.wait;
    shelf.wait = Math.min(MOST, 2 * shelf.wait);
    setTriggerValue('typed', { items, resume: lost?.token ?? '' });
  }
  shelf.again = setTimeout(() => shelf.deliver(), shelf.next - now);
};

// Streamlit's front end can fail ("Cannot set a node at a delta path") and then ignores messages or leaves the window blank,
// so the page is reloaded, but not too often.
const reload = () => {
  const last = Number(sessionStorage.tesseraReload) || 0;
  const wait = Math.min(RELOADS, Math.max(0, last + RELOADS - Date.now()));
  window.tesseraReload = setTimeout(() => {
    if (!shelf.outlives()) return;
    sessionStorage.tesseraReload = Date.now();
    location.reload();
  }, wait);
};

// Streamlit's own message about a server that doesn't respond would take the keyboard focus.
const watch = ({ data, setTriggerValue }) => {
  const app = document.querySelector('[data-testid=stApp]');
  if (!app) return;
  const away = window.tesseraAway ??= document.body.appendChild(document.createElement('div'));
  away.setAttribute('role', 'status');
  away.style.cssText = 'position: fixed; z-index: 9999999; top: .5rem; left: 50%; transform: translateX(-50%); padding: .5rem 1rem;'
    + 'border-radius: .5rem; font: 600 .95rem sans-serif; color: #6a4a05; background: #f9edd0; box-shadow: 0 .2rem 1rem #0004';
  const root = document.getElementById('root');
  const look = () => {
    if (!root.childElementCount) return;  // blank: the reload that is due stays due
    for (const timer of [window.tesseraAbsent, window.tesseraReload]) clearTimeout(timer);
    const state = app.dataset.testConnectionState;
    const here = state === 'CONNECTED';
    // A restarted server answers no fragment before it has drawn the whole page, so request the page.
    if (here && shelf.gone) setTriggerValue('typed', { items: [], resume: '' });
    shelf.gone = !here;
    if (here) away.hidden = true;
    else if (state === 'DISCONNECTED_FOREVER') reload();
    else window.tesseraAbsent = setTimeout(() => { away.textContent = data.away; away.hidden = false; shelf.mark(true); }, AWAY);
  };
  window.tesseraLook?.disconnect();
  window.tesseraLook = new MutationObserver(look);
  window.tesseraLook.observe(app, { attributeFilter: ['data-test-connection-state'] });
  window.tesseraBlank ??= new MutationObserver(() => root.childElementCount || reload());
  window.tesseraBlank.observe(root, { childList: true });
  look();
};

export default function (component) {
  const { data } = component;
  Object.assign(shelf, { open: data.open, session: data.session, deliver: () => deliver(component) });
  for (const [token, number] of Object.entries(data.stored)) shelf.drop(data.place, token, number);
  for (const own of shelf.editors.values())
    if (own.held && own.session === data.session && own.token !== data.open) own.close();
  shelf.deliver();
  watch(component);
}

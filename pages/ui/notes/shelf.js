// What was typed in this browser and isn't stored in the workspace yet, and the editors of this window.
const name = (place, token) => `tessera-letters ${place} ${token}`;
const read = key => { try { return JSON.parse(localStorage.getItem(key)); } catch { return null; } };
const keys = () => { try { return Object.keys(localStorage); } catch { return []; } };
const sound = item => typeof item?.token === 'string' && typeof item.text === 'string'
  && Number.isSafeInteger(item.number) && typeof item.about?.key === 'string';

window.tesseraShelf ??= {
  editors: new Map(),
  texts: new Map(),
  open: '',
  session: '',
  away: false,
  deliver() {},
  /** Note a text of an editor, here and in the browser, where it outlives a reload; tell whether it does. */
  put(place, item) {
    this.texts.set(name(place, item.token), item);
    try { localStorage.setItem(name(place, item.token), JSON.stringify(item)); return true; } catch { return false; }
  },
  /** Whether everything that was typed in this window outlives a reload. */
  outlives() {
    return [...this.texts].every(([key, item]) => read(key)?.number >= item.number);
  },
  /** Mark the open text as unsaved while nobody answers, until its editor is drawn: what the page says of it is from before. */
  mark(away = this.away) {
    this.away = away;
    const unsaved = away && [...this.editors.values()].some(own => own.paper && own.unsaved());
    document.documentElement.toggleAttribute('data-unsaved', unsaved);
  },
  /** Forget the text of an editor as far as it is stored: up to this number. */
  drop(place, token, number) {
    const key = name(place, token), item = this.texts.get(key) ?? read(key);
    if (!item || item.number > number) return;
    this.texts.delete(key);
    try { localStorage.removeItem(key); } catch { /* nothing is there */ }
  },
  /** The texts of this workspace, of other windows too. */
  all(place) {
    const every = new Map(keys().map(key => [key, read(key)]));
    for (const [key, item] of this.texts) every.set(key, item);
    return [...every].filter(([key, item]) => key.startsWith(name(place, '')) && sound(item)).map(([, item]) => item);
  },
};

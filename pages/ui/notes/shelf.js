// Texts that were typed in this browser and aren't stored in the workspace yet, and the editors of this window.
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
  /** Store an editor's text here and in the browser, where it survives a reload; return whether that worked. */
  put(place, item) {
    this.texts.set(name(place, item.token), item);
    try { localStorage.setItem(name(place, item.token), JSON.stringify(item)); return true; } catch { return false; }
  },
  /** Whether everything that was typed in this window survives a reload. */
  outlives() {
    return [...this.texts].every(([key, item]) => read(key)?.number >= item.number);
  },
  /** Mark the open text as unsaved while the server doesn't respond, because what the page says about it is outdated. */
  mark(away = this.away) {
    this.away = away;
    const unsaved = away && [...this.editors.values()].some(own => own.paper && own.unsaved());
    document.documentElement.toggleAttribute('data-unsaved', unsaved);
  },
  /** Forget an editor's text if it is stored, that is, up to this number. */
  drop(place, token, number) {
    const key = name(place, token), item = this.texts.get(key) ?? read(key);
    if (!item || item.number > number) return;
    this.texts.delete(key);
    try { localStorage.removeItem(key); } catch { /* there is no storage */ }
  },
  /** The texts of this workspace, including those of other windows. */
  all(place) {
    const every = new Map(keys().map(key => [key, read(key)]));
    for (const [key, item] of this.texts) every.set(key, item);
    return [...every].filter(([key, item]) => key.startsWith(name(place, '')) && sound(item)).map(([, item]) => item);
  },
};

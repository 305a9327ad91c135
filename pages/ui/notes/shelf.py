"""What was typed in a browser and isn't stored in the workspace yet, as the scripts of components know it."""

SCRIPT = """
const PREFIX = 'tessera-letters ';
const shelf = window.tesseraShelf ??= (() => {
  const texts = new Map();
  const name = (place, token) => `${PREFIX}${place} ${token}`;
  const read = key => { try { return JSON.parse(localStorage.getItem(key)); } catch { return null; } };
  const keys = () => { try { return Object.keys(localStorage); } catch { return []; } };
  const sound = item => typeof item?.token === 'string' && typeof item.text === 'string'
    && Number.isSafeInteger(item.number) && typeof item.about?.key === 'string';
  return {
    editors: new Map(),
    open: '',
    session: '',
    deliver: () => {},
    /** Note a text of an editor, here and in the browser, where it outlives a reload; tell whether it does. */
    put(place, item) {
      texts.set(name(place, item.token), item);
      try { localStorage.setItem(name(place, item.token), JSON.stringify(item)); return true; } catch { return false; }
    },
    /** Forget the text of an editor as far as it is stored: up to this number. */
    drop(place, token, number) {
      const key = name(place, token), item = texts.get(key) ?? read(key);
      if (!item || item.number > number) return;
      texts.delete(key);
      try { localStorage.removeItem(key); } catch { /* nothing is there */ }
    },
    /** The texts of this workspace, of other windows too. */
    all(place) {
      const found = new Map(keys().map(key => [key, read(key)]));
      for (const [key, item] of texts) found.set(key, item);
      return [...found].filter(([key, item]) => key.startsWith(name(place, '')) && sound(item)).map(([, item]) => item);
    },
  };
})();
"""

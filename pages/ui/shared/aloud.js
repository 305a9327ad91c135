const QUIET = 300;

// A region that a screen reader watches must exist before its text, and survive when the page is redrawn.
const region = () => {
  let own = document.getElementById('tessera-aloud');
  if (!own) {
    own = document.createElement('div');
    own.id = 'tessera-aloud';
    own.setAttribute('role', 'status');
    own.style.cssText = 'position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%)';
    document.body.append(own);
  }
  return own;
};

const wordsOf = element => {
  const copy = element.cloneNode(true);
  copy.querySelectorAll('[role=img], [data-testid="stIconMaterial"]').forEach(icon => icon.remove());
  return copy.textContent.trim();
};

const shown = places => [...document.querySelectorAll(places.join())].map(wordsOf).filter(Boolean).join('. ');

export default function({ data }) {
  window.tesseraAloud?.disconnect();
  const own = region();
  let timer;
  const speak = () => {
    const text = shown(data.places);
    if (own.textContent !== text) own.textContent = text;
  };
  window.tesseraAloud = new MutationObserver(changes => {
    if (changes.every(change => own.contains(change.target))) return;
    clearTimeout(timer);
    timer = setTimeout(speak, QUIET);
  });
  window.tesseraAloud.observe(document.body, { childList: true, characterData: true, subtree: true });
  timer = setTimeout(speak, QUIET);
}

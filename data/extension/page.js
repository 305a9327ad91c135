// Reads the page, or what is selected in it, at one moment: no script of the page runs in between. It asks nobody for anything:
// a picture is taken as it is drawn, where the page's own server sent it or its server lets others read it.
(() => {
  const LEAST = 48, WIDEST = 2000, MOST = 40, MOST_LETTERS = 30_000_000, LONGEST_QUERY = 300, LONGEST_WORDS = 300;
  const SILENT = 'script, style, noscript, template, iframe, frame, object, embed, canvas, video, audio, textarea, select, button';
  const { origin, protocol, pathname, search } = location;
  if (!/^https?:$/.test(protocol)) return null;

  // The document's own functions: a form or a picture of the page can have the name of one.
  const { prototype } = Document, own = (name, ...values) => prototype[name].call(document, ...values);
  const [root] = own('querySelectorAll', ':root');
  const mark = [...crypto.getRandomValues(new Uint32Array(4))].map(one => one.toString(36).padStart(7, '0')).join('');

  // A copy in a document without a window: nothing in it is loaded or run.
  const inert = new DOMParser().parseFromString('', 'text/html'), copy = inert.importNode(root, true);
  const copies = new Map([[root, copy]]);
  const walk = own('createTreeWalker', root), copied = inert.createTreeWalker(copy);
  while (walk.nextNode() && copied.nextNode()) copies.set(walk.currentNode, copied.currentNode);

  const selection = getSelection(), isChosen = selection.toString().trim() !== '';

  const drawn = image => {
    const { naturalWidth: width, naturalHeight: height } = image;
    if (!(width >= LEAST && height >= LEAST)) return '';
    const share = Math.min(1, WIDEST / Math.max(width, height));
    const canvas = Object.assign(own('createElement', 'canvas'), { width: Math.ceil(width * share), height: Math.ceil(height * share) });
    try {
      canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
      return canvas.toDataURL('image/webp', 0.9);
    } catch {
      return '';  // of another server, which lets nobody read it
    }
  };

  const pictures = {};
  let letters = 0, number = 0;
  const take = image => {
    if (number === MOST) return;
    const data = drawn(image).replace(/^data:[^,]*,/, '');
    if (!data || letters + data.length > MOST_LETTERS) return;
    const name = `${mark}${number}x`;
    letters += data.length;
    number += 1;
    pictures[name] = data;
    copies.get(image).replaceWith(`${name}${image.alt.replaceAll(/\s+/g, ' ').slice(0, LONGEST_WORDS)}${name}`);
  };

  const elements = [...copies.keys()];
  for (const link of elements.filter(one => one instanceof HTMLAnchorElement)) {
    if (/^(?:https?|mailto):/.test(link.href)) copies.get(link).setAttribute('href', link.href);
    else copies.get(link).removeAttribute('href');
  }
  const images = elements.filter(one => one instanceof HTMLImageElement && (!isChosen || selection.containsNode(one, true)));
  const ranges = isChosen ? Array.from({ length: selection.rangeCount }, (_, at) => selection.getRangeAt(at)) : [];
  const places = ranges.map(range => {
    const place = inert.createRange();
    const [start, end] = [range.startContainer, range.endContainer].map(one => copies.get(one));
    if (!start || !end) return null;  // in a field
    place.setStart(start, range.startOffset);
    place.setEnd(end, range.endOffset);
    return place;
  });
  // Those of the article first: there may be more than are taken.
  for (const image of images.toSorted((a, b) => Boolean(b.closest('main, article')) - Boolean(a.closest('main, article')))) take(image);

  const part = isChosen ? inert.createElement('div') : copy;
  for (const place of places) if (place) part.append(place.cloneContents());
  for (const silent of part.querySelectorAll(SILENT)) silent.remove();
  const query = search.length <= LONGEST_QUERY ? search : '';
  return { html: part.outerHTML, address: `${origin}${pathname}${query}`, pictures };
})();

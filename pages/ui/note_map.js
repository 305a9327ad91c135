const LIGHT = ['#0f6b66', '#c48a1d', '#b4532f', '#4d6fa8', '#7b5a94', '#73852f', '#a04668', '#3f7f95'];
const DARK = ['#3fb5a8', '#dcaa4a', '#dd8259', '#86a6dc', '#b18fcb', '#a8bb5c', '#d987a8', '#7cc0d6'];
const NEAR = 9; // pixels around a point within which a click hits it
const MARGIN = 0.3; // share of the width and height to paint beyond each side of the visible part
const TITLED = 60; // maximum number of visible points that show their titles instead of the regions' names
const LONGEST = 28; // maximum length of a title, in characters
const NAME_LINE = 18; // pixels between the names of two regions
const LINE = 14; // pixels between two titles
const REST = 150; // milliseconds without movement after which the map is repainted
const CELLS = 64; // rows and columns of the grid in which points are looked up

const isDark = element => {
  // After the user leaves the page, an element has no colour.
  const [red, green, blue] = (getComputedStyle(element).color.match(/[\d.]+/g) ?? []).map(Number);
  return red + green + blue > 384;
};

const colourOf = (view, number) => {
  if (number < 0) return view.dark ? '#8b9296' : '#8a8f92';
  if (view.data.ramp) return `hsl(${number * 13}deg 62% ${view.dark ? 58 : 40}%)`;
  const colours = view.dark ? DARK : LIGHT;
  return colours[number % colours.length];
};

// Group the points by colour, and put them into a grid for finding the nearest one.
const prepare = view => {
  view.groups = new Map();
  view.grid = new Map();
  view.data.points.forEach(([x, y, colour], number) => {
    if (!view.groups.has(colour)) view.groups.set(colour, []);
    view.groups.get(colour).push(number);
    const cell = Math.floor(x * CELLS) * 1000 + Math.floor(y * CELLS);
    if (!view.grid.has(cell)) view.grid.set(cell, []);
    view.grid.get(cell).push(number);
  });
};

const toScreen = (view, x, y) => [x * view.size * view.scale + view.x, y * view.size * view.scale + view.y];

const nearest = (view, left, top) => {
  const unit = view.size * view.scale;
  const [x, y] = [(left - view.x) / unit, (top - view.y) / unit];
  const reach = Math.ceil((NEAR / unit) * CELLS);
  let [best, least] = [-1, NEAR];
  for (let column = Math.floor(x * CELLS) - reach; column <= Math.floor(x * CELLS) + reach; column++) {
    for (let row = Math.floor(y * CELLS) - reach; row <= Math.floor(y * CELLS) + reach; row++) {
      for (const number of view.grid.get(column * 1000 + row) ?? []) {
        const [px, py] = view.data.points[number];
        const distance = Math.hypot(px - x, py - y) * unit;
        if (distance < least) [best, least] = [number, distance];
      }
    }
  }
  return best;
};

// Set the size of a canvas in page pixels, and clear it.
const fit = (canvas, width, height) => {
  const ratio = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
  if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
  const pen = canvas.getContext('2d');
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  return pen;
};

const paintLinks = (view, isSeen) => {
  const { pen, data } = view;
  pen.strokeStyle = view.dark ? '#ffffff' : '#000000';
  pen.globalAlpha = data.links.length > 5000 ? 0.06 : 0.16;
  pen.lineWidth = 1;
  pen.beginPath();
  for (const [from, to] of data.links) {
    const [x, y] = toScreen(view, ...data.points[from]);
    const [right, below] = toScreen(view, ...data.points[to]);
    if (!isSeen(x, y) && !isSeen(right, below)) continue;
    pen.moveTo(x, y);
    pen.lineTo(right, below);
  }
  pen.stroke();
};

const paintPoints = (view, isSeen) => {
  const { pen, data } = view;
  const radius = Math.min(6, (data.points.length > 2000 ? 1.6 : 3) * Math.sqrt(view.scale));
  pen.globalAlpha = 0.85;
  for (const [colour, numbers] of view.groups) {
    pen.fillStyle = colourOf(view, colour);
    pen.beginPath();
    for (const number of numbers) {
      const [x, y] = toScreen(view, ...data.points[number]);
      if (!isSeen(x, y)) continue;
      if (radius < 2) pen.rect(x - radius, y - radius, 2 * radius, 2 * radius);
      else {
        pen.moveTo(x + radius, y);
        pen.arc(x, y, radius, 0, 7);
      }
    }
    pen.fill();
  }
};

// Set up the pen for text that is legible on top of lines.
const beginWords = (view, font, align) => {
  const { pen } = view;
  const { color, fontFamily } = getComputedStyle(view.box);
  pen.globalAlpha = 1;
  pen.font = `${font} ${fontFamily}`;
  pen.textAlign = align;
  pen.lineWidth = 4;
  pen.strokeStyle = view.dark ? '#14181add' : '#fdfcfadd';
  pen.fillStyle = color;
};

// Write the points' titles next to them, without overlaps and not across the right edge.
const paintTitles = (view, numbers) => {
  const { pen, data, width: edge } = view;
  beginWords(view, '12px', 'left');
  const taken = [];
  for (const number of numbers) {
    const whole = [...data.titles[number]];
    const title = whole.length > LONGEST ? `${whole.slice(0, LONGEST - 1).join('')}…` : data.titles[number];
    const [x, y] = toScreen(view, ...data.points[number]);
    const width = pen.measureText(title).width;
    const free = [x + 8, x - 8 - width].find(left => (left < x || x > edge || left + width <= edge) &&
      taken.every(([from, to, top]) => left > to || left + width < from || Math.abs(top - y) > LINE));
    if (free === undefined) continue;
    taken.push([free, free + width, y]);
    pen.strokeText(title, free, y + 4);
    pen.fillText(title, free, y + 4);
  }
};

// Write the names of the regions, each moved down if it would overlap another.
const paintNames = view => {
  const { pen, data } = view;
  const width = view.canvas.clientWidth;
  beginWords(view, '600 13px', 'center');
  const taken = [];
  for (const [x, y, name] of data.regions.toSorted((one, other) => one[1] - other[1])) {
    const [at, middle] = toScreen(view, x, y);
    const half = pen.measureText(name).width / 2 + 6;
    const seen = at >= 0 && at <= width;
    const left = seen ? Math.max(half, Math.min(width - half, at)) : at;
    const above = taken.filter(other => Math.abs(other.left - left) < other.half + half);
    const top = Math.max(middle, ...above.map(other => other.top + NAME_LINE));
    taken.push({ left, half, top });
    pen.strokeText(name, left, top);
    pen.fillText(name, left, top);
  }
};

// Paint the map, with a margin around the visible part, on a canvas that moves as a whole until the map rests.
const paint = view => {
  view.dark = isDark(view.box);
  const { clientWidth: width, clientHeight: height } = view.canvas;
  const [left, top] = [width * MARGIN, height * MARGIN];
  view.pen = fit(view.still, width + 2 * left, height + 2 * top);
  view.pen.translate(left, top);
  view.painted = { x: view.x, y: view.y, scale: view.scale, left, top, width: width + 2 * left, height: height + 2 * top };
  const isSeen = (x, y) => x > -left && y > -top && x < width + left && y < height + top;
  if (view.data.links.length) paintLinks(view, isSeen);
  paintPoints(view, isSeen);
  const seen = view.data.points.flatMap(([x, y], number) => (isSeen(...toScreen(view, x, y)) ? [number] : []));
  const few = seen.length <= TITLED;
  view.box.dataset.named = few ? 'titles' : 'regions';
  if (few) paintTitles(view, seen);
  else paintNames(view);
};

const show = view => {
  view.waits = false;
  if (!view.painted) paint(view);
  const { canvas, painted } = view;
  const factor = view.scale / painted.scale;
  const pen = fit(canvas, canvas.clientWidth, canvas.clientHeight);
  const [x, y] = [view.x - (painted.x + painted.left) * factor, view.y - (painted.y + painted.top) * factor];
  pen.drawImage(view.still, x, y, painted.width * factor, painted.height * factor);
  view.frames++;
  view.box.dataset.drawn ||= 'yes';
};

const ask = view => {
  if (view.waits) return;
  view.waits = true;
  requestAnimationFrame(() => show(view));
};

// Show the map at its new position, and repaint it once it rests.
const move = view => {
  ask(view);
  clearTimeout(view.rest);
  view.rest = setTimeout(() => renew(view), REST);
};

const renew = view => {
  view.painted = null;
  ask(view);
};

// Fit the map to the size of its canvas. What is in the middle stays there.
const resize = view => {
  const { clientWidth: width, clientHeight: height } = view.canvas;
  const size = Math.min(width, height);
  if (!size) return;
  const grown = size / view.size;
  view.x = width / 2 - (view.width / 2 - view.x) * grown;
  view.y = height / 2 - (view.height / 2 - view.y) * grown;
  Object.assign(view, { size, width, height });
  renew(view);
};

const zoom = (view, factor, left, top) => {
  const scale = Math.min(40, Math.max(0.5, view.scale * factor));
  view.x = left - ((left - view.x) / view.scale) * scale;
  view.y = top - ((top - view.y) / view.scale) * scale;
  view.scale = scale;
  move(view);
};

const point = (view, left, top) => {
  const number = nearest(view, left, top);
  view.canvas.classList.toggle('over', number >= 0);
  view.title.style.display = number < 0 ? 'none' : 'block';
  if (number >= 0) {
    view.title.textContent = view.data.titles[number];
    view.title.style.left = `${Math.min(left + 12, view.canvas.clientWidth - 180)}px`;
    view.title.style.top = `${top + 14}px`;
  }
  return number;
};

const listen = view => {
  const { canvas } = view;
  let [drag, moved] = [null, false];
  canvas.onpointerdown = event => {
    [drag, moved] = [[event.offsetX - view.x, event.offsetY - view.y], false];
    canvas.setPointerCapture(event.pointerId);
  };
  canvas.onpointermove = event => {
    if (!drag) {
      point(view, event.offsetX, event.offsetY);
      return;
    }
    const [x, y] = [event.offsetX - drag[0], event.offsetY - drag[1]];
    moved ||= Math.hypot(x - view.x, y - view.y) > 3;
    if (!moved) return;
    [view.x, view.y] = [x, y];
    move(view);
  };
  canvas.onpointerup = event => {
    const number = drag && !moved ? nearest(view, event.offsetX, event.offsetY) : -1;
    drag = null;
    if (number >= 0) view.open(view.data.ids[number]);
  };
  canvas.onpointerleave = () => { view.title.style.display = 'none'; };
  canvas.addEventListener('wheel', event => {
    event.preventDefault();
    zoom(view, Math.exp(-event.deltaY / 400), event.offsetX, event.offsetY);
  }, { passive: false });
  canvas.onkeydown = event => {
    const [left, top] = [canvas.clientWidth / 2, canvas.clientHeight / 2];
    const steps = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
    if (steps[event.key]) {
      view.x += steps[event.key][0];
      view.y += steps[event.key][1];
      move(view);
    } else if (event.key === '+') zoom(view, 1.3, left, top);
    else if (event.key === '-') zoom(view, 1 / 1.3, left, top);
    else if (event.key === 'Enter') {
      const number = point(view, left, top);
      if (number >= 0) view.open(view.data.ids[number]);
    } else return;
    event.preventDefault();
  };
  new ResizeObserver(() => resize(view)).observe(canvas);
};

export default function({ parentElement, data, setTriggerValue }) {
  const box = parentElement.querySelector('.map');
  const canvas = box.querySelector('canvas');
  const view = box.view ??= {
    box, canvas, still: document.createElement('canvas'), title: box.querySelector('.title'), frames: 0,
    scale: 0, x: 0, y: 0, size: 1, width: 1, height: 1,
  };
  view.open = note => setTriggerValue('open', note);
  canvas.setAttribute('aria-label', `${data.about} · ${data.help}`);
  view.data = data;
  if (box.dataset.stamp !== `${data.stamp}`) {
    box.dataset.stamp = data.stamp;
    prepare(view);
  }
  if (!view.scale) {
    view.scale = 1;
    resize(view);
    listen(view);
  }
  renew(view);
}

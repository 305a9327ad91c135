const small = (text, mark) => {
  const made = document.createElement('i');
  made.textContent = text;
  if (mark) {
    made.className = 'pending';
    made.title = mark;
  }
  return made;
};

const button = text => {
  const made = document.createElement('button');
  const name = document.createElement('span');
  name.textContent = text;
  made.type = 'button';
  made.append(name);
  return made;
};

// `view` contains what all folders share: the data, the unfolded folders, and `request(path, shown)`, which asks for content.
const folder = (view, inner, path) => {
  const details = document.createElement('details');
  const line = document.createElement('summary');
  const body = document.createElement('div');
  const key = JSON.stringify(path);
  details.dataset.name = inner.name;
  line.folder = path;
  line.append(document.createTextNode(inner.name + ' '), small(inner.count.toLocaleString('en'), ''));
  details.append(line, body);
  details.fill = () => {
    if (body.childNodes.length) return;
    if (inner.notes) fill(view, body, inner, path);
    else body.append(small('…', ''));
  };
  details.ontoggle = () => {
    if (!view.data.all) view.unfolded[details.open ? 'add' : 'delete'](key);
    if (!details.open) return;
    if (!inner.notes) view.request(path, 0);
    details.fill();
  };
  if (view.data.all || view.unfolded.has(key)) {
    details.open = true;
    details.fill();
  }
  return details;
};

const fill = (view, box, inner, path) => {
  for (const below of inner.folders) box.append(folder(view, below, [...path, below.name]));
  for (const [id, title, about, mark] of inner.notes) {
    const note = button(title);
    note.dataset.id = id;
    note.draggable = view.data.movable;
    if (about || mark) note.append(small(about, mark));
    box.append(note);
  }
  if (inner.rest) {
    const rest = button(inner.rest);
    rest.className = 'rest';
    rest.onclick = () => view.request(path, inner.notes.length);
    box.append(rest);
  }
};

// Notes are dragged onto a folder or its contents, else to the top level. Notes marked with Ctrl or ⌘ and a click move together.
const marked = tree => [...tree.querySelectorAll('button.marked')];

const drag = tree => {
  const over = line => {
    tree.over?.classList.remove('over');
    tree.over = line;
    line?.classList.add('over');
  };
  const target = event => event.target.closest('details')?.firstChild ?? tree;
  tree.ondragstart = event => {
    const note = event.target.closest('button');
    if (!note.classList.contains('marked')) marked(tree).forEach(one => one.classList.remove('marked'));
    note.classList.add('marked');
    tree.dragged = marked(tree).map(one => one.dataset.id);
    event.dataTransfer.effectAllowed = 'move';
    event.dataTransfer.setData('text/plain', note.firstChild.textContent);
  };
  tree.ondragover = event => {
    if (!tree.dragged) return;
    event.preventDefault();
    over(target(event));
  };
  tree.ondrop = event => {
    event.preventDefault();
    tree.send('move', { notes: tree.dragged, path: target(event).folder ?? [] });
  };
  tree.ondragend = () => {
    over(null);
    tree.dragged = null;
    marked(tree).forEach(one => one.classList.remove('marked'));
  };
};

const reveal = (tree, path) => {
  let box = tree;
  for (const name of path) {
    const details = [...box.children].find(child => child.dataset.name === name);
    if (!details) break;
    details.open = true;
    details.fill();
    box = details.lastChild;
  }
};

export default function({ parentElement, data, setTriggerValue }) {
  const tree = parentElement.querySelector('.tree');
  // The folders that the user unfolded, by path, because another part of the tree may arrive at any time.
  tree.unfolded ??= new Set();
  tree.send = setTriggerValue;  // older elements use the newest one too
  if (tree.dataset.stamp !== data.stamp) {
    const top = tree.scrollTop;
    const request = (path, shown) => tree.send('open', { path, shown });
    tree.dataset.stamp = data.stamp;
    tree.replaceChildren();
    fill({ data, unfolded: tree.unfolded, request }, tree, data.tree, []);
    tree.scrollTop = top;
  }
  tree.onclick = event => {
    const note = event.target.closest('button');
    if (!note?.dataset.id) return;
    if (data.movable && (event.ctrlKey || event.metaKey)) note.classList.toggle('marked');
    else setTriggerValue('pick', note.dataset.id);
  };
  if (data.movable) drag(tree);
  const drawn = JSON.stringify([data.chosen, data.listing, data.path]);
  const news = tree.dataset.drawn !== drawn;
  tree.dataset.drawn = drawn;
  if (data.chosen && news) reveal(tree, data.path);
  tree.querySelector('button.on')?.classList.remove('on');
  const note = data.chosen && [...tree.querySelectorAll('button')].find(one => one.dataset.id === data.chosen);
  note?.classList.add('on');
  if (note && news) {
    const top = note.getBoundingClientRect().top - tree.getBoundingClientRect().top;
    if (top < 0 || top + note.offsetHeight > tree.clientHeight) tree.scrollTop += top - tree.clientHeight / 3;
  }
}

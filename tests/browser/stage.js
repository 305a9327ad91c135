// Mounts a component as Streamlit does: in a shadow root, its script a module out of a blob. `sent` holds its triggers.
const setTriggerValue = (name, value) => window.sent.push([name, value]);

window.mount = async ({ html, css, js }) => {
  const parentElement = document.body.appendChild(document.createElement('div')).attachShadow({ mode: 'open' });
  const style = document.createElement('style');
  style.textContent = css;
  parentElement.append(style, document.createRange().createContextualFragment(html));
  const { default: draw } = await import(URL.createObjectURL(new Blob([js], { type: 'text/javascript' })));
  window.sent = [];
  window.draw = data => { draw({ parentElement, data, setTriggerValue }); };
};

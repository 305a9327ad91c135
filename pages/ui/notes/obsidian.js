export default function({ parentElement, data }) {
  const button = parentElement.querySelector('button');
  button.textContent = data.label;
  button.onclick = () => {
    if (data.address.startsWith('obsidian://open?path=')) window.location.assign(data.address);
  };
}

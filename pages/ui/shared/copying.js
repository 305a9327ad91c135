const SHOWN = 2000;

export default function({ data, parentElement }) {
  const button = parentElement.querySelector('button');
  button.textContent = data.label;
  button.disabled = !data.text;
  button.onclick = async () => {
    await navigator.clipboard.writeText(data.text);
    button.textContent = data.done;
    setTimeout(() => { button.textContent = data.label; }, SHOWN);
  };
}

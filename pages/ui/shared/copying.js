const SHOWN = 2000;

export default function({ data, parentElement, setTriggerValue }) {
  const button = parentElement.querySelector('button');
  // A reported click redraws the button, which shows its message for the same time.
  if (button.textContent !== data.done) button.textContent = data.label;
  button.disabled = !data.text;
  button.onclick = async () => {
    await navigator.clipboard.writeText(data.text);
    button.textContent = data.done;
    setTimeout(() => { button.textContent = data.label; }, SHOWN);
    if (data.tells) setTriggerValue('copied', true);
  };
}

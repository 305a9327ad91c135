const SHOWN = 2000;

export default function({ data, parentElement, setTriggerValue }) {
  const button = parentElement.querySelector('button');
  // A click that is reported draws the button anew, which says for the same time that it copied.
  if (button.textContent !== data.done) button.textContent = data.label;
  button.disabled = !data.text;
  button.onclick = async () => {
    await navigator.clipboard.writeText(data.text);
    button.textContent = data.done;
    setTimeout(() => { button.textContent = data.label; }, SHOWN);
    if (data.tells) setTriggerValue('copied', true);
  };
}

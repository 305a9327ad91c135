// The settings of the extension: where the app is, its token, and why the last page wasn't saved.
const HOSTS = { origins: ['http://127.0.0.1/*', 'http://localhost/*'] };
const LOCAL = /^http:\/\/(?:127\.0\.0\.1|localhost)(?::\d{1,5})?(?=\/|$)/;
const one = name => document.getElementById(name);
const message = name => chrome.i18n.getMessage(name);

document.documentElement.lang = chrome.i18n.getUILanguage();
for (const place of document.querySelectorAll('[data-text]')) place.textContent = message(place.dataset.text);

chrome.storage.local.get({ address: 'http://127.0.0.1:8501', token: '', problem: '' }).then(({ address, token, problem }) => {
  one('address').value = address;
  one('token').value = token;
  one('problem').textContent = problem;
  one('problem').hidden = !problem;
});

document.querySelector('form').addEventListener('submit', async event => {
  event.preventDefault();
  const address = one('address').value.trim().match(LOCAL)?.[0], token = one('token').value.trim();
  one('stored').textContent = '';
  one('problem').hidden = Boolean(address);
  one('problem').textContent = message('notLocal');
  if (!address) return;
  await chrome.permissions.request(HOSTS);  // Firefox asks; elsewhere it is given already
  await chrome.storage.local.set({ address, token, problem: '' });
  one('address').value = address;
  one('stored').textContent = message('isStored');
});

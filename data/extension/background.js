// Sends the page in which the button is pressed, or what is selected in it, to the app on this machine.
const LOCAL = /^http:\/\/(?:127\.0\.0\.1|localhost)(?::\d{1,5})?$/;
const PLACE = '/api/v1/pages';
const LONGEST = 20_000_000;
const message = (name, ...values) => chrome.i18n.getMessage(name, values);

// Scripts in pages, ours too, never see the token.
chrome.storage.local.setAccessLevel?.({ accessLevel: 'TRUSTED_CONTEXTS' });

const read = async tab => {
  const [answer] = await chrome.scripting.executeScript({ target: { tabId: tab.id }, files: ['page.js'] }).catch(() => []);
  const page = answer?.result;
  if (!page?.address) throw new Error(message('unreadable'));
  if (page.html.length > LONGEST) throw new Error(message('tooLong'));
  return page;
};

const send = async page => {
  const { address, token } = await chrome.storage.local.get({ address: '', token: '' });
  if (!token || !LOCAL.test(address)) throw new Error(message('unset'));
  const headers = { 'Authorization': `Bearer ${token}`, 'Content-Type': 'application/json' };
  const about = { method: 'POST', headers, body: JSON.stringify(page), credentials: 'omit', redirect: 'error', cache: 'no-store' };
  const answer = await fetch(address + PLACE, about).catch(() => { throw new Error(message('away', address)); });
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(said.detail ?? message('refused', String(answer.status)));
};

const show = async (tab, sign, title) => {
  await chrome.action.setBadgeText({ tabId: tab.id, text: sign }).catch(() => {});  // the tab may be closed
  await chrome.action.setTitle({ tabId: tab.id, title }).catch(() => {});
};

/** Save the page of a tab; where it can't be saved, the settings of the extension open and say why. */
const save = async tab => {
  await show(tab, '…', message('saving'));
  try {
    await send(await read(tab));
    await chrome.storage.local.remove('problem');
    await show(tab, '✓', message('saved'));
  } catch (error) {
    await chrome.storage.local.set({ problem: error.message });
    await show(tab, '!', error.message);
    await chrome.runtime.openOptionsPage();
  }
};

chrome.action.onClicked.addListener(save);
chrome.runtime.onInstalled.addListener(({ reason }) => reason === 'install' && chrome.runtime.openOptionsPage());

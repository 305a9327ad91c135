export default function({ data }) {
  const pages = [...document.querySelectorAll('[data-testid="stSidebar"] a')].map(link => link.pathname);
  const keys = [...pages, '/', location.pathname].map(path => `stActiveTheme-${path}-v2`);
  keys.forEach(key => localStorage.removeItem(key));
  window.onpagehide = () => data.look && keys.forEach(key => localStorage.setItem(key, JSON.stringify(data.look)));
}

// Whether a text (white space folded, case ignored) is visible anywhere in the document or its open shadow roots.
(wanted) => {
  const fold = (text) => text.normalize('NFC').replace(/[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff\ue000-\uf8ff]/g, '')
    .replace(/[\u2018\u2019\u02bc]/g, "'").replace(/[\u201c\u201d]/g, '"').replace(/(\d),(?=\d{3}(?!\d))/g, '$1').replace(/\s+/g, ' ').trim().toLowerCase();
  const needle = fold(wanted);
  const roots = [document.body ?? document.documentElement];
  while (roots.length) {
    const root = roots.pop();
    if (fold(root.innerText ?? [...root.children].map((child) => child.innerText ?? '').join(' ')).includes(needle)) return true;
    for (const element of root.querySelectorAll('*')) if (element.shadowRoot) roots.push(element.shadowRoot);
  }
  return false;
}

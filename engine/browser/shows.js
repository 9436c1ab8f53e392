// Whether a text (white space folded, case ignored) is visible anywhere in the document or its open shadow roots.
(wanted) => {
  const fold = (text) => text.replace(/[\s\u00a0\u200b-\u200f\u2060\ufeff]+/g, ' ').trim().toLowerCase();
  const needle = fold(wanted);
  const roots = [document.body ?? document.documentElement];
  while (roots.length) {
    const root = roots.pop();
    if (fold(root.innerText ?? [...root.children].map((child) => child.innerText ?? '').join(' ')).includes(needle)) return true;
    for (const element of root.querySelectorAll('*')) if (element.shadowRoot) roots.push(element.shadowRoot);
  }
  return false;
}

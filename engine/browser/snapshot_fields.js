// What a snapshot does not say of one document: values of secret fields (to mask them), closed shadow roots, hidden file fields.
() => {
  const KINDS = /(^|\s)(cc-\S*|current-password|new-password|one-time-code)(\s|$)/i;
  const NAMES = /pass-?_?(word|wd|phrase|code)|(^|[^a-z])cv[vc]2?([^a-z]|$)|card-?_?(number|no|num)([^a-z]|$)/i;
  const LIMIT = 40;
  const found = { elements: 0, secrets: [], closed: [], files: [], pictures: 0 };
  const box = (element) => element.getBoundingClientRect();
  const hidden = (element) => {
    const { width, height } = box(element);
    return width < 1 || height < 1 || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  };
  const label = (element) => (element.labels?.[0]?.textContent || element.getAttribute('aria-label') || element.name || element.id || '')
    .replace(/\s+/g, ' ').trim().slice(0, 80);
  const secret = (element) => element.type === 'password' || KINDS.test(element.autocomplete ?? '')
    || KINDS.test(element.getAttribute('autocomplete') ?? '') || NAMES.test(element.name ?? '') || NAMES.test(element.id ?? '')
    || !['none', '', undefined].includes(getComputedStyle(element).webkitTextSecurity);
  const looks = {
    INPUT: (element) => {
      if (element.type === 'file') {
        if (hidden(element) && found.files.length < LIMIT) found.files.push(label(element));
      } else if (secret(element)) {
        for (const value of [element.value, element.defaultValue]) if (value) found.secrets.push(value);
      }
    },
    CANVAS: (element) => { const { width, height } = box(element); found.pictures += width * height; },
  };
  looks.TEXTAREA = looks.INPUT;
  const walk = (root) => {
    for (const element of root.querySelectorAll('*')) {
      found.elements += 1;
      looks[element.tagName]?.(element);
      if (element.shadowRoot) walk(element.shadowRoot);
      else if (element.localName.includes('-') && found.closed.length < LIMIT && !element.textContent.trim()
        && element.childElementCount === 0 && !hidden(element)) found.closed.push(element.localName);
    }
  };
  walk(document);
  found.pictures = Math.min(1, found.pictures / Math.max(1, innerWidth * innerHeight));
  return found;
}

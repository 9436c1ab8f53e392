// Where a document shows certain texts: `texts()` is all it shows, fields included; `queryAll` finds the smallest elements that
// hold one of the texts (a JSON list), widened until their boxes hold what they draw. Canvases and pictures are not looked into.
({
  fold: (text) => text.replace(/[\u00ad\u200b-\u200f\u2060\ufeff]/g, '').replace(/\s+/g, ' '),
  own(element) {
    if (element.tagName === 'INPUT' || element.tagName === 'TEXTAREA') return [element.value, element.placeholder];
    return element.tagName === 'IMG' ? [element.alt] : [];
  },
  roots(first) {
    const found = [first];
    for (const root of found) for (const each of root.querySelectorAll('*')) if (each.shadowRoot) found.push(each.shadowRoot);
    return found;
  },
  texts() {
    const said = [];
    for (const root of this.roots(document)) {
      said.push(this.fold((root.documentElement ?? root).textContent));
      for (const each of root.querySelectorAll('input, textarea, img')) {
        for (const text of this.own(each)) if (text) said.push(`textbox: ${this.fold(text)}`);
      }
    }
    return said.join('\n');
  },
  smallest(node, text, found) {
    const times = (each) => this.fold(each.textContent).split(text).length - 1;
    let inside = 0;
    for (const child of node.children) {
      const here = times(child);
      inside += here;
      if (here) this.smallest(child, text, found);
    }
    if (times(node) > inside) found.add(node.host ?? node);
  },
  wide(element) {
    const range = document.createRange();
    for (let at = element; at; at = at.parentElement ?? at.getRootNode().host) {
      range.selectNodeContents(element);
      const drawn = range.getBoundingClientRect(), box = at.getBoundingClientRect();
      const holds = box.left <= drawn.left && box.top <= drawn.top && box.right >= drawn.right && box.bottom >= drawn.bottom;
      if (holds || !at.parentElement) return at;
    }
    return document.documentElement;
  },
  queryAll(root, body) {
    const found = new Set();
    for (const text of JSON.parse(body)) {
      for (const each of this.roots(root.getRootNode())) {
        if (this.fold(each.textContent ?? each.documentElement.textContent).includes(text)) {
          this.smallest(each.documentElement ?? each, text, found);
        }
        for (const field of each.querySelectorAll('input, textarea, img')) {
          if (this.own(field).some((own) => own && this.fold(own).includes(text))) found.add(field);
        }
      }
    }
    return [...found].map((element) => this.wide(element.closest('select') ?? element));
  },
  query(root, body) { return this.queryAll(root, body)[0] ?? null; },
})

// While Playwright walks a huge document, very long runs of children end early, in a text that says how many are left.
(() => {
  const LIMITS = [1000, 500, 200, 100, 50];
  const ENOUGH = 4000;
  const sibling = Object.getOwnPropertyDescriptor(Node.prototype, 'nextSibling');
  const walk = (limit, whole) => {
    const ends = new Map();
    const stack = [[document.documentElement, false]];
    let read = 0;
    while (stack.length) {
      const [element, within] = stack.pop();
      const open = within || whole.includes(element._ariaRef?.ref);
      read += 1;
      for (const parent of [element, element.shadowRoot]) {
        if (!parent) continue;
        let child = parent.firstElementChild;
        for (let index = 1; child; index += 1, child = child.nextElementSibling) {
          stack.push([child, open]);
          if (open || index < limit || parent.childElementCount <= limit) continue;
          ends.set(child, parent.childElementCount - limit);
          break;
        }
      }
    }
    return [read, ends];
  };
  return {
    query(root, wanted) { return this.queryAll(root, wanted)[0] ?? null; },
    queryAll(root, wanted) {
      Object.defineProperty(Node.prototype, 'nextSibling', sibling);
      if (!wanted) return [];
      const { mark, whole } = JSON.parse(wanted);
      let ends;
      for (const limit of LIMITS) {
        let read;
        [read, ends] = walk(limit, whole);
        if (read <= ENOUGH) break;
      }
      Object.defineProperty(Node.prototype, 'nextSibling', {
        ...sibling,
        get() {
          const left = ends.get(this);
          return left === undefined ? sibling.get.call(this) : document.createTextNode(`${mark}${left}`);
        },
      });
      return [];
    },
  };
})()

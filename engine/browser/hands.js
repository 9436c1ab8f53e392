// What a person does on a page, put in a queue so that the run does it itself: clicks and keys are held back, Alt+click names what
// is to be read. Fields are filled as usual, and told when the next click or key comes: nobody takes the focus from a person
// who types. `watch` holds events back and says whether one waits, `next` takes it: JSON in an element that is not on the page;
// `rest` lets events through.
(() => {
  const FIELD = 'textarea, [contenteditable=""], [contenteditable=true], input:not([type=checkbox], [type=radio], [type=button], '
    + '[type=submit], [type=reset], [type=image], [type=file], [type=color], [type=range])';
  const THING = 'a, button, input, select, textarea, label, summary, [role], [onclick], [tabindex]';
  const queue = [];
  const filled = new Set();
  let on = false, listening = false;
  const hold = (event) => { event.preventDefault(); event.stopImmediatePropagation(); };
  const under = (event) => event.composedPath().find((each) => each.nodeType === 1);
  const words = (element) => (element?.innerText ?? element?.textContent ?? '').replace(/\s+/g, ' ').trim();
  const push = (kind, element, more) => queue.push({ kind, element, ...more });
  const finish = () => {
    for (const field of filled) {
      if (field.tagName === 'SELECT') push('select', field, { options: [...field.selectedOptions].map((each) => each.label.trim()) });
      else push('type', field, { text: field.value ?? field.textContent, secret: field.type === 'password', label: title(field) });
    }
    filled.clear();
  };
  const title = (element) => {
    const cell = element.closest('td, th, [role=cell], [role=gridcell]');
    const table = cell?.closest('table');
    const heads = table ? [...table.rows].find((row) => row.querySelector('th') && !row.querySelector('td')) : null;
    const before = element.previousElementSibling ?? element.parentElement?.previousElementSibling;
    return words(element.labels?.[0]) || element.getAttribute('aria-label') || element.name || words(heads?.cells[cell?.cellIndex])
      || words(before) || 'value';
  };
  const thing = (element) => {
    const near = element.closest(THING) ?? element;
    return near.tagName === 'LABEL' && near.control ? near.control : near;
  };
  const pointed = (event) => {
    const element = under(event);
    if (!on || !event.isTrusted || !element) return;
    if (!event.altKey && (element.closest('select') || element.closest(FIELD))) return;
    hold(event);
    if (event.type !== 'click') return;
    finish();
    if (event.altKey) push('read', element, { text: (element.value ?? words(element)).slice(0, 4000), label: title(element) });
    else push('click', thing(element));
  };
  const listeners = {
    input: (event) => {
      const field = under(event)?.closest(`${FIELD}, select`);
      if (!on || !event.isTrusted || !field) return;
      filled.delete(field);
      filled.add(field);
    },
    keydown: (event) => {
      const field = under(event)?.closest('input');
      if (!on || !event.isTrusted || !(event.key === 'Escape' || (event.key === 'Enter' && field?.matches(FIELD)))) return;
      hold(event);
      finish();
      push('press', under(event), { key: event.key });
    },
  };
  for (const name of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'dblclick']) listeners[name] = pointed;
  const named = (element) => {
    for (let at = element; at; at = at.parentElement ?? at.getRootNode().host) if (at._ariaRef) return at._ariaRef.ref;
    return null;
  };
  return {
    query(root, wish) { return this.queryAll(root, wish)[0] ?? null; },
    queryAll(root, wish) {
      on = wish === 'watch' || (on && wish !== 'rest');
      if (on && !listening) for (const [name, listener] of Object.entries(listeners)) addEventListener(name, listener, true);
      listening = listening || on;
      const { element, ...said } = (wish === 'next' ? queue.shift() : queue[0]) ?? {};
      if (!element || wish === 'rest') return [];
      const answer = document.createElement('q');
      answer.textContent = JSON.stringify({ ...said, ref: element.isConnected ? named(element) : null });
      return [answer];
    },
  };
})()

// What drift does to a live document: one entry an operator, `fits` says whether it makes sense here, `apply` does it.
// A stamp is an element's place in the page as the site made it; what operators add has none.
((plan) => {
if (top !== self) return;
const stamps = new Map(), stampOf = new WeakMap(), kids = new Map(), done = new Set();
const up = (node) => (node.parentNode instanceof ShadowRoot ? node.parentNode.host : node.parentNode);
const each = (root, visit) => {
  for (const element of root.querySelectorAll('*')) { visit(element); if (element.shadowRoot) each(element.shadowRoot, visit); }
};
const own = new WeakSet();
const made = (tag, html = '', attributes = {}) => {
  const element = document.createElement(tag);
  Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
  element.innerHTML = html;
  own.add(element); each(element, (inside) => own.add(inside));
  return element;
};
const adopt = (element) => { own.add(element); each(element, (inside) => own.add(inside)); return element; };
const stamp = (element) => {
  if (own.has(element) || stampOf.has(element)) return;
  let parent = up(element);
  while (parent && parent !== document && !stampOf.has(parent)) parent = up(parent);
  const prefix = `${stampOf.get(parent) ?? ''}/${element.localName}`;
  const alive = (kids.get(prefix) ?? []).filter((other) => other.isConnected);
  kids.set(prefix, [...alive, element]);
  stampOf.set(element, `${prefix}[${alive.length + 1}]`);
  stamps.set(stampOf.get(element), element);
};
const stampAll = (root) => { if (root.nodeType === 1) stamp(root); each(root, stamp); };

let state = (plan.seed ?? 1) >>> 0;
const dice = (sides) => { state = (Math.imul(state, 1664525) + 1013904223) >>> 0; return Math.floor((state / 2 ** 32) * sides); };
const CONTROLS = 'input:not([type=hidden]),select,textarea,button,a[href],[role=button],[role=link],[role=checkbox],[role=combobox]';
const isField = (e) => e.matches('input:not([type=hidden]),select,textarea');
const labelsOf = (e) => [...(e.labels ?? [])];
const textNodes = (e) => {
  const found = [], walk = (node) => { if (node.nodeType === 3 && node.data.trim()) found.push(node); else if (!['SCRIPT', 'STYLE', 'TEMPLATE'].includes(node.nodeName)) node.childNodes.forEach(walk); };
  walk(e); return found;
};
const worded = (e) => (isField(e) ? labelsOf(e).flatMap(textNodes) : textNodes(e));
const reword = (e, change) => {
  worded(e).forEach((node) => { node.data = change(node.data); });
  if (e.getAttribute('aria-label')) e.setAttribute('aria-label', change(e.getAttribute('aria-label')));
};
const named = (e) => worded(e).length > 0 || Boolean(e.getAttribute('aria-label'));
const inTable = (e) => e.closest('table,[role=table],[role=row],dl') !== null;
const rowOf = (e) => e.closest('tbody tr,[role=row]');
const cellLike = (e) => e.matches('td,th,tr,dt,dd,li,option,[role=cell],[role=row],[role=option],[role=listitem]') || e.parentElement?.matches('[role=row],[role=listitem],[role=listbox]');
const blockOf = (e) => e.closest('form,table,[role=table],dl,[role=dialog],[data-invite]') ?? e.parentElement;
const unitOf = (e) => {
  let unit = e;
  while (unit.parentElement && !unit.parentElement.matches('form,main,body,section,[role=dialog],[data-invite],td,[role=row]')
    && unit.parentElement.querySelectorAll(CONTROLS).length === (e.matches(CONTROLS) ? 1 : 0)) unit = unit.parentElement;
  return unit;
};
const twins = (unit) => [...(unit.parentElement?.children ?? [])].filter((other) => other.localName === unit.localName && other.querySelector(CONTROLS) || other === unit);
const near = (e) => (isField(e) ? twins(unitOf(e)).map((unit) => unit.querySelector(e.localName)).filter((other) => other && other !== e && labelsOf(other).length) : []);
const clone = (e) => {
  const copy = adopt(e.cloneNode(true));
  if ('value' in e && e.localName !== 'button' && e.localName !== 'li') copy.value = e.value;
  return copy;
};
const unid = (e) => { [e, ...e.querySelectorAll('*')].forEach((inside) => { inside.removeAttribute('id'); inside.removeAttribute('name'); inside.removeAttribute('for'); inside.removeAttribute('data-field'); }); return e; };
const swapTag = (e, tag, role) => {
  const next = made(tag);
  for (const { name, value } of e.attributes) if (!['href', 'type', 'role'].includes(name)) next.setAttribute(name, value);
  next.append(...e.childNodes);
  if (role) { next.setAttribute('role', role); next.tabIndex = 0; }
  e.replaceWith(next);
  return next;
};
const wide = (change) => (root) => { if (root.nodeType === 1 && !own.has(root)) change(root); each(root, (e) => { if (!own.has(e)) change(e); }); };
const rid = () => 'r' + (dice(900) + 100) + 'k' + dice(9);
const intercept = (e, meet) => e.addEventListener('click', (event) => {
  if (meet(event)) { event.preventDefault(); event.stopImmediatePropagation(); }
}, true);
const late = (ms) => ({
  fits: (e) => !blockOf(e).matches('body,main'),
  apply: (e) => { const block = blockOf(e), mark = document.createComment(''); block.before(mark); block.remove(); setTimeout(() => mark.replaceWith(block), ms); },
});
const dropId = (e) => {
  if (!e.id) return;
  labelsOf(e).filter((label) => !label.contains(e)).forEach((label) => { label.removeAttribute('for'); label.append(' ', e); });
  for (const other of e.getRootNode().querySelectorAll(`[aria-labelledby~="${CSS.escape(e.id)}"]`)) {
    other.setAttribute('aria-label', e.textContent.trim()); other.removeAttribute('aria-labelledby');
  }
  e.removeAttribute('id');
};
const renameId = (e) => {
  if (!e.id) return;
  const old = e.id, id = rid();
  for (const name of ['for', 'aria-labelledby', 'aria-describedby', 'form', 'list']) {
    for (const other of e.getRootNode().querySelectorAll(`[${name}="${CSS.escape(old)}"]`)) other.setAttribute(name, id);
  }
  e.id = id;
};
const rehash = (e) => { if (e.getAttribute('class')) e.setAttribute('class', [...e.classList].map(() => 'css-' + rid()).join(' ')); };
const untest = (e) => ['data-testid', 'data-test'].forEach((name) => e.removeAttribute(name));
const banner = () => document.body.prepend(made('div', '<p>Scheduled maintenance tonight at 11 PM.</p><a href="/news">Read more</a>', { role: 'alert' }));
const wrap = (e) => {
  if (cellLike(e)) { const span = made('span'); span.append(...e.childNodes); e.append(span); return; }
  const box = made('div', '', { class: 'w', style: 'display:inline-block' }); e.before(box); box.append(e);
};
const icon = (e) => (isField(e) ? labelsOf(e)[0] : e).prepend(made('i', '\ue5ca', { class: 'icon' }));
const reorder = (e) => {
  const list = rowOf(e) ? [...rowOf(e).parentElement.children].filter((row) => !row.querySelector('th,[role=columnheader]')) : twins(unitOf(e));
  const marks = list.map((one) => { const mark = document.createComment(''); one.replaceWith(mark); return mark; });
  list.reverse().forEach((one, at) => marks[at].replaceWith(one));
};
const canReorder = (e) => !e.closest('dl') && (rowOf(e) ? rowOf(e).parentElement.children.length > 2 : twins(unitOf(e)).length > 1);
const other = (text) => text.replace(/\d/g, (digit) => (Number(digit) + 3) % 10).replace(/[A-Za-z]{3,}/g, (word) => word + 'o');
const foreign = (text) => text.replace(/\p{L}{2,}/gu, (word) => [...word.toLowerCase()].reverse().join('') + 'en');

const OPERATORS = {
  wrap: { fits: () => true, apply: wrap },
  unwrap: {
    fits: (e) => !cellLike(e) && e.parentElement?.matches('div:not([role],[id],[data-invite]),span:not([role],[id]),p') && !e.parentElement.matches('[role=dialog] > *'),
    apply: (e) => e.parentElement.replaceWith(...e.parentElement.childNodes),
  },
  'sibling inserted': {
    fits: (e) => !cellLike(e), apply: (e) => (isField(e) ? unitOf(e) : e).before(made('span', 'New ')),
  },
  'banner on top': { wide: true, fits: () => true, load: banner },
  'siblings reordered': { fits: canReorder, apply: reorder },
  'moved within main': {
    fits: (e) => !blockOf(e).matches('body,main'),
    apply: (e) => { const block = blockOf(e); (block.closest('main,[role=main]') ?? block.parentNode).append(block); },
  },
  'classes rehashed': { wide: true, fits: (e) => e.closest('[class]') !== null, load: wide(rehash) },
  'id removed': { wide: true, fits: (e) => Boolean(e.id), load: wide(dropId) },
  'id renamed': { wide: true, fits: (e) => Boolean(e.id), load: wide(renameId) },
  'name removed': {
    fits: (e) => isField(e) && e.form && e.name && e.type !== 'radio' && (!e.form.matches('[data-transfer]') || e.id === e.name),
    apply: (e) => { const name = e.name; e.removeAttribute('name'); e.form.addEventListener('formdata', (event) => event.formData.set(name, (stamps.get(stampOf.get(e)) ?? e).value)); },
  },
  'test id removed': { wide: true, fits: (e) => e.hasAttribute('data-testid'), load: wide(untest) },
  'tag swapped': {
    fits: (e) => !e.closest('[data-js]') && (e.matches('button,a[href]') && !e.querySelector('a,button') || e.matches('input[type=text]') && !e.hasAttribute('data-js')),
    apply: (e) => {
      if (isField(e)) return swapTag(e, 'textarea');
      const link = e.localName === 'a', href = e.href, next = swapTag(e, link ? 'span' : 'div', link ? 'link' : 'button');
      if (link) next.addEventListener('click', () => location.assign(href));
      else { e.hidden = true; e.removeAttribute('id'); e.textContent = ''; own.add(e); next.after(e); next.addEventListener('click', () => e.click()); }
      return next;
    },
  },
  'case, spaces and quotes': { fits: named, apply: (e) => reword(e, (text) => text.toUpperCase().replace(/ /g, '\u00a0').replace(/'/g, '\u2019')) },
  'icon inside': { fits: (e) => e.matches('button,a[href],[role=button]') || isField(e) && labelsOf(e).length > 0, apply: icon },
  'hidden twin': { fits: (e) => !cellLike(e), apply: (e) => { const twin = unid(clone(e)); twin.style.display = 'none'; if ('disabled' in twin) twin.disabled = true; if (e.closest('label')) e.after(twin); else e.before(twin); } },
  'href otherwise': {
    fits: (e) => e.matches('a[href^="/"]'),
    apply: (e) => e.setAttribute('href', dice(2) ? e.getAttribute('href') + '?ref=nav' : new URL(e.href).pathname.replace(/^/, new Array(location.pathname.split('/').length - 1).join('../').slice(0, -1) || '.')),
  },
  'input type': { fits: (e) => e.matches('input[type=text]'), apply: (e) => { e.type = ['tel', 'search', ...(e.form?.noValidate ? ['email'] : [])][dice(e.form?.noValidate ? 3 : 2)]; } },
  'row inserted': {
    fits: (e) => rowOf(e) !== null,
    apply: (e) => {
      const row = rowOf(e), copy = unid(adopt(row.cloneNode(true)));
      textNodes(copy).forEach((node) => { node.data = node.parentElement.closest('button,a') && !/\d/.test(node.data) ? node.data : other(node.data); });
      copy.querySelectorAll('a[href]').forEach((link) => link.setAttribute('href', other(link.getAttribute('href')).replace(/o(?=\/|$)/g, '')));
      dice(2) ? row.before(copy) : row.after(copy);
    },
  },
  redesign: {
    wide: true, fits: (e) => !cellLike(e), load: (root) => { banner(); wide((e) => { rehash(e); untest(e); dropId(e); })(root); },
    apply: (e) => { if (canReorder(e)) reorder(e); if (e.matches('button,a[href]')) icon(e); wrap(e); },
  },
  'open shadow root': {
    fits: (e) => e.getRootNode() === document && !blockOf(e).matches('body,main'),
    apply: (e) => { const block = blockOf(e), host = made('x-panel'); block.before(host); host.attachShadow({ mode: 'open' }).append(block); watch(host.shadowRoot); },
  },
  'rendered 0.1 s late': late(100), 'rendered 1 s late': late(1000), 'rendered 5 s late': late(5000),
  'node replaced while acting': {
    fits: (e) => !e.matches('select,[data-js],[data-dismiss]') && !cellLike(e) && e.matches('a,button,input,textarea'),
    act: (e) => { const copy = clone(e); e.replaceWith(copy); return copy; },
  },
  'virtual list': {
    fits: (e) => { const row = rowOf(e); return row !== null && [...row.parentElement.children].indexOf(row) >= 5; },
    apply: (e) => {
      const list = rowOf(e).parentElement, all = [...list.children].filter((row) => !row.querySelector('th,[role=columnheader]'));
      const box = made('div', '', { style: 'height:110px;overflow:auto' }), whole = list.closest('table,[role=table]');
      whole.style.cssText += ';position:sticky;top:0'; whole.before(box); box.append(whole, made('div', '', { style: `height:${all.length * 30}px` }));
      const draw = () => { const first = Math.floor(box.scrollTop / 30); all.forEach((row, at) => { if (at >= first && at < first + 4) list.append(row); else row.remove(); }); };
      box.addEventListener('scroll', draw); draw();
    },
  },
  'slow first answer': { server: true, fits: () => true }, 'first answer 503': { server: true, fits: () => true },

  'label reworded': { fits: named, apply: (e) => reword(e, (text) => text.trim() + ' now') },
  'aria lost': { fits: (e) => e.closest('[role],[aria-label]') !== null, apply: (e) => { for (let each = e; each?.removeAttribute; each = each.parentElement) [...each.attributes].filter(({ name }) => name === 'role' || name.startsWith('aria-label')).forEach(({ name }) => each.removeAttribute(name)); } },
  'visible twin': { fits: (e) => e.matches('button,a[href],input') && !e.closest('[data-js]'), apply: (e) => e.after(' ', unid(clone(e))) },
  'region into a frame': {
    fits: (e) => e.getRootNode() === document && !blockOf(e).matches('body,main,[role=dialog]'),
    apply: (e) => { const block = blockOf(e), frame = made('iframe', '', { style: 'width:900px;height:500px', title: 'Panel' }); block.before(frame); frame.contentDocument.body.append(block); },
  },
  overlay: { fits: (e) => e.matches(CONTROLS), apply: () => document.body.append(made('div', 'Please wait', { style: 'position:fixed;inset:0;background:#fffc;z-index:99' })) },
  'another tab': { fits: (e) => e.matches('a[href]') || e.form && e.matches('button'), apply: (e) => (e.form ?? e).setAttribute('target', '_blank') },
  'numbers of another locale': { fits: (e) => textNodes(e).some((node) => /\d[.,]\d\d/.test(node.data)), apply: (e) => textNodes(e).forEach((node) => { node.data = node.data.replace(/[.,]/g, (mark) => (mark === '.' ? ',' : '.')); }) },

  'locale changed': {
    wide: true, fits: named, load: (root) => {
      if (root.nodeType === 9) root.documentElement.lang = 'de';
      wide((e) => { if (['SCRIPT', 'STYLE'].includes(e.nodeName)) return; e.childNodes.forEach((node) => { if (node.nodeType === 3) node.data = foreign(node.data); }); ['aria-label', 'title', 'placeholder'].forEach((name) => { if (e.getAttribute(name)) e.setAttribute(name, foreign(e.getAttribute(name))); }); })(root);
    },
  },
  'extra step': {
    commit: true, fits: (e) => e.matches(CONTROLS),
    apply: (e) => { let sure = false; intercept(e, () => {
      if (sure) return false;
      const box = made('div', '<p>Are you sure?</p><button>Go on</button>', { role: 'dialog', 'aria-label': 'One more thing' });
      box.querySelector('button').onclick = () => { sure = true; box.remove(); e.click(); };
      document.body.append(box); return true;
    }); },
  },
  'new required field': {
    commit: true, fits: (e) => e.matches(CONTROLS),
    apply: (e) => { const box = made('div', '<label>Branch code <input></label>'); unitOf(e).before(box); intercept(e, () => {
      if (box.querySelector('input').value) return false;
      box.prepend(made('p', 'Branch code is required.', { role: 'alert' })); return true;
    }); },
  },
  'session ended': { session: true, fits: () => true },
  'target removed': { fits: () => true, apply: (e) => { const gone = e.matches('td,[role=cell]') || e.closest('td') && !e.matches(CONTROLS) ? rowOf(e) ?? e : unitOf(e); gone.remove(); } },
  'same place, other meaning': { fits: named, acting: true, apply: (e) => { const words = ['Delete everything', 'Close the account', 'Tip for the driver', 'Forget it']; const said = words[dice(4)]; let first = true; reword(e, () => { const text = first ? said : ''; first = false; return text; }); if (e.getAttribute('aria-label')) e.setAttribute('aria-label', said); } },
  'cloned row': { fits: (e) => rowOf(e) !== null, apply: (e) => { const row = rowOf(e); row.after(unid(adopt(row.cloneNode(true)))); } },
  'another form action': {
    commit: true, fits: (e) => e.form?.method === 'post',
    apply: (e) => { e.form.append(made('input', '', { type: 'hidden', name: 'text', value: 'drift' })); e.form.setAttribute('action', plan.elsewhere); },
  },
  'amount changed after typing': {
    typed: true, fits: (e) => e.matches('input[type=text]'),
    apply: (e) => { e.addEventListener('input', () => setTimeout(() => { if (e.value) e.value = other(e.value); }, 20)); },
  },
  'amount changed on the way': {
    typed: true, ahead: true, fits: (e) => e.matches('input[type=text]') && e.form?.method === 'get',
    apply: (e) => e.form.addEventListener('formdata', (event) => event.formData.set(e.name, other(e.value))),
  },
  'amount changed in the question': {
    commit: true, fits: (e) => e.form?.matches('[data-transfer]') ?? false,
    apply: () => { const ask = window.confirm.bind(window); window.confirm = (text) => ask(text.replace(/\$(\d+)/, (_all, digits) => '$' + (Number(digits) + 7))); },
  },
  'labels swapped with names': {
    typed: true, fits: (e) => near(e).length > 0 && e.name !== '' && labelsOf(e).length > 0,
    apply: (e) => {
      const friend = near(e)[0], [mine, theirs] = [worded(e), worded(friend)];
      if (!friend.name || mine.length !== theirs.length) return;
      mine.forEach((node, at) => { [node.data, theirs[at].data] = [theirs[at].data, node.data]; });
      [e.name, friend.name] = [friend.name, e.name];
    },
  },
};

const here = location.pathname.replace(/\d+/g, '#');
const told = (name) => window.__drifted?.(name);
const replaced = (one, next) => { if (next instanceof Element) { stampOf.set(next, one.at); stamps.set(one.at, next); } };
const apply = () => {
  for (const [number, one] of plan.operators.entries()) {
    const operator = OPERATORS[one.name], element = stamps.get(one.at);
    if (done.has(number) || one.page !== here || !operator.apply || !element?.isConnected) continue;
    done.add(number);
    replaced(one, operator.apply(element));
    told(one.name);
  }
};
const loads = (root) => plan.operators.forEach((one) => { const { load } = OPERATORS[one.name]; if (load && root.isConnected !== false) { load(root); told(one.name); } });
const observer = new MutationObserver((records) => {
  for (const node of records.flatMap((record) => [...record.addedNodes])) {
    if (node.nodeType !== 1 || own.has(node) || stampOf.has(node)) continue;
    stampAll(node);
    if (node.isConnected) plan.operators.forEach((one) => { const operator = OPERATORS[one.name]; if (operator.load && one.name !== 'banner on top' && one.name !== 'redesign') operator.load(node); });
  }
  apply();
});
const watch = (root) => { observer.observe(root, { childList: true, subtree: true }); each(root, (e) => { if (e.shadowRoot) observer.observe(e.shadowRoot, { childList: true, subtree: true }); }); };
document.addEventListener('DOMContentLoaded', () => { stampAll(document); loads(document); apply(); watch(document); });

window.__drift = {
  facts: (e) => ({ page: here, stamp: stampOf.get(e) ?? '', fits: Object.entries(OPERATORS).filter(([, operator]) => operator.fits(e)).map(([name]) => name) }),
  act: () => plan.operators.forEach((one) => { const { act } = OPERATORS[one.name], e = stamps.get(one.at); if (act && one.page === here && e?.isConnected) { replaced(one, act(e)); told(one.name); } }),
  css: (e) => {
    const parts = [];
    for (let each = e; each && each.nodeType === 1; each = each.parentElement) {
      if (each.id) { parts.unshift('#' + CSS.escape(each.id)); break; }
      parts.unshift(`${each.localName}:nth-child(${[...each.parentNode.children].indexOf(each) + 1})`);
    }
    return parts.join(' > ');
  },
  xpath: (e) => {
    const parts = [];
    for (let each = e; each && each.nodeType === 1; each = each.parentElement) parts.unshift(`${each.localName}[${[...each.parentNode.children].filter((other) => other.localName === each.localName).indexOf(each) + 1}]`);
    return '/' + parts.join('/');
  },
};
})

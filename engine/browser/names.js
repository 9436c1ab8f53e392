// Roles, names and texts of elements, the same way when a target is described and when it is looked for.
const ZERO_WIDTH = /[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff\ue000-\uf8ff]|[\udb80-\udbff][\udc00-\udfff]/g;
const tidy = (text) => (text ?? '').normalize('NFC').replace(ZERO_WIDTH, '').replace(/[\u2018\u2019\u02bc]/g, "'")
  .replace(/[\u201c\u201d]/g, '"').replace(/\s+/g, ' ').trim();
const fold = (text) => tidy(text).toLowerCase();

const INPUT_ROLES = {
  button: 'button', submit: 'button', reset: 'button', image: 'button', checkbox: 'checkbox', radio: 'radio', range: 'slider',
  number: 'spinbutton', search: 'searchbox', file: 'button', hidden: '',
};
const TAG_ROLES = {
  a: (e) => (e.hasAttribute('href') ? 'link' : 'generic'), area: (e) => (e.hasAttribute('href') ? 'link' : 'generic'),
  article: 'article', aside: 'complementary', button: 'button', summary: 'button', caption: 'caption', dd: 'definition', dt: 'term',
  details: 'group', dialog: 'dialog', fieldset: 'group', figure: 'figure', form: 'form', h1: 'heading', h2: 'heading',
  h3: 'heading', h4: 'heading', h5: 'heading', h6: 'heading', hr: 'separator', iframe: 'iframe', img: 'img', li: 'listitem',
  main: 'main', menu: 'list', meter: 'meter', nav: 'navigation', ol: 'list', ul: 'list', option: 'option', output: 'status',
  p: 'paragraph', progress: 'progressbar', section: 'region', table: 'table', tbody: 'rowgroup', td: 'cell', tfoot: 'rowgroup',
  thead: 'rowgroup', tr: 'row', textarea: 'textbox', header: 'banner', footer: 'contentinfo', search: 'search',
  th: (e) => (e.scope === 'row' || e.scope === 'rowgroup' ? 'rowheader' : e.closest('thead') || e.scope === 'col'
    || !e.parentElement?.querySelector('td') ? 'columnheader' : 'rowheader'),
  select: (e) => (e.multiple || e.size > 1 ? 'listbox' : 'combobox'),
  input: (e) => (e.list ? 'combobox' : INPUT_ROLES[e.type] ?? 'textbox'),
};
const FROM_CONTENT = new Set(['button', 'cell', 'checkbox', 'columnheader', 'gridcell', 'heading', 'link', 'menuitem', 'menuitemcheckbox',
  'menuitemradio', 'option', 'radio', 'row', 'rowheader', 'switch', 'tab', 'tooltip', 'treeitem', 'term', 'definition']);
const CELLS = new Set(['cell', 'gridcell', 'columnheader', 'rowheader']);
const NO_TEXT = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE']);

const roles = new Map();
const roleOf = (element) => {
  if (roles.has(element)) return roles.get(element);
  const given = (element.getAttribute('role') ?? '').trim().split(/\s+/)[0].toLowerCase();
  const native = TAG_ROLES[element.localName];
  const implied = typeof native === 'function' ? native(element) : native ?? 'generic';
  const role = given && given !== 'none' && given !== 'presentation' ? given : given ? 'generic' : implied;
  roles.set(element, role);
  return role;
};

const parentOf = (element) => element.assignedSlot ?? element.parentElement ?? element.getRootNode().host ?? null;
const shown = (element) => element.checkVisibility?.({ visibilityProperty: true }) ?? true;
const visible = (element) => {
  if (!shown(element)) return false;
  const box = element.getBoundingClientRect();
  return (box.width > 0 && box.height > 0) || getComputedStyle(element).display === 'contents';
};
const disabled = (element) => element.matches(':disabled') || element.closest('[aria-disabled=true]') !== null;

const contentOf = (node, seen) => {
  if (node.nodeType === 3) return node.data;
  if (node.nodeType !== 1 || NO_TEXT.has(node.tagName) || seen.has(node)) return '';
  if (node.getAttribute('aria-hidden') === 'true' || !shown(node)) return '';
  const label = tidy(node.getAttribute('aria-label'));
  if (label) return ' ' + label + ' ';
  if (node.localName === 'img') return ' ' + (node.alt ?? '') + ' ';
  if (node.localName === 'input' && ['button', 'submit'].includes(node.type)) return ' ' + node.value + ' ';
  if (['input', 'select', 'textarea'].includes(node.localName)) return ' ';
  seen.add(node);
  const inside = node.localName === 'slot' && node.assignedNodes().length ? node.assignedNodes() : (node.shadowRoot ?? node).childNodes;
  const text = [...inside].map((child) => contentOf(child, seen)).join('');
  return getComputedStyle(node).display.startsWith('inline') && node.localName !== 'br' ? text : ' ' + text + ' ';
};
const texts = new Map();
const inner = (element) => {
  if (texts.has(element)) return texts.get(element);
  const inside = element.localName === 'slot' && element.assignedNodes().length ? element.assignedNodes() : (element.shadowRoot ?? element).childNodes;
  const seen = new Set([element]);
  texts.set(element, tidy([...inside].map((child) => contentOf(child, seen)).join('')));
  return texts.get(element);
};
// A cheap look before `inner`: whether this element can hold just a short text.
const brief = (element, length) => (element.shadowRoot ? true : element.textContent.length <= length * 4 + 80);

const referred = (element, attribute) => (element.getAttribute(attribute) ?? '').split(/\s+/).filter(Boolean)
  .map((id) => element.getRootNode().getElementById?.(id)).filter(Boolean);
const labelOf = (element) => {
  const by = referred(element, 'aria-labelledby').map((each) => tidy(each.getAttribute('aria-label')) || inner(each)).join(' ');
  return tidy(by) || tidy(element.getAttribute('aria-label')) || tidy([...(element.labels ?? [])].map((label) => inner(label)).join(' '));
};
const first = (element, selector) => { const child = element.querySelector(':scope > ' + selector); return child ? inner(child) : ''; };
const NATIVE_NAMES = {
  input: (e) => (['button', 'submit', 'reset'].includes(e.type) ? e.value || { submit: 'Submit', reset: 'Reset' }[e.type] || ''
    : e.type === 'image' ? e.alt || e.value || 'Submit' : ''),
  img: (e) => e.alt, area: (e) => e.alt, fieldset: (e) => first(e, 'legend'), table: (e) => first(e, 'caption'), figure: (e) => first(e, 'figcaption'),
};

const names = new Map();
const nameOf = (element) => {
  if (names.has(element)) return names.get(element);
  const name = labelOf(element) || tidy(NATIVE_NAMES[element.localName]?.(element))
    || (FROM_CONTENT.has(roleOf(element)) ? inner(element) : '') || tidy(element.getAttribute('title'))
    || tidy(element.getAttribute('placeholder') ?? element.getAttribute('aria-placeholder'));
  names.set(element, name);
  return name;
};

const everything = (root) => {
  const found = [];
  const visit = (scope) => {
    for (const element of scope.querySelectorAll('*')) {
      found.push(element);
      if (element.shadowRoot) visit(element.shadowRoot);
    }
  };
  visit(root);
  return found;
};
const ancestors = (element) => {
  const chain = [];
  for (let each = parentOf(element); each; each = parentOf(each)) chain.push(each);
  return chain;
};

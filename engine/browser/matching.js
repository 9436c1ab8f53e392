// Which elements of one document a locator matches, and whether an element is still what its fingerprint says.
const TEST_IDS = ['data-testid', 'data-test-id', 'data-test', 'data-qa', 'data-cy'];
const testIdOf = (element) => TEST_IDS.map((name) => element.getAttribute(name)).find(Boolean) ?? '';
const LANDMARKS = new Set(['dialog', 'alertdialog', 'form', 'region', 'navigation', 'main', 'complementary', 'group', 'radiogroup', 'table', 'grid',
  'list', 'tabpanel', 'menu', 'toolbar', 'search', 'banner', 'contentinfo', 'article', 'listbox', 'tree', 'treegrid']);
const ROWS = new Set(['row', 'listitem', 'article', 'option', 'treeitem']);

const agrees = (text, locator) => {
  const seen = fold(text);
  if (locator.match === 'pattern') return new RegExp(locator.value, 'iu').test(seen);
  const wanted = fold(locator.value);
  if (locator.match !== 'word') return seen === wanted;
  for (let at = seen.indexOf(wanted); wanted && at >= 0; at = seen.indexOf(wanted, at + 1)) {
    const around = [seen.slice(0, at).match(/.$/u)?.[0], seen.slice(at + wanted.length).match(/^./u)?.[0]];
    if (around.every((letter) => !letter || !/[\p{L}\p{N}]/u.test(letter))) return true;
  }
  return false;
};

const cellsOf = (row) => (row.cells ? [...row.cells] : [...row.querySelectorAll('[role=cell],[role=gridcell],[role=columnheader],[role=rowheader]')]);
const tableOf = (element) => ancestors(element).find((each) => ['table', 'grid', 'treegrid'].includes(roleOf(each))) ?? null;
const rowsOf = (table) => everything(table).filter((each) => roleOf(each) === 'row' && tableOf(each) === table);
const headers = new Map();
const headersOf = (table) => {
  if (headers.has(table)) return headers.get(table);
  const head = rowsOf(table).find((row) => cellsOf(row).length > 1 && cellsOf(row).every((cell) => roleOf(cell) === 'columnheader'
    || (cell.localName === 'td' && !tidy(cell.textContent))));
  const texts = head ? cellsOf(head).flatMap((cell) => Array(cell.colSpan || 1).fill(tidy(labelOf(cell) || inner(cell)))) : [];
  headers.set(table, texts);
  return texts;
};
const columnOf = (cell) => {
  const row = ancestors(cell).find((each) => roleOf(each) === 'row');
  const before = row ? cellsOf(row) : [];
  const index = before.slice(0, before.indexOf(cell)).reduce((sum, each) => sum + (each.colSpan || 1), 0);
  return row && before.includes(cell) ? index : -1;
};
const headerOf = (cell) => {
  const table = tableOf(cell);
  return (table && headersOf(table)[columnOf(cell)]) || '';
};
const leaves = (row) => {
  if (cellsOf(row).length) return cellsOf(row);
  const all = everything(row.shadowRoot ?? row).concat(row.shadowRoot ? everything(row) : []);
  return all.filter(innermost);
};
const rowHas = (row, anchor) => leaves(row).some((cell) => (!anchor.column || fold(headerOf(cell)) === fold(anchor.column))
  && (agrees(inner(cell), anchor) || [...cell.querySelectorAll('*')].some((part) => brief(part, anchor.value.length) && agrees(inner(part), anchor) && visible(part))));

let outlined = null;
const levelOf = (heading) => Number(heading.getAttribute('aria-level') ?? heading.localName.match(/^h([1-6])$/)?.[1] ?? 2);
const outlineOf = (element) => {
  outlined ??= everything(document).filter((each) => roleOf(each) === 'heading' && shown(each));
  const host = element.getRootNode().host;
  const before = outlined.filter((each) => element !== each && (element.compareDocumentPosition(each) & 2 || host && host.compareDocumentPosition(each) & 2)
    && !(element.compareDocumentPosition(each) & 1 && host && !(host.compareDocumentPosition(each) & 2)));
  const chain = [];
  for (let level = 7, at = before.length - 1; at >= 0; at -= 1) {
    if (levelOf(before[at]) < level) { chain.push(inner(before[at])); level = levelOf(before[at]); }
  }
  return chain.filter(Boolean);
};

// Rows, items and cards around an element; a table's row ends the list: a card around the table holds all its rows.
const rowsAround = (element) => {
  const found = [element, ...ancestors(element)].filter((each) => ROWS.has(roleOf(each)));
  const last = found.findIndex((each) => roleOf(each) === 'row');
  return last < 0 ? found : found.slice(0, last + 1);
};
const INSIDE = {
  row: (element, anchor) => rowsAround(element).filter((each) => rowHas(each, anchor)),
  region: (element, anchor) => ancestors(element).filter((each) => roleOf(each) === anchor.role && agrees(nameOf(each), anchor)),
  section: (element, anchor) => (outlineOf(element).some((heading) => agrees(heading, anchor)) ? [element] : []),
};
const inside = (element, anchor) => !anchor || INSIDE[anchor.by](element, anchor).some((each) => inside(each, anchor.within));

// The text that stands right before an element, as its label: a term, a preceding sibling, or one around a lone wrapper.
const labelBefore = (element) => {
  for (let each = element, up = 0; each && up < 3; each = each.parentElement, up += 1) {
    let before = each.previousElementSibling;
    while (before && (each.localName === 'dd' && before.localName === 'dd' || !before.textContent.trim())) before = before.previousElementSibling;
    if (before) return brief(before, 120) && shown(before) ? inner(before).replace(/\s*:$/, '') : '';
    if (each.parentElement?.childElementCount !== 1) return '';
  }
  return '';
};
const innermost = (element) => inner(element) !== '' && ![...element.children].some((child) => inner(child) === inner(element));
const FIELDS = new Set(['input', 'select', 'textarea']);
const isField = (element) => FIELDS.has(element.localName) || element.isContentEditable || ['textbox', 'combobox', 'listbox', 'spinbutton', 'searchbox',
  'checkbox', 'radio', 'switch', 'slider'].includes(roleOf(element));
const BY = {
  test_id: (e, l) => agrees(testIdOf(e), l),
  role: (e, l) => roleOf(e) === l.role && agrees(nameOf(e), l),
  label: (e, l) => isField(e) && agrees(labelOf(e), l),
  placeholder: (e, l) => e.hasAttribute('placeholder') && agrees(e.getAttribute('placeholder'), l),
  id: (e, l) => e.id === l.value,
  name: (e, l) => e.getAttribute('name') === l.value,
  cell: (e, l) => CELLS.has(roleOf(e)) && !(l.column === '' && roleOf(e) !== 'cell' && roleOf(e) !== 'gridcell')
    && fold(headerOf(e)) === fold(l.column) && (!l.value || INSIDE.row(e, { ...l, column: '' }).length > 0),
  after: (e, l) => brief(e, 400) && agrees(labelBefore(e), l) && innermost(e),
  text: (e, l) => brief(e, l.value.length) && agrees(inner(e), l) && innermost(e),
};
const matches = (locator, pool) => {
  const test = BY[locator.by];
  return pool.filter((element) => !NO_TEXT.has(element.tagName) && test(element, locator) && visible(element) && inside(element, locator.within));
};

const absolute = (url) => { try { return new URL(url, document.baseURI); } catch { return new URL(location.href); } };
const formOf = (element) => {
  const form = element.form ?? ancestors(element).find((each) => each.localName === 'form');
  if (!form) return { form_method: '', form_action: '' };
  const submits = element.localName === 'button' ? (element.getAttribute('type') ?? 'submit') === 'submit' : ['submit', 'image'].includes(element.type);
  const given = (name) => (submits ? element.getAttribute('form' + name) : null) ?? form.getAttribute(name) ?? '';
  return { form_method: given('method').toLowerCase() || 'get', form_action: absolute(given('action') || location.href).pathname };
};
const regionsOf = (element) => ancestors(element).filter((each) => LANDMARKS.has(roleOf(each)) && nameOf(each))
  .map((each) => ({ role: roleOf(each), name: nameOf(each) }));
// The regions whose name says what a control in them is about; landmarks and tables only say where it is.
const TELLING = new Set(['dialog', 'alertdialog', 'form', 'group', 'radiogroup', 'region', 'tabpanel']);
const tellingRegions = (element) => regionsOf(element).filter((each) => TELLING.has(each.role)).map((each) => `${each.role} ${each.name}`);
const kindOf = (element) => (element.localName === 'input' ? element.type : '');
const ALIKE = { searchbox: 'textbox', alertdialog: 'dialog', gridcell: 'cell' };
const alike = (role) => ALIKE[role] ?? role;
const GUARDED = new Set(['password', 'file']);

// What disagrees, as "word: expected / seen"; empty when the element is still what it was.
const disagreements = (element, print) => {
  const seen = formOf(element);
  const wrong = [];
  const check = (fine, what, wanted, got) => { if (!fine) wrong.push(`${what}: expected ${wanted}, saw ${got || 'none'}`); };
  check(!print.role || alike(roleOf(element)) === alike(print.role), 'role', print.role, roleOf(element));
  check(!print.name || agrees(nameOf(element), { value: print.name, match: 'pattern' }), 'name', print.name, JSON.stringify(nameOf(element)));
  const guarded = GUARDED.has(kindOf(element)) || GUARDED.has(print.input_type);
  check(!guarded || kindOf(element) === print.input_type, 'type', print.input_type || 'text', kindOf(element));
  const posts = print.form_method === 'post' || seen.form_method === 'post';
  check(!posts || seen.form_method === print.form_method, 'form method', print.form_method || 'none', seen.form_method);
  check(!posts || new RegExp(print.form_action, 'u').test(seen.form_action), 'form action', print.form_action, seen.form_action);
  const regions = print.region ? tellingRegions(element) : [];
  check(!print.region || !regions.length || regions.some((each) => agrees(each, { value: print.region, match: 'pattern' })), 'region', print.region, regions[0]);
  return wrong;
};

// The first locator with an agreeing match decides; two agreeing matches are never settled by a weaker locator.
const find = ({ locators, print }) => {
  const pool = everything(document);
  const wrong = [];
  for (const [level, locator] of locators.entries()) {
    const found = matches(locator, pool);
    const fitting = found.filter((element) => !disagreements(element, print).length);
    if (fitting.length) return { level, elements: fitting, wrong };
    found.forEach((element) => wrong.push(disagreements(element, print).join('; ')));
  }
  return { level: -1, elements: [], wrong };
};

// Everything the distiller needs to find this element again: its facts and every locator that matches it alone just now.
const MONTHS = '\\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*';
const escaped = (text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
const patternOf = (text) => '^' + escaped(fold(text)).replace(new RegExp(MONTHS, 'g'), MONTHS)
  .replace(/\d(?:(?:\\?[.,:/-])?\d)*/g, '\\d[\\d.,:/-]*') + '$';
const stable = (token) => token !== '' && token.length <= 64 && !/[\s:]/.test(token)
  && token.replace(/([a-z])([A-Z])/g, '$1-$2').split(/[-_.]/).every((part) => !/\d{2,}|\d.*[a-z]|^[a-f]{6,}$/i.test(part)
    && (part.length < 5 || /[aeiouy]/i.test(part))) && !/^(ember|ext-|yui|j_id|cdk-|mat-|radix|headlessui|react-|mui-|rc_|ng-)/i.test(token);
const SHORT = 120;

const plainLocators = (element) => {
  const role = roleOf(element), name = nameOf(element), label = labelOf(element), placeholder = tidy(element.getAttribute('placeholder'));
  const found = [];
  if (testIdOf(element)) found.push({ by: 'test_id', value: testIdOf(element) });
  if (role !== 'generic' && name && name.length <= SHORT) {
    found.push({ by: 'role', role, value: name });
    if (/\d/.test(name)) found.push({ by: 'role', role, value: patternOf(name), match: 'pattern' });
  }
  if (isField(element) && label) found.push({ by: 'label', value: label });
  if (placeholder) found.push({ by: 'placeholder', value: placeholder });
  return found;
};
const weakLocators = (element) => {
  const text = inner(element), found = [];
  if (stable(element.id)) found.push({ by: 'id', value: element.id });
  if (stable(element.getAttribute('name') ?? '')) found.push({ by: 'name', value: element.getAttribute('name') });
  const apart = !isField(element) && !ancestors(element).some((each) => CELLS.has(roleOf(each))) && !CELLS.has(roleOf(element));
  if (apart && labelBefore(element) && labelBefore(element).length <= SHORT) found.push({ by: 'after', value: labelBefore(element) });
  if (text && text.length <= SHORT && !isField(element)) found.push({ by: 'text', value: text });
  return found;
};
const anchorsOf = (element) => {
  const row = [element, ...ancestors(element)].find((each) => ROWS.has(roleOf(each)));
  const regions = regionsOf(element).map((each) => ({ by: 'region', role: each.role, value: each.name }));
  const sections = outlineOf(element).map((heading) => ({ by: 'section', value: heading }));
  const cells = row ? leaves(row).filter((cell) => cell !== element && !cell.contains(element) && inner(cell) && inner(cell).length <= SHORT) : [];
  const headed = cells.filter((cell) => roleOf(cell) === 'rowheader').concat(cells.filter((cell) => roleOf(cell) !== 'rowheader')).slice(0, 12);
  const rows = headed.map((cell) => ({ by: 'row', value: inner(cell), ...(roleOf(cell) === 'rowheader' ? { role: 'rowheader' } : {}) }));
  const outer = regions.concat(sections);
  return { rows, outer, nested: rows.flatMap((anchor) => outer.map((within) => ({ ...anchor, within }))) };
};
const cellLocators = (element, anchors) => {
  const cell = [element, ...ancestors(element)].find((each) => CELLS.has(roleOf(each)));
  if (!cell) return [];
  const column = headerOf(cell);
  const direct = anchors.rows.map((row) => ({ ...row, by: 'cell', column }));
  const one = column ? [{ by: 'cell', value: '', column }] : [];
  return direct.concat(direct.flatMap((each) => anchors.outer.map((within) => ({ ...each, within }))), one,
    one.flatMap((each) => anchors.outer.map((within) => ({ ...each, within }))));
};

const describe = (element) => {
  const pool = everything(document);
  const cell = [element, ...ancestors(element)].find((each) => CELLS.has(roleOf(each)));
  // The same words are looked for once, however many places they are narrowed to.
  const unplaced = new Map();
  const only = (target, { within, ...locator }) => {
    const key = JSON.stringify(locator);
    if (!unplaced.has(key)) unplaced.set(key, matches(locator, pool));
    const found = unplaced.get(key);
    const others = () => found.some((each) => each !== target && inside(each, within));
    return found.includes(target) && inside(target, within) && !(found.length > 1 && others());
  };
  const plain = plainLocators(element), weak = weakLocators(element), anchors = anchorsOf(element);
  const row = anchors.rows.length > 0;
  const anchored = (list) => plain.filter((each) => each.by !== 'test_id').concat(weak.filter((each) => each.by === 'name' || each.by === 'after'))
    .flatMap((each) => list.map((within) => ({ ...each, within })));
  const cells = cellLocators(element, anchors).filter((locator) => only(cell, locator));
  const ranked = plain.concat(anchored(anchors.outer), anchored(anchors.rows), row ? anchored(anchors.nested) : [], weak).slice(0, 150);
  const box = element.getBoundingClientRect(), region = tellingRegions(element)[0];
  return {
    role: roleOf(element), name: nameOf(element), label: isField(element) ? labelOf(element) : '', text: inner(element).slice(0, 4096), tag: element.localName,
    input_type: kindOf(element), region: region ?? '', ...formOf(element),
    candidates: ranked.filter((locator) => only(element, locator)), cells: cells.slice(0, 40),
    box: [box.x, box.y, box.width, box.height], column: cell ? headerOf(cell) : '',
    options: element.localName === 'select' ? [...element.options].map((option) => tidy(option.label)).slice(0, 200) : [],
    said: ['button', 'link'].includes(roleOf(element)) ? pool.filter((each) => brief(each, 80) && /\d|\p{L}/u.test(each.textContent) && !isField(each) && each.localName !== 'option'
      && visible(each) && innermost(each)).map((each) => inner(each)).filter((each) => each.length <= 80).slice(0, 120) : [],
    value: GUARDED.has(kindOf(element)) ? '' : String(element.value ?? ''), lang: document.documentElement.lang, framed: top !== self, headers: ['table', 'grid'].includes(roleOf(element)) ? headersOf(element) : [],
  };
};

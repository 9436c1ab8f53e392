// All rows of a table, grid or list as arrays of cell texts, header rows first as they stand.
(element) => {
  const clean = (node) => (node.innerText ?? node.textContent ?? '').replace(/\s+/g, ' ').trim();
  const inside = (root, selector) => [...root.querySelectorAll(selector), ...[...root.querySelectorAll('*')]
    .filter((node) => node.shadowRoot).flatMap((node) => inside(node.shadowRoot, selector))];
  const cells = 'th,td,[role=cell],[role=gridcell],[role=columnheader],[role=rowheader]';
  const rows = inside(element, 'tr,[role=row]');
  if (rows.length) return rows.map((row) => [...row.querySelectorAll(cells)].map(clean)).filter((row) => row.length);
  const items = inside(element, 'li,[role=listitem],[role=option]');
  return (items.length ? items : [...element.children]).map((item) => [clean(item)]).filter(([text]) => text);
}

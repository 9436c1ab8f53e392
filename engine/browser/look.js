// One look for a target: how many elements fit, and the facts of the only one.
const look = (wanted) => {
  const { level, elements, wrong } = find(wanted);
  const element = elements.length === 1 ? elements[0] : null;
  return {
    level, count: elements.length, enabled: element !== null && !disabled(element), wrong: wrong.slice(0, 5), url: location.href,
    // Before that the page's own deferred scripts have not run: a click would be lost, or would skip a question it asks.
    loaded: document.readyState === 'complete' || performance.getEntriesByType('navigation')[0]?.domContentLoadedEventEnd > 0,
    login: everything(document).some((each) => each.localName === 'input' && each.type === 'password' && visible(each)),
    role: element ? roleOf(element) : '', name: element ? nameOf(element) : '', live: element ? factsOf(element) : null,
    text: element && wanted.reads ? element.innerText ?? element.textContent : '',
  };
};

// Headings, alerts, statuses and dialogs that a person can see now, in the document and its open shadow roots.
() => {
  const found = [];
  const walk = (root) => {
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) walk(element.shadowRoot);
      if (found.length >= 60 || !element.matches('h1,h2,h3,h4,[role=heading],[role=alert],[role=status],[role=dialog],[role=alertdialog],dialog[open],caption')) continue;
      // What a dialog with controls says is the names of its controls: they are looked for when their steps come.
      if (element.matches('[role=dialog],[role=alertdialog],dialog') && element.querySelector('button,input,select,textarea,[role=button],h1,h2,h3,h4,[role=heading]')) continue;
      const text = (element.innerText ?? '').replace(/\s+/g, ' ').trim();
      if (text && text.length <= 200 && element.checkVisibility?.({ visibilityProperty: true })) found.push(text);
    }
  };
  walk(document);
  return found;
}

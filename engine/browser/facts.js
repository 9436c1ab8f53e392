// What a live element knows about its place: type, form, frame and whether it shows what is typed.
(element) => {
  const absolute = (url) => { try { return new URL(url, document.baseURI).href; } catch { return url; } };
  const form = element.form ?? element.closest('form');
  const submits = form && (element.type === 'submit' || element.type === 'image'
    || (element.tagName === 'BUTTON' && element.type !== 'button' && element.type !== 'reset'));
  const owner = submits ? element : null;
  // By the prototype: a field that is named like a method of its form would otherwise answer in its place.
  const of = (node, name) => Element.prototype.getAttribute.call(node, name);
  const attribute = (name, fallback) => (owner ? of(owner, 'form' + name) : null) ?? fallback;
  const within = form ?? element.closest('dialog,[role=dialog],[role=alertdialog],fieldset,tr,li,article,section') ?? document.body;
  const fields = [...Element.prototype.querySelectorAll.call(within, 'input,select,textarea')];
  const filled = fields.map((field) => field.type === 'password' ? `${field.name}:${field.value.length}`
    : `${field.name}=${field.type === 'checkbox' || field.type === 'radio' ? field.checked : field.value}`).join('\n');
  // A login asks for a password and at most two words or choices more: whatever else has a password field is no login.
  const shown = fields.filter((field) => !['hidden', 'submit', 'button', 'image', 'reset', 'checkbox'].includes(field.type));
  const passwords = shown.filter((field) => field.type === 'password');
  const others = shown.filter((field) => field.type !== 'password');
  const login = form && passwords.length === 1 && others.length <= 2
    && others.every((field) => ['text', 'email', 'tel', 'select-one'].includes(field.type));
  return {
    tag: element.tagName.toLowerCase(),
    input_type: element.tagName === 'INPUT' || element.tagName === 'BUTTON' ? (element.type ?? '') : '',
    form_action: form ? absolute(attribute('action', of(form, 'action') ?? '') || location.href) : '',
    form_method: form ? (attribute('method', of(form, 'method')) || 'get').toLowerCase() : '',
    form_password: Boolean(login),
    filled: `${filled}\n${(within?.textContent ?? '').replace(/\s+/g, ' ').slice(0, 5000)}`,
    submits: Boolean(submits),
    page_url: location.href,
    value: element.type === 'password' ? '' : (typeof element.value === 'string' ? element.value : ''),
    checked: Boolean(element.checked),
    link: element.closest('a')?.href ?? '',
  };
}

// What a live element knows about its place: type, form, frame and whether it shows what is typed.
(element) => {
  const absolute = (url) => { try { return new URL(url, document.baseURI).href; } catch { return url; } };
  const form = element.form ?? element.closest('form');
  const submits = form && (element.type === 'submit' || element.type === 'image'
    || (element.tagName === 'BUTTON' && element.type !== 'button' && element.type !== 'reset'));
  const owner = submits ? element : null;
  const attribute = (name, fallback) => (owner && owner.hasAttribute('form' + name) ? owner.getAttribute('form' + name) : fallback);
  return {
    tag: element.tagName.toLowerCase(),
    input_type: element.tagName === 'INPUT' || element.tagName === 'BUTTON' ? (element.type ?? '') : '',
    autocomplete: element.getAttribute('autocomplete') ?? '',
    form_action: form ? absolute(attribute('action', form.getAttribute('action') ?? '') || location.href) : '',
    form_method: form ? (attribute('method', form.getAttribute('method')) || 'get').toLowerCase() : '',
    form_password: form ? form.querySelector('input[type=password]') !== null : false,
    submits: Boolean(submits),
    page_url: location.href,
    editable: element.isContentEditable,
    value: element.type === 'password' ? '' : (typeof element.value === 'string' ? element.value : ''),
    checked: Boolean(element.checked),
    link: element.closest('a')?.href ?? '',
  };
}

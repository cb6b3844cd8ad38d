// Searches the contents of the reference, and tries calls with the key of the console's session or one that is typed.
(() => {
  const byId = (id) => document.getElementById(id);
  const make = (name, props = {}, ...children) => {
    const element = Object.assign(document.createElement(name), props);
    element.append(...children);
    return element;
  };

  // Search: the calls whose article has all words stay in the contents.
  const search = byId('search');
  search.closest('p').hidden = false;
  const entries = [...document.querySelectorAll('nav li')].map((item) => {
    const target = byId(decodeURIComponent(item.querySelector('a').hash.slice(1)));
    const article = target?.closest('article');
    return { item, text: `${item.textContent} ${(article ?? target)?.textContent ?? ''}`.toLowerCase() };
  });
  search.addEventListener('input', () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const { item, text } of entries) item.hidden = !words.every((word) => text.includes(word));
    for (const heading of document.querySelectorAll('nav h2')) {
      const list = heading.nextElementSibling;
      heading.hidden = [...list.children].every(({ hidden }) => hidden);
    }
  });

  // The language of the examples is kept for the next visit.
  const LANGUAGE = 'groundwatch-language';
  byId(`in-${localStorage.getItem(LANGUAGE)}`)?.click();
  for (const choice of document.querySelectorAll('input[name=language]'))
    choice.addEventListener('change', () => localStorage.setItem(LANGUAGE, choice.value));

  // Try it: a form for each call, made when it is opened.
  let contract;
  const read = () => (contract ??= fetch('/openapi.json').then((answer) => answer.json()));
  let typedKey = '';

  /** Headers of the credential: a typed key, the key of the console in this tab, or the session of a person. */
  const credential = () => {
    const key = typedKey || sessionStorage.getItem('groundwatch-key');
    if (key) return { authorization: `Bearer ${key}` };
    try {
      const { accountId, environment } = JSON.parse(localStorage.getItem('groundwatch-choice'));
      return { 'groundwatch-account': accountId, 'groundwatch-environment': environment };
    } catch {
      return {};
    }
  };

  const show = async (answer, into) => {
    const type = answer.headers.get('content-type') ?? '';
    const left = answer.headers.get('x-ratelimit-remaining');
    const line = `${answer.status} ${type}${left === null ? '' : `, ${left} units left`}`;
    into.append(make('p', {}, make('span', { className: 'status', textContent: line })));
    if (type.startsWith('image/')) {
      const picture = make('img', { alt: 'The answer', src: URL.createObjectURL(await answer.blob()) });
      into.append(picture);
      return;
    }
    const text = await answer.text();
    let shown = text;
    if (type.includes('json')) shown = JSON.stringify(JSON.parse(text), undefined, 2);
    const MOST = 100_000; // characters, which a page shows at once
    if (shown.length > MOST) shown = `${shown.slice(0, MOST)}\n… ${shown.length - MOST} more characters`;
    if (shown !== '') into.append(make('pre', { tabIndex: 0 }, make('code', { textContent: shown })));
  };

  const formOf = (method, path, declared, shared) => {
    const parameters = (declared.parameters ?? [])
      .map((given) => (given.$ref ? shared[given.$ref.split('/').pop()] : given))
      .filter((given) => given.in === 'path' || given.in === 'query');
    const field = (name, value, props = {}) => {
      const input = make('input', { name, value, ...props });
      return make('label', {}, name, input);
    };
    const fields = parameters.map(({ name, required, example, in: where }) =>
      field(name, example ?? '', { required: required === true || where === 'path' }),
    );
    const body = declared.requestBody?.content['application/json'];
    const text = body && make('textarea', { value: JSON.stringify(body.example ?? {}, undefined, 2) });
    if (text) fields.push(make('label', {}, 'Body', text));
    const hasKey = sessionStorage.getItem('groundwatch-key') !== null;
    const label = hasKey ? 'Key (empty: that of the console)' : 'Key';
    const key = make('input', { type: 'password', autocomplete: 'off', value: typedKey });
    fields.push(make('label', {}, label, key));
    const answerPlace = make('div', { ariaLive: 'polite' });
    const form = make('form', {}, ...fields, make('button', { textContent: `Send ${method.toUpperCase()}` }));
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      typedKey = key.value.trim();
      answerPlace.replaceChildren();
      const query = new URLSearchParams();
      let address = path;
      for (const { name, in: where } of parameters) {
        const { value } = form.elements.namedItem(name);
        if (where === 'path') address = address.replace(`{${name}}`, encodeURIComponent(value));
        else if (value !== '') query.set(name, value);
      }
      const headers = { ...credential(), ...(text && { 'content-type': 'application/json' }) };
      const call = { method: method.toUpperCase(), headers, ...(text && { body: text.value }) };
      try {
        const asked = query.size === 0 ? address : `${address}?${query}`;
        await show(await fetch(asked, call), answerPlace);
      } catch (error) {
        answerPlace.append(make('p', { className: 'deprecated', textContent: String(error) }));
      }
    });
    return [form, answerPlace];
  };

  for (const article of document.querySelectorAll('article[data-path]')) {
    const { method, path } = article.dataset;
    const details = make('details', { className: 'try' }, make('summary', { textContent: 'Try it' }));
    details.addEventListener(
      'toggle',
      async () => {
        const { paths, components } = await read();
        details.append(...formOf(method, path, paths[path][method], components.parameters));
      },
      { once: true },
    );
    article.querySelector('.two > div:last-child').append(details);
  }
})();

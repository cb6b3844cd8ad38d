import { type BrowserPage, openPage } from '../../test/fixtures/browser.ts';

/** What is asked of a running service whose console is measured. */
export type Answer = Readonly<Record<string, readonly Readonly<Record<string, string>>[] | undefined>>;

/** Returns a function that asks a service with a key. Its answers are lists of resources. */
export function asking(base: string, key: string): (path: string) => Promise<Answer> {
  return async (path) => {
    const headers = { authorization: `Bearer ${key}` };
    return (await (await fetch(new URL(path, base), { headers })).json()) as Answer;
  };
}

/** Opens a browser whose first page is empty, so that all that the console loads is noted. */
export function openBrowser(size: { readonly width: number; readonly height: number }): Promise<BrowserPage> {
  return openPage('about:blank', size, { trusts: true });
}

/** Signs in on the page of the console that is open, and waits until its map is drawn. */
export async function signIn(page: BrowserPage, key: string): Promise<void> {
  await page.until(`document.querySelector('#api-key')`);
  await page.evaluate(`{ const field = document.querySelector('#api-key');
    field.value = ${JSON.stringify(key)};
    field.dispatchEvent(new Event('input', { bubbles: true })); }`);
  await page.until(`!document.querySelector('button[type=submit]').disabled`);
  await page.evaluate(`document.querySelector('button[type=submit]').click()`);
  await page.until(`document.querySelector('.map[data-drawn=true]')`);
}

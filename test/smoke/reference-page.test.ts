import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { contractWorld } from '../contract/world.ts';
import { browserIsInstalled, openPage } from '../fixtures/browser.ts';

const skip = browserIsInstalled ? false : 'needs Debian’s chromium (apt-get install chromium)';
/** Folder for pictures of the page, for people to look at; none are kept without it. */
const PICTURES = process.env['GROUNDWATCH_TEST_PICTURES'];

test(
  'the reference is searched, shows a language, and tries calls with a typed key or that of the tab',
  { skip },
  async (t) => {
    const { service, key } = await contractWorld();
    const page = await openPage(`${service.baseUrl}/docs`, { width: 1280, height: 900 }, { trusts: true });
    t.after(() => page.close());
    await page.until('document.querySelector(".search")?.hidden === false');
    const keep = async (name: string): Promise<void> => {
      if (PICTURES !== undefined)
        await writeFile(`${PICTURES}/reference-${name}.png`, await page.screenshot());
    };
    await keep('start');

    const type = (selector: string, text: string): Promise<unknown> =>
      page.evaluate(
        `(() => { const field = document.querySelector(${JSON.stringify(selector)}); field.value = ${JSON.stringify(text)}; field.dispatchEvent(new Event('input', { bubbles: true })); })()`,
      );
    const listed = `[...document.querySelectorAll('nav li:not([hidden]) a')].map(({ hash }) => hash)`;
    const all = (await page.evaluate(listed)) as string[];
    await type('#search', 'threshold watch');
    const found = (await page.evaluate(listed)) as string[];
    assert.ok(found.includes('#createRiskWatch') && found.length < all.length / 4, found.join());
    await type('#search', '');
    assert.equal(((await page.evaluate(listed)) as string[]).length, all.length);

    const shown = `getComputedStyle(document.querySelector('#assessRisk .in-python')).display`;
    assert.equal(await page.evaluate(shown), 'none');
    await page.evaluate(`document.querySelector('#in-python').click()`);
    assert.equal(await page.evaluate(shown), 'block');
    await page.open(`${service.baseUrl}/docs?again`);
    assert.equal(await page.evaluate(shown), 'block', 'the language is kept');

    const answer = `(document.querySelector('#assessRisk .try div')?.textContent ?? '')`;
    await page.evaluate(`document.querySelector('#assessRisk .try summary').click()`);
    await page.until(`document.querySelector('#assessRisk .try form') !== null`);
    await page.evaluate(`document.querySelector('#assessRisk .try button').click()`);
    await page.until(`${answer}.includes('401')`);
    await type('#assessRisk .try input[type=password]', key);
    await page.evaluate(`document.querySelector('#assessRisk .try button').click()`);
    await page.until(`${answer}.includes('200') && ${answer}.includes('risk_score')`);
    await page.evaluate(`document.querySelector('#assessRisk').scrollIntoView()`);
    await keep('tried');

    // With the key that the console keeps in the tab; a body that is no JSON is refused by the service.
    await page.evaluate(`sessionStorage.setItem('groundwatch-key', ${JSON.stringify(key)})`);
    await page.open(`${service.baseUrl}/docs?third`);
    await page.evaluate(`document.querySelector('#assessRiskBatch .try summary').click()`);
    await page.until(`document.querySelector('#assessRiskBatch .try form') !== null`);
    const batch = `document.querySelector('#assessRiskBatch .try div').textContent`;
    await page.evaluate(`document.querySelector('#assessRiskBatch .try button').click()`);
    await page.until(`${batch}.includes('200') && ${batch}.includes('results')`);
    await type('#assessRiskBatch .try textarea', '{');
    await page.evaluate(`document.querySelector('#assessRiskBatch .try button').click()`);
    await page.until(`${batch}.includes('400')`);
    assert.deepEqual(await page.unnamedControls(), []);
    // A call that is refused is logged by the browser itself.
    const complaints = page.complaints.filter((text) => !/status of 40[01]/.test(text));
    assert.deepEqual(complaints, []);
  },
);

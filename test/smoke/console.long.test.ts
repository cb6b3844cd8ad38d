// Long file: one build of the console and one browser serve all of its tests.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { buildConsole, isConsoleFresh } from '../../src/http/console/build.ts';
import { browserIsInstalled, type BrowserPage, openPage } from '../fixtures/browser.ts';
import { exampleSandbox } from '../fixtures/example-sandbox.ts';
import { mapServer } from '../fixtures/map-server.ts';
import { axeViolations, keyboardFaults } from '../fixtures/page-audit.ts';
import { EXAMPLE_KEYS, exampleAnswer, exampleService } from '../fixtures/example-service.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Most bytes of the bodies of all answers until the first view with its map is drawn. */
const FIRST_VIEW_BYTES = 350_000;
/** Expression that is true when the map has drawn all its tiles. */
const MAP_IS_DRAWN = `document.querySelector('.map[data-drawn=true]')`;
/** Expression that moves the pointer over the map, and is true when a note on what is there begins with a text. */
const POINTER_FINDS = (text: string) => `(() => {
  const canvas = document.querySelector('.map-canvas canvas');
  const { left, top, width, height } = canvas.getBoundingClientRect();
  for (let y = top; y < top + height; y += 4)
    for (let x = left; x < left + width; x += 4) {
      canvas.dispatchEvent(new MouseEvent('mousemove', { clientX: x, clientY: y, bubbles: true }));
      const tip = document.querySelector('.map-tip');
      if (!tip.hidden && tip.innerText.startsWith(${JSON.stringify(text)})) return true;
    }
  return false;
})()`;
/** Addresses of all panes. */
const PANES = [
  '#/areas',
  '#/areas/new',
  `#/areas/${String(exampleAnswer('getAoi')['id'])}`,
  `#/changes/${String(exampleAnswer('getChange')['id'])}`,
  '#/place',
  '#/place/46.05,14.47',
  '#/watches',
  `#/watches/${String(exampleAnswer('getRiskWatch')['id'])}`,
  '#/anomalies',
  `#/anomalies/${String(exampleAnswer('getAnomaly')['id'])}`,
  `#/incidents/${String(exampleAnswer('getIncident')['id'])}`,
  '#/events',
  '#/webhooks',
  `#/webhooks/${String(exampleAnswer('getWebhook')['id'])}`,
  `#/webhooks/${String(exampleAnswer('getWebhook')['id'])}/${String(exampleAnswer('getDelivery')['id'])}`,
  '#/account',
  '#/members',
  '#/audit',
  '#/feeds',
  '#/layers',
  '#/models',
];

const skip = browserIsInstalled ? false : 'needs Debian’s chromium (apt-get install chromium)';

describe('the console in a browser as narrow as a phone', { skip }, () => {
  const { region, answers } = exampleSandbox();
  let page: BrowserPage;
  let service: Awaited<ReturnType<typeof exampleService>>;
  const built = mkdtempSync(join(tmpdir(), 'groundwatch-console-'));
  let folder = built;
  before(async () => {
    // A build of the same sources is the same.
    if (await isConsoleFresh(ROOT)) folder = join(ROOT, 'web/dist');
    else await buildConsole(ROOT, { output: built });
    service = await exampleService(folder, answers);
    page = await openPage(service.url, { width: 390, height: 844 });
    await page.prefer('light');
  });
  after(async () => {
    await page.close();
    await service.close();
    rmSync(built, { recursive: true, force: true });
  });
  const says = (text: string) => page.until(`document.body.innerText.includes(${JSON.stringify(text)})`);
  const click = (selector: string) =>
    page.evaluate(`document.querySelector(${JSON.stringify(selector)}).click()`);
  const press = (button: string) =>
    page.evaluate(`[...document.querySelectorAll('button, summary')]
      .find(({ innerText }) => innerText.trim() === ${JSON.stringify(button)}).click()`);
  const type = (field: string, value: string) =>
    page.evaluate(`{ const field = document.querySelector(${JSON.stringify(field)});
      field.value = ${JSON.stringify(value)};
      field.dispatchEvent(new Event('input', { bubbles: true })); }`);
  const show = (hash: string) =>
    page.evaluate(`location.hash = ${JSON.stringify(hash)};
      new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn())))`);
  const settled = () => page.until(`!document.querySelector('.waiting')`);
  const signIn = async (key: string): Promise<void> => {
    await page.until(`document.querySelector('#api-key')`);
    await type('#api-key', key);
    await page.until(`!document.querySelector('button[type=submit]').disabled`);
    await click('button[type=submit]');
  };

  test('signs in, lists areas, shows a change on the map and explains a risk', async () => {
    await signIn(EXAMPLE_KEYS.all.replace('aaa', 'bbb'));
    await says('does not accept this key');
    await signIn(EXAMPLE_KEYS.all);
    await says('Ljubljana west');
    await says('1 confirmed change');
    await page.until(`document.querySelector('.imagery .time time')?.innerText === '31 Aug 2026'`);
    await page.until(MAP_IS_DRAWN);
    assert.ok(service.sent.bytes < FIRST_VIEW_BYTES, `${service.sent.bytes} bytes`);
    assert.equal(await page.evaluate('location.href.includes("gw_")'), false);

    // The map draws areas and changes from tiles, and says what is under the pointer.
    await page.until(POINTER_FINDS('Vegetation loss, '));
    await page.until(POINTER_FINDS('Ljubljana west'));

    await click('.cards a');
    await says('Vegetation loss');
    // What is saved is taken where the page hands it to the browser.
    await page.evaluate(`{ const make = URL.createObjectURL.bind(URL);
      URL.createObjectURL = (blob) => { if (blob.type === 'text/csv') window.saved = blob; return make(blob); };
      HTMLAnchorElement.prototype.click = () => undefined; }`);
    await page.until(`document.querySelector('button[aria-label="Save changes as CSV"]')`);
    await click('button[aria-label="Save changes as CSV"]');
    await page.until('window.saved');
    assert.equal(await page.evaluate('saved.text()'), 'id,type\nchg_1,burn\n');
    await page.evaluate('delete HTMLAnchorElement.prototype.click');
    await click('.cards a[href*=changes]');
    await says('98 % that it is real and lasting');
    await says('31 Aug 2026');
    await page.until(
      `[...document.querySelectorAll('.swipe img')].filter((img) => img.naturalWidth > 0).length === 2`,
    );
    await says('Before · 3 Sept 2025');
    await page.evaluate(`{ const slider = document.querySelector('.swipe input');
      slider.value = 20;
      slider.dispatchEvent(new Event('input', { bubbles: true })); }`);
    await page.until(`document.querySelector('.swipe .before').style.clipPath.startsWith('inset(0px 80%')`);
    // The picture before covers no date on it, on narrow screens too.
    assert.equal(
      await page.evaluate(`getComputedStyle(document.querySelector('.swipe .before')).zIndex`),
      'auto',
    );
    await says('where the change began');
    await page.until(`document.querySelectorAll('.plot canvas').length === 1`);
    await press('Provenance');
    await says('Every scene used');
    await page.until(`document.querySelector('.maplibregl-ctrl-scale')`);

    await show('#/anomalies');
    await says('The simulated region is being made, 40 % so far: its incidents will appear');
    region.made = true;
    await says('it is 1 Jan 2025 there');
    await says('Nothing unusual in the areas that are watched');
    await type('#advance-days', '5');
    await click('.sandbox-bar button');
    await says('5 days: 1 scene and 21 observations ingested; 1 new change');
    await says('it is 6 Jan 2025 there');
    await says('Thin vegetation and loss of vegetation at Ljubljana west, since 12 July 2026');
    await click('.cards a[href*=incidents]');
    await says('Consists of');
    await says('Before · 3 Sept 2025');
    await page.until(`document.querySelector('.rows a[href*=anomalies]')`);
    await show('#/areas');
    await says('Newest incidents');

    await show('#/events');
    await says('change.detected');
    await says('Nothing to act on');

    await show('#/place');
    await says('within 4 bounds');
    await click('.links a');
    await says('no data: prior 0.20');
    await says('between 0.21 and 0.58 in 9 of 10 cases');
    await page.until(
      `document.querySelector('[aria-labelledby=series-heading] select').value === 'river_flow'`,
    );
    await says('simulated');
    await click('.score summary');
    await page.until(`document.querySelector('.explanation .plot canvas')`);
  });

  test('has a map where there is something to show on it, and the width of the page elsewhere', async () => {
    await show('#/audit');
    await page.until(`!document.querySelector('.map').checkVisibility()`);
    await show('#/watches');
    await page.until(`document.querySelector('.map').checkVisibility()`);
  });

  test('says on the map what lies beyond its last latitude, and nothing elsewhere', async () => {
    await show('#/place/-87.5,14.47');
    await page.until(
      `document.querySelector('.map-omitted')?.innerText.startsWith('This lies beyond 85 degrees')`,
    );
    await show('#/place/46.05,14.47');
    await page.until(`document.querySelector('.map-omitted') === null`);
  });

  test('finds a town by the keyboard', async () => {
    await show('#/areas');
    await page.evaluate(`document.querySelector('.place-search input').focus()`);
    await type('.place-search input', 'ljublj');
    await page.until(`document.querySelectorAll('.place-search li').length === 2`);
    const key = (name: string) =>
      page.evaluate(`document.querySelector('.place-search input').dispatchEvent(
        new KeyboardEvent('keydown', { key: ${JSON.stringify(name)}, bubbles: true }))`);
    const chosen = `document.querySelector('.place-search li[aria-selected=true]').innerText`;
    await page.until(`${chosen}.includes('Ljubljana west')`); // areas of the account come first
    await key('ArrowDown');
    await page.until(`${chosen}.includes('Slovenia')`);
    await key('Enter');
    await page.until(`location.hash.startsWith('#/place/46.05,14.5')`);
  });

  test('tells how far the feeds are, where the layers lie, and how reliable the models are', async () => {
    await show('#/feeds');
    await says('12 of 12 areas served');
    await says('the catalogue answered 503');
    await show('#/layers');
    await says('every 100 years');
    await page.until(`document.querySelector('#pane .badge')?.innerText === 'here'`);
    await show('#/models');
    await page.until(`document.querySelector('.reliability polyline')`);
  });

  test('sets a digest of a subscription, and that it is sent the past', async () => {
    await show('#/anomalies');
    await page.until(`document.querySelector('#pane details select')`);
    await click('#pane details:has(select) summary');
    await page.evaluate(`{ const select = document.querySelector('#pane details select');
      select.value = 'daily';
      select.dispatchEvent(new Event('change', { bubbles: true })); }`);
    await page.evaluate(`[...document.querySelectorAll('#pane details .check')]
      .find(({ innerText }) => innerText.includes('over long before')).querySelector('input').click()`);
    await press('Save');
    await page.until(`document.querySelector('#pane details [role=status]')?.innerText === 'Saved.'`);
    assert.match(service.changing.at(-1)!, /^PATCH \/v1\/anomalies\/subscriptions\/sub_\w+$/);
    assert.deepEqual(service.bodies.at(-1), { quiet_hours: null, digest: 'daily', past: true });
  });

  test('watches a risk, and tells when it was crossed', async () => {
    await show('#/watches');
    await says('Flood: 52.37000°');
    await type('#watch-threshold', '0.6');
    await press('Watch');
    await says('Crossings');
    assert.ok(service.changing.includes('POST /v1/risk/watches'));
    await press('End this watch');
    await says('Nothing more is told of it.');
  });

  test('makes a key that it shows this once', async () => {
    await show('#/account');
    await says('nightly portfolio run');
    await press('New API key');
    await press('All that read');
    await press('Make the key');
    const { key } = exampleAnswer('createKey') as { readonly key: string };
    await says(key);
    assert.ok(service.changing.includes('POST /v1/keys'));
    await press('I have it');
    await page.until(`!document.body.innerText.includes(${JSON.stringify(key)})`);
  });

  test('tells what was delivered and answered, and sends it again', async () => {
    await show('#/webhooks');
    await page.until(`document.querySelector('.cards a[href*=wh_]')`);
    await click('.cards a[href*=wh_]');
    await page.until(`document.querySelector('.rows a[href*=dlv_]')`);
    await click('.rows a[href*=dlv_]');
    await says('answered 503, 31 ms');
    await says('vegetation_loss');
    await press('Send again');
    for (const end = Date.now() + 60_000; !service.changing.at(-1)!.endsWith('/redeliver'); await pause(20))
      assert.ok(Date.now() < end, service.changing.join());
    await page.until(`!document.querySelector('button.primary').disabled`);
    assert.match(service.changing.at(-1)!, /^POST \/v1\/webhooks\/wh_\w+\/deliveries\/dlv_\w+\/redeliver$/);
  });

  for (const width of [360, 1280])
    test(`has no fault by axe-core, fits a screen ${width} wide and is reached by the keyboard, in light and in dark`, async () => {
      const faults: string[] = [];
      await page.resize({ width, height: 800 });
      await page.prefer('light');
      for (const [i, hash] of PANES.entries()) {
        await show(hash);
        await settled();
        await page.evaluate(`document.querySelectorAll('#pane details').forEach((one) => (one.open = true))`);
        const found: string[] = [];
        if ((await page.evaluate('document.documentElement.scrollWidth > innerWidth')) === true)
          found.push('wider than the window');
        if (width === 1280) found.push(...(await axeViolations(page)), ...(await keyboardFaults(page))); // where all is shown
        // Begins with the colours in which the pane before it ended: others draw the map anew.
        else
          for (const colours of i % 2 === 0 ? (['light', 'dark'] as const) : (['dark', 'light'] as const)) {
            await page.prefer(colours);
            found.push(...(await axeViolations(page, colours === 'dark' ? ['color-contrast'] : undefined)));
          }
        faults.push(...found.map((fault) => `${hash}: ${fault}`));
      }
      assert.deepEqual(faults, []);
    });

  test('a long name without spaces does not make the list of areas wider', async () => {
    await page.resize({ width: 1280, height: 800 });
    await show('#/areas');
    await settled();
    await page.until(`document.querySelector('.cards a[href*="/areas/"] strong')`);
    await page.evaluate(
      `document.querySelector('.cards a[href*="/areas/"] strong').textContent = 'x'.repeat(200)`,
    );
    const isWider = `{ const pane = document.querySelector('#pane'); pane.scrollWidth > pane.clientWidth }`;
    assert.equal(await page.evaluate(isWider), false);
  });

  test('has complained of nothing so far, and asked no other host', () => {
    // Apart from the one refused key (401), nothing failed: the page reported no policy violation, no exception and no
    // missing file.
    assert.deepEqual(
      page.complaints.filter((text) => !text.includes('status of 401')),
      [],
    );
    const { host } = new URL(service.url);
    const strangers = page.received.filter(({ url }) => url.startsWith('http') && new URL(url).host !== host);
    assert.deepEqual(strangers, []);
  });

  test('shows the title of a change above the map on a narrow screen, and lists below it', async () => {
    await page.prefer('light');
    await page.resize({ width: 390, height: 844 });
    const topOf = (selector: string) =>
      page.evaluate(`document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect().top`);
    for (const hash of PANES.filter((one) => /(changes|incidents|anomalies|areas)\/\w+_/.test(one))) {
      await show(hash);
      await settled();
      await page.until(`document.querySelector('.map-gap')`);
      assert.ok(Number(await topOf('#pane h1')) < Number(await topOf('.map')), hash);
      assert.ok(Math.abs(Number(await topOf('.map-gap')) - Number(await topOf('.map'))) < 1, hash); // it rounds
    }
    await show('#/areas');
    await page.until(`!document.querySelector('.map-gap')`);
    assert.ok(Number(await topOf('.map')) < Number(await topOf('#pane h1')));
  });

  test('shows the base map of another host, and only of that one', async () => {
    const [maps, stranger] = [await mapServer(), await mapServer()];
    for (const [kind, path] of [
      ['tiles', '{z}/{x}/{y}.png'],
      ['style', 'style.json'],
    ] as const) {
      const { origin, asked } = maps;
      asked.length = 0;
      const baseMap = { kind, url: `${origin}/${path}`, origin, attribution: 'Grey maps' };
      const other = await exampleService(folder, answers, baseMap);
      await page.open(other.url);
      await signIn(EXAMPLE_KEYS.all);
      await page.until(MAP_IS_DRAWN);
      await says('Grey maps');
      assert.ok(
        asked.some((one) => /^\/\d+\/\d+\/\d+\.png$/.test(one)),
        String(asked),
      );
      const refused = `fetch('${stranger.origin}/style.json').then(() => false, () => true)`;
      assert.equal(await page.evaluate(refused), true);
      assert.deepEqual(stranger.asked, []);
      await other.close();
    }
    await maps.close();
    await stranger.close();
    await page.open(service.url); // where this tab is still signed in
    await page.until(`document.querySelector('#pane')`);
  });

  test('names the scope that a key lacks, on every pane', async () => {
    await press('Sign out');
    await signIn(EXAMPLE_KEYS.none);
    for (const hash of PANES.filter((one) => one !== '#/areas/new' && one !== '#/models')) {
      await show(hash);
      await settled();
      await page.until(`document.querySelector('#pane').innerText.includes('lacks the scope')`);
    }
  });
});

/**
 * Walks through all pages of the console of a running service in Debian's Chromium, 360 and 1280 wide, in light and in
 * dark: violations by axe-core, errors in the console of the browser, requests that failed or went to other hosts,
 * what the keyboard does not reach and where its focus cannot be seen, and overflow. Give its address, a key and a folder
 * for pictures of all pages as NAME..., and in NODE_EXTRA_CA_CERTS the authority of its certificate (`tls/ca.pem` of the data
 * folder).
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { BrowserPage } from '../test/fixtures/browser.ts';
import { axeViolations, keyboardFaults } from '../test/fixtures/page-audit.ts';
import { asking, openBrowser, signIn } from './service/console.ts';

const [base, key, folder, only] = process.argv.slice(2);
if (base === undefined || key === undefined || folder === undefined)
  throw new Error('npm run bench -- console-walk ADDRESS KEY FOLDER [PAGE,PAGE...]');
mkdirSync(folder, { recursive: true });

const SIZES = [
  { width: 360, height: 740 },
  { width: 1280, height: 800 },
] as const;
const COLOURS = ['light', 'dark'] as const;
/** Most pixels of the height of a picture of a whole page. */
const MOST_PIXELS = 4_000;
/** How long a page may load more after nothing waits [ms]. */
const SETTLE_MS = 1_200;

const ask = asking(base, key);

/** Id of the first of a list. */
async function first(path: string, list: string, id = 'id'): Promise<string | undefined> {
  return (await ask(path))[list]?.[0]?.[id];
}

/** Names and addresses of all pages; those of which the service has nothing to show are left out and named. */
async function pages(): Promise<readonly (readonly [name: string, hash: string])[]> {
  const areas = (await ask('/v1/aois?limit=100'))['aois'] ?? [];
  const changed = await Promise.all(
    areas.map(async ({ id }) => first(`/v1/changes?aoi_id=${id}&status=confirmed&limit=1`, 'changes')),
  );
  const incidents = (await ask('/v1/incidents?limit=100'))['incidents'] ?? [];
  const webhook = await first('/v1/webhooks', 'webhooks');
  const delivery = webhook && (await first(`/v1/webhooks/${webhook}/deliveries`, 'deliveries'));
  const watch = await first('/v1/risk/watches', 'watches');
  const of = (id: string | undefined, path: string): string | undefined =>
    id === undefined ? undefined : path + id;
  const found: readonly (readonly [string, string | undefined])[] = [
    ['overview', '#/areas'],
    ['new-area', '#/areas/new'],
    ['area', of(areas[0]?.['id'], '#/areas/')],
    [
      'change',
      of(
        changed.find((one) => one !== undefined),
        '#/changes/',
      ),
    ],
    [
      'incident-weather',
      of(incidents.find((one) => Number(one['change_count']) === 0)?.['id'], '#/incidents/'),
    ],
    ['incident-change', of(incidents.find((one) => Number(one['change_count']) > 0)?.['id'], '#/incidents/')],
    ['incidents', '#/anomalies'],
    ['anomaly', of(await first('/v1/anomalies?limit=1', 'anomalies'), '#/anomalies/')],
    ['place-search', '#/place'],
    ['place', '#/place/46.0288,-26.9744'],
    ['watches', '#/watches'],
    ['watch', of(watch, '#/watches/')],
    ['feeds', '#/feeds'],
    ['layers', '#/layers'],
    ['models', '#/models'],
    ['events', '#/events'],
    ['webhooks', '#/webhooks'],
    ['webhook', of(webhook, '#/webhooks/')],
    ['delivery', webhook && of(delivery, `#/webhooks/${webhook}/`)],
    ['account', '#/account'],
    ['members', '#/members'],
    ['audit', '#/audit'],
    ['not-found', '#/nowhere'],
  ];
  for (const [name, hash] of found) if (hash === undefined) console.log(`nothing to show: ${name}`);
  return found.flatMap(([name, hash]) =>
    hash === undefined || (only !== undefined && !only.split(',').includes(name))
      ? []
      : [[name, hash] as const],
  );
}

/** Waits until a page shows what it loads. */
async function settled(page: BrowserPage): Promise<void> {
  await page.until(`!document.querySelector('#pane .waiting')`);
  await pause(SETTLE_MS);
  await page.until(`!document.querySelector('#pane .waiting')`);
}

/** Pictures of the first view and of the whole page. */
async function picture(page: BrowserPage, size: (typeof SIZES)[number], name: string): Promise<void> {
  writeFileSync(join(folder!, `${name}.png`), await page.screenshot());
  const height = Number(
    await page.evaluate(
      `Math.max(document.documentElement.scrollHeight, 200 + (document.querySelector('#pane')?.scrollHeight ?? 0))`,
    ),
  );
  if (height <= size.height + 40) return;
  await page.resize({ ...size, height: Math.min(height, MOST_PIXELS) });
  await pause(500);
  writeFileSync(join(folder!, `${name}-whole.png`), await page.screenshot());
  await page.resize(size);
}

async function audit(page: BrowserPage, where: string): Promise<readonly string[]> {
  const faults = [...(await axeViolations(page))];
  if ((await page.evaluate('document.documentElement.scrollWidth > innerWidth')) === true)
    faults.push(`is wider than the window`);
  if (where.endsWith('light')) faults.push(...(await keyboardFaults(page)));
  return faults.map((fault) => `${where}: ${fault}`);
}

const page = await openBrowser(SIZES[0]);
const faults: string[] = [];
let count = 0;
try {
  await page.prefer('light');
  await page.open(base);
  await page.until(`document.querySelector('#api-key')`);
  await pause(SETTLE_MS);
  faults.push(...(await audit(page, 'sign-in 360 light')));
  await picture(page, SIZES[0], 'sign-in-360-light');
  await signIn(page, key);
  const all = await pages();
  for (const size of SIZES) {
    await page.resize(size);
    await page.open(base); // the map fits the window in which it opens
    await page.until(`document.querySelector('.map[data-drawn=true]')`);
    for (const [name, hash] of all)
      for (const colours of COLOURS) {
        await page.prefer(colours);
        await page.evaluate(`location.hash = ${JSON.stringify(hash)}; scrollTo(0, 0)`);
        await settled(page);
        const where = `${name} ${size.width} ${colours}`;
        await picture(page, size, where.replaceAll(' ', '-'));
        const found = await audit(page, where);
        for (const fault of found) console.log(fault);
        faults.push(...found);
        count++;
      }
  }
  for (const colours of only === undefined ? COLOURS : []) {
    await page.prefer(colours);
    await page.open(new URL('/docs', base).href);
    await pause(SETTLE_MS);
    const where = `reference 1280 ${colours}`;
    await picture(page, SIZES[1], where.replaceAll(' ', '-'));
    faults.push(...(await audit(page, where)));
    count++;
  }
  const host = new URL(base).host;
  const strangers = page.received
    .map(({ url }) => url)
    .filter((url) => url.startsWith('http') && new URL(url).host !== host);
  console.log(`load ${loadavg()[0]!.toFixed(0)}, ${count} pages, ${page.received.length} answers`);
  console.log(
    `| axe-core, keyboard and overflow | errors in the console, failed requests | requests to other hosts |`,
  );
  console.log('| --- | --- | --- |');
  console.log(`| ${faults.length} | ${page.complaints.length} | ${strangers.length} |`);
  for (const text of [...faults, ...page.complaints, ...new Set(strangers)]) console.log(text);
  process.exitCode = faults.length + page.complaints.length + strangers.length > 0 ? 1 : 0;
} finally {
  await page.close();
}
process.exit();

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import Fastify from 'fastify';
import { EXAMPLES } from '../../src/contract/openapi-examples.ts';
import { buildConsole } from '../../src/http/console-build.ts';
import { consoleRoutes } from '../../src/http/console.routes.ts';
import { browserIsInstalled, openPage } from '../fixtures/browser.ts';

const ROOT = join(import.meta.dirname, '../..');
const KEY = `gw_sandbox_key_01k9q3v8gze7q8w1n5s0t4b6y7_${'a'.repeat(38)}`;

interface Example {
  readonly id: string;
  readonly geometry: unknown;
}

/** A service that gives the contract's own examples to one key and refuses every other. */
async function exampleService(folder: string) {
  const app = Fastify();
  consoleRoutes(app, { folder });
  app.addHook('onRequest', async (request, reply) => {
    if (!request.url.startsWith('/v1/') || request.headers.authorization === `Bearer ${KEY}`)
      return undefined;
    return reply
      .code(401)
      .send({ error: { code: 'unauthorized', message: 'unknown key', request_id: 'req_1' } });
  });
  const answer = (id: string): unknown => EXAMPLES[id]!.answer;
  const aoi = answer('getAoi') as Example;
  const change = answer('getChange') as Example;
  const { geometry, ...properties } = change;
  app.get('/v1/metrics', () => answer('listMetrics'));
  app.get('/v1/models', () => answer('listModels'));
  app.get('/v1/aois', () => answer('listAois'));
  app.get(`/v1/aois/${aoi.id}`, () => aoi);
  app.get('/v1/changes', () => ({
    type: 'FeatureCollection',
    features: [{ type: 'Feature', id: change.id, geometry, properties }],
  }));
  app.get(`/v1/changes/${change.id}`, () => change);
  app.get('/v1/historical', () => answer('getHistorical'));
  const known = { risk_score: 0.62, confidence: 0.44, explain: explanation(true) };
  const prior = { risk_score: 0.2, confidence: 0, explain: explanation(false) };
  app.post('/v1/risk/batch', () => ({ results: [known, prior, prior, known] }));
  const region = { made: false, day: 1 };
  const date = (): string => `2025-01-0${region.day}`;
  app.get('/v1/sandbox', () => ({
    status: region.made ? 'ready' : 'being_made',
    progress: region.made ? 1 : 0.4,
    date: date(),
    bounds: [-27, 46, -26.9, 46.1],
    simulated: true,
  }));
  app.post<{ Body: { readonly days: number } }>('/v1/sandbox/advance', ({ body: { days } }) => {
    region.day += days;
    return { date: date(), days, scenes: 1, observations: 21, changes: { inserted: 1, updated: 0 } };
  });
  const { provenance: _, ...anomaly } = answer('getAnomaly') as Example & { readonly provenance: unknown };
  app.get('/v1/anomalies', () => ({
    type: 'FeatureCollection',
    // The days of the region bring the anomaly.
    features: region.day === 1 ? [] : [{ type: 'Feature', id: anomaly.id, properties: anomaly }],
  }));
  app.get('/v1/anomalies/subscriptions', () => answer('listSubscriptions'));
  app.get('/v1/events', () => answer('listEvents'));
  app.get('/v1/events/stream', (_request, reply) => {
    const event = {
      id: 'evt_01k9q3v8gze7q8w1n5s0t4b6zz',
      type: 'webhook.test',
      created_at: '2026-09-02T00:00:00Z',
      environment: 'sandbox',
      data: {},
    };
    return reply.type('text/event-stream').send(`id: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`);
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  return { app, region, url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/` };
}

function explanation(simulated: boolean) {
  return {
    expected_annual_damage_ratio: 0.011,
    intensity: 'depth [m]',
    hazard_curve: [
      { return_period_years: 10, intensity: 0.1, low: 0, high: 0.4, damage_ratio: 0.01 },
      { return_period_years: 100, intensity: 0.9, low: 0.3, high: 1.7, damage_ratio: 0.2 },
    ],
    layers: [],
    reasons: [{ code: 'coarse', message: 'cells of 9 km' }],
    simulated,
  };
}

const skip = browserIsInstalled ? false : 'needs Debian’s chromium (apt-get install chromium)';

test(
  'the console signs in, lists areas, shows a change on the map and explains a risk',
  { skip },
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'groundwatch-console-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    await buildConsole(ROOT, { output: folder });
    const { app, region, url } = await exampleService(folder);
    t.after(() => app.close());
    const page = await openPage(url, { width: 400, height: 860 });
    t.after(() => page.close());
    const says = (text: string) => page.until(`document.body.innerText.includes(${JSON.stringify(text)})`);
    const click = (selector: string) =>
      page.evaluate(`document.querySelector(${JSON.stringify(selector)}).click()`);
    const signIn = async (key: string): Promise<void> => {
      await page.until(`document.querySelector('#api-key')`);
      await page.evaluate(`{ const field = document.querySelector('#api-key'); field.value = '${key}';
      field.dispatchEvent(new Event('input', { bubbles: true })); }`);
      await page.until(`!document.querySelector('button[type=submit]').disabled`);
      await click('button[type=submit]');
    };

    await signIn(KEY.replace('aaa', 'bbb'));
    await says('does not accept this key');
    await signIn(KEY);
    await says('Ljubljana west');
    assert.equal(await page.evaluate('location.href.includes("gw_")'), false);

    await click('.cards a');
    await says('Vegetation loss');
    await click('.cards a[href*=changes]');
    await says('98 % that it is real and lasting');
    await says('31 Aug 2026');
    await page.until(`document.querySelector('.plot canvas')`);
    await page.until(`document.querySelector('.maplibregl-ctrl-scale')`);

    await page.evaluate(`location.hash = '#/anomalies'`);
    await says('The simulated region is being made, 40 % so far: its anomalies will appear');
    region.made = true;
    await says('it is 1 Jan 2025 there');
    await says('Nothing unusual in the areas that are watched');
    await page.evaluate(`{ const field = document.querySelector('#advance-days'); field.value = '5';
      field.dispatchEvent(new Event('input', { bubbles: true })); }`);
    await click('.sandbox-bar button');
    await says('5 days: 1 scene and 21 observations came in; 1 change new');
    await says('it is 6 Jan 2025 there');
    await page.until(`document.querySelector('.cards a[href*=anomalies]')`);

    await page.evaluate(`location.hash = '#/events'`);
    await says('change.detected');
    await says('Nothing to act on');

    await page.evaluate(`location.hash = '#/place/46.05,14.47'`);
    await says('no data: prior 0.20');
    await says('simulated');
    await click('.score summary');
    await page.until(`document.querySelector('.explanation .plot canvas')`);
    assert.equal(
      await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
      true,
      'nothing is wider than a narrow phone',
    );
    // The one refused key apart, nothing failed: no policy violation, no exception, no missing file.
    assert.deepEqual(
      page.complaints.filter((text) => !text.includes('401')),
      [],
    );
  },
);

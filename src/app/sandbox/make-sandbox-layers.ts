import { setTimeout as sleep } from 'node:timers/promises';
import { gridBbox } from '../../geo/pixel-outline.ts';
import { LIVE_FROM } from '../../sandbox/events.ts';
import { PAST_YEARS } from '../../sandbox/past.ts';
import { SANDBOX_GRID } from '../../sandbox/terrain.ts';
import { FIRST_DAY_MS } from '../../sandbox/weather.ts';
import { DAY_MS } from '../../base/time.ts';
import { radarDays, radarSource } from './deliver-simulated.ts';
import { deriveDisplacement } from '../layers/derive/derive-displacement.ts';
import { deriveFireDanger } from '../layers/derive/derive-fire-danger.ts';
import { deriveFireHistory } from '../layers/derive/derive-fire-history.ts';
import { installGusts } from '../layers/derive/derive-gust-records.ts';
import { addMadeLayer, type LayerDeps } from '../layers/add-layer.ts';
import type { LayerCard, LayerReader } from '../risk/layer-reader.ts';
import type { SandboxRegion } from './sandbox-region.ts';

const VERSION = 'simulated-1';
const SERVED_MS = 5_000; // maximum wait until the installed layers are served
const LOOK_MS = 50; // interval between two checks whether the layers are served
const REACH_KM = 12; // reach of the weather station: it represents the region and its surroundings

/**
 * Installs the layers of the simulated region for all perils in the sandbox environment: maps of its ground and
 * water, and layers derived from its simulated records of weather, fires and motion with the same code as for
 * real records. Layers from an earlier call are replaced. Returns when this process serves the layers.
 */
export async function makeSandboxLayers(
  given: LayerDeps & { readonly layers: LayerReader },
  region: SandboxRegion,
): Promise<void> {
  const deps = { ...given, simulated: true } as const;
  const shared = {
    version: VERSION,
    licence: 'simulated',
    source: 'simulated region of the sandbox: nothing of it was observed',
    environment: 'sandbox',
    replace: true,
  } as const;
  const made = { ...shared, from: 'simulated region', date: `${PAST_YEARS.to}-12-31` };
  for (const { layer, returnPeriodYears, samples } of await region.layers())
    await addMadeLayer(deps, { ...made, layer, returnPeriodYears, raster: { grid: SANDBOX_GRID, samples } });

  const stations = await region.pastWeather();
  const gusts = stations.map(({ key, lng, lat, maxima }) => ({ station: key, lng, lat, maxima }));
  await installGusts(deps, gusts, { ...shared, date: made.date, path: 'simulated gusts' });

  const [{ weather }] = stations as readonly [(typeof stations)[number]];
  const noStacks = radarSource(region, []);
  await deriveFireDanger(
    { ...deps, stacks: noStacks, weather: { readWeather: () => Promise.resolve(weather) } },
    {
      ...shared,
      weather: { station: 'simulated weather', reachKm: REACH_KM },
      season: 'temperature',
      variant: 'current',
      overwintering: null,
    },
  );

  const fires = (await region.pastFires()).map(({ day, ...fire }) => ({
    ...fire,
    day: day + FIRST_DAY_MS / DAY_MS,
  }));
  await deriveFireHistory(
    { ...deps, fires: { readFires: () => Promise.resolve({ areDetections: false, fires }) } },
    {
      ...shared,
      path: 'simulated fires',
      bbox: gridBbox(SANDBOX_GRID),
      fromYear: PAST_YEARS.from,
      toYear: PAST_YEARS.to,
    },
  );

  const { added } = await deriveDisplacement(
    { ...deps, stacks: radarSource(region, radarDays(0, LIVE_FROM)) },
    { ...shared, stacks: [{ path: 'simulated-displacement', datesPath: 'simulated-dates' }] },
  );
  await served(deps.layers, added.at(-1)!.card);
}

/** Waits until a layer is served, at most SERVED_MS. Scores computed before that are computed again later. */
async function served(layers: LayerReader, { layer, version }: LayerCard): Promise<void> {
  const isServed = (): boolean =>
    layers
      .snapshot('sandbox')
      .cards(layer)
      .some((card) => card.version === version);
  for (const until = performance.now() + SERVED_MS; !isServed() && performance.now() < until;)
    await sleep(LOOK_MS);
}

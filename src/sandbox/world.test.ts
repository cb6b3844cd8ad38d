import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { spectralIndex } from '../raster/spectral-index.ts';
import { ClearView } from '../raster/quality/clear-view.ts';
import { Satellite, type Acquisition } from './acquisition.ts';
import { LIVE_FROM, type EventKind, type PlantedEvent } from './events.ts';
import { COVER } from './land-cover.ts';
import { displacementOn } from './motion.ts';
import { passes } from './passes.ts';
import { dayOf, snowPack, SPELLS } from './weather.ts';
import { makeWorld, type World } from './world.ts';

const SEED = 7;
const view = new ClearView('sentinel-2-scl');

function ndviOf({ bands }: Acquisition): Float32Array {
  return spectralIndex('ndvi', { red: bands[1]!, nir: bands[2]! });
}

/** Mean of the values at the clear pixels among `pixels`; NaN if fewer than half of them are clear. */
function clearMean(values: Float32Array, scene: Acquisition, pixels: Iterable<number>): number {
  let [sum, clear, all] = [0, 0, 0];
  for (const pixel of pixels) {
    all++;
    const seen = view.view(scene.sceneClass[pixel]!);
    if (seen !== 'clear' && seen !== 'water') continue;
    sum += values[pixel]!;
    clear++;
  }
  return clear * 2 < all ? Number.NaN : sum / clear;
}

describe('the simulated region', () => {
  let world: World;
  let satellite: Satellite;
  const eventOf = (kind: EventKind): PlantedEvent => world.events.find((event) => event.kind === kind)!;
  /** Mean NDVI of an event's pixels at the first clear pass on or after the day `from`. */
  const firstClear = (event: PlantedEvent, from: number): number => {
    for (const day of passes(from, from + 120)) {
      const scene = satellite.take(day);
      const mean = clearMean(ndviOf(scene), scene, event.pixels);
      if (!Number.isNaN(mean)) return mean;
    }
    throw new Error('no clear pass in four months');
  };
  before(() => {
    world = makeWorld(SEED, LIVE_FROM + 30);
    satellite = new Satellite(world);
  });

  test('a day is the same in a world that reaches further, and different with another seed', () => {
    const day = dayOf(2023, 7, 2);
    const longer = new Satellite(makeWorld(SEED, LIVE_FROM + 400)).take(day);
    assert.deepEqual(satellite.take(day), longer);
    assert.notDeepEqual(new Satellite(makeWorld(SEED + 1, LIVE_FROM)).take(day).bands, longer.bands);
  });

  test('the region has sea, rivers, forest, fields and a town', () => {
    const counts = new Map<number, number>();
    for (const cover of world.land.cover) counts.set(cover, (counts.get(cover) ?? 0) + 1);
    for (const cover of [COVER.forest, COVER.grass, COVER.crops, COVER.water, COVER.built])
      assert.ok((counts.get(cover) ?? 0) > 300, `cover ${cover}: ${counts.get(cover)}`);
  });

  test('a clearing and a fire remove the green for good', () => {
    for (const kind of ['clearing', 'fire'] as const) {
      const event = eventOf(kind);
      const last = Math.max(...event.since);
      const summerBefore = firstClear(event, dayOf(2023, 6, 20));
      assert.ok(summerBefore > 0.6, `${kind} before: ${summerBefore}`);
      const after = firstClear(event, last + 1);
      assert.ok(after < summerBefore - 0.3, `${kind} after: ${after}`);
    }
  });

  test('burnt ground is dark in the near and bright in the short-wave infrared', () => {
    const fire = eventOf('fire');
    for (const day of passes(Math.max(...fire.since) + 1, LIVE_FROM)) {
      const scene = satellite.take(day);
      const nbr = spectralIndex('nbr', { nir: scene.bands[2]!, swir2: scene.bands[4]! });
      const mean = clearMean(nbr, scene, fire.pixels);
      if (Number.isNaN(mean)) continue;
      assert.ok(mean < -0.05, `NBR ${mean}`);
      return;
    }
    assert.fail('no clear pass after the fire');
  });

  test('a flood ends, and a reservoir stays', () => {
    const wet = (event: PlantedEvent, day: number): number => {
      for (const pass of passes(day, day + 60)) {
        const scene = satellite.take(pass);
        const mndwi = spectralIndex('mndwi', { green: scene.bands[0]!, swir1: scene.bands[3]! });
        const mean = clearMean(mndwi, scene, event.pixels);
        if (!Number.isNaN(mean)) return mean;
      }
      throw new Error('no clear pass in two months');
    };
    const flood = eventOf('flood');
    const reservoir = eventOf('reservoir');
    assert.ok(wet(flood, flood.until! + 1) < 0);
    assert.ok(wet(reservoir, Math.max(...reservoir.since)) > 0.4);
    assert.ok(wet(reservoir, dayOf(2023, 8, 1)) < 0);
  });

  test('snow is there only in winter, and longer at greater height', () => {
    const days = (height: number): number =>
      snowPack(world.weather, height).filter((snow) => snow > 5).length;
    assert.ok(days(300) > days(5), `${days(300)} against ${days(5)}`);
    const low = snowPack(world.weather, 100);
    for (const year of [2022, 2023, 2024]) assert.equal(low[dayOf(year, 7, 15)], 0);
  });

  test('droughts are dry and warm', () => {
    for (const { what, from, to } of SPELLS) {
      if (what !== 'drought') continue;
      const spell = world.weather.slice(from, to + 1);
      const rain = spell.reduce((sum, { rainMm }) => sum + rainMm, 0);
      assert.ok(rain < 0.3 * spell.length, `${rain} mm in ${spell.length} days`);
    }
  });

  test('the middle of the bowl sinks by some 26 mm a year, and other ground does not', () => {
    const bowl = eventOf('subsidence');
    const [early, late] = [
      displacementOn(world, dayOf(2023, 12, 20)),
      displacementOn(world, dayOf(2024, 12, 14)),
    ];
    const middle = bowl.pixels[Math.floor(bowl.pixels.length / 2)]!;
    const around = [-2, -1, 0, 1, 2].map((step) => late[middle + step]! - early[middle + step]!);
    const sunk = around.reduce((sum, mm) => sum + mm, 0) / around.length;
    assert.ok(sunk < -17 && sunk > -35, `${sunk} mm`);
    const far = [...late]
      .map((mm, i) => mm - early[i]!)
      .filter((mm, i) => !bowl.pixels.includes(i) && !Number.isNaN(mm));
    assert.ok(Math.abs(far.reduce((sum, mm) => sum + mm, 0) / far.length) < 4);
  });

  test('events continue after the history, and a longer world begins with the events of a shorter one', () => {
    const longer = makeWorld(SEED, LIVE_FROM + 400).events;
    assert.ok(longer.length >= world.events.length + 8);
    assert.deepEqual(longer.slice(0, world.events.length), world.events);
  });
});

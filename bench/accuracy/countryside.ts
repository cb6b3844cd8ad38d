import type { ChangeObject } from '../../src/change/object/objects.ts';
import { ClearView } from '../../src/raster/quality/clear-view.ts';
import { spectralIndex, type SpectralIndex } from '../../src/raster/spectral-index.ts';
import { Satellite } from '../../src/sandbox/acquisition.ts';
import { LIVE_FROM, type PlantedEvent } from '../../src/sandbox/events.ts';
import { PIXEL_M, SANDBOX_GRID } from '../../src/sandbox/terrain.ts';
import { makeWorld } from '../../src/sandbox/world.ts';
import type { SampleStack } from './engine.ts';

/**
 * Three years of the whole simulated region, as the sandbox monitors it: mown and harvested fields, woods and sea, with
 * droughts, snow, clouds and planted events. A part of it hides false changes and has other classes of like pixels.
 */
export interface Countryside {
  readonly stack: SampleStack;
  /** Planted events that are visible in images. */
  readonly events: readonly PlantedEvent[];
}

export function countryside(seed: number, metrics: readonly SpectralIndex[]): Countryside {
  const world = makeWorld(seed, LIVE_FROM);
  return {
    stack: stackOf(new Satellite(world), metrics),
    events: world.events.filter(({ kind, since }) => kind !== 'subsidence' && since[0]! < LIVE_FROM),
  };
}

function stackOf(satellite: Satellite, keys: readonly SpectralIndex[]): SampleStack {
  const days = satellite.deliveredPasses(0, LIVE_FROM);
  const { width, height } = SANDBOX_GRID;
  const pixels = width * height;
  const metrics = Object.fromEntries(
    keys.map((metric) => [metric, new Float32Array(pixels * days.length).fill(Number.NaN)]),
  );
  const view = new ClearView('sentinel-2-scl');
  const timesMs = new Float64Array(days.length);
  for (const [t, day] of days.entries()) {
    const scene = satellite.take(day);
    timesMs[t] = scene.timeMs;
    const [green, red, nir, swir1, swir2] = scene.bands as [
      Float32Array,
      Float32Array,
      Float32Array,
      Float32Array,
      Float32Array,
    ];
    for (const metric of keys) {
      const index = spectralIndex(metric, { green, red, nir, swir1, swir2 });
      for (let p = 0; p < pixels; p++) {
        const seen = view.view(scene.sceneClass[p]!);
        if (seen === 'clear' || seen === 'water') metrics[metric]![p * days.length + t] = index[p]!;
      }
    }
  }
  return { width, height, pixelAreaM2: PIXEL_M ** 2, timesMs, metrics };
}

/** Number of pixels that an object and an event share. */
export function overlap(object: ChangeObject, event: PlantedEvent): number {
  const touched = new Set(event.pixels);
  return object.pixels.reduce((count, pixel) => count + (touched.has(pixel) ? 1 : 0), 0);
}

import type { ChangeObject } from '../../src/change/object/objects.ts';
import { ClearView } from '../../src/raster/quality/clear-view.ts';
import { spectralIndex, type SpectralIndex } from '../../src/raster/spectral-index.ts';
import { Satellite } from '../../src/sandbox/acquisition.ts';
import { LIVE_FROM, type PlantedEvent } from '../../src/sandbox/events.ts';
import { PIXEL_M, SANDBOX_GRID } from '../../src/sandbox/terrain.ts';
import { makeWorld } from '../../src/sandbox/world.ts';
import type { SampleStack } from './engine.ts';

/**
 * Part of the simulated region that is monitored [pixels]. It contains the planted events; the rest of the region is
 * sea and similar land.
 */
export const WINDOW = { row: 40, col: 84, height: 240, width: 206 };

/** Three simulated years of mown and harvested fields and woods, with a drought, snow, clouds and planted events. */
export interface Countryside {
  readonly stack: SampleStack;
  /** Planted events that are visible in images. Their pixels are indices in the whole region, not in the window. */
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
  const pixels = WINDOW.width * WINDOW.height;
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
        const from = regionPixel(p);
        const seen = view.view(scene.sceneClass[from]!);
        if (seen === 'clear' || seen === 'water') metrics[metric]![p * days.length + t] = index[from]!;
      }
    }
  }
  return { ...WINDOW, pixelAreaM2: PIXEL_M ** 2, timesMs, metrics };
}

/** Converts a pixel of the window to a pixel of the region. */
function regionPixel(pixel: number): number {
  const row = WINDOW.row + Math.floor(pixel / WINDOW.width);
  return row * SANDBOX_GRID.width + WINDOW.col + (pixel % WINDOW.width);
}

/** Number of pixels that an object and an event share. */
export function overlap(object: ChangeObject, event: PlantedEvent): number {
  const touched = new Set(event.pixels);
  return object.pixels.reduce((count, pixel) => count + (touched.has(regionPixel(pixel)) ? 1 : 0), 0);
}

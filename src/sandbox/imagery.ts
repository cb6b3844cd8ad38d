import { normalisedDifference, SPECTRAL_INDICES, type SpectralIndex } from '../raster/spectral-index.ts';
import type { Acquisition } from './acquisition.ts';
import type { Ground } from './terrain.ts';

/** Indices that every pass is delivered as; the first leads where several tell of one change. */
export const SANDBOX_INDICES = ['ndvi', 'nbr', 'mndwi', 'ndmi'] as const satisfies readonly SpectralIndex[];
export type SandboxIndex = (typeof SANDBOX_INDICES)[number];

/** Value = raw * scale, as makers of indices store them. */
export const INDEX_SCALE = 1e-4;

/** One pass as a data provider delivers it: indices, and the classes that tell which pixels are clear. */
export interface IndexScene {
  /** Raw values by index, in the order of SANDBOX_INDICES; row-major. */
  readonly indices: readonly Int16Array[];
  /** Sentinel-2 scene classes (SCL), row-major. */
  readonly sceneClass: Int16Array;
}

const NO_DATA = 0; // scene class of what is not delivered

/** The indices of a pass, rounded to what is stored; nothing of the sea, as products of the land have it. */
export function indexScene(
  { bands, sceneClass }: Pick<Acquisition, 'bands' | 'sceneClass'>,
  { elevationM }: Pick<Ground, 'elevationM'>,
): IndexScene {
  const [green, red, nir, swir1, swir2] = bands as readonly [
    Float32Array,
    Float32Array,
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  const byName = { green, red, nir, swir1, swir2 };
  const values = new Float32Array(sceneClass.length);
  const indices = SANDBOX_INDICES.map((name) => {
    const [a, b] = SPECTRAL_INDICES[name];
    normalisedDifference(byName[a], byName[b], values);
    // A loop, and not `Math.round`: `Int16Array.from` and that would take longer than the scene takes to make.
    const raw = new Int16Array(values.length);
    for (let i = 0; i < raw.length; i++) raw[i] = Math.floor(values[i]! / INDEX_SCALE + 0.5);
    return raw;
  });
  const classes = new Int16Array(sceneClass.length);
  for (let i = 0; i < classes.length; i++) classes[i] = elevationM[i]! > 0 ? sceneClass[i]! : NO_DATA;
  return { indices, sceneClass: classes };
}

import { normalisedDifference, SPECTRAL_INDICES, type SpectralIndex } from '../raster/spectral-index.ts';
import type { Acquisition } from './acquisition.ts';
import type { Ground } from './terrain.ts';

/** Spectral indices of every delivered pass. If several show the same change, the first in this list has priority. */
export const SANDBOX_INDICES = ['ndvi', 'nbr', 'mndwi', 'ndmi'] as const satisfies readonly SpectralIndex[];
export type SandboxIndex = (typeof SANDBOX_INDICES)[number];

/** Factor that converts a raw value to an index. Data producers store indices in this way. */
export const INDEX_SCALE = 1e-4;

/** One pass as a data provider delivers it: spectral indices, and scene classes for masking. */
export interface IndexScene {
  /** Raw values of each spectral index, in the order of SANDBOX_INDICES; row-major. */
  readonly indices: readonly Int16Array[];
  /** Sentinel-2 scene classes (SCL), row-major. */
  readonly sceneClass: Int16Array;
}

const NO_DATA = 0; // scene class of pixels that are not delivered

/** Computes the stored indices of a pass, rounded to raw values. Pixels at sea have no data, as in land products. */
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
    // A plain loop, because `Int16Array.from` with `Math.round` takes longer than the creation of the scene.
    const raw = new Int16Array(values.length);
    for (let i = 0; i < raw.length; i++) raw[i] = Math.floor(values[i]! / INDEX_SCALE + 0.5);
    return raw;
  });
  const classes = new Int16Array(sceneClass.length);
  for (let i = 0; i < classes.length; i++) classes[i] = elevationM[i]! > 0 ? sceneClass[i]! : NO_DATA;
  return { indices, sceneClass: classes };
}

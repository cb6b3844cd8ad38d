/**
 * The two bands, a and b, of each spectral index. The index is the normalised difference of their reflectances,
 * (a - b) / (a + b).
 */
export const SPECTRAL_INDICES = {
  /** Vegetation (Rouse et al. 1974). */
  ndvi: ['nir', 'red'],
  /** Burn ratio (Key & Benson 2006). */
  nbr: ['nir', 'swir2'],
  /** Moisture (Gao 1996). */
  ndmi: ['nir', 'swir1'],
  /** Open water (Xu 2006). */
  mndwi: ['green', 'swir1'],
  /** Built-up land (Zha, Gao & Ni 2003). */
  ndbi: ['swir1', 'nir'],
} as const satisfies Readonly<Record<string, readonly [Band, Band]>>;

/** Reflectance bands by their common names (STAC EO extension). */
export type Band = 'blue' | 'green' | 'red' | 'nir' | 'swir1' | 'swir2';

/** Name of a spectral index. */
export type SpectralIndex = keyof typeof SPECTRAL_INDICES;

/**
 * Normalised difference (a - b) / (a + b) of two bands, pixel by pixel, in [-1, 1].
 * NaN (nodata) where either band is NaN, negative or infinite, or where both are 0.
 * @throws RangeError when the bands differ in length
 */
export function normalisedDifference(
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  out: Float32Array = new Float32Array(a.length),
): Float32Array {
  if (a.length !== b.length || out.length !== a.length) {
    throw new RangeError(`expected bands of one length, got ${a.length}, ${b.length} and ${out.length}`);
  }
  for (let i = 0; i < a.length; i++) {
    const x = a[i]!;
    const y = b[i]!;
    const sum = x + y;
    out[i] = x >= 0 && y >= 0 && sum > 0 && sum < Infinity ? (x - y) / sum : Number.NaN;
  }
  return out;
}

/**
 * Computes one spectral index from bands of reflectance [1], row-major, all of the same length.
 * @throws RangeError when a band of the index is missing, or the bands differ in length
 */
export function spectralIndex(
  name: SpectralIndex,
  bands: Readonly<Partial<Record<Band, ArrayLike<number>>>>,
): Float32Array {
  const [first, second] = SPECTRAL_INDICES[name];
  const a = bands[first];
  const b = bands[second];
  if (a === undefined || b === undefined) {
    throw new RangeError(`${name} needs the bands ${first} and ${second}`);
  }
  return normalisedDifference(a, b);
}

/** Reflectance of one pixel (0 to 1) in the bands that show water. */
export interface WaterBands {
  readonly blue: number;
  readonly green: number;
  readonly red: number;
  readonly nir: number;
  readonly swir1: number;
}

const LEAST_GREEN_EVI = 0.1; // lowest EVI of plants in or above water: Zou et al. 2018

/**
 * Whether a pixel is open water: MNDWI is above EVI or NDVI, and EVI is low. Null where a band is missing or
 * negative. The published constants of this rule apply to any place and season. Shadow and snow must be masked first.
 * @see doi:10.1073/pnas.1719275115 (Zou et al. 2018)
 */
export function isOpenWater({ blue, green, red, nir, swir1 }: WaterBands): boolean | null {
  const isKnown = [blue, green, red, nir, swir1].every((band) => band >= 0 && band < Infinity);
  if (!isKnown || green + swir1 === 0 || nir + red === 0) return null;
  const mndwi = (green - swir1) / (green + swir1);
  const ndvi = (nir - red) / (nir + red);
  // Coefficients of EVI: Huete et al. 2002, doi:10.1016/S0034-4257(02)00096-2.
  const evi = (2.5 * (nir - red)) / (nir + 6 * red - 7.5 * blue + 1);
  return evi < LEAST_GREEN_EVI && (mndwi > evi || mndwi > ndvi);
}

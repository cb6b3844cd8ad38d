/** Reflectance of one pixel (0 to 1) in the bands that tell water. */
export interface WaterBands {
  readonly blue: number;
  readonly green: number;
  readonly red: number;
  readonly nir: number;
  readonly swir1: number;
}

const LEAST_GREEN_EVI = 0.1; // EVI from which plants stand in or above the water: Zou et al. 2018

/**
 * Whether a pixel is open water: it looks more like water (MNDWI) than like plants (EVI or NDVI), and is not green. Null
 * where a band is missing or negative. A rule whose constants are published, for any place and season; shadow and snow
 * are to be masked before.
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

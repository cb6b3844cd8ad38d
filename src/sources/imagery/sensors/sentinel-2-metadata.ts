import type { Reflectance, SceneMetadata } from './sensor.ts';

/** Number of bands of the instrument. */
const BANDS = 13;

const isWhole = (text: string): boolean =>
  /<\/(?:\w+:)?Level-[12][AC]_User_Product>\s*$/.test(text) && !/_ADD_OFFSET/.test(text);

/**
 * Reads the `MTD_MSIL2A.xml` or `MTD_MSIL1C.xml` of a Sentinel-2 product: the cloud cover, and scale and offset of each band.
 * @see ESA, Sentinel-2 Products Specification Document (S2-PDGS-TAS-DI-PSD)
 */
export function readSentinel2Metadata(text: string): SceneMetadata {
  const number = (pattern: RegExp): number | null => {
    const value = Number(pattern.exec(text)?.[1] ?? Number.NaN);
    return Number.isFinite(value) ? value : null;
  };
  const quantification = number(/<(?:BOA_)?QUANTIFICATION_VALUE[^>]*>\s*([\d.e+-]+)\s*</i);
  const top = new Map<number, Reflectance>();
  if (quantification !== null && quantification > 0)
    for (const [, band, offset] of text.matchAll(
      /<(?:BOA|RADIO)_ADD_OFFSET\s+band_id="(\d{1,2})"\s*>\s*(-?[\d.]+)\s*</gi,
    ))
      top.set(Number(band), { scale: 1 / quantification, offset: Number(offset) / quantification });
  // Whole metadata without offsets are of a baseline before 04.00, or made by Sen2Cor from such a product (N9999).
  if (quantification !== null && quantification > 0 && top.size === 0 && isWhole(text))
    for (let band = 0; band < BANDS; band++) top.set(band, { scale: 1 / quantification, offset: 0 });
  const cloud = number(/<Cloud_Coverage_Assessment>\s*([\d.e+-]+)\s*</i);
  return {
    timeMs: null, // the name has the time to the second
    cloudShare: cloud !== null && cloud >= 0 && cloud <= 100 ? cloud / 100 : null,
    top,
  };
}

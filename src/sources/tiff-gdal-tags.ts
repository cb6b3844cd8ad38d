import { InvalidInput } from '../app/errors.ts';
import type { TiffImage } from './tiff-image.ts';

/**
 * The raw value that GDAL_NODATA declares, as the samples would hold it; null when there is none.
 * @throws InvalidInput when the field is no number
 */
export function readGdalNodata(image: TiffImage): number | null {
  const text = image.directory.text('GdalNodata')?.trim();
  if (text === undefined || text === '') return null;
  const value = /^[+-]?nan$/i.test(text) ? Number.NaN : Number(text.replace(/inf$/i, 'Infinity'));
  if (Number.isNaN(value) && !/nan/i.test(text)) {
    throw new InvalidInput(`${image.name} declares the nodata value '${text}'; expected a number`);
  }
  // The text may carry more digits than the samples: -3.4028234663852886e+38 is a float32's lowest.
  return image.kind === 'float32' ? Math.fround(value) : value;
}

/**
 * Scale and offset that GDAL_METADATA gives its bands; 1 and 0 where it gives none.
 * @throws InvalidInput when bands differ, since one stack is one quantity
 */
export function readGdalScale(image: TiffImage): { readonly scale: number; readonly offset: number } {
  const xml = image.directory.text('GdalMetadata') ?? '';
  const scales = new Float64Array(image.bandCount).fill(1);
  const offsets = new Float64Array(image.bandCount);
  for (const [, attributes, text] of xml.matchAll(/<Item\s([^>]*)>([^<]*)<\/Item>/g)) {
    const attribute = (name: string): string | undefined =>
      new RegExp(`\\b${name}="([^"]*)"`).exec(attributes!)?.[1];
    const role = attribute('role');
    const band = Number(attribute('sample') ?? Number.NaN);
    if ((role !== 'scale' && role !== 'offset') || !(band >= 0 && band < image.bandCount)) continue;
    const value = Number(text);
    if (!Number.isFinite(value) || (role === 'scale' && value === 0)) {
      throw new InvalidInput(`${image.name} gives band ${band + 1} the ${role} '${text}'`);
    }
    (role === 'scale' ? scales : offsets)[band] = value;
  }
  for (const [role, values] of [
    ['scale', scales],
    ['offset', offsets],
  ] as const) {
    const other = values.findIndex((value) => value !== values[0]);
    if (other !== -1) {
      throw new InvalidInput(
        `${image.name} gives band 1 the ${role} ${values[0]} and band ${other + 1} the ${role} ${values[other]}; ` +
          'expected one for all bands of a stack',
      );
    }
  }
  return { scale: scales[0]!, offset: offsets[0]! };
}

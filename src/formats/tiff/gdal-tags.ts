import { InvalidInput } from '../../base/errors.ts';
import type { TiffImage } from './image.ts';

/**
 * The raw nodata value of the GDAL_NODATA tag, in the precision of the samples; null when there is none.
 * @throws InvalidInput when the tag is not a number
 */
export function readGdalNodata(image: TiffImage): number | null {
  const text = image.directory.text('GdalNodata')?.trim();
  if (text === undefined || text === '') return null;
  const value = /^[+-]?nan$/i.test(text) ? Number.NaN : Number(text.replace(/inf$/i, 'Infinity'));
  if (Number.isNaN(value) && !/nan/i.test(text)) {
    throw new InvalidInput(`${image.name} declares the nodata value '${text}'; expected a number`);
  }
  // The text may have more digits than the samples: -3.4028234663852886e+38 is the lowest float32.
  return image.kind === 'float32' ? Math.fround(value) : value;
}

/** The properties of one band in the GDAL_METADATA tag. */
export interface GdalBand {
  readonly scale: number;
  readonly offset: number;
  /** Unit; null when the file declares none. */
  readonly unit: string | null;
  /** Name of the band; null when it has none. */
  readonly description: string | null;
}

/**
 * Reads the GDAL_METADATA tag for each band; scale 1 and offset 0 by default.
 * @throws InvalidInput for a scale or offset that is not a number
 */
export function readGdalBands(image: TiffImage): readonly GdalBand[] {
  const xml = image.directory.text('GdalMetadata') ?? '';
  const bands = Array.from({ length: image.bandCount }, () => ({
    scale: 1,
    offset: 0,
    unit: null as string | null,
    description: null as string | null,
  }));
  // The attributes may hold no `<`, so that a list of unclosed tags takes linear time.
  for (const [, attributes, text] of xml.matchAll(/<Item\s([^<>]*)>([^<]*)<\/Item>/g)) {
    const attribute = (name: string): string | undefined =>
      new RegExp(`\\b${name}="([^"]*)"`).exec(attributes!)?.[1];
    const role = attribute('role');
    const sample = Number(attribute('sample') ?? Number.NaN);
    const band = bands[sample];
    if (band === undefined) continue;
    if (role === 'unittype' && text!.trim() !== '') band.unit = text!.trim();
    if (role === 'description') band.description = text!.trim();
    if (role !== 'scale' && role !== 'offset') continue;
    const value = Number(text);
    if (!Number.isFinite(value) || (role === 'scale' && value === 0)) {
      throw new InvalidInput(`${image.name} gives band ${sample + 1} the ${role} '${text}'`);
    }
    band[role] = value;
  }
  return bands;
}

/**
 * The common scale and offset of all bands; 1 and 0 by default.
 * @throws InvalidInput when bands differ: all bands of a stack must contain the same quantity
 */
export function readGdalScale(image: TiffImage): { readonly scale: number; readonly offset: number } {
  const bands = readGdalBands(image);
  const { scale, offset } = bands[0]!;
  for (const role of ['scale', 'offset'] as const) {
    const other = bands.findIndex((band) => band[role] !== bands[0]![role]);
    if (other !== -1) {
      throw new InvalidInput(
        `${image.name} gives band 1 the ${role} ${bands[0]![role]} and band ${other + 1} the ${role} ${bands[other]![role]}; ` +
          'expected one for all bands of a stack',
      );
    }
  }
  return { scale, offset };
}

import { InvalidInput } from '../../base/errors.ts';
import type { Grid } from '../../geo/grid.ts';
import type { ArrayFile } from '../arrays/array-file.ts';

/** The dataset that describes the grids of a file of HDF-EOS5. */
const STRUCTURE = 'HDFEOS INFORMATION/StructMetadata.0';
const MOST_EDGE = 1 << 20;

/** One field of a grid: a variable of rows and columns, and where its pixels are. */
export interface EosField {
  /** Name of the field, without its groups. */
  readonly name: string;
  /** Name of the variable in the file. */
  readonly variable: string;
  readonly grid: Grid;
}

/**
 * The fields of two dimensions of a file of HDF-EOS5; undefined for another file of HDF5.
 * @throws InvalidInput when a grid cannot be used
 * @see HDF-EOS5 Data Model, File Format and Library, NASA ESDS-RFC-008
 */
export async function eosFields(file: ArrayFile): Promise<readonly EosField[] | undefined> {
  const structure = file.find(STRUCTURE);
  if (structure === undefined) return undefined;
  const [text = ''] = await file.readTexts(structure, 64);
  const fields: EosField[] = [];
  for (const [, , body = ''] of text.matchAll(/GROUP=GRID_(\d+)\b([^]*?)END_GROUP=GRID_\1\b/g)) {
    const value = (key: string): string | undefined =>
      new RegExp(String.raw`\b${key}=("[^"]*"|\([^)]*\)|\S+)`).exec(body)?.[1]?.replace(/^["(]|[")]$/g, '');
    const title = value('GridName');
    const grid = gridOf(`${file.name}, grid ${title}`, value);
    for (const { name, dimensions } of file.variables) {
      const [, field] = name.startsWith(`HDFEOS/GRIDS/${title}/`)
        ? (/\/Data Fields\/([^/]+)$/.exec(name) ?? [])
        : [];
      const [rows, columns] = dimensions;
      if (field === undefined || dimensions.length !== 2) continue;
      if (rows!.size === grid.height && columns!.size === grid.width)
        fields.push({ name: field, variable: name, grid });
    }
  }
  return fields;
}

function gridOf(name: string, value: (key: string) => string | undefined): Grid {
  const numbers = (key: string): readonly number[] => (value(key) ?? '').split(',').map(Number);
  const refused = (what: string): InvalidInput =>
    new InvalidInput(`${name}: ${what}; convert it with gdal_translate`, { param: 'file' });
  const [width, height] = [Number(value('XDim')), Number(value('YDim'))];
  if (![width, height].every((size) => Number.isInteger(size) && size > 0 && size <= MOST_EDGE))
    throw refused(`expected XDim and YDim, got ${value('XDim')} and ${value('YDim')}`);
  const projection = value('Projection')?.replace(/^HE5_/, '');
  const isGeographic = projection === 'GCTP_GEO';
  if (!isGeographic && projection !== 'GCTP_SNSOID')
    throw refused(`expected a sinusoidal or a geographic grid, got ${projection}`);
  const origin = value('GridOrigin')?.replace(/^HE5_/, '') ?? 'HDFE_GD_UL';
  if (origin !== 'HDFE_GD_UL') throw refused(`expected the origin HDFE_GD_UL, got ${origin}`);
  const corner = (key: string): readonly number[] =>
    numbers(key).map((one) => (isGeographic ? degrees(one) : one));
  const [left, top] = corner('UpperLeftPointMtrs');
  const [right, bottom] = corner('LowerRightMtrs');
  if (!(right! > left! && top! > bottom!))
    throw refused(
      `expected corners to the north-west and south-east, got ${left}, ${top} and ${right}, ${bottom}`,
    );
  const transform = [left!, (right! - left!) / width, 0, top!, 0, (bottom! - top!) / height] as const;
  if (isGeographic)
    return { width, height, crs: 'EPSG:4326', proj4: '+proj=longlat +datum=WGS84 +no_defs', transform };
  const [radius = 0, , , , meridian = 0] = numbers('ProjParams');
  if (!(radius > 6.3e6 && radius < 6.4e6))
    throw refused(`expected the radius of the Earth in ProjParams, got ${radius}`);
  const proj4 = `+proj=sinu +lon_0=${degrees(meridian)} +x_0=0 +y_0=0 +a=${radius} +b=${radius} +units=m +no_defs`;
  return { width, height, crs: 'custom', proj4, transform };
}

/** Degrees of an angle in the packed form of GCTP: degrees, three digits of minutes, three of seconds. */
function degrees(packed: number): number {
  const size = Math.abs(packed);
  const [whole, minutes, seconds] = [Math.floor(size / 1e6), Math.floor(size / 1e3) % 1e3, size % 1e3];
  return Math.sign(packed) * (whole + minutes / 60 + seconds / 3600);
}

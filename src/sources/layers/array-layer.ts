import { InvalidInput } from '../../base/errors.ts';
import type { RasterChoice } from '../../app/layers/layer-shelf.ts';
import type { ArrayFile, ArrayType, ArrayVariable } from '../../formats/arrays/array-file.ts';
import { openArrays } from '../../formats/arrays/open-arrays.ts';
import {
  axisOf,
  missingAsNaN,
  packingOf,
  type Packing,
  textOf,
  unitOf,
} from '../../formats/netcdf/cf-conventions.ts';
import { type EosField, eosFields } from '../../formats/hdf5/eos-grids.ts';
import { gridAxes, horizontalGrid, irregularity } from '../../formats/netcdf/horizontal-grid.ts';
import { BLOCK_ARRAYS } from '../../formats/tiff/block.ts';
import type { SampleKind } from '../../formats/tiff/image.ts';
import { MASKED } from './layer-source.ts';
import type { RowLayer } from './row-layer.ts';

/** Types of samples by those of arrays. Whole numbers of 64 bits are read in double precision. */
const KINDS: Readonly<Record<Exclude<ArrayType, 'char' | 'string'>, SampleKind>> = {
  byte: 'int8',
  ubyte: 'uint8',
  short: 'int16',
  ushort: 'uint16',
  int: 'int32',
  uint: 'uint32',
  int64: 'float64',
  uint64: 'float64',
  float: 'float32',
  double: 'float64',
};

/**
 * Opens one image of a variable of NetCDF, HDF5 or Zarr, whose last two dimensions are rows and columns.
 * @throws InvalidInput that lists the variables where several have such images, or the choice has none
 */
export async function openArrayLayer({ path, band, nodata, variable }: RasterChoice): Promise<RowLayer> {
  const file = await openArrays(path);
  try {
    const fields = (await eosFields(file)) ?? [];
    const values = imagesOf(file, variable, fields);
    const image = imageOf(file, values, band);
    const field = fields.find((one) => one.variable === values.name);
    const { grid, isNorthUp } =
      field === undefined
        ? await horizontalGrid(file, values, gridAxes(file, values)!)
        : { grid: field.grid, isNorthUp: true };
    const packing = packingOf(values);
    const own = nodata === null ? packing : { ...packing, codes: [nodata, ...packing.codes] };
    const { kind, empty } = storedAs(values, own);
    const plain = missingAsNaN(own);
    const { height, width } = grid;
    return {
      grid,
      kind,
      nodata: empty,
      metadata: {
        scale: packing.scale,
        offset: packing.offset,
        unit: unitOf(values) ?? null,
        description: textOf(values.attributes, 'long_name') ?? values.name,
      },
      async read(from, to) {
        const [first, last] = isNorthUp ? [from, to] : [height - to, height - from];
        const samples = plain(await file.readRows(values, image, first, last));
        if (!isNorthUp) turnOver(samples, width);
        if (empty !== null && !Number.isNaN(empty))
          for (let i = 0; i < samples.length; i++) if (Number.isNaN(samples[i]!)) samples[i] = empty;
        return samples;
      },
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** The variable with the images. @throws InvalidInput that lists those there are */
function imagesOf(file: ArrayFile, wanted: string | undefined, fields: readonly EosField[]): ArrayVariable {
  const bounds = new Set(file.variables.flatMap(({ attributes }) => textOf(attributes, 'bounds') ?? []));
  const isData = (one: ArrayVariable): boolean =>
    one.type !== 'char' && one.type !== 'string' && axisOf(one) === undefined && !bounds.has(one.name);
  const isField = ({ name }: ArrayVariable): boolean => fields.some(({ variable }) => variable === name);
  const there = file.variables.filter((one) => isData(one) && (isField(one) || isImages(file, one)));
  // A field of HDF-EOS may be named without its groups, if it is the only one of this name.
  const named = fields.filter(({ name }) => name === wanted);
  const wish = named.length === 1 ? named[0]!.variable : wanted;
  const found = wish === undefined ? (there.length === 1 ? there[0] : undefined) : file.find(wish);
  if (found !== undefined && there.includes(found)) return found;
  const flat = file.variables.filter((one) => isData(one) && one.dimensions.length >= 2);
  const odd =
    found ?? (wanted === undefined && there.length === 0 && flat.length === 1 ? flat[0] : undefined);
  if (odd !== undefined) throw new InvalidInput(oddly(file, odd), { param: 'variable' });
  const listed = there.map(
    ({ name, dimensions }) => `${name} (${dimensions.map((one) => one.name).join(', ')})`,
  );
  const missing =
    wanted === undefined ? `${there.length} variables on a grid` : `there is no variable ${wanted}`;
  throw new InvalidInput(
    `${file.name}: ${missing}; expected --variable with one of ${listed.join('; ') || '(there is none on a grid)'}`,
    { param: 'variable' },
  );
}

/** Whether the last two dimensions of a variable are the rows and columns of a grid. */
function isImages(file: ArrayFile, variable: ArrayVariable): boolean {
  const axes = gridAxes(file, variable);
  const [rows, columns] = variable.dimensions.slice(-2);
  return (
    variable.dimensions.length >= 2 &&
    axes?.y.dimensions[0]!.name === rows!.name &&
    axes.x.dimensions[0]!.name === columns!.name
  );
}

function oddly(file: ArrayFile, variable: ArrayVariable): string {
  const why = irregularity(file, variable);
  if (why !== undefined)
    return `${file.name}: ${why}; expected rows and columns of a map: warp it first, for example with gdalwarp -t_srs EPSG:4326`;
  const along = variable.dimensions.map(({ name, size }) => `${name} (${size})`).join(', ');
  return `${file.name}: ${variable.name} runs along ${along || 'nothing'}; expected latitudes and longitudes (or y and x of a projection) last, each with a coordinate variable`;
}

/** Index of an image along each of the dimensions before rows and columns. @throws InvalidInput */
function imageOf(
  file: ArrayFile,
  { name, dimensions }: ArrayVariable,
  band: number | undefined,
): readonly number[] {
  const before = dimensions.slice(0, -2);
  const count = before.reduce((product, { size }) => product * size, 1);
  if ((band ?? 0) < count && (band !== undefined || count === 1)) {
    let left = band ?? 0;
    return before
      .toReversed()
      .map(({ size }) => {
        const at = left % size;
        left = Math.floor(left / size);
        return at;
      })
      .toReversed();
  }
  const along = before.map((one) => `${one.name} (${one.size})`).join(', ');
  throw new InvalidInput(
    `${file.name}: ${name} has ${count} image${count === 1 ? '' : `s along ${along}`}; expected --band from 1 to ${count}, got ${band === undefined ? 'none' : band + 1}`,
    { param: 'band' },
  );
}

/** Type and missing value of the samples in the band file: no sample that is there has this value. */
function storedAs(
  { type }: ArrayVariable,
  { codes, limits, turn }: Packing,
): { readonly kind: SampleKind; readonly empty: number | null } {
  const own = KINDS[type as keyof typeof KINDS];
  const kind = turn === 0 ? own : own === 'int8' ? 'uint8' : 'uint16';
  if (kind.startsWith('float')) return { kind, empty: Number.NaN };
  const held = codes
    .map((code) => (code < 0 ? code + turn : code))
    .find((code) => BLOCK_ARRAYS[kind].of(code)[0] === code);
  if (held !== undefined) return { kind, empty: held };
  if (limits.every((limit) => !Number.isFinite(limit))) return { kind, empty: null };
  const [wider, empty] = MASKED[kind];
  return { kind: wider, empty };
}

/** Turns the order of rows over, in place. */
function turnOver(samples: Float64Array, width: number): void {
  const height = samples.length / width;
  for (let top = 0, bottom = height - 1; top < bottom; top++, bottom--) {
    const row = samples.slice(top * width, (top + 1) * width);
    samples.copyWithin(top * width, bottom * width, (bottom + 1) * width);
    samples.set(row, bottom * width);
  }
}

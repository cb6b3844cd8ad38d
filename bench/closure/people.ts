import { dirname, join } from 'node:path';
import { readFileSync } from 'node:fs';
import { fromFile } from 'geotiff';
import type { ShippedAnswers, Points } from '../../test/fixtures/shipped-answers.ts';

/** Points in a country, each of which stands for the same number of its people. */
export interface CountryPoints extends Points {
  /** People of the country by the layer, up to a factor that is the same for all countries. */
  readonly people: number;
}

/** Bits of a row or a column of the population layer in a key: 2^14 columns at most. */
const BITS = 14;
/** Keys of a country: a row and a column interleaved. */
const COUNTRY_STEP = 2 ** (2 * BITS);
/** Attempts to find land in a cell of the shore before the point is left out. */
const ATTEMPTS = 16;
/** Steps of the quasi-random sequence R2 (Roberts 2018): inverse powers of the plastic number. */
const R2 = [0.7548776662466927, 0.5698402909980532] as const;

interface PeopleGrid {
  readonly west: number;
  readonly north: number;
  readonly step: number;
  readonly width: number;
  readonly height: number;
  readonly density: ArrayLike<number>;
}

/**
 * Draws quasi-random points where people live, in each country on its own. The cells of a country are put in Morton
 * order, in which neighbours in the list are neighbours on the ground, and every n-th part of the people gives one
 * point: the points follow the people everywhere. Within its cell, a point follows the sequence R2, on land.
 * @param catalogue catalogue whose folder holds the layer `population-density`, in people per km2
 * @param answers open layers, with `country` and `coast-distance`
 * @param count points of a country
 * @returns points by ISO 3166-1 numeric code; the result is the same in every run
 */
export async function drawPeople(
  catalogue: string,
  answers: ShippedAnswers,
  count: (country: number) => number,
): Promise<ReadonlyMap<number, CountryPoints>> {
  const grid = await readPeople(catalogue);
  const keys = sortedCells(grid, answers);
  const found = new Map<number, CountryPoints>();
  for (let from = 0; from < keys.length;) {
    const country = Math.floor(keys[from]! / COUNTRY_STEP);
    let to = from;
    while (to < keys.length && keys[to]! < (country + 1) * COUNTRY_STEP) to++;
    const cells = Array.from(keys.subarray(from, to), (key) => cellOf(key % COUNTRY_STEP, grid.width));
    const people = cells.reduce((sum, cell) => sum + peopleOf(grid, cell), 0);
    found.set(country, { people, ...onLand(grid, chosen(grid, cells, people, count(country)), answers) });
    from = to;
  }
  return found;
}

/** Every n-th part of the people of a list of cells: the cell in which it lies. */
function chosen(grid: PeopleGrid, cells: readonly number[], people: number, count: number): number[] {
  const found: number[] = [];
  let passed = 0;
  for (const cell of cells) {
    passed += peopleOf(grid, cell);
    while (found.length < count && passed >= ((found.length + 0.5) / count) * people) found.push(cell);
  }
  return found;
}

/** Points on land in each of the cells; a cell in which no attempt meets land is left out. */
function onLand(grid: PeopleGrid, cells: readonly number[], answers: ShippedAnswers): Points {
  const lats = new Float64Array(cells.length * ATTEMPTS);
  const lngs = new Float64Array(cells.length * ATTEMPTS);
  for (let i = 0; i < lats.length; i++) {
    const cell = cells[Math.floor(i / ATTEMPTS)]!;
    lats[i] = grid.north - (Math.floor(cell / grid.width) + ((0.5 + (i + 1) * R2[1]) % 1)) * grid.step;
    lngs[i] = grid.west + ((cell % grid.width) + ((0.5 + (i + 1) * R2[0]) % 1)) * grid.step;
  }
  const inland = answers.values('coast-distance', { lats, lngs });
  const kept = cells.flatMap((_, c) => {
    const at = inland.subarray(c * ATTEMPTS, (c + 1) * ATTEMPTS).findIndex((km) => km > 0);
    return at < 0 ? [] : [c * ATTEMPTS + at];
  });
  return { lats: Float64Array.from(kept, (i) => lats[i]!), lngs: Float64Array.from(kept, (i) => lngs[i]!) };
}

/** Keys of all cells with people: the country, then the place in Morton order; ascending. */
function sortedCells(grid: PeopleGrid, answers: ShippedAnswers): Float64Array {
  const cells: number[] = [];
  for (let cell = 0; cell < grid.density.length; cell++) if (grid.density[cell]! > 0) cells.push(cell);
  const points = {
    lats: Float64Array.from(cells, (cell) => grid.north - (Math.floor(cell / grid.width) + 0.5) * grid.step),
    lngs: Float64Array.from(cells, (cell) => grid.west + ((cell % grid.width) + 0.5) * grid.step),
  };
  const countries = answers.values('country', points);
  return Float64Array.from(
    cells.flatMap((cell, i) => {
      const country = countries[i]!;
      return country > 0 && Number.isFinite(country)
        ? [country * COUNTRY_STEP + mortonOf(cell, grid.width)]
        : [];
    }),
  ).sort();
}

function mortonOf(cell: number, width: number): number {
  const [row, col] = [Math.floor(cell / width), cell % width];
  let code = 0;
  for (let bit = 0; bit < BITS; bit++)
    code += ((row >> bit) & 1) * 2 ** (2 * bit + 1) + ((col >> bit) & 1) * 2 ** (2 * bit);
  return code;
}

function cellOf(code: number, width: number): number {
  let [row, col] = [0, 0];
  for (let bit = 0; bit < BITS; bit++) {
    row += Math.floor((code / 2 ** (2 * bit + 1)) % 2) * 2 ** bit;
    col += Math.floor((code / 2 ** (2 * bit)) % 2) * 2 ** bit;
  }
  return row * width + col;
}

/** People in a cell, up to a constant factor. */
function peopleOf({ density, north, step, width }: PeopleGrid, cell: number): number {
  return density[cell]! * Math.cos(((north - (Math.floor(cell / width) + 0.5) * step) * Math.PI) / 180);
}

async function readPeople(catalogue: string): Promise<PeopleGrid> {
  const { layers } = JSON.parse(readFileSync(catalogue, 'utf8')) as {
    layers: readonly { readonly layer: string; readonly file: string }[];
  };
  const entry = layers.find(({ layer }) => layer === 'population-density');
  if (entry === undefined) throw new Error(`${catalogue} has no layer population-density`);
  const tiff = await fromFile(join(dirname(catalogue), entry.file));
  const image = await tiff.getImage();
  const [density] = (await image.readRasters()) as unknown as readonly ArrayLike<number>[];
  const [west, north] = image.getOrigin() as [number, number];
  const step = image.getResolution()[0]!;
  await tiff.close();
  return { west, north, step, width: image.getWidth(), height: image.getHeight(), density: density! };
}

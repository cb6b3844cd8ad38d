import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Land uses of the record, in the order of their CORINE classes. */
export const LAND_USES = [
  'urban',
  'farm',
  'meadow',
  'denseforest',
  'conifer',
  'mixedforest',
  'grassland',
  'bush',
  'scrub',
] as const;

/** Side of a cell [km]. Five in six positions of the record are rounded to the middle of a cell. */
export const CELL_KM = 10;

/** Offset of the grid of cells from the origin, and distance of a cell's middle from its edges [km]. */
const OFFSET_KM = 0.125;
const MIDDLE_KM = 5;

/** Tolerance for rounded positions [km]. The record shifts identical positions slightly apart, always to the east. */
const SLACK_KM = 0.01;

/** Smallest fire that is used [ha]; the provinces report smaller fires differently. */
export const LEAST_FIRE_HA = 1;

export const FIRST_YEAR = 1998;
export const YEARS = 10;

/** A fire of the record in a cell. */
export interface Fire {
  readonly year: number;
  /** Month of the year, 1 to 12. */
  readonly month: number;
  readonly areaHa: number;
  /** Index of the part of its cell; null when only the cell is known. */
  readonly part: number | null;
}

/** A part of a cell: index of its land use in LAND_USES, and slope [degrees]. */
export interface FirePart {
  readonly use: number;
  readonly slope: number;
}

/** One cell of the region: its parts, of equal area, and its fires. */
export interface FireCell {
  readonly column: number;
  readonly row: number;
  readonly parts: readonly FirePart[];
  readonly fires: readonly Fire[];
}

/** Cells of the region with their fires of at least 1 ha, and the burned area of all fires [ha]. */
export interface FireRecord {
  readonly cells: readonly FireCell[];
  readonly burntHa: number;
}

/**
 * Reads the fires of Castilla-La Mancha 1998-2007 (Debian's r-cran-spatstat.data, under the GPL, so it is never
 * copied into the repository). The record has no outline of the region. The region is taken to be all cells with a
 * fire, morphologically closed by one cell (dilated, then eroded).
 */
export function readFireRecord(folder: string): FireRecord {
  const parts = new Map<string, (FirePart & { readonly at: readonly [number, number] })[]>();
  for (const row of rowsOf(join(folder, 'covariates_100.csv'))) {
    const use = LAND_USES.indexOf(row['landuse'] as (typeof LAND_USES)[number]);
    if (use < 0) continue;
    const at = [Number(row['x_km']), Number(row['y_km'])] as const;
    const key = cellOf(...at);
    const found = parts.get(key) ?? [];
    parts.set(key, found);
    found.push({ use, slope: Number(row['slope']), at });
  }
  const burnt = new Map<string, Fire[]>();
  let burntHa = 0;
  for (const row of rowsOf(join(folder, 'fires.csv'))) {
    const [xKm, yKm] = [Number(row['x_km']), Number(row['y_km'])];
    const isRounded = Math.abs(within(yKm) - MIDDLE_KM) < SLACK_KM;
    const key = isRounded ? cellOf(xKm - MIDDLE_KM + SLACK_KM, yKm) : cellOf(xKm, yKm);
    const areaHa = Number(row['burnt_area_ha']);
    burntHa += areaHa;
    const found = burnt.get(key) ?? [];
    burnt.set(key, found);
    if (areaHa < LEAST_FIRE_HA) continue;
    const [year, month] = row['date']!.split('-').map(Number) as [number, number];
    const part = isRounded ? null : nearest(parts.get(key) ?? [], xKm, yKm);
    found.push({ year, month, areaHa, part });
  }
  const cells: FireCell[] = [];
  for (const key of closed(new Set(burnt.keys()))) {
    const covers = parts.get(key);
    if (covers === undefined) continue;
    const [column, row] = key.split(',').map(Number) as [number, number];
    cells.push({ column, row, parts: covers, fires: burnt.get(key) ?? [] });
  }
  cells.sort((a, b) => a.column - b.column || a.row - b.row);
  return { cells, burntHa };
}

function cellOf(xKm: number, yKm: number): string {
  return `${Math.floor((xKm + OFFSET_KM) / CELL_KM)},${Math.floor((yKm + OFFSET_KM) / CELL_KM)}`;
}

/** Position of a coordinate within its cell [km]. */
function within(km: number): number {
  return (((km + OFFSET_KM) % CELL_KM) + CELL_KM) % CELL_KM;
}

/** Index of the part with the nearest middle; null without parts. */
function nearest(parts: readonly { readonly at: readonly [number, number] }[], xKm: number, yKm: number) {
  let best: number | null = null;
  let least = Infinity;
  for (const [i, { at }] of parts.entries()) {
    const apart = Math.hypot(at[0] - xKm, at[1] - yKm);
    if (apart < least) [best, least] = [i, apart];
  }
  return best;
}

function around(key: string): string[] {
  const [column, row] = key.split(',').map(Number) as [number, number];
  return [-1, 0, 1].flatMap((i) => [-1, 0, 1].map((j) => `${column + i},${row + j}`));
}

function closed(cells: ReadonlySet<string>): string[] {
  const dilated = new Set([...cells].flatMap(around));
  return [...dilated].filter((key) => cells.has(key) || around(key).every((near) => dilated.has(near)));
}

function rowsOf(path: string): Record<string, string>[] {
  const [head, ...lines] = readFileSync(path, 'utf8').trim().split(/\r?\n/);
  const names = head!.split(',');
  return lines.map((line) => {
    const values = line.split(',');
    return Object.fromEntries(names.map((name, i) => [name, values[i] ?? '']));
  });
}

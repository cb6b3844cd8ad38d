import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Land uses of the record, in the order of the CORINE classes they come from. */
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

/** Side of a cell [km]: five in six positions of the record are rounded to a grid of it. */
export const CELL_KM = 10;

/** Offset of that grid [km]. */
const OFFSET_KM = 0.125;

/** Smallest fire looked at [ha]: below it the provinces report differently. */
export const LEAST_FIRE_HA = 1;

export const FIRST_YEAR = 1998;
export const YEARS = 10;

/** A fire of the record that fell on a cell. */
export interface Fire {
  readonly year: number;
  /** 1 to 12 */
  readonly month: number;
  readonly areaHa: number;
}

/** One cell of the region: what covers it (equal parts) and what burned in it. */
export interface FireCell {
  readonly column: number;
  readonly row: number;
  /** Position in LAND_USES and slope [degrees] of each part. */
  readonly parts: readonly { readonly use: number; readonly slope: number }[];
  readonly fires: readonly Fire[];
}

/** Cells of the region with their fires of at least 1 ha, and the burnt area [ha] of all fires. */
export interface FireRecord {
  readonly cells: readonly FireCell[];
  readonly burntHa: number;
}

/**
 * Reads the fires of Castilla-La Mancha 1998-2007 (Debian's r-cran-spatstat.data, GPL: read where it lies, never copied). The
 * region's outline is not in the record: it is the cells that have any fire, closed by one cell (dilated, then eroded).
 */
export function readFireRecord(folder: string): FireRecord {
  const fires = rowsOf(join(folder, 'fires.csv'));
  const burnt = new Map<string, Fire[]>();
  let burntHa = 0;
  for (const row of fires) {
    const key = cellOf(Number(row['x_km']), Number(row['y_km']));
    const date = row['date']!;
    const areaHa = Number(row['burnt_area_ha']);
    burntHa += areaHa;
    const found = burnt.get(key) ?? [];
    burnt.set(key, found);
    if (areaHa >= LEAST_FIRE_HA)
      found.push({ year: Number(date.slice(0, 4)), month: Number(date.slice(5, 7)), areaHa });
  }
  const parts = new Map<string, { use: number; slope: number }[]>();
  for (const row of rowsOf(join(folder, 'covariates_100.csv'))) {
    const use = LAND_USES.indexOf(row['landuse'] as (typeof LAND_USES)[number]);
    if (use < 0) continue;
    const key = cellOf(Number(row['x_km']), Number(row['y_km']));
    const found = parts.get(key) ?? [];
    parts.set(key, found);
    found.push({ use, slope: Number(row['slope']) });
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

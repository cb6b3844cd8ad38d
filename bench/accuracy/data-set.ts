import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { fromFile } from 'geotiff';
import { readCsvRows } from '../../src/formats/csv/rows.ts';

/** Folder of the labelled data sets: by default the one next to the repository. They are not part of the repository. */
let home = join(import.meta.dirname, '../../../shared/data');

/** Reads the sets of another folder from now on. */
export function readSetsFrom(folder: string): void {
  home = resolve(folder);
}

/** Path of a file of a set. */
export function pathOf(set: string, file: string): string {
  return join(home, set, file);
}

/** Whether a data set is present. */
export function isPresent(set: string): boolean {
  return existsSync(pathOf(set, 'README.md'));
}

/** Reads the records of a CSV file, or of one compressed with gzip; the keys are the column names in its first line. */
export function readRecords(set: string, file: string): Record<string, string>[] {
  const bytes = readFileSync(pathOf(set, file));
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  const [header, ...rows] = [...readCsvRows(text)];
  return rows.map(({ fields }) =>
    Object.fromEntries(header!.fields.map((name, i) => [name, fields[i] ?? ''])),
  );
}

/** Reads a JSON file of a set. */
export function readJson(set: string, file: string): unknown {
  return JSON.parse(readFileSync(pathOf(set, file), 'utf8'));
}

/** All bands of a GeoTIFF, each in row-major order. */
export interface Bands {
  readonly width: number;
  readonly height: number;
  readonly bands: readonly ArrayLike<number>[];
}

/** Reads all bands of a GeoTIFF. */
export async function readBands(set: string, file: string): Promise<Bands> {
  const tiff = await fromFile(pathOf(set, file));
  try {
    const rasters = await (await tiff.getImage()).readRasters();
    return { width: rasters.width, height: rasters.height, bands: rasters as unknown as ArrayLike<number>[] };
  } finally {
    await tiff.close();
  }
}

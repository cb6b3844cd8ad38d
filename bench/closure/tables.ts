import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Row, readTable } from '../../test/fixtures/csv-table.ts';

/** Folder of the shared data sets. They are not part of the repository. */
const SHARED = join(import.meta.dirname, '../../../shared/data');

/** Whether a shared data set is there. */
export function hasShared(set: string): boolean {
  return existsSync(join(SHARED, set));
}

/** Reads a table of a shared data set. */
export function readShared(path: string): readonly Row[] {
  return readTable(join(SHARED, path));
}

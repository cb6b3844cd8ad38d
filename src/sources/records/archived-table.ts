import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { InvalidInput } from '../../base/errors.ts';
import { zipEntries, zipEntryPieces } from '../../formats/zip/archive.ts';
import { linesOf } from '../../formats/zip/entry-lines.ts';

/**
 * Reads the only CSV table of a ZIP archive while it is unpacked.
 * @param read gets the name of the table, after that of the archive, and its lines
 * @throws InvalidInput unless the archive has one table
 */
export async function readArchivedTable<T>(
  path: string,
  read: (name: string, lines: AsyncIterable<string>) => Promise<T>,
): Promise<T> {
  const archive = basename(path);
  const file = await open(path);
  try {
    const tables = (await zipEntries(file, archive)).filter(
      ({ name }) => /\.csv$/i.test(name) && !name.includes('__MACOSX'),
    );
    const [table] = tables;
    if (table === undefined || tables.length > 1)
      throw new InvalidInput(`${archive}: expected one .csv in it, got ${tables.length}`);
    const name = `${archive}/${table.name.split('/').at(-1)!}`;
    return await read(name, linesOf(zipEntryPieces(file, archive, table)));
  } finally {
    await file.close();
  }
}

import { type FileHandle, open, rm } from 'node:fs/promises';
import { InvalidInput } from '../../base/errors.ts';
import { type Given, Misuse, required, text } from '../command.ts';

/** Endings of the names of files that a command may write, which are the names of their formats. */
export type OutFormat = 'csv' | 'geojson' | 'parquet';

/**
 * The format of the file that `--out` names: that of `--format`, or of the ending of its name.
 * @throws Misuse when neither says one of `formats`
 */
export function outFormat<Format extends OutFormat>(given: Given, formats: readonly Format[]): Format {
  const [out, said] = [required(given, 'out'), text(given, 'format')];
  const ending = /\.([^./\\]+)$/.exec(out)?.[1];
  const format = formats.find((known) => known === (said ?? ending?.toLowerCase()));
  if (format !== undefined) return format;
  const names = [formats.slice(0, -1).join(', '), formats.at(-1)].filter((part) => part !== '').join(' or ');
  throw new Misuse(
    said === undefined
      ? `--out: expected a name that ends in ${names.replaceAll(/\w+/g, (word) => (word === 'or' ? word : `.${word}`))}, got ${out}`
      : `--format: expected ${names}, got ${said}`,
  );
}

/**
 * Writes a new file. What was written of one that failed is removed.
 * @throws InvalidInput when the file exists or cannot be made
 */
export async function writeNew(out: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(out, 'wx').catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'EEXIST' ? `${out} exists; give the name of a new file` : error.message;
    throw new InvalidInput(`--out: ${why}`, { cause: error });
  });
  try {
    await write(file);
    await file.sync();
  } catch (error) {
    await rm(out, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

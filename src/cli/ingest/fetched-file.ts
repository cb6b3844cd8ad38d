import { randomUUID } from 'node:crypto';
import type { CliDeps } from '../command.ts';

/** Whether an option that names a file has an address. */
export const isAddress = (file: string): boolean => /^https?:\/\//i.test(file);

/**
 * Runs work with the path of a file. An address is fetched first, by the rules for files of others, and what was
 * fetched is deleted afterwards.
 * @throws NotFound, UpstreamUnavailable; InvalidInput when the address is not https, or not allowed
 */
export async function withFile<T>(
  { downloads, downloadFolder }: Pick<CliDeps, 'downloads' | 'downloadFolder'>,
  file: string,
  work: (path: string) => Promise<T>,
): Promise<T> {
  if (!isAddress(file)) return work(file);
  // The name is kept for messages; what a file is named in its query is none.
  const name =
    new URL(file).pathname
      .split('/')
      .at(-1)!
      .replaceAll(/[^\w.-]/g, '_') || 'file';
  const folder = `${downloadFolder}/${randomUUID()}`;
  try {
    await downloads.fetchMade(file, `${folder}/${name}`);
    return await work(`${folder}/${name}`);
  } finally {
    await downloads.discard(folder);
  }
}

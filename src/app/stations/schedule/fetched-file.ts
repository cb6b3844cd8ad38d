import { randomUUID } from 'node:crypto';

/** What fetches files, and where to. */
export interface Fetching {
  readonly downloads: {
    fetchMade(url: string, path: string): Promise<unknown>;
    readText(path: string): Promise<string>;
    discard(path: string): Promise<void>;
  };
  readonly downloadFolder: string;
}

/** Whether an option that names a file has an address. */
const isAddress = (file: string): boolean => /^https?:\/\//i.test(file);

/**
 * Runs work with the path of a file. An address is fetched first, by the rules for files of others, and what was
 * fetched is deleted afterwards.
 * @throws NotFound, UpstreamUnavailable; InvalidInput when the address is not https, or not allowed
 */
export async function withFile<T>(
  { downloads, downloadFolder }: Fetching,
  file: string,
  work: (path: string) => Promise<T>,
): Promise<T> {
  if (!isAddress(file)) return work(file);
  // The name is kept for messages; what a file is named in its query is none.
  const name =
    new URL(file).pathname
      .split('/')
      .findLast((part) => part !== '')
      ?.replaceAll(/[^\w.-]/g, '_') ?? 'file';
  const folder = `${downloadFolder}/${randomUUID()}`;
  try {
    await downloads.fetchMade(file, `${folder}/${name}`);
    return await work(`${folder}/${name}`);
  } finally {
    await downloads.discard(folder);
  }
}

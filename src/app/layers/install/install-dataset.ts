import { InvalidInput, NotFound } from '../../../base/errors.ts';
import type { Bbox } from '../../../geo/bbox.ts';
import type { AddedLayer } from '../add-layer.ts';
import type { LayerEnvironment } from '../layer-shelf.ts';
import { AccessRefused } from './downloads.ts';
import type {
  Dataset,
  DatasetDeps,
  DatasetFile,
  DatasetRequest,
  FetchedFile,
  FileFormat,
} from './dataset.ts';

const AT_ONCE = 4; // requests at once to one provider (our choice)

/** What the content of a file of a format begins with, behind a byte order mark. */
const BEGINNINGS: Readonly<Record<FileFormat, readonly string[]>> = {
  'best tracks': ['SID,SEASON,'],
  detections: ['latitude,longitude,'],
  JSON: ['{'],
  TIFF: ['II*\0', 'II+\0', 'MM\0*', 'MM\0+'],
  ZIP: ['PK\u0003\u0004'],
};

export interface InstallDeps extends DatasetDeps {
  /** Folder of the installation for files that are fetched. */
  readonly downloadFolder: string;
}

/** The data set to install, and where. */
export interface InstallRequest {
  readonly dataset: Dataset;
  readonly boxes: readonly Bbox[];
  readonly environment: LayerEnvironment | undefined;
  /** Address of a mirror; undefined: the provider. */
  readonly mirror: string | undefined;
  /** The key or token that the data set needs; undefined: none. */
  readonly secret: string | undefined;
}

/** What would be fetched. */
export interface InstallPlan {
  readonly request: DatasetRequest;
  readonly files: readonly DatasetFile[];
  /** Sum of the sizes that the servers tell [bytes]. */
  readonly bytes: number;
  /** Number of files whose size is not known before. */
  readonly unknown: number;
}

/**
 * Finds out what an installation would fetch. Sizes are asked for; nothing is fetched.
 * @throws InvalidInput when a key is missing, or the boxes are too large; UpstreamUnavailable
 */
export async function planInstall(
  { clock, downloads, downloadFolder }: Pick<InstallDeps, 'clock' | 'downloads' | 'downloadFolder'>,
  { dataset, boxes, environment, mirror, secret }: InstallRequest,
): Promise<InstallPlan> {
  if (dataset.needs !== undefined && !secret)
    throw new InvalidInput(
      `${dataset.name}: expected a key in ${dataset.needs}_FILE or ${dataset.needs}; it is free: ${dataset.access ?? dataset.documentation}`,
    );
  const base = `${(mirror ?? dataset.base).replace(/\/$/, '')}/`;
  const folder = `${downloadFolder}/${dataset.name}`;
  const request = { boxes, base, nowMs: clock.now(), environment, folder };
  const files: DatasetFile[] = [];
  let [bytes, unknown] = [0, 0];
  const found = new Set<string>();
  for (const file of dataset.plan(request)) {
    if (file.group !== undefined && found.has(file.group)) continue;
    const size = file.isMade
      ? undefined
      : await withAccess(dataset, () => downloads.size(withSecret(file.url, secret)));
    if (size === null && file.mayMiss === true) continue;
    if (file.group !== undefined) found.add(file.group);
    files.push(file);
    if (size === undefined || size === null) unknown++;
    else bytes += size.bytes;
  }
  if (files.length === 0)
    throw new InvalidInput(`--bbox: ${dataset.name} has no file for this place`, { param: 'bbox' });
  return { request, files, bytes, unknown };
}

/**
 * Fetches the files of a plan, checks them, and installs the layers. After an error the same call continues.
 * @throws InvalidInput when a file is not what the provider documents; UpstreamUnavailable
 */
export async function runInstall(
  deps: InstallDeps,
  { dataset, secret }: InstallRequest,
  { request, files }: InstallPlan,
  progress: (done: number, total: number, bytes: number) => void,
): Promise<readonly AddedLayer[]> {
  const fetched: (FetchedFile | undefined)[] = files.map(() => undefined);
  let [next, done, sum] = [0, 0, 0];
  const work = async (): Promise<void> => {
    for (let i = next++; i < files.length; i = next++) {
      const file = files[i]!;
      try {
        fetched[i] = await withAccess(dataset, () =>
          fetchFile(deps, request, file, secret, (bytes) => progress(done, files.length, sum + bytes)),
        );
      } catch (error) {
        next = files.length; // the others end with what they have begun
        throw error;
      }
      sum += fetched[i]?.bytes ?? 0;
      progress(++done, files.length, sum);
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, work));
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
  const there = fetched.filter((file) => file !== undefined);
  const added = await dataset.install(deps, request, there);
  if (added.length === 0)
    throw new InvalidInput(`--bbox: ${dataset.name} has no value at this place`, { param: 'bbox' });
  await deps.downloads.discard(request.folder);
  return added;
}

/** Says how to get a new credential where a provider refuses one. @throws InvalidInput */
async function withAccess<T>({ needs, access, documentation }: Dataset, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof AccessRefused) || needs === undefined) throw error;
    throw new InvalidInput(
      `${error.message}: ${needs} is refused, or has expired; ${access ?? `a new one: ${documentation}`}. What was fetched is kept`,
      { cause: error },
    );
  }
}

const withSecret = (url: string, secret: string | undefined): string =>
  url.replace('{key}', encodeURIComponent(secret ?? ''));

async function fetchFile(
  { downloads }: InstallDeps,
  { folder, nowMs }: DatasetRequest,
  file: DatasetFile,
  secret: string | undefined,
  progress: (bytes: number) => void,
): Promise<FetchedFile | undefined> {
  const path = `${folder}/${file.name}`;
  const url = withSecret(file.url, secret);
  try {
    const { bytes, sha256, modified } = file.isMade
      ? await downloads.fetchMade(url, path)
      : await downloads.fetch(url, path, progress);
    await checkFormat(downloads, path, file);
    const changedMs = Date.parse(modified ?? '');
    const day = new Date(Number.isNaN(changedMs) ? nowMs : changedMs).toISOString().slice(0, 10);
    return { ...file, path, sha256, bytes, day };
  } catch (error) {
    if (error instanceof NotFound && file.mayMiss === true) return undefined;
    throw error;
  }
}

/** @throws InvalidInput with the first line, where it says why; the file is then deleted, so that it is fetched again */
async function checkFormat(
  downloads: InstallDeps['downloads'],
  path: string,
  { name, format }: DatasetFile,
): Promise<void> {
  const text = (await downloads.head(path)).toString('latin1').replace(/^\xEF\xBB\xBF/, '');
  if (BEGINNINGS[format].some((beginning) => text.startsWith(beginning))) return;
  await downloads.discard(path);
  const line = text.split('\n', 1)[0]!.trim();
  const saying = /^[\x20-\x7e]+$/.test(line) && !line.startsWith('<') ? `: ${line}` : '';
  throw new InvalidInput(`${name}: expected ${format}, got something else from the provider${saying}`);
}

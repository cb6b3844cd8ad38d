import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClientBase } from 'pg';
import { colourCubeId } from '../app/series/colour-cube.ts';
import { snowCubeId } from '../app/series/snow-cube.ts';
import { SCHEMA } from '../store/connection/database.ts';
import type { KeyOf } from './sealed-rows.ts';

/** Name of the file with the demo key in the data folder. */
export const DEMO_KEY = 'demo-key';

/** An account that files belong to, with its key. */
export interface FileOwner {
  readonly id: string;
  readonly key: Buffer;
}

/** Whose the files of a data folder are. */
export interface FileOwners {
  /** The cubes of all collections, whether there are any or not. */
  readonly cubes: readonly string[];
  /**
   * The account that a file or cube belongs to; `nobody` for those of the installation. `left out`: its account is
   * being erased, or the cube has no collection.
   * @param name its path in the data folder
   */
  ownerOf(name: string): FileOwner | 'nobody' | 'left out';
}

const KEY_ID = /_(key_[0-9a-z]{26})_/; // the id in the text of an API key
const SEALED = /^sealed\/([^/]+)\/(.+)$/;

/** Name in an archive of a file of an account. @param name its name if it belonged to nobody: `data/...` */
export function sealedName(name: string, accountId: string): string {
  return `sealed/${accountId}/${name.slice('data/'.length)}`;
}

/**
 * Returns where a file of an archive belongs in the data folder, and to which account; undefined for entries that are
 * no files of the data folder.
 */
export function placeOf(name: string): { readonly path: string; readonly account?: string } | undefined {
  if (name.startsWith('data/')) return { path: name.slice('data/'.length) };
  const [, account, path] = SEALED.exec(name) ?? [];
  return account === undefined ? undefined : { path: path!, account };
}

/** Finds out whose the files are, by the database as of the client's snapshot. */
export async function fileOwners(client: ClientBase, dataFolder: string, keyOf: KeyOf): Promise<FileOwners> {
  const { rows } = await client.query<{ id: string; account: string | null }>(
    `select id, account_id as account from ${SCHEMA}.collections where kind = 'raster'`,
  );
  const ofCube = new Map<string, string | null>();
  for (const { id, account } of rows)
    for (const cube of [id, snowCubeId(id), colourCubeId(id)]) ofCube.set(cube, account);
  const demo = await demoAccount(client, dataFolder);
  const owner = (account: string | null): ReturnType<FileOwners['ownerOf']> => {
    if (account === null) return 'nobody';
    const key = keyOf(account);
    return key === undefined ? 'left out' : { id: account, key };
  };
  return {
    cubes: [...ofCube.keys()],
    ownerOf(name) {
      if (name === DEMO_KEY) return demo === undefined ? 'left out' : owner(demo);
      const [top, cube] = name.split('/');
      if (top !== 'cubes') return 'nobody';
      const account = ofCube.get(cube!);
      return account === undefined ? 'left out' : owner(account);
    },
  };
}

/** The account of the demo key; undefined when there is no such key or it is none of this installation. */
export async function demoAccount(
  client: Pick<ClientBase, 'query'>,
  dataFolder: string,
): Promise<string | undefined> {
  const text = await readFile(join(dataFolder, DEMO_KEY), 'utf8').catch(() => '');
  const { rows } = await client.query<{ account: string }>(
    `select account_id as account from ${SCHEMA}.api_keys where id = $1`,
    [KEY_ID.exec(text)?.[1]],
  );
  return rows[0]?.account;
}

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { syncFolder } from '../../base/durable-file.ts';
import { UpstreamUnavailable } from '../../base/errors.ts';
import { errorCode } from '../connection/error-code.ts';
import { programFile, type PostgresBinaries } from './postgres-binaries.ts';
import type { PostgresHome } from './postgres-home.ts';
import { launchOptions, openTo } from './postgres-user.ts';
import { newFolderName, removeUnfinished } from './unfinished-folder.ts';

const run = promisify(execFile);

/** Name of the superuser role of the cluster. */
export const SUPERUSER = 'groundwatch';

/**
 * Creates the cluster (`initdb`) and its password if they are missing. They are built in a temporary folder, which is
 * then renamed. A killed process thus leaves no folder that looks complete. If two processes create a cluster at the
 * same time, both use the cluster that was renamed first.
 *
 * @returns the password of the superuser.
 * @throws UpstreamUnavailable when the cluster cannot be created, belongs to another user, or is of another major
 * version.
 */
export async function ensureCluster(home: PostgresHome, binaries: PostgresBinaries): Promise<string> {
  try {
    await removeUnfinished(home.folder);
    if (!(await clusterExists(home))) await createCluster(home, binaries);
    const version = (await readFile(join(home.clusterFolder, 'PG_VERSION'), 'utf8')).trim();
    if (version !== String(binaries.major)) {
      throw new UpstreamUnavailable(
        `The database in ${home.clusterFolder} is PostgreSQL ${version}'s, and the bundled server is ${binaries.major}. ` +
          'Restore a backup into an empty data folder, or run the release that made it.',
      );
    }
    return (await readFile(home.passwordFile, 'utf8')).trim();
  } catch (cause) {
    if (cause instanceof UpstreamUnavailable) throw cause;
    throw new UpstreamUnavailable(
      `The database in ${home.folder} cannot be used: ${(cause as Error).message}. If it belongs to another user, ` +
        'start the service as that user or as root, or give the folder to this user (chown -R).',
      { cause },
    );
  }
}

async function clusterExists(home: PostgresHome): Promise<boolean> {
  try {
    return (await stat(home.serverFolder)).isDirectory();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

async function createCluster(home: PostgresHome, binaries: PostgresBinaries): Promise<void> {
  const unfinished = newFolderName(home.serverFolder);
  const cluster = join(unfinished, 'cluster');
  const passwordFile = join(unfinished, 'password');
  await mkdir(unfinished, { mode: 0o700 });
  try {
    if (home.user !== undefined) await openTo(unfinished, home.user);
    await mkdir(cluster, { mode: 0o700 });
    await writeFile(passwordFile, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flush: true });
    if (home.user !== undefined) {
      await chown(cluster, home.user.uid, home.user.gid);
      await chown(passwordFile, home.user.uid, home.user.gid);
    }
    await initialise(home, binaries, cluster, passwordFile);
    await rename(unfinished, home.serverFolder);
    await syncFolder(dirname(home.serverFolder));
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    if (!(await clusterExists(home))) throw error; // otherwise another process was faster
  }
}

async function initialise(
  home: PostgresHome,
  binaries: PostgresBinaries,
  cluster: string,
  passwordFile: string,
): Promise<void> {
  try {
    await run(
      programFile(binaries, 'initdb'),
      [
        `--pgdata=${cluster}`,
        `--username=${SUPERUSER}`,
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale=C',
        // Not the system's locale, since an upgrade of the system must not change the order of an index.
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--data-checksums',
        '--no-instructions',
      ],
      launchOptions(home.user),
    );
  } catch (cause) {
    const { stderr } = cause as { readonly stderr?: string };
    const why = (stderr || (cause as Error).message).trim();
    throw new UpstreamUnavailable(
      `The database could not be created in ${home.folder}: ${why}${adviceOn(why, binaries.folder)}`,
      {
        cause,
      },
    );
  }
}

/** Characters with a meaning to the shell by which `initdb` calls `postgres`, within the quotation marks that it writes. */
const SHELL_CHARACTERS = /["$`\\]/;

/**
 * What to do about an error of `initdb`, as the end of a sentence; empty when its message says enough.
 * @param folder folder of the programs
 */
export function adviceOn(why: string, folder: string): string {
  // PostgreSQL needs a user name, but a container may run under a user id without a name.
  if (why.includes('effective user ID'))
    return '. Add the user to /etc/passwd, run as an existing user, or set DATABASE_URL to another server';
  if (process.platform !== 'win32' && SHELL_CHARACTERS.test(folder))
    return `. PostgreSQL does not run from a folder with ", $, \` or \\ in its path: install Groundwatch in another than ${folder}`;
  return '';
}

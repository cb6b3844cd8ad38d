import { createHash, randomBytes } from 'node:crypto';
import {
  chmod,
  chown,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { isDataEntry } from '../../base/data-entries.ts';
import { UpstreamUnavailable } from '../../base/errors.ts';
import { errorCode } from '../connection/error-code.ts';
import { canTraverse, chooseServerUser, openTo, type ServerUser } from './postgres-user.ts';
import { newFolderName } from './unfinished-folder.ts';

/** Folder for databases when we are root and the user that runs the server has no access to the data folder. */
const RELOCATED = '/var/lib/groundwatch';
/**
 * Maximum length of the path of a Unix socket [bytes]: `sun_path` has 108 bytes on Linux and 104 on macOS, including
 * the final NUL.
 */
const MAX_SOCKET_PATH_BYTES = 103;
/** File name of the socket. It contains the port (PostgreSQL's `UNIXSOCK_PATH`). */
const SOCKET_FILE = '.s.PGSQL.5432';

/** The folders of one embedded server. */
export interface PostgresHome {
  /** Parent of all other folders. */
  readonly folder: string;
  /** Folder of the cluster and its password. Created in one step, so it is complete if it exists. */
  readonly serverFolder: string;
  readonly clusterFolder: string;
  readonly passwordFile: string;
  readonly logFile: string;
  /** User that runs the server; undefined if it is the user of this process. */
  readonly user: ServerUser | undefined;
}

/**
 * Finds the folder that contains the database of a data folder, or chooses one and records it. It is inside the data
 * folder, with one exception: if we are root, another user must run the server, and if that user cannot traverse the
 * parents of the data folder, the database is in /var/lib/groundwatch.
 *
 * @throws UpstreamUnavailable when the folder cannot be used. The message says what to do.
 */
export async function findPostgresHome(dataFolder: string): Promise<PostgresHome> {
  await mkdir(dataFolder, { recursive: true });
  const data = await realpath(dataFolder);
  const recorded = await readText(join(data, 'postgres-location'));
  const folder = recorded ?? join(data, 'postgres');
  const user = await chooseServerUser(join(folder, 'server', 'cluster'));
  if (recorded !== undefined) {
    await checkRelocated(data, recorded);
  } else if (user !== undefined && !(await admit(data, user))) {
    if (await isFolder(join(folder, 'server'))) {
      throw new UpstreamUnavailable(
        `User ${user.uid}, who owns the database in ${folder}, cannot reach it: a folder above it is closed. ` +
          'Open that folder to others (chmod o+x), or move the data folder.',
      );
    }
    return homeAt(await relocate(data, user), user);
  } else if (user === undefined || (await ownerOf(folder)) !== user.uid) {
    // A folder of that user stays its own: a command that root ran once would close it to that user's service.
    await makeFolder(folder, 0o700);
    if (user !== undefined) await openTo(folder, user);
  }
  return homeAt(folder, user);
}

/**
 * Creates the folder of the server's socket, accessible only to the server's user: in the home if the path is short
 * enough, otherwise in the temporary folder.
 *
 * @throws UpstreamUnavailable when every possible folder has too long a path or belongs to another user.
 */
export async function makeSocketFolder(home: PostgresHome): Promise<string> {
  const uid = home.user?.uid ?? process.getuid?.() ?? 0;
  const name = `groundwatch-${uid}-${digest(home.folder)}`;
  const candidates = [join(home.folder, 'socket'), join(tmpdir(), name), join('/tmp', name)];
  for (const folder of candidates) {
    if (Buffer.byteLength(join(folder, SOCKET_FILE)) > MAX_SOCKET_PATH_BYTES) continue;
    if (await claimFolder(folder, uid, home.user)) return folder;
  }
  throw new UpstreamUnavailable(
    `No folder for the database's socket: ${candidates.join(', ')} are too long for a socket's name ` +
      `(${MAX_SOCKET_PATH_BYTES} bytes) or belong to somebody else. Use a data folder with a shorter path.`,
  );
}

function homeAt(folder: string, user: ServerUser | undefined): PostgresHome {
  const serverFolder = join(folder, 'server');
  return {
    folder,
    serverFolder,
    clusterFolder: join(serverFolder, 'cluster'),
    passwordFile: join(serverFolder, 'password'),
    logFile: join(folder, 'server.log'),
    user,
  };
}

/** Creates a folder, if missing, that only one user can access. @returns whether it now has this owner and mode */
async function claimFolder(folder: string, uid: number, user: ServerUser | undefined): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o700 });
    if (user !== undefined) await chown(folder, user.uid, user.gid);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') return false;
  }
  if (process.platform === 'win32') return true;
  // A folder owned by root is safe to use: another root process may have created it and not changed its owner yet.
  const found = await lstat(folder);
  if (found.isDirectory() && found.uid === 0 && user !== undefined && (found.mode & 0o077) === 0) {
    await chown(folder, user.uid, user.gid);
    return true;
  }
  return found.isDirectory() && found.uid === uid && (found.mode & 0o077) === 0;
}

/**
 * Creates a folder for the database outside the data folder. Each of the two folders records the path of the other. The
 * name of the new folder is random and not derived from the data folder's path: a data folder that was deleted and
 * created again must start with an empty database, not with a database whose secret key is lost.
 */
async function relocate(data: string, user: ServerUser): Promise<string> {
  const folder = join(RELOCATED, randomBytes(8).toString('hex'));
  try {
    await makeFolder(RELOCATED, 0o711);
    await makeFolder(folder, 0o700);
    await openTo(folder, user);
  } catch (cause) {
    throw new UpstreamUnavailable(
      `The database server cannot run as root, no other user can reach ${data}, and ${RELOCATED} cannot be written. ` +
        'Choose a data folder whose parents are open to others (GROUNDWATCH_DATA), or set DATABASE_URL.',
      { cause },
    );
  }
  await replaceText(join(folder, 'data-folder'), data);
  const location = join(data, 'postgres-location');
  if (await createText(location, folder)) return folder;
  await rm(folder, { recursive: true }); // another process was faster
  return (await readText(location)) ?? relocate(data, user);
}

/**
 * Checks the recorded folder. A data folder that was moved keeps its database. A copy of a data folder must not use the
 * database of the original.
 */
async function checkRelocated(data: string, folder: string): Promise<void> {
  if (!(await isFolder(folder))) {
    throw new UpstreamUnavailable(
      `The database of ${data} should be in ${folder} (named in its file postgres-location), which is missing or closed ` +
        'to this user. Bring it back, or delete postgres-location to begin with an empty database.',
    );
  }
  const owner = await readText(join(folder, 'data-folder'));
  if (owner === data) return;
  if (owner !== undefined && (await readText(join(owner, 'postgres-location'))) === folder) {
    throw new UpstreamUnavailable(
      `${data} is a copy of ${owner}, which owns the database in ${folder}. ` +
        'Delete postgres-location in the copy to begin with an empty database.',
    );
  }
  await replaceText(join(folder, 'data-folder'), data);
}

/**
 * Lets the server's user through the data folder, if that is our folder and has nothing but our files in it.
 * @returns whether the user can now reach it
 */
async function admit(data: string, user: ServerUser): Promise<boolean> {
  const names = await readdir(data);
  const isOurs = (await stat(data)).uid === process.getuid?.() && names.every((name) => isDataEntry(name));
  if (isOurs && (await canTraverse(dirname(data), user))) await openTo(data, user);
  return canTraverse(data, user);
}

/** Creates a folder with exactly this mode. With `mkdir` alone, our umask would limit the mode. */
async function makeFolder(path: string, mode: number): Promise<void> {
  const made = await mkdir(path, { mode, recursive: true });
  if (made !== undefined || process.getuid?.() === 0) await chmod(path, mode);
}

async function ownerOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    (found) => found.uid,
    () => undefined,
  );
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function replaceText(path: string, text: string): Promise<void> {
  await rename(await writeAside(path, text), path);
}

/** Creates a file together with its content in one step. @returns false when the file exists already */
async function createText(path: string, text: string): Promise<boolean> {
  const aside = await writeAside(path, text);
  try {
    await link(aside, path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(aside);
  }
}

async function writeAside(path: string, text: string): Promise<string> {
  const aside = newFolderName(path);
  await writeFile(aside, `${text}\n`, { mode: 0o600, flush: true });
  return aside;
}

/** Short hash of a path. */
function digest(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 16);
}

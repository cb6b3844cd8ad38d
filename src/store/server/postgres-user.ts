import { chmod, chown, readFile, stat } from 'node:fs/promises';
import { dirname, parse } from 'node:path';

/** The user that the database server runs as. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/** Users that may run the server, in order of preference: the database users of Debian and macOS, then `nobody`. */
const CANDIDATES = ['postgres', '_postgres', 'nobody'];
/** Overflow user id of Linux: the id of `nobody` unless /etc/passwd contains another id. */
const NOBODY_ID = 65_534;

/**
 * Returns the user that must run the server; undefined for the user of this process. PostgreSQL refuses to run as root.
 * If we are root, the user is the owner of the existing cluster, or `postgres` or `nobody` if there is no cluster.
 */
export async function chooseServerUser(clusterFolder: string): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(clusterFolder).catch(() => undefined);
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  return unprivilegedUser(await readFile('/etc/passwd', 'utf8').catch(() => ''));
}

/** Chooses the user from the text of a `passwd(5)` file. */
export function unprivilegedUser(passwd: string): ServerUser {
  const users = new Map(passwd.split('\n').map((line) => [line.split(':', 1)[0], line.split(':')]));
  for (const name of CANDIDATES) {
    const [, , uid = '', gid = ''] = users.get(name) ?? [];
    if (/^-?\d+$/.test(uid) && /^-?\d+$/.test(gid) && Number(uid) !== 0) {
      return { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }; // macOS writes nobody as -2
    }
  }
  return { uid: NOBODY_ID, gid: NOBODY_ID };
}

/** Whether a user may traverse a folder and all its parents, by their owners and modes. */
export async function canTraverse(folder: string, user: ServerUser): Promise<boolean> {
  for (let at = folder; ; at = dirname(at)) {
    const { uid, gid, mode } = await stat(at);
    const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0;
    if (((mode >> shift) & 0o1) === 0) return false;
    if (at === parse(at).root) return true;
  }
}

/**
 * Lets a user enter a folder of ours whose files the user must reach, and nobody else: the user's group may enter it,
 * but not list it. Whatever is closed in the folder stays closed to the user.
 */
export async function openTo(folder: string, { gid }: ServerUser): Promise<void> {
  await chown(folder, process.getuid!(), gid);
  await chmod(folder, 0o710);
}

/** Options to start a PostgreSQL program as a user, without our environment and working directory. */
export function launchOptions(user: ServerUser | undefined): {
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly windowsHide: true;
  readonly uid?: number;
  readonly gid?: number;
} {
  return {
    cwd: parse(process.execPath).root, // that user may have no access to our working directory
    // Does not inherit PGDATA, PGPORT and similar variables, which PostgreSQL would use.
    env: { LC_ALL: 'C', PATH: '/usr/bin:/bin' },
    windowsHide: true,
    ...user,
  };
}

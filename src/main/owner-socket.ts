import { chmod, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';

/** Maximum length of the path of a Unix socket [bytes], without the final NUL: `sun_path` of macOS has 104. */
const MAX_PATH_BYTES = 103;

/**
 * Path of a socket in the data folder; undefined where there can be none: on Windows, where sockets are no files, and
 * in a folder with a long path.
 */
export function ownerSocketPath(dataFolder: string, name: string): string | undefined {
  const path = join(dataFolder, name);
  return process.platform === 'win32' || Buffer.byteLength(path) > MAX_PATH_BYTES ? undefined : path;
}

/**
 * Listens on a socket that only the user of this process can open. A socket that a killed service left is replaced.
 * @returns a function that ends the listening and all connections
 */
export async function listenForOwner(
  path: string,
  onConnection: (socket: Socket) => void,
): Promise<() => Promise<void>> {
  await rm(path, { force: true });
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => socket.destroy()).once('close', () => open.delete(socket));
    onConnection(socket);
  });
  const before = process.umask(0o177);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(path, resolve);
    });
    await chmod(path, 0o600);
  } finally {
    process.umask(before);
  }
  server.unref();
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of open) socket.destroy();
    });
}

/** Whether an error means that no service listens on a socket that this user can open. */
export function isNobodyThere(error: unknown): boolean {
  const { code = '' } = error as NodeJS.ErrnoException;
  return ['ENOENT', 'ECONNREFUSED', 'ENOTDIR'].includes(code);
}

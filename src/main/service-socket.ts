import { chmod, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';

/** What a running service says of itself. */
export interface RunningService {
  readonly pid: number;
  readonly version: string;
  /** When it was started, as an ISO 8601 time. */
  readonly startedAt: string;
  /** The settings in its environment, by name. */
  readonly settings: Readonly<Record<string, string>>;
}

const SOCKET = 'service.sock';
/** Maximum length of the path of a Unix socket [bytes], without the final NUL: `sun_path` of macOS has 104. */
const MAX_PATH_BYTES = 103;
const ANSWER_MS = 5_000; // timeout of the answer; the service answers between two tasks of its event loop
const MAX_ANSWER = 1_000_000; // maximum size of the answer [characters]

/**
 * Path of the socket; undefined where there can be none: on Windows, where sockets are no files, and in a folder
 * with a long path.
 */
function socketPath(dataFolder: string): string | undefined {
  const path = join(dataFolder, SOCKET);
  return process.platform === 'win32' || Buffer.byteLength(path) > MAX_PATH_BYTES ? undefined : path;
}

/**
 * Offers what this service says of itself on a socket in the data folder, which only the user of the service can
 * open. Offers nothing when another service offers it there already.
 * @returns a function that ends the offer
 */
export async function offerAbout(dataFolder: string, about: RunningService): Promise<() => Promise<void>> {
  const path = socketPath(dataFolder);
  if (path === undefined || (await askService(dataFolder)) !== undefined) return async () => undefined;
  await rm(path, { force: true }); // left by a service that was killed
  const server = createServer((socket) =>
    socket.on('error', () => socket.destroy()).end(JSON.stringify(about)),
  );
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
  return () => new Promise((resolve) => server.close(() => resolve()));
}

/**
 * Asks the service that runs on a data folder about itself.
 * @returns undefined when none runs there, or none that can be asked
 * @throws Error when a service has the socket open and does not answer
 */
export async function askService(dataFolder: string): Promise<RunningService | undefined> {
  const path = socketPath(dataFolder);
  if (path === undefined) return undefined;
  const socket = connect(path);
  try {
    return JSON.parse(await answerOf(socket)) as RunningService;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'ENOTDIR') return undefined;
    throw error;
  } finally {
    socket.destroy();
  }
}

function answerOf(socket: Socket): Promise<string> {
  let text = '';
  return new Promise((resolve, reject) => {
    socket
      .setTimeout(ANSWER_MS, () =>
        reject(new Error(`the service does not answer within ${ANSWER_MS / 1000} s`)),
      )
      .setEncoding('utf8')
      .on('data', (chunk: string) => {
        text += chunk;
        if (text.length > MAX_ANSWER) reject(new Error('the service answers with too much'));
      })
      .once('end', () => resolve(text))
      .once('error', reject);
  });
}

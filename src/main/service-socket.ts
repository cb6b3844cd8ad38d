import { connect, type Socket } from 'node:net';
import { isNobodyThere, listenForOwner, ownerSocketPath } from './owner-socket.ts';

/** What a running service says of itself. */
export interface RunningService {
  readonly pid: number;
  readonly version: string;
  /** When it was started, as an ISO 8601 time. */
  readonly startedAt: string;
  /** The settings in its environment, by name. */
  readonly settings: Readonly<Record<string, string>>;
  /** Address at which it answers, such as `https://localhost:8443`. Workers have none, nor releases before 1.5.0. */
  readonly address?: string | undefined;
  /** Port on which it listens. */
  readonly port?: number | undefined;
}

/**
 * Asks the service that runs on a data folder about itself, where a command or a start only wishes to know of it.
 * @returns undefined also when the service does not answer
 */
export async function runningService(dataFolder: string): Promise<RunningService | undefined> {
  return askService(dataFolder).catch(() => undefined);
}

/** Names a running service in a message. */
export function nameOf({ pid, version, startedAt, address }: RunningService): string {
  const where = address === undefined ? '' : ` at ${address}`;
  return `process ${pid}${where} (release ${version}, since ${startedAt})`;
}

const SOCKET = 'service.sock';
const ANSWER_MS = 5_000; // timeout of the answer; the service answers between two tasks of its event loop
const MAX_ANSWER = 1_000_000; // maximum size of the answer [characters]

/**
 * Offers what this service says of itself on a socket in the data folder, which only the user of the service can
 * open. Offers nothing when another service offers it there already.
 * @returns a function that ends the offer
 */
export async function offerAbout(dataFolder: string, about: RunningService): Promise<() => Promise<void>> {
  const path = ownerSocketPath(dataFolder, SOCKET);
  if (path === undefined || (await askService(dataFolder)) !== undefined) return async () => undefined;
  return listenForOwner(path, (socket) => socket.end(JSON.stringify(about)));
}

/**
 * Asks the service that runs on a data folder about itself.
 * @returns undefined when none runs there, or none that can be asked
 * @throws Error when a service has the socket open and does not answer
 */
export async function askService(dataFolder: string): Promise<RunningService | undefined> {
  const path = ownerSocketPath(dataFolder, SOCKET);
  if (path === undefined) return undefined;
  const socket = connect(path);
  try {
    return JSON.parse(await answerOf(socket)) as RunningService;
  } catch (error) {
    if (isNobodyThere(error)) return undefined;
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

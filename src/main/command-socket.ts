import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { isNobodyThere, listenForOwner, ownerSocketPath } from './owner-socket.ts';

/** A command line that a service is asked to run. */
export interface CommandRequest {
  /** Release of the caller. A service of another release declines, and the caller runs the command itself. */
  readonly version: string;
  /** The settings in the environment of the caller, by name. */
  readonly settings: Readonly<Record<string, string>>;
  /** Name of the user at the command line. */
  readonly user: string;
  readonly argv: readonly string[];
}

/** Where a command writes its lines. */
export interface CommandOutput {
  out(text: string): void;
  err(text: string): void;
}

/**
 * Lines of JSON of the service. It first accepts or declines, and runs a command only after the caller's `go`: a caller
 * that has given up waiting runs the command itself, and it must not run twice.
 */
type Answer =
  | { readonly accepted: boolean }
  | { readonly out: string }
  | { readonly err: string }
  | { readonly code: number };

const SOCKET = 'commands.sock';
const ACCEPT_MS = 5_000; // maximum time until the service accepts; then the caller runs the command itself
const REQUEST_MS = 5_000; // maximum time until the service has the request and the `go`
const MAX_REQUEST = 100_000; // maximum size of a request [characters]

/** What a service offers to callers of the same release with the same settings. */
export interface CommandOffer {
  readonly version: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Whether the service runs the command line. */
  accepts(argv: readonly string[]): boolean;
  /** Runs it. @returns the exit code */
  run(request: CommandRequest, output: CommandOutput): Promise<number>;
}

/**
 * Offers to run commands, on a socket in the data folder that only the user of the service can open. Offers nothing
 * when another service offers it there already.
 * @returns a function that ends the offer
 */
export async function offerCommands(dataFolder: string, offer: CommandOffer): Promise<() => Promise<void>> {
  const path = ownerSocketPath(dataFolder, SOCKET);
  if (path === undefined || (await isOffered(path))) return async () => undefined;
  return listenForOwner(path, (socket) => {
    serveCaller(socket, offer).catch(() => socket.destroy());
  });
}

async function serveCaller(socket: Socket, offer: CommandOffer): Promise<void> {
  socket.setTimeout(REQUEST_MS, () => socket.destroy());
  let size = 0;
  socket.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > MAX_REQUEST) socket.destroy();
  });
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  const tell = (answer: Answer): void => void socket.write(`${JSON.stringify(answer)}\n`);
  const first = await lines.next();
  if (first.done === true) return;
  const request = JSON.parse(first.value) as CommandRequest;
  const isSame =
    request.version === offer.version &&
    Object.entries(request.settings).every(([name, value]) => offer.settings[name] === value);
  const accepted = isSame && offer.accepts(request.argv);
  tell({ accepted });
  if (!accepted) return void socket.end();
  if ((await lines.next()).done === true) return;
  socket.setTimeout(0);
  const code = await offer.run(request, { out: (out) => tell({ out }), err: (err) => tell({ err }) });
  tell({ code });
  socket.end();
}

async function isOffered(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await connected(socket);
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

function connected(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('connect', resolve).once('error', reject);
  });
}

/**
 * Asks the service that runs on a data folder to run a command, and passes on what the command writes.
 * @returns the exit code; undefined when no service runs there or it does not run this command, and nothing was done
 */
export async function runInService(
  dataFolder: string,
  request: CommandRequest,
  output: CommandOutput,
): Promise<number | undefined> {
  const path = ownerSocketPath(dataFolder, SOCKET);
  if (path === undefined) return undefined;
  const socket = connect(path);
  let isAccepted = false;
  try {
    await connected(socket);
    socket.setTimeout(ACCEPT_MS, () => socket.destroy());
    socket.write(`${JSON.stringify(request)}\n`);
    for await (const line of createInterface({ input: socket })) {
      const answer = JSON.parse(line) as Answer;
      if ('accepted' in answer) {
        if (!answer.accepted) return undefined;
        isAccepted = true;
        socket.setTimeout(0);
        socket.write('go\n');
      } else if ('out' in answer) output.out(answer.out);
      else if ('err' in answer) output.err(answer.err);
      else return answer.code;
    }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!isNobodyThere(error) && !['EACCES', 'ECONNRESET', 'EPIPE'].includes(code)) throw error;
  } finally {
    socket.destroy();
  }
  if (!isAccepted) return undefined;
  output.err('groundwatch: the service ended before the command did; it may have been done or not');
  return 1;
}

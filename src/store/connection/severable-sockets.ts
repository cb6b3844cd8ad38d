import { once } from 'node:events';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, DatabaseError, type ClientConfig } from 'pg';

/** Time without an answer after which a server counts as silent [ms]. */
const SILENT_MS = 5_000;
/** Pause between two questions [ms]. */
const ASK_MS = 500;

/** Sockets of the connections to a database, which can be ended all at once when its server does not answer. */
export class SeverableSockets {
  readonly #sockets = new Set<Socket>();
  readonly #end = new AbortController();
  #reason: Error | undefined;

  /** Makes a socket for a connection. When the others were ended, this one ends too. */
  readonly open = (): Socket => {
    const socket = new Socket();
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    const reason = this.#reason;
    // The client connects it in this turn. A socket that was ended before would be opened again by that.
    if (reason !== undefined) process.nextTick(() => socket.destroy(new Error(reason.message)));
    return socket;
  };

  /**
   * Asks the server again and again, over connections of their own since all others may be in use. When it is silent for
   * 5 s, ends all connections, and each that is opened later, so that what waits for an answer fails.
   * @param onSilent called before that
   */
  async severWhenSilent(connection: ClientConfig, onSilent: (reason: Error) => void): Promise<void> {
    const end = this.#end.signal;
    let silentAt: number | undefined;
    while (!end.aborted) {
      silentAt ??= performance.now();
      const reason = await silence(connection, end);
      if (end.aborted) return;
      if (reason === undefined) silentAt = undefined;
      else if (performance.now() - silentAt >= SILENT_MS) {
        onSilent(reason);
        this.#reason = reason;
        for (const socket of this.#sockets) socket.destroy(new Error(reason.message));
        return;
      }
      await sleep(ASK_MS, undefined, { signal: end }).catch(() => undefined);
    }
  }

  /** Ends the questions. Sockets stay as they are. */
  leave(): void {
    this.#end.abort();
  }
}

/** Asks a server. @returns the error when it does not answer in time; an answer may be a refusal */
async function silence(connection: ClientConfig, end: AbortSignal): Promise<Error | undefined> {
  const socket = new Socket();
  const client = new Client({ ...connection, stream: () => socket, application_name: 'groundwatch stop' });
  client.on('error', () => undefined);
  const asking = client.connect().then(() => client.query('select 1'));
  asking.catch(() => undefined);
  const late = AbortSignal.any([end, AbortSignal.timeout(SILENT_MS)]);
  const silent = once(late, 'abort').then(() => {
    throw new Error(`the database does not answer in ${SILENT_MS / 1000} s`);
  });
  silent.catch(() => undefined);
  try {
    await Promise.race([asking, silent]);
    return undefined;
  } catch (error) {
    return error instanceof DatabaseError ? undefined : (error as Error);
  } finally {
    socket.destroy();
  }
}

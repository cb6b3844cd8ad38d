import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../../test/fixtures/free-port.ts';

const run = promisify(execFile);
/** Programs of Debian's PostgreSQL 15. */
export const PROGRAMS = '/usr/lib/postgresql/15/bin';
/** Id of the user `nobody`. The server does not run as root. */
const NOBODY = 65_534;
const START_MS = 60_000;

/** A PostgreSQL server of its own, which a benchmark can kill and start again with the same data. */
export class PostgresServer {
  readonly #folder: string;
  readonly #port: number;
  readonly #as = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  #child: ChildProcess | undefined;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
  }

  /** Makes a cluster in a new folder, and starts its server. */
  static async start(folder: string): Promise<PostgresServer> {
    const server = new PostgresServer(folder, await freePort());
    await mkdir(folder, { mode: 0o700 });
    await chmod(folder, 0o700);
    const { uid, gid } = server.#as;
    if (uid !== undefined) await chown(folder, uid, gid);
    await server.#program('initdb', '-D', join(folder, 'data'), '-U', 'owner', '-A', 'trust', '-E', 'UTF8');
    await server.run();
    return server;
  }

  urlOf(database: string): string {
    return `postgres://owner@127.0.0.1:${this.#port}/${database}`;
  }

  /** Starts the server, and waits until it answers. */
  async run(): Promise<void> {
    const data = join(this.#folder, 'data');
    const settings = ['-D', data, '-p', String(this.#port), '-h', '127.0.0.1', '-k', this.#folder];
    // A group of its own, so that all its processes can be ended at once.
    this.#child = spawn(join(PROGRAMS, 'postgres'), [...settings, '-c', 'max_connections=300'], {
      ...this.#as,
      cwd: this.#folder,
      env: this.#env,
      stdio: 'ignore',
      detached: true,
    });
    const deadline = Date.now() + START_MS;
    for (;;) {
      const isReady = await this.#program('pg_isready', '-h', '127.0.0.1', '-p', String(this.#port)).then(
        () => true,
        () => false,
      );
      if (isReady) return;
      // After a kill the former processes may need a moment to let go of the memory that they share.
      if (this.#child.exitCode !== null) return this.run();
      if (Date.now() > deadline) throw new Error('PostgreSQL did not start');
      await sleep(100);
    }
  }

  async makeDatabase(name: string): Promise<void> {
    const at = ['-h', '127.0.0.1', '-p', String(this.#port), '-U', 'owner'];
    await this.#program('createdb', ...at, name);
  }

  /** Ends all processes of the server with SIGKILL. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    process.kill(-child.pid!, 'SIGKILL');
    await ended;
  }

  get #env(): NodeJS.ProcessEnv {
    return { ...process.env, LC_ALL: 'C.UTF-8', HOME: this.#folder };
  }

  async #program(name: string, ...args: readonly string[]): Promise<void> {
    await run(join(PROGRAMS, name), args, { ...this.#as, env: this.#env, cwd: this.#folder });
  }
}

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { testProgram } from '../../scripts/test/program.ts';
import { treeS } from '../service/process-cost.ts';

const run = promisify(execFile);
/** The program as it is published, which starts sooner than the sources. */
const PROGRAM = await testProgram(join(import.meta.dirname, '../..'));
const START_MS = 300_000; // far longer than a start takes, because the machine may be busy
const STOP_MS = 60_000;

/** What the processes of a machine took, those that were killed included. */
export interface MachineCost {
  /** Processor time [s]. */
  readonly processorS: number;
  /** Number of its starts, and the part of the processor time that they took [s]. */
  readonly starts: number;
  readonly startsS: number;
  /** Bytes of objects that were written and read. */
  readonly put: number;
  readonly got: number;
  /** Largest use of its disk that was seen [bytes]. */
  readonly disk: number;
}

/** A node of an installation with a disk of its own, which a benchmark can kill and start again. */
export class Machine {
  readonly name: string;
  readonly #args: readonly string[];
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #isMounted: boolean;
  #child: ChildProcess | undefined;
  #log = '';
  #printed = '';
  #cost = { processorS: 0, put: 0, got: 0, disk: 0 };
  #starts = 0;
  #startsS = 0;

  private constructor(
    name: string,
    args: readonly string[],
    folder: string,
    env: NodeJS.ProcessEnv,
    isMounted: boolean,
  ) {
    this.name = name;
    this.#args = args;
    this.#folder = folder;
    this.#env = { ...env, GROUNDWATCH_DATA: folder, GROUNDWATCH_WORKER_PORT: '0' };
    this.#isMounted = isMounted;
  }

  /**
   * Makes the disk of a machine.
   * @param args command line of its process
   * @param diskMb size of a disk in memory [MiB]; undefined: a folder of the disk of this machine
   */
  static async make(
    name: string,
    args: readonly string[],
    folder: string,
    env: NodeJS.ProcessEnv,
    diskMb?: number,
  ): Promise<Machine> {
    await mkdir(folder, { recursive: true, mode: 0o755 });
    if (diskMb !== undefined) await run('mount', ['-t', 'tmpfs', '-o', `size=${diskMb}m`, 'tmpfs', folder]);
    return new Machine(name, args, folder, env, diskMb !== undefined);
  }

  /** Environment of a process on the disk of this machine. */
  get env(): NodeJS.ProcessEnv {
    return this.#env;
  }

  get log(): string {
    return this.#log;
  }

  /** Address at which the node answers calls; undefined for workers. */
  get baseUrl(): string | undefined {
    return /answers at (https:\/\/localhost:\d+)/.exec(this.#printed)?.[1];
  }

  /** Starts the process, and waits until it has started. */
  async start(): Promise<void> {
    this.#printed = '';
    const child = spawn(process.execPath, [PROGRAM, ...this.#args], {
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    child.stderr.setEncoding('utf8').on('data', (text: string) => (this.#log += text));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => reject(new Error(`${this.name} did not start: ${this.#log}`)), START_MS);
    child.once('exit', (code) => reject(new Error(`${this.name} ended with code ${code}: ${this.#log}`)));
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#printed += text;
      if (/answers at \S+|workers run/.test(this.#printed)) resolve();
    });
    await promise.finally(() => clearTimeout(timer));
    this.#starts++;
    this.#startsS += treeS(child.pid!) || 0;
  }

  /** Ends the process as a power cut would, but keeps the disk. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.#end('SIGTERM');
  }

  async remove(): Promise<void> {
    await this.#end('SIGKILL');
    if (this.#isMounted) await run('umount', [this.#folder]);
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** What the machine took so far. */
  async cost(): Promise<MachineCost> {
    const now = await this.#present();
    const { processorS, put, got, disk } = this.#cost;
    return {
      processorS: processorS + now.processorS,
      starts: this.#starts,
      startsS: this.#startsS,
      put: put + now.put,
      got: got + now.got,
      disk: Math.max(disk, now.disk),
    };
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const { processorS, put, got, disk } = await this.cost();
    this.#cost = { processorS, put, got, disk };
    const ended = once(child, 'exit');
    child.removeAllListeners('exit');
    const ending = once(child, 'exit');
    child.kill(signal);
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await Promise.race([ended, ending]);
    clearTimeout(late);
    this.#child = undefined;
  }

  async #present(): Promise<Omit<MachineCost, 'starts' | 'startsS'>> {
    const disk = Number((await run('du', ['-s', '-B1', this.#folder])).stdout.split('\t')[0]);
    const child = this.#child;
    if (child === undefined || child.exitCode !== null) return { processorS: 0, put: 0, got: 0, disk };
    const port = /Health and metrics: (http:\S+?)[\s,]/.exec(`${this.#printed}\n`)?.[1];
    const text = port === undefined ? '' : await textOf(`${port}/metrics`);
    const bytes = (operation: string): number =>
      Number(
        new RegExp(`^groundwatch_object_bytes_total\\{[^}]*"${operation}"[^}]*\\} (\\S+)$`, 'm').exec(
          text,
        )?.[1] ?? 0,
      );
    return { processorS: treeS(child.pid!) || 0, put: bytes('put'), got: bytes('get'), disk };
  }
}

/** Body of an answer; an empty text without one. */
function textOf(url: string): Promise<string> {
  return new Promise((resolve) => {
    const call = get(url, { agent: false, timeout: 3000 }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      answer.once('close', () => resolve(text));
    });
    call.once('timeout', () => call.destroy()).once('error', () => resolve(''));
  });
}
